#include "follow.h"

#include "following.h"

#include <errno.h>
#include <openssl/sha.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

const char *const follow_abilities = "files, folders, feeds"
#ifdef HAVE_CURL
                                     ", http"
#endif
#ifdef HAVE_KAFKA
                                     ", kafka"
#endif
#ifdef HAVE_REDIS
                                     ", redis"
#endif
    ;

/* Documents in a batch: enough to share a sync among many. */
enum { MOST_DOCUMENTS = 1024 };
/* How long a source is waited for at a time: the longest delay of a signal. */
enum { STEP_MS = 100 };

/* ---- small things ---- */

og_status follow_fail(og_error *err, og_status status, const char *format, ...)
{
    va_list args;
    *err = (og_error){.status = status};
    va_start(args, format);
    vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    return status;
}

og_status follow_allocate(size_t len, void *out, og_error *err)
{
    void *const memory = calloc(1, len);
    *(void **)out = memory;
    return memory != NULL
               ? OG_OK
               : follow_fail(err, OG_ERR_MEMORY,
                             "out of memory: cannot allocate %zu bytes", len);
}

void follow_problem(struct following *f, const char *source, uint64_t line,
                    bool skipped, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    if (skipped) f->counts.n_skipped++;
    if (f->options->on_problem != NULL)
        f->options->on_problem(f->options->ctx, source, line, skipped, message);
}

bool follow_should_stop(const struct following *f)
{
    return f->options->should_stop != NULL &&
           f->options->should_stop(f->options->ctx);
}

uint64_t follow_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool follow_wait(const struct following *f, unsigned ms)
{
    const uint64_t until = follow_now_ms() + ms;
    for (uint64_t now; (now = follow_now_ms()) < until;) {
        if (follow_should_stop(f)) return false;
        const uint64_t left = until - now < STEP_MS ? until - now : STEP_MS;
        nanosleep(&(struct timespec){.tv_nsec = (long)left * 1000000}, NULL);
    }
    return !follow_should_stop(f);
}

/* ---- the batch ---- */

static void clear_batch(struct follow_batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        free((void *)(uintptr_t)b->docs[i].id.data);
    b->n = 0;
    b->n_bytes = 0;
}

static og_bytes copy_to(char **at, og_bytes s)
{
    char *const to = *at;
    if (s.len > 0) memcpy(to, s.data, s.len);
    *at += s.len;
    return (og_bytes){to, s.len};
}

/* All strings of a document in one block, which begins with its id. */
static bool copy_document(const og_document *doc, og_document *out)
{
    const size_t len = doc->id.len + doc->title.len + doc->url.len +
                       doc->text.len + doc->extra.len + doc->language.len;
    char *at = malloc(len + 1);
    if (at == NULL) return false;
    *out = *doc;
    out->id = copy_to(&at, doc->id);
    out->title = copy_to(&at, doc->title);
    out->url = copy_to(&at, doc->url);
    out->text = copy_to(&at, doc->text);
    out->extra = copy_to(&at, doc->extra);
    out->language = copy_to(&at, doc->language);
    return true;
}

static bool add_to_batch(struct follow_batch *b, const og_document *doc)
{
    if (b->n == b->cap) {
        const size_t cap = b->cap == 0 ? 64 : 2 * b->cap;
        og_document *const docs = realloc(b->docs, cap * sizeof(*docs));
        if (docs == NULL) return false;
        b->docs = docs;
        b->cap = cap;
    }
    if (!copy_document(doc, &b->docs[b->n])) return false;
    b->n++;
    b->n_bytes += doc->text.len + doc->extra.len + sizeof(*doc);
    return true;
}

/* As in the server: the same text always has the same id. */
static og_bytes made_id(og_bytes text, char out[48])
{
    enum { SHOWN = 16 };
    unsigned char digest[SHA256_DIGEST_LENGTH];
    int len = sprintf(out, "sha256:");
    SHA256((const unsigned char *)(text.len > 0 ? text.data : ""), text.len,
           digest);
    for (int i = 0; i < SHOWN; i++)
        len += sprintf(out + len, "%02x", digest[i]);
    return (og_bytes){out, (size_t)len};
}

og_status follow_take(struct following *f, const og_document *doc,
                      og_error *err)
{
    char id[48];
    og_document named = *doc;
    if (named.id.len == 0) named.id = made_id(doc->text, id);
    if (!add_to_batch(&f->batch, &named))
        return follow_fail(err, OG_ERR_MEMORY,
                           "out of memory for a document of %zu bytes",
                           doc->text.len);
    if (f->batch.n < MOST_DOCUMENTS && f->batch.n_bytes < f->options->max_batch)
        return OG_OK;
    return follow_write(f, err);
}

og_status follow_take_json(struct following *f, const char *source,
                           uint64_t line, og_bytes json, og_error *err)
{
    og_document doc;
    og_error wrong = {0};
    bool bad_time = false;
    const og_status status =
        og_reader_read(f->reader, json, OG_FILE_JSONL, f->options->max_document,
                       &doc, &bad_time, &wrong);
    if (status == OG_ERR_MEMORY) {
        *err = wrong;
        return status;
    }
    if (status != OG_OK) {
        follow_problem(f, source, line, true, "%s", wrong.message);
        return OG_OK;
    }
    if (bad_time) {
        f->counts.n_bad_times++;
        follow_problem(f, source, line, false,
                       "the time is not valid; added without a time");
    }
    return follow_take(f, &doc, err);
}

