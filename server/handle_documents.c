/* /v1/documents: adding documents, reading them, removing them. */

#include "handlers.h"
#include "problem.h"
#include "server.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- in ---- */

bool is_ndjson(const struct request *r)
{
    return request_is_type(r, "application/x-ndjson") ||
           request_is_type(r, "application/ndjson") ||
           request_is_type(r, "application/jsonl");
}

void prepare_add(struct request *r)
{
    r->adds = true;
    (void)take_document(r);
}

static void write_result(struct buffer *b, og_bytes id, bool is_new)
{
    buffer_text(b, "{\"id\":");
    buffer_string(b, id);
    buffer_format(b, ",\"result\":\"%s\"}\n", is_new ? "added" : "known");
}

static void write_wrong(struct buffer *b, uint64_t line, const og_error *err)
{
    buffer_format(b, "{\"line\":%llu,\"error\":", (unsigned long long)line);
    buffer_c_string(b, err->message);
    buffer_text(b, "}\n");
}

/* Results that wait: late ones, until the whole body was received, because
 * libmicrohttpd sends nothing before; early ones, until the client reads
 * them. */
enum { MOST_RESULTS = 64 << 20 };

static void add_line(struct request *r, og_bytes line)
{
    struct writer *w = &r->server->writer;
    og_error err = {0};
    og_document doc;
    bool is_new, bad_time = false;
    if (r->reply.status != 0) return;
    r->n_lines++;
    if (line.len > 0 && line.data[line.len - 1] == '\r') line.len--;
    if (line.len == 0) return;
    og_status status =
        og_reader_read(w->reader, line, OG_FILE_JSONL,
                       r->server->options->max_document, &doc, &bad_time, &err);
    if (status == OG_OK && (bad_time || doc.id.len == 0 || doc.id.len > 1000)) {
        status = err.status = OG_ERR_INPUT;
        snprintf(err.message, sizeof(err.message), "%s",
                 bad_time
                     ? "the time of the document is not a valid time"
                     : "a document in a stream needs an id of 1 to 1000 bytes");
    }
    if (status == OG_OK)
        status = writer_add(w, &doc, false, NULL, &is_new, &err);
    if (status == OG_ERR_IO || status == OG_ERR_STORE ||
        status == OG_ERR_MEMORY) {
        /* Not an error of the document: it may be sent again. */
        problem(r, 503, "line %llu: %s", (unsigned long long)r->n_lines,
                err.message);
        return;
    }
    if (status != OG_OK) {
        write_wrong(&r->results, r->n_lines, &err);
    } else {
        r->has_written = true;
        write_result(&r->results, doc.id, is_new);
    }
    if (r->results.len > MOST_RESULTS)
        problem(r, 413,
                "the results of the first %llu lines take %d MiB; they are "
                "stored, and the rest must be sent in another stream",
                (unsigned long long)r->n_lines, MOST_RESULTS >> 20);
}

/* All complete lines; at the end of the body also the rest. */
static void add_lines(struct request *r)
{
    struct buffer *b = &r->body;
    size_t at = 0;
    const char *newline;
    r->adds = true;
    while (at < b->len &&
           (newline = memchr(b->data + at, '\n', b->len - at)) != NULL) {
        const size_t end = (size_t)(newline - b->data);
        add_line(r, (og_bytes){b->data + at, end - at});
        at = end + 1;
    }
    if (r->is_last && at < b->len) {
        add_line(r, (og_bytes){b->data + at, b->len - at});
        at = b->len;
    }
    buffer_drop(b, at);
    watchdog_note(&r->server->watchdog, r->peer, PEER_SENDING);
    if (!r->is_last || r->reply.status != 0) return;
    buffer_release(&r->reply.body);
    r->reply.body = r->results;
    r->results = (struct buffer){0};
    r->reply.status = 200;
    r->reply.type = "application/x-ndjson";
}

void handle_add(struct request *r)
{
    og_error err = {0};
    bool is_new;
    if (r->is_streamed) {
        add_lines(r);
        return;
    }
    if (writer_add(&r->server->writer, &r->doc, false, NULL, &is_new, &err) !=
        OG_OK) {
        problem_of(r, &err);
        return;
    }
    r->has_written = true;
    write_result(&r->reply.body, r->doc.id, is_new);
    reply_json(r, is_new ? 201 : 200);
}

void handle_remove(struct request *r)
{
    struct server *s = r->server;
    og_error err = {0};
    uint64_t n = 0;
    if (og_store_remove(s->store, r->rest, &n, &err) != OG_OK) {
        problem_of(r, &err);
        return;
    }
    if (n == 0) {
        problem(r, 404, "there is no such document");
        return;
    }
    atomic_fetch_add(&s->metrics.n_removed, n);
    hub_hold_removal(&s->hub, r->rest);
    r->has_written = true;
    r->reply.status = 204;
}

/* ---- out ---- */

static void write_origins(struct buffer *b, const og_card *card,
                          og_browser *browser)
{
    /* The next call of the browser invalidates the views of this card. */
    og_card origin;
    bool is_found;
    size_t n = 0;
    const og_card own = *card;
    buffer_text(b, ",\"origins\":[");
    for (size_t i = 0; i < own.n_origins; i++) {
        if (og_browser_get(browser, own.origins[i].number, false, &is_found,
                           &origin, NULL) != OG_OK ||
            !is_found)
            continue;
        buffer_text(b, n++ > 0 ? ",{\"id\":" : "{\"id\":");
        buffer_string(b, origin.doc.id);
        buffer_format(b, ",\"n_tokens\":%llu}",
                      (unsigned long long)own.origins[i].n_tokens);
    }
    buffer_text(b, "]");
}

