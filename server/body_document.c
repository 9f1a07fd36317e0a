/* The body of a request as a document. */

#include "handlers.h"
#include "problem.h"
#include "server.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ID = 1000 };

static bool kind_of_body(struct request *r, og_file_kind *out)
{
    static const struct {
        const char *type;
        og_file_kind kind;
    } kinds[] = {
        {"text/plain", OG_FILE_TEXT},
        {"text/html", OG_FILE_HTML},
        {"application/json", OG_FILE_JSONL},
        {"application/xml", OG_FILE_XML},
        {"text/xml", OG_FILE_XML},
        {"message/rfc822", OG_FILE_MAIL},
        {"application/xhtml+xml", OG_FILE_HTML},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!request_is_type(r, kinds[i].type)) continue;
        *out = kinds[i].kind;
        return true;
    }
    return problem(r, 415,
                   "the body must be text/plain, text/html, application/json, "
                   "application/xml or message/rfc822");
}

/* The query fills in what the body does not state. */
static bool fill_from_query(struct request *r, bool bad_time)
{
    og_document *doc = &r->doc;
    const char *id = request_argument(r, "id");
    const char *title = request_argument(r, "title");
    const char *url = request_argument(r, "url");
    const char *time = request_argument(r, "time");
    if (doc->id.len == 0 && id != NULL) doc->id = (og_bytes){id, strlen(id)};
    if (doc->title.len == 0 && title != NULL)
        doc->title = (og_bytes){title, strlen(title)};
    if (doc->url.len == 0 && url != NULL)
        doc->url = (og_bytes){url, strlen(url)};
    if (time != NULL &&
        (!doc->has_time || doc->time_source != OG_TIME_RECORD)) {
        const og_bytes text = {time, strlen(time)};
        if (!og_time_parse(text, &doc->time) &&
            !og_time_parse_seconds(text, &doc->time))
            return problem(r, 400, "'time' is not a valid time: \"%.60s\"",
                           time);
        doc->has_time = true;
        doc->time_source = OG_TIME_RECORD;
        bad_time = false;
    }
    return !bad_time ||
           problem(r, 400, "the time of the document is not a valid time");
}

/* Each request has one, so without sprintf(). */
static size_t write_id(const unsigned char *digest, int n, char *out)
{
    static const char prefix[] = "sha256:", digits[] = "0123456789abcdef";
    char *at = out + sizeof(prefix) - 1;
    memcpy(out, prefix, sizeof(prefix));
    for (int i = 0; i < n; i++) {
        *at++ = digits[digest[i] >> 4];
        *at++ = digits[digest[i] & 15];
    }
    *at = 0;
    return (size_t)(at - out);
}

/* The same text has the same id every time: sending it again changes
 * nothing. */
static bool make_up_id(struct request *r)
{
    enum { DIGEST = 32, SHOWN = 16 };
    unsigned char digest[DIGEST];
    const og_bytes text = r->doc.text;
    if (r->doc.id.len > MOST_ID)
        return problem(r, 400, "an id has at most %d bytes", MOST_ID);
    if (r->doc.id.len > 0) return true;
    r->made_id = malloc(sizeof("sha256:") + 2 * (size_t)SHOWN);
    if (r->made_id == NULL ||
        gnutls_hash_fast(GNUTLS_DIG_SHA256, text.data, text.len, digest) != 0)
        return problem(r, 503, "out of memory");
    r->doc.id = (og_bytes){r->made_id, write_id(digest, SHOWN, r->made_id)};
    return true;
}

bool take_document(struct request *r)
{
    og_file_kind kind = OG_FILE_AUTO;
    og_error err = {0};
    bool bad_time = false;
    const uint64_t most = r->server->options->max_document;
    if (!kind_of_body(r, &kind)) return false;
    r->reader = readers_take_parser(&r->server->readers);
    if (r->reader == NULL) return problem(r, 503, "out of memory");
    if (og_reader_read(r->reader, buffer_view(&r->body), kind, most, &r->doc,
                       &bad_time, &err) != OG_OK)
        return problem_of(r, &err);
    return fill_from_query(r, bad_time) && make_up_id(r);
}
