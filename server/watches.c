#include "watches.h"

#include "problem.h"
#include "server.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { MOST_WATCHES = 1000, MOST_IDS = 1000, MOST_FILE = 64 << 20 };

struct watch {
    char id[20];
    char **ids; /* of documents */
    size_t n_ids;
    char *pattern;          /* of ids; NULL: none */
    double min_share;       /* of the copy that must come from the document */
    char *webhook, *secret; /* NULL: only events */
    atomic_uint_fast64_t n_notified;
    struct watch *next;
};

/* ---- how much comes from where ---- */

static void count_share(struct origin_share *list, size_t *n, og_bytes id,
                        uint64_t n_tokens)
{
    for (size_t i = 0; i < *n; i++)
        if (list[i].id.len == id.len &&
            memcmp(list[i].id.data, id.data, id.len) == 0) {
            list[i].n_tokens += n_tokens;
            return;
        }
    if (*n < MOST_SHARES) list[(*n)++] = (struct origin_share){id, n_tokens, 0};
}

static int by_tokens(const void *a, const void *b)
{
    const struct origin_share *x = a, *y = b;
    return (x->n_tokens < y->n_tokens) - (x->n_tokens > y->n_tokens);
}

size_t shares_of(const og_answer *answer, struct origin_share *out)
{
    size_t n = 0;
    for (size_t i = 0; i < answer->n_spans; i++)
        count_share(out, &n, answer->spans[i].origin_id,
                    answer->spans[i].n_matching);
    for (size_t i = 0; i < n && answer->n_tokens > 0; i++)
        out[i].share = (double)out[i].n_tokens / (double)answer->n_tokens;
    if (n > 1) qsort(out, n, sizeof(*out), by_tokens);
    return n;
}

/* ---- a watch as JSON, and back ---- */

static void free_watch(struct watch *w)
{
    if (w == NULL) return;
    for (size_t i = 0; i < w->n_ids; i++)
        free(w->ids[i]);
    free(w->ids);
    free(w->pattern);
    free(w->webhook);
    free(w->secret);
    free(w);
}

static void write_watch(const struct watch *w, bool with_secret,
                        struct buffer *b)
{
    buffer_text(b, "{\"id\":");
    buffer_c_string(b, w->id);
    buffer_text(b, ",\"ids\":[");
    for (size_t i = 0; i < w->n_ids; i++) {
        if (i > 0) buffer_text(b, ",");
        buffer_c_string(b, w->ids[i]);
    }
    buffer_text(b, "]");
    if (w->pattern != NULL) {
        buffer_text(b, ",\"pattern\":");
        buffer_c_string(b, w->pattern);
    }
    buffer_text(b, ",\"min_share\":");
    buffer_share(b, w->min_share);
    if (w->webhook != NULL) {
        buffer_text(b, ",\"webhook\":");
        buffer_c_string(b, w->webhook);
    }
    if (with_secret && w->secret != NULL) {
        buffer_text(b, ",\"secret\":");
        buffer_c_string(b, w->secret);
    }
    if (!with_secret)
        buffer_format(b, ",\"signed\":%s,\"n_notified\":%llu",
                      w->secret != NULL ? "true" : "false",
                      (unsigned long long)atomic_load(&w->n_notified));
    buffer_text(b, "}");
}

struct reading {
    struct watch *watch;
    const char *wrong; /* NULL: nothing */
    bool with_id;      /* of the file: it has one */
};

static bool is_name(og_bytes name, const char *what)
{
    return name.len == strlen(what) && memcmp(name.data, what, name.len) == 0;
}

static bool wrong(struct reading *r, const char *what)
{
    r->wrong = what;
    return false;
}

static bool take_string(struct reading *r, og_json_kind kind, og_bytes value,
                        char **out, const char *what)
{
    if (kind != OG_JSON_STRING || value.len == 0 || value.len > 1000 ||
        memchr(value.data, 0, value.len) != NULL)
        return wrong(r, what);
    free(*out);
    *out = copy_of_bytes(value);
    return *out != NULL || wrong(r, "out of memory");
}

static bool take_id(void *ctx, og_bytes name, og_json_kind kind, og_bytes value)
{
    struct reading *r = ctx;
    struct watch *w = r->watch;
    (void)name;
    if (w->n_ids == MOST_IDS) return wrong(r, "there may be at most 1000 ids");
    char **ids = realloc(w->ids, (w->n_ids + 1) * sizeof(*ids));
    if (ids == NULL) return wrong(r, "out of memory");
    w->ids = ids;
    ids[w->n_ids] = NULL;
    if (!take_string(r, kind, value, &ids[w->n_ids],
                     "ids must be a list of strings of 1 to 1000 bytes"))
        return false;
    w->n_ids++;
    return true;
}