static void write_card(struct buffer *b, const og_card *card)
{
    const og_document *doc = &card->doc;
    char time[40];
    buffer_text(b, "{\"id\":");
    buffer_string(b, doc->id);
    buffer_format(b, ",\"number\":%llu", (unsigned long long)card->number);
    if (doc->has_time) {
        const char *source = og_time_source_name(doc->time_source);
        og_time_format(doc->time, time);
        buffer_format(b, ",\"time\":\"%s\"", time);
        if (source[0] != 0) buffer_format(b, ",\"time_source\":\"%s\"", source);
    }
    if (doc->title.len > 0) {
        buffer_text(b, ",\"title\":");
        buffer_string(b, doc->title);
    }
    if (doc->url.len > 0) {
        buffer_text(b, ",\"url\":");
        buffer_string(b, doc->url);
    }
    buffer_format(b, ",\"n_bytes\":%llu,\"n_tokens\":%llu",
                  (unsigned long long)card->text_len,
                  (unsigned long long)card->n_tokens);
    if (card->has_text) {
        buffer_text(b, ",\"text\":");
        buffer_string(b, doc->text);
    }
}

void handle_document(struct request *r)
{
    struct server *s = r->server;
    const char *text = request_argument(r, "text");
    bool with_text = true, is_found = false;
    og_error err = {0};
    og_card card;
    if (text != NULL && !request_flag(r, "text", &with_text)) return;
    struct asker *a = request_asker(r);
    if (a == NULL) return;
    if (og_browser_find(a->browser, r->rest, with_text, &is_found, &card,
                        &err) != OG_OK) {
        problem_of(r, &err);
    } else if (!is_found) {
        problem(r, 404, "there is no such document");
    } else {
        write_card(&r->reply.body, &card);
        write_origins(&r->reply.body, &card, a->browser);
        buffer_text(&r->reply.body, "}\n");
        reply_json(r, 200);
    }
    readers_give(&s->readers, a);
}

/* ---- a list of them ---- */

struct browsing {
    const char *prefix, *source, *text; /* NULL: any */
    uint64_t before;                    /* numbers below it */
    size_t limit, n;
    uint64_t n_looked_at;
};

/* At most so many documents are examined for one page of the list; the next
 * page continues from there. */
enum { MOST_LOOKED_AT = 20000, MOST_LISTED = 1000 };

static bool has_prefix(og_bytes s, const char *prefix)
{
    const size_t len = strlen(prefix);
    return s.len >= len && memcmp(s.data, prefix, len) == 0;
}

static bool has_host(og_bytes url, const char *host)
{
    const size_t len = strlen(host);
    for (size_t i = 0; i + 3 + len <= url.len; i++) {
        if (memcmp(url.data + i, "://", 3) != 0) continue;
        const char *at = url.data + i + 3;
        const size_t rest = url.len - i - 3;
        return strncasecmp(at, host, len) == 0 &&
               (rest == len || strchr("/:?#", at[len]) != NULL);
    }
    return false;
}

static bool contains(og_bytes s, const char *word)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= s.len; i++)
        if (strncasecmp(s.data + i, word, len) == 0) return true;
    return false;
}

static bool is_wanted(const struct browsing *b, const og_document *doc)
{
    if (b->prefix != NULL && !has_prefix(doc->id, b->prefix)) return false;
    if (b->source != NULL && !has_host(doc->url, b->source)) return false;
    return b->text == NULL || contains(doc->id, b->text) ||
           contains(doc->title, b->text) || contains(doc->url, b->text);
}

static bool take_browsing(struct request *r, struct browsing *out)
{
    double limit = 50, before = 9e15;
    *out = (struct browsing){.prefix = request_argument(r, "prefix"),
                             .source = request_argument(r, "source"),
                             .text = request_argument(r, "text")};
    if (!request_number(r, "limit", 1, MOST_LISTED, &limit) ||
        !request_number(r, "before", 0, 9e15, &before))
        return false;
    const uint64_t n = og_store_n_numbers(r->server->store);
    out->limit = (size_t)limit;
    out->before = before < (double)n ? (uint64_t)before : n;
    return true;
}

static og_status list_page(struct browsing *b, og_browser *browser,
                           struct buffer *out, og_error *err)
{
    while (b->before > 0 && b->n < b->limit &&
           b->n_looked_at < MOST_LOOKED_AT) {
        og_card card;
        bool is_found = false;
        b->before--;
        b->n_looked_at++;
        const og_status status =
            og_browser_get(browser, b->before, false, &is_found, &card, err);
        if (status != OG_OK) return status;
        if (!is_found || !is_wanted(b, &card.doc)) continue;
        if (b->n++ > 0) buffer_text(out, ",");
        write_card(out, &card);
        buffer_text(out, "}");
    }
    return OG_OK;
}

void handle_browse(struct request *r)
{
    struct server *s = r->server;
    struct browsing b;
    struct buffer *out = &r->reply.body;
    og_error err = {0};
    if (!take_browsing(r, &b)) return;
    struct asker *a = request_asker(r);
    if (a == NULL) return;
    buffer_text(out, "{\"documents\":[");
    if (list_page(&b, a->browser, out, &err) == OG_OK) {
        buffer_text(out, "],\"next\":");
        if (b.before > 0)
            buffer_format(out, "%llu}\n", (unsigned long long)b.before);
        else
            buffer_text(out, "null}\n");
        reply_json(r, 200);
    } else {
        problem_of(r, &err);
    }
    readers_give(&s->readers, a);
}
