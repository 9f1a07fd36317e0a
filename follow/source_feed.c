/* RSS and Atom, from a file or from an address on a host that was allowed.
 *
 * A feed is read whole each time it has changed; the target already has the
 * earlier entries. The position tells whether it has changed: for a file its
 * length and time, for an address the server's ETag and Last-Modified. */

#include "fetch.h"
#include "following.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 20, MOST_WAIT = 3600 };

struct feed {
    struct follow_source base;
    char *key;
    bool is_address;
    unsigned n_failed;  /* in a row */
    bool was_looked_at; /* since the start */
    uint64_t next_look; /* ms */
    og_error err;       /* of the target */
    og_status status;
};

static bool take_entry(void *ctx, const og_document *doc)
{
    struct feed *const feed = ctx;
    feed->status = follow_take(feed->base.following, doc, &feed->err);
    return feed->status == OG_OK;
}

/* *out_is_read: all of it, and it may be marked. */
static og_status read_feed(struct feed *feed, og_bytes bytes, bool *out_is_read,
                           og_error *err)
{
    struct following *const f = feed->base.following;
    uint64_t n_skipped = 0;
    og_error wrong = {0};
    feed->status = OG_OK;
    const og_status status =
        og_feed_read(bytes, take_entry, feed, &n_skipped, &wrong);
    f->counts.n_files++;
    f->counts.n_input_bytes += bytes.len;
    if (n_skipped > 0) {
        follow_problem(f, feed->base.name, 0, true, "%llu entries without text",
                       (unsigned long long)n_skipped);
        f->counts.n_skipped += n_skipped - 1;
    }
    if (feed->status != OG_OK) {
        *err = feed->err;
        return feed->status;
    }
    *out_is_read = status == OG_OK;
    if (status == OG_OK) return OG_OK;
    follow_problem(f, feed->base.name, 0, false, "%s", wrong.message);
    f->counts.n_files_failed++;
    return OG_OK;
}

/* *out_is_read: all of it was read, and it may be marked. */

static og_status load_file(struct feed *feed, int fd, size_t len, char **out,
                           og_error *err)
{
    size_t n = 0;
    ssize_t got = 1;
    *out = malloc(len + 1);
    if (*out == NULL)
        return follow_fail(err, OG_ERR_MEMORY, "out of memory for '%s'",
                           feed->base.name);
    while (n < len && (got = read(fd, *out + n, len - n)) > 0)
        n += (size_t)got;
    if (got >= 0 && n == len) return OG_OK;
    return follow_fail(err, OG_ERR_IO, "cannot read '%s': %s", feed->base.name,
                       got < 0 ? strerror(errno) : "it became shorter");
}

static og_status read_changed(struct feed *feed, int fd,
                              const struct stat *about, const char *state,
                              og_error *err)
{
    const size_t len = (size_t)about->st_size;
    char *bytes = NULL;
    bool is_read = false;
    if (about->st_size > MOST_BYTES)
        return follow_fail(err, OG_ERR_LIMIT, "'%s' is longer than %d bytes",
                           feed->base.name, MOST_BYTES);
    og_status status = load_file(feed, fd, len, &bytes, err);
    if (status == OG_OK)
        status = read_feed(feed, (og_bytes){bytes, len}, &is_read, err);
    free(bytes);
    /* A file that is not a feed is read again once it has changed. */
    if (status != OG_OK) return status;
    return follow_mark(feed->base.following, feed->key, state, err);
}

