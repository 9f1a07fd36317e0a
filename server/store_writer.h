#ifndef SERVER_STORE_WRITER_H
#define SERVER_STORE_WRITER_H

/* The one thread that changes the store.
 *
 * Requests wait in a queue. The writer takes all that wait, runs each, makes
 * the results durable by one commit, and only then lets them answer: so an
 * answer to an addition means that it is safe, and many share the cost of one
 * sync. Queries run concurrently. */

#include "request_queue.h"

#include <origo/origo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct server;

struct writer {
    struct server *server;
    og_trace *trace; /* of the thread */
    og_reader *reader;
    pthread_t thread;
    struct request_queue queue;
    bool is_running;
    atomic_bool has_failed; /* the store could not be written */
    char failure[256];      /* then: why */
    pthread_mutex_t info_lock;
    og_store_info info;               /* a moment old */
    atomic_uint_fast64_t n_documents; /* current */
};

og_status writer_start(struct writer *w, struct server *s, og_error *err);
/* Returns after everything that waits is done. */
void writer_stop(struct writer *w);

/* What is known of the store, at most about a second old; the number of
 * documents is that of the last commit. */
void writer_info(struct writer *w, og_store_info *out);

/* ---- of handlers, on the writer's thread ---- */

/* Adds a document; *out_is_new is false when the store already had it. The
 * answer is in writer->trace when `wants_answer`. Subscribers of events are
 * notified after the commit. */
og_status writer_add(struct writer *w, const og_document *doc,
                     bool wants_answer, const og_trace_options *asking,
                     bool *out_is_new, og_error *err);

#endif
