#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

/* Metrics: requests by route and status, their duration, what was added.
 * Written in the format of Prometheus, and as JSON for the page. */

#include "buffer.h"

#include <stdatomic.h>

struct server;
struct request;

enum { METRICS_ROUTES = 48, METRICS_STEPS = 12 };

struct metrics_route {
    atomic_uint_fast64_t by_class[6]; /* status / 100 */
    atomic_uint_fast64_t steps[METRICS_STEPS];
    atomic_uint_fast64_t micros;
};

struct metrics {
    struct metrics_route routes[METRICS_ROUTES]; /* the last: no route */
    atomic_uint_fast64_t n_added, n_known, n_removed, n_traced, n_commits;
    atomic_uint_fast64_t n_rejected;  /* the queue was full */
    atomic_uint_fast64_t n_timed_out; /* by the watchdog */
    atomic_uint_fast64_t n_events, n_clients_dropped;
    atomic_uint_fast64_t n_hooks, n_hooks_failed;
    uint64_t began; /* of the server */
};

void metrics_count(struct metrics *m, const struct request *r, double seconds);
/* The text format of Prometheus. */
void metrics_write(struct server *s, struct buffer *out);
/* Members of a JSON object: the values that change from second to second. */
void metrics_live(struct server *s, struct buffer *out);

#endif