static og_status look_at_file(struct feed *feed, bool *out_any, og_error *err)
{
    struct stat about;
    char state[64];
    og_status status = OG_OK;
    const int fd = open(feed->base.name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        const int why = errno;
        if (fd >= 0) close(fd);
        if (feed->base.following->options->once)
            return follow_fail(err, OG_ERR_IO, "cannot open '%s': %s",
                               feed->base.name, strerror(why));
        if (feed->n_failed++ == 0)
            follow_problem(feed->base.following, feed->base.name, 0, false,
                           "%s", strerror(why));
        return OG_OK;
    }
    feed->n_failed = 0;
    snprintf(state, sizeof(state), "%jd %jd.%09ld", (intmax_t)about.st_size,
             (intmax_t)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    const char *const known =
        positions_get(&feed->base.following->positions, feed->key);
    if (known == NULL || strcmp(known, state) != 0) {
        *out_any = true;
        status = read_changed(feed, fd, &about, state, err);
    }
    close(fd);
    return status;
}

/* ---- an address ---- */

/* "ETAG\tLAST-MODIFIED", each possibly empty. */
static void split_state(const char *state, struct fetch_request *request,
                        char etag[FETCH_TAG])
{
    if (state == NULL) return;
    const size_t len = strcspn(state, "\t");
    if (len >= FETCH_TAG) return;
    memcpy(etag, state, len);
    etag[len] = 0;
    request->etag = etag;
    if (state[len] == '\t') request->last_modified = state + len + 1;
}

static og_status take_answer(struct feed *feed,
                             const struct fetch_answer *answer, bool *out_any,
                             og_error *err)
{
    char state[2 * FETCH_TAG + 2];
    bool is_read = false;
    *out_any = true;
    const og_status status = read_feed(
        feed, (og_bytes){answer->body != NULL ? answer->body : "", answer->len},
        &is_read, err);
    if (status != OG_OK || !is_read) return status;
    snprintf(state, sizeof(state), "%s\t%s", answer->etag,
             answer->last_modified);
    return follow_mark(feed->base.following, feed->key, state, err);
}

static void note_failure(struct feed *feed, const char *message)
{
    follow_problem(feed->base.following, feed->base.name, 0, false, "%s",
                   message);
    feed->base.following->counts.n_files_failed++;
    feed->n_failed++;
}

static og_status look_at_address(struct feed *feed, bool *out_any,
                                 og_error *err)
{
    struct following *const f = feed->base.following;
    char etag[FETCH_TAG];
    og_error wrong = {0};
    og_status status = OG_OK;
    struct fetch_answer answer = {0};
    struct fetch_request request = {.url = feed->base.name,
                                    .hosts = &f->options->hosts,
                                    .max_bytes = MOST_BYTES,
                                    .following = f};
    split_state(positions_get(&f->positions, feed->key), &request, etag);
    const og_status fetched = fetch_get(&request, &answer, &wrong);
    if (fetched == OG_ERR_STOPPED) return OG_OK;
    if (fetched != OG_OK) {
        note_failure(feed, wrong.message);
    } else if (answer.status == 200) {
        feed->n_failed = 0;
        status = take_answer(feed, &answer, out_any, err);
    } else if (answer.status == 304) {
        feed->n_failed = 0;
    } else {
        char message[64];
        snprintf(message, sizeof(message), "the server answered %ld",
                 answer.status);
        note_failure(feed, message);
    }
    fetch_answer_release(&answer);
    return status;
}

/* Doubles after each failure. */
static unsigned seconds_to_next(const struct feed *feed)
{
    const struct follow_options *const o = feed->base.following->options;
    uint64_t seconds = feed->is_address ? o->feed_interval : o->interval;
    for (unsigned i = 0; i < feed->n_failed && seconds < MOST_WAIT; i++)
        seconds *= 2;
    return (unsigned)(seconds < MOST_WAIT || feed->n_failed == 0 ? seconds
                                                                 : MOST_WAIT);
}

static og_status poll_feed(struct follow_source *source, unsigned wait_ms,
                           bool *out_any, og_error *err)
{
    struct feed *const feed = (struct feed *)source;
    (void)wait_ms;
    if (follow_now_ms() < feed->next_look) return OG_OK;
    if (source->following->options->once && feed->was_looked_at) return OG_OK;
    feed->was_looked_at = true;
    const og_status status = feed->is_address
                                 ? look_at_address(feed, out_any, err)
                                 : look_at_file(feed, out_any, err);
    feed->next_look = follow_now_ms() + (uint64_t)seconds_to_next(feed) * 1000;
    return status;
}

static void close_feed(struct follow_source *source)
{
    struct feed *const feed = (struct feed *)source;
    free(feed->key);
    free(feed);
}

og_status source_feed_open(struct following *f, const char *name,
                           struct follow_source **out, og_error *err)
{
    static const struct follow_source_kind kind = {.poll = poll_feed,
                                                   .close = close_feed};
    struct feed *feed;
    og_status status = follow_allocate(sizeof(*feed), &feed, err);
    if (status != OG_OK) return status;
    feed->base = (struct follow_source){&kind, f, name};
    feed->is_address = strstr(name, "://") != NULL;
    *out = &feed->base;
    char *const path = feed->is_address ? NULL : realpath(name, NULL);
    if (asprintf(&feed->key, "feed:%s", path != NULL ? path : name) < 0) {
        feed->key = NULL;
        status = follow_fail(err, OG_ERR_MEMORY, "cannot open '%s'", name);
    }
    free(path);
    return feed->is_address && status == OG_OK
               ? fetch_check(name, &f->options->hosts, err)
               : status;
}