static bool take_share(struct reading *r, og_json_kind kind, og_bytes value)
{
    char text[32];
    if (kind != OG_JSON_NUMBER || value.len >= sizeof(text))
        return wrong(r, "min_share must be a number from 0 to 1");
    memcpy(text, value.data, value.len);
    text[value.len] = 0;
    r->watch->min_share = strtod(text, NULL);
    return (r->watch->min_share >= 0 && r->watch->min_share <= 1) ||
           wrong(r, "min_share must be a number from 0 to 1");
}

static bool take_member(void *ctx, og_bytes name, og_json_kind kind,
                        og_bytes value)
{
    struct reading *r = ctx;
    struct watch *w = r->watch;
    if (is_name(name, "ids")) {
        if (kind != OG_JSON_ARRAY)
            return wrong(r, "ids must be a list of strings");
        return og_json_each(value, take_id, r, NULL) == OG_OK;
    }
    if (is_name(name, "pattern"))
        return take_string(r, kind, value, &w->pattern,
                           "pattern must be a string of 1 to 1000 bytes");
    if (is_name(name, "min_share")) return take_share(r, kind, value);
    if (is_name(name, "webhook"))
        return take_string(r, kind, value, &w->webhook,
                           "webhook must be a URL of 1 to 1000 bytes");
    if (is_name(name, "secret"))
        return take_string(r, kind, value, &w->secret,
                           "secret must be a string of 1 to 1000 bytes");
    if (r->with_id && is_name(name, "id") && kind == OG_JSON_STRING &&
        value.len > 0 && value.len < sizeof(w->id)) {
        memcpy(w->id, value.data, value.len);
        w->id[value.len] = 0;
        return true;
    }
    return wrong(
        r, "a watch may only have ids, pattern, min_share, webhook and secret");
}

/* NULL: *out_wrong says why. */
static struct watch *read_watch(og_bytes json, bool with_id, char *out_wrong,
                                size_t cap)
{
    struct reading r = {.watch = calloc(1, sizeof(struct watch)),
                        .with_id = with_id};
    og_error err = {0};
    size_t space = 0;
    if (r.watch == NULL) r.wrong = "out of memory";
    while (space < json.len && strchr(" \t\r\n", json.data[space]) != NULL)
        space++;
    if (r.wrong == NULL && (space == json.len || json.data[space] != '{'))
        r.wrong = "a watch must be a JSON object";
    if (r.wrong == NULL && og_json_each(json, take_member, &r, &err) != OG_OK &&
        r.wrong == NULL)
        r.wrong = err.message;
    if (r.wrong == NULL && r.watch->n_ids == 0 && r.watch->pattern == NULL)
        r.wrong = "a watch needs ids or a pattern";
    if (r.wrong == NULL && r.watch->secret != NULL && r.watch->webhook == NULL)
        r.wrong = "a secret needs a webhook";
    if (r.wrong == NULL) return r.watch;
    snprintf(out_wrong, cap, "%.190s", r.wrong);
    free_watch(r.watch);
    return NULL;
}

bool watch_is_valid(og_bytes json, char *out_why, size_t cap)
{
    struct watch *w = read_watch(json, false, out_why, cap);
    free_watch(w);
    return w != NULL;
}

/* ---- the file ---- */

/* The file is always complete, with the new list or the old one. It contains
 * secrets, so only the owner may read it. */
static bool save(const struct watches *all)
{
    const og_output_options options = {.packing = OG_PACKING_NONE,
                                       .is_private = true};
    og_output *output;
    struct buffer b = {0};
    if (all->path == NULL) return true;
    if (og_output_new(all->path, &options, &output, NULL) != OG_OK)
        return false;
    for (const struct watch *w = all->first; w != NULL; w = w->next) {
        write_watch(w, true, &b);
        buffer_text(&b, "\n");
    }
    const bool is_saved =
        !b.failed &&
        (b.len == 0 ||
         fwrite(b.data, 1, b.len, og_output_file(output)) == b.len) &&
        og_output_commit(output, NULL) == OG_OK;
    buffer_release(&b);
    og_output_free(output);
    return is_saved;
}

