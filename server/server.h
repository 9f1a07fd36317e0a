#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

/* What all parts of the server share.
 *
 *     listen -> daemon -> router -> rights -> handlers -> writer -> events
 *                  \-> watchdog                 \-> readers   \-> watches
 *                                                          \-> early_results */

#include "auth.h"
#include "early_results.h"
#include "hub.h"
#include "log.h"
#include "metrics.h"
#include "readers.h"
#include "request.h"
#include "serve.h"
#include "store_writer.h"
#include "watchdog.h"
#include "watches.h"
#include "workers.h"

/* The last answer of handle_phrases.c. */
struct phrases_kept {
    pthread_mutex_t lock;
    struct buffer question, body;
    og_format format;
    uint64_t n_documents, n_removed, at;
};

struct server {
    const struct serve_options *options;
    og_store *store;
    unsigned n_threads;
    bool is_local;     /* only this machine can reach it */
    char address[256]; /* "http://127.0.0.1:7070" */
    char host[128];    /* of the address, without the port; "": a path */
    uint32_t run;      /* random: part of every request's id */
    atomic_uint_fast64_t n_requests; /* so far */
    atomic_uint n_active;            /* that are being answered */
    atomic_bool is_draining;
    atomic_size_t n_buffered; /* bytes of bodies that are in memory */
    struct auth auth;
    struct log log;
    struct metrics metrics;
    struct readers readers;
    struct workers short_workers, long_workers;
    struct writer writer;
    struct hub hub;
    struct watches watches;
    struct watchdog watchdog;
    struct early_sender early;
    struct phrases_kept phrases;
    struct MHD_Daemon *daemon;
    struct buffer tls_cert, tls_key;
};

uint64_t server_now(void); /* nanoseconds of a monotonic clock */

/* The router. NULL: no such path; if the path exists for other methods,
 * *out_allow is not NULL. */
const struct route *route_find(const char *method, og_bytes path,
                               og_bytes *out_rest, const char **out_allow);
/* All routes, for the metrics of each. */
extern const struct route routes[];
extern const size_t n_routes;

/* The HTTP daemon. */
og_status daemon_start(struct server *s, int fd, og_error *err);
void daemon_stop(struct server *s);
/* `run` is done, on another thread: the connection continues. */
void request_finish(struct request *r);

/* Opens the listening socket and stores its address. */
og_status listen_open(struct server *s, int *out_fd, og_error *err);

#endif