og_status follow_mark(struct following *f, const char *key, const char *value,
                      og_error *err)
{
    return positions_set(&f->positions, key, value, err);
}

static og_status acknowledge_all(struct following *f, og_error *err)
{
    for (size_t i = 0; i < f->n_sources; i++) {
        struct follow_source *const s = f->sources[i];
        if (s == NULL || s->kind->acknowledge == NULL) continue;
        const og_status status = s->kind->acknowledge(s, err);
        if (status != OG_OK) return status;
    }
    return OG_OK;
}

og_status follow_write(struct following *f, og_error *err)
{
    og_status status = OG_OK;
    if (f->batch.n > 0)
        status = f->target->write(f->target, &f->batch, &f->counts, err);
    if (status == OG_OK) status = positions_save(&f->positions, err);
    if (status == OG_OK) status = acknowledge_all(f, err);
    clear_batch(&f->batch);
    f->n_writes++;
    if (f->options->on_progress != NULL)
        f->options->on_progress(f->options->ctx, &f->counts);
    return status;
}

/* ---- sources ---- */

static bool begins_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool ends_with(const char *s, const char *end)
{
    const size_t len = strlen(s), end_len = strlen(end);
    return len >= end_len && strcmp(s + len - end_len, end) == 0;
}

/* The name of a source determines its kind: an address by its scheme, a folder,
 * a feed if the file has a name of XML, otherwise lines. */
static og_status open_source(struct following *f, const char *name,
                             struct follow_source **out, og_error *err)
{
    struct stat about;
    if (begins_with(name, "kafka://"))
        return source_kafka_open(f, name, out, err);
    if (begins_with(name, "redis://"))
        return source_redis_open(f, name, out, err);
    if (begins_with(name, "http://") || begins_with(name, "https://"))
        return source_feed_open(f, name, out, err);
    if (strstr(name, "://") != NULL)
        return follow_fail(err, OG_ERR_USAGE,
                           "'%s' is not a URL that can be followed", name);
    if (stat(name, &about) == 0 && S_ISDIR(about.st_mode))
        return source_folder_open(f, name, out, err);
    if (ends_with(name, ".xml") || ends_with(name, ".rss") ||
        ends_with(name, ".atom") || ends_with(name, ".rdf"))
        return source_feed_open(f, name, out, err);
    return source_lines_open(f, name, out, err);
}

static og_status open_sources(struct following *f, og_error *err)
{
    const struct follow_names *const names = &f->options->sources;
    og_status status =
        follow_allocate(names->n * sizeof(*f->sources), &f->sources, err);
    for (size_t i = 0; i < names->n && status == OG_OK; i++) {
        status = open_source(f, names->items[i], &f->sources[i], err);
        f->n_sources = i + 1;
    }
    return status;
}

/* ---- the loop ---- */

/* Polls every source once; `wait_ms` is shared among them. */
static og_status poll_all(struct following *f, unsigned wait_ms, bool *out_any,
                          og_error *err)
{
    const unsigned each = wait_ms / (unsigned)f->n_sources;
    og_status status = OG_OK;
    *out_any = false;
    for (size_t i = 0; i < f->n_sources && status == OG_OK; i++) {
        bool any = false;
        status = f->sources[i]->kind->poll(f->sources[i], each, &any, err);
        *out_any |= any;
        if (follow_should_stop(f)) break;
    }
    return status;
}

static og_status run_loop(struct following *f, og_error *err)
{
    unsigned wait_ms = 0;
    while (!follow_should_stop(f)) {
        bool any;
        og_status status = poll_all(f, wait_ms, &any, err);
        if (status == OG_OK) status = follow_write(f, err);
        if (status != OG_OK) return status;
        if (any) {
            wait_ms = 0;
        } else {
            if (f->options->once && wait_ms > 0) break;
            wait_ms = STEP_MS;
            if (!f->options->once) (void)follow_wait(f, STEP_MS);
        }
    }
    return OG_OK;
}

static og_status open_all(struct following *f, og_error *err)
{
    const struct follow_options *const o = f->options;
    f->reader = og_reader_new();
    if (f->reader == NULL)
        return follow_fail(err, OG_ERR_MEMORY, "out of memory");
    og_reader_set_fields(f->reader, o->fields);
    og_status status = positions_open(&f->positions, o->state, err);
    if (status == OG_OK)
        status = o->store != NULL ? target_store_open(f, &f->target, err)
                                  : target_server_open(f, &f->target, err);
    return status == OG_OK ? open_sources(f, err) : status;
}

static void close_all(struct following *f)
{
    for (size_t i = 0; i < f->n_sources; i++)
        if (f->sources[i] != NULL) f->sources[i]->kind->close(f->sources[i]);
    free(f->sources);
    if (f->target != NULL) f->target->close(f->target);
    positions_close(&f->positions);
    clear_batch(&f->batch);
    free(f->batch.docs);
    og_reader_free(f->reader);
}

og_status follow_run(const struct follow_options *options,
                     og_stream_counts *out_counts, og_error *err)
{
    struct following f = {.options = options, .positions.fd = -1};
    og_status status = open_all(&f, err);
    if (status == OG_OK) status = run_loop(&f, err);
    /* A stop while waiting for the target is not a failure. */
    if (status == OG_ERR_STOPPED) status = OG_OK;
    *out_counts = f.counts;
    close_all(&f);
    return status;
}