static og_status not_read(const struct watches *all, const char *why,
                          og_error *err)
{
    if (err == NULL) return OG_ERR_INPUT;
    *err = (og_error){.status = OG_ERR_INPUT};
    snprintf(err->message, sizeof(err->message), "watches '%.200s': %s",
             all->path, why);
    return OG_ERR_INPUT;
}

static og_status load(struct watches *all, og_error *err)
{
    char *line = NULL, why[200];
    size_t cap = 0;
    struct watch **last = &all->first;
    og_status status = OG_OK;
    FILE *file = all->path != NULL ? fopen(all->path, "re") : NULL;
    if (file == NULL && (all->path == NULL || errno == ENOENT)) return OG_OK;
    if (file == NULL) return not_read(all, strerror(errno), err);
    for (ssize_t len; (len = getline(&line, &cap, file)) > 0;) {
        struct watch *w =
            read_watch((og_bytes){line, (size_t)len}, true, why, sizeof(why));
        if (w == NULL) {
            status = not_read(all, why, err);
            break;
        }
        *last = w;
        last = &w->next;
        atomic_fetch_add(&all->n, 1);
    }
    free(line);
    fclose(file);
    return status;
}

og_status watches_open(struct watches *w, struct server *s, og_error *err)
{
    char path[4096];
    *w = (struct watches){.server = s};
    pthread_mutex_init(&w->lock, NULL);
    if (s->options->folder != NULL) {
        snprintf(path, sizeof(path), "%s/watches.jsonl", s->options->folder);
        w->path = strdup(path);
    }
    const og_status status = load(w, err);
    if (status != OG_OK || webhooks_start(&w->hooks, s)) return status;
    if (err != NULL) {
        *err = (og_error){.status = OG_ERR_MEMORY};
        snprintf(err->message, sizeof(err->message),
                 "cannot start the webhook thread");
    }
    return OG_ERR_MEMORY;
}

void watches_close(struct watches *w)
{
    webhooks_stop(&w->hooks);
    while (w->first != NULL) {
        struct watch *next = w->first->next;
        free_watch(w->first);
        w->first = next;
    }
    free(w->path);
    pthread_mutex_destroy(&w->lock);
}

bool watches_any(struct watches *w)
{
    return atomic_load(&w->n) > 0;
}

/* ---- what they say ---- */

static bool is_watched(const struct watch *w, og_bytes id)
{
    char name[1024];
    if (id.len >= sizeof(name)) return false;
    memcpy(name, id.data, id.len);
    name[id.len] = 0;
    for (size_t i = 0; i < w->n_ids; i++)
        if (strcmp(w->ids[i], name) == 0) return true;
    return w->pattern != NULL && fnmatch(w->pattern, name, 0) == 0;
}

static void write_copy(const struct watch *w, const og_document *doc,
                       const struct origin_share *origin, struct buffer *b)
{
    char time[40];
    buffer_text(b, "{\"watch\":");
    buffer_c_string(b, w->id);
    buffer_text(b, ",\"document\":{\"id\":");
    buffer_string(b, doc->id);
    if (doc->has_time) {
        og_time_format(doc->time, time);
        buffer_format(b, ",\"time\":\"%s\"", time);
    }
    if (doc->url.len > 0) {
        buffer_text(b, ",\"url\":");
        buffer_string(b, doc->url);
    }
    buffer_text(b, "},\"origin\":{\"id\":");
    buffer_string(b, origin->id);
    buffer_format(b, "},\"n_tokens\":%llu,\"share\":",
                  (unsigned long long)origin->n_tokens);
    buffer_share(b, origin->share);
    buffer_text(b, "}");
}

/* One event of the watches from `asked` on; the lock is held. */
static bool next_copy(struct watches *w, const og_document *doc,
                      const struct origin_share *origins, size_t n,
                      struct buffer *out)
{
    for (; w->asked != NULL; w->asked = w->asked->next, w->asked_origin = 0)
        while (w->asked_origin < n) {
            const struct origin_share *o = &origins[w->asked_origin++];
            if (o->share < w->asked->min_share || !is_watched(w->asked, o->id))
                continue;
            write_copy(w->asked, doc, o, out);
            atomic_fetch_add(&w->asked->n_notified, 1);
            if (w->asked->webhook != NULL)
                webhooks_hold(&w->hooks, w->asked->webhook, w->asked->secret,
                              buffer_view(out));
            return true;
        }
    return false;
}

