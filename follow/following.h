#ifndef FOLLOW_FOLLOWING_H
#define FOLLOW_FOLLOWING_H

/* What the parts of follow share: the batch between sources and the target. */

#include "follow.h"
#include "positions.h"

struct following;
struct follow_source;

/* ---- sources ---- */

struct follow_source_kind {
    /* Takes what is available, until the batch was written once or nothing is
     * left; waits for it at most `wait_ms`. *out_any: something was available.
     * A temporary failure is reported by follow_problem() and is OG_OK. */
    og_status (*poll)(struct follow_source *source, unsigned wait_ms,
                      bool *out_any, og_error *err);
    /* The marked documents are durable, and so are their positions. May be
     * NULL. */
    og_status (*acknowledge)(struct follow_source *source, og_error *err);
    void (*close)(struct follow_source *source);
};

struct follow_source {
    const struct follow_source_kind *kind;
    struct following *following;
    const char *name; /* as it was given */
};

/* Each accepts names of its kind. */
og_status source_lines_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err);
og_status source_folder_open(struct following *f, const char *name,
                             struct follow_source **out, og_error *err);
og_status source_feed_open(struct following *f, const char *name,
                           struct follow_source **out, og_error *err);
og_status source_kafka_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err);
og_status source_redis_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err);

/* ---- the target ---- */

struct follow_batch {
    og_document *docs; /* copies */
    size_t n, cap;
    uint64_t n_bytes;
};

/* The whole batch is durable when it returns OG_OK; adds to the counts. */
struct follow_target {
    og_status (*write)(struct follow_target *target,
                       const struct follow_batch *batch,
                       og_stream_counts *counts, og_error *err);
    void (*close)(struct follow_target *target);
    struct following *following;
};
og_status target_store_open(struct following *f, struct follow_target **out,
                            og_error *err);
og_status target_server_open(struct following *f, struct follow_target **out,
                             og_error *err);

/* ---- between them ---- */

struct following {
    const struct follow_options *options;
    struct positions positions;
    struct follow_batch batch;
    struct follow_target *target;
    struct follow_source **sources;
    size_t n_sources;
    og_stream_counts counts;
    og_reader *reader; /* of objects of JSON */
    uint64_t n_writes; /* batches so far */
};

/* Copies the document into the batch; a full batch is written. A document
 * without an id gets a hash of its text. */
og_status follow_take(struct following *f, const og_document *doc,
                      og_error *err);
/* A JSON object as a document; anything else is reported as a problem of the
 * source and skipped. `line` is reported with it, 0: none. */
og_status follow_take_json(struct following *f, const char *source,
                           uint64_t line, og_bytes json, og_error *err);
/* Everything up to here was taken: the next write stores `value` under
 * `key`. */
og_status follow_mark(struct following *f, const char *key, const char *value,
                      og_error *err);
og_status follow_write(struct following *f, og_error *err);
void follow_problem(struct following *f, const char *source, uint64_t line,
                    bool skipped, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool follow_should_stop(const struct following *f);
/* Sleeps, unless stopped. False: stopped. */
bool follow_wait(const struct following *f, unsigned ms);
uint64_t follow_now_ms(void); /* of a monotonic clock */

og_status follow_fail(og_error *err, og_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* calloc(), or OG_ERR_MEMORY. */
og_status follow_allocate(size_t len, void *out, og_error *err);

#endif
