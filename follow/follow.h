#ifndef FOLLOW_FOLLOW_H
#define FOLLOW_FOLLOW_H

/* Adds documents as they arrive, from growing files, folders, feeds and queues,
 * to a store or a server.
 *
 *     sources -> batch -> target (durable) -> positions (durable) ->
 * acknowledge
 *
 * At least once: a position is stored after the documents before it are safe,
 * so after a crash between the two some are read again, and a target that
 * already has a document ignores it. One batch is in memory at a time; sources
 * are read no faster than the target accepts. */

#include <origo/origo.h>

/* For a message and the help: what this build can follow. */
extern const char *const follow_abilities;

struct follow_names {
    const char *const *items;
    size_t n;
};

struct follow_options {
    struct follow_names sources; /* paths and addresses, as they were given */
    og_store *store;             /* NULL: a server */
    const char *server;          /* "http://127.0.0.1:7070", "unix:PATH" */
    const char *token_file;      /* of the server; NULL: none */
    const char *state;           /* where positions are stored; NULL: nowhere */
    struct follow_names hosts;   /* of feeds that may be fetched */
    const char *kafka_config;    /* lines of name=value for librdkafka */
    const char *group;           /* of consumers, Kafka and Redis */
    const char *consumer;        /* its name in the group, Redis */
    const og_fields *fields;
    og_reading reading; /* of the files of a folder */
    uint64_t max_document;
    uint64_t max_batch; /* bytes of documents in memory */
    unsigned n_threads;
    unsigned interval, feed_interval; /* seconds between two polls */
    bool once;                        /* what is there now, and no more */
    void *ctx;
    /* Something was skipped, or is unavailable for now. `line` 0: unknown. */
    void (*on_problem)(void *ctx, const char *source, uint64_t line,
                       bool skipped, const char *message);
    void (*on_progress)(void *ctx, const og_stream_counts *counts);
    bool (*should_stop)(void *ctx);
};

/* Runs until it is stopped, or with `once` until there is nothing more. OG_OK
 * in both cases: everything that was read is durable, or will be read again. */
og_status follow_run(const struct follow_options *options,
                     og_stream_counts *out_counts, og_error *err);

#endif