bool watches_next(struct watches *w, const og_document *doc,
                  const og_answer *answer, struct buffer *out)
{
    struct origin_share origins[MOST_SHARES];
    const size_t n = watches_any(w) ? shares_of(answer, origins) : 0;
    if (!w->is_asking && n == 0) return false;
    /* Locked from the first call to the last: the list must not change. */
    if (!w->is_asking) {
        pthread_mutex_lock(&w->lock);
        w->is_asking = true;
        w->asked = w->first;
        w->asked_origin = 0;
    }
    if (next_copy(w, doc, origins, n, out)) return true;
    w->is_asking = false;
    pthread_mutex_unlock(&w->lock);
    return false;
}

void watches_send(struct watches *w)
{
    webhooks_release(&w->hooks);
}

void watches_forget(struct watches *w)
{
    webhooks_forget(&w->hooks);
}

/* ---- handlers ---- */

static void draw_id(struct watch *w)
{
    uint64_t drawn = 0;
    (void)!getrandom(&drawn, sizeof(drawn), 0);
    snprintf(w->id, sizeof(w->id), "w%016llx", (unsigned long long)drawn);
}

void handle_watch_new(struct request *r)
{
    struct watches *all = &r->server->watches;
    char why[200];
    if (!request_is_type(r, "application/json")) {
        problem(r, 415, "the body must be application/json");
        return;
    }
    struct watch *w =
        read_watch(buffer_view(&r->body), false, why, sizeof(why));
    if (w == NULL) {
        problem(r, 400, "%s", why);
        return;
    }
    const char *refused =
        w->webhook != NULL
            ? webhook_check(&r->server->options->webhook_hosts, w->webhook)
            : NULL;
    if (refused != NULL) {
        problem(r, 400, "%s", refused);
        free_watch(w);
        return;
    }
    draw_id(w);
    pthread_mutex_lock(&all->lock);
    bool is_kept = false;
    const bool has_room = atomic_load(&all->n) < MOST_WATCHES;
    if (has_room) {
        w->next = all->first;
        all->first = w;
        is_kept = save(all);
        if (is_kept) {
            atomic_fetch_add(&all->n, 1);
            write_watch(w, false, &r->reply.body);
        } else {
            all->first = w->next;
        }
    }
    pthread_mutex_unlock(&all->lock);
    if (is_kept) {
        buffer_text(&r->reply.body, "\n");
        reply_json(r, 201);
        return;
    }
    free_watch(w);
    if (!has_room)
        problem(r, 409, "there are %d watches already", MOST_WATCHES);
    else
        problem(r, 503, "the list of watches could not be written");
}

void handle_watch_list(struct request *r)
{
    struct watches *all = &r->server->watches;
    struct buffer *b = &r->reply.body;
    buffer_text(b, "{\"watches\":[");
    pthread_mutex_lock(&all->lock);
    for (const struct watch *w = all->first; w != NULL; w = w->next) {
        if (w != all->first) buffer_text(b, ",");
        write_watch(w, false, b);
    }
    pthread_mutex_unlock(&all->lock);
    buffer_text(b, "]}\n");
    reply_json(r, 200);
}

static struct watch **find_watch(struct watches *all, og_bytes id)
{
    struct watch **at = &all->first;
    while (*at != NULL && !is_name(id, (*at)->id))
        at = &(*at)->next;
    return at;
}

void handle_watch_get(struct request *r)
{
    struct watches *all = &r->server->watches;
    pthread_mutex_lock(&all->lock);
    const struct watch *w = *find_watch(all, r->rest);
    if (w != NULL) write_watch(w, false, &r->reply.body);
    pthread_mutex_unlock(&all->lock);
    if (w == NULL) {
        problem(r, 404, "there is no such watch");
        return;
    }
    buffer_text(&r->reply.body, "\n");
    reply_json(r, 200);
}

void handle_watch_remove(struct request *r)
{
    struct watches *all = &r->server->watches;
    pthread_mutex_lock(&all->lock);
    struct watch **at = find_watch(all, r->rest);
    struct watch *w = *at;
    bool is_kept = true;
    if (w != NULL) {
        *at = w->next;
        is_kept = save(all);
        if (is_kept)
            atomic_fetch_sub(&all->n, 1);
        else
            *at = w;
    }
    pthread_mutex_unlock(&all->lock);
    if (w == NULL) {
        problem(r, 404, "there is no such watch");
    } else if (!is_kept) {
        problem(r, 503, "the list of watches could not be written");
    } else {
        free_watch(w);
        r->reply.status = 204;
    }
}
