#ifndef SERVER_WORKERS_H
#define SERVER_WORKERS_H

/* Threads for queries, because the thread of a connection serves many others:
 * the server has some that compare texts, a millisecond each, and some for slow
 * requests, so that no fast request waits a second behind a slow one. */

#include "request_queue.h"

enum { MOST_WORKERS = 64 };

struct workers {
    pthread_t threads[MOST_WORKERS];
    unsigned n;
    struct request_queue queue;
};

/* False: not one could be started. */
bool workers_start(struct workers *w, unsigned n, size_t most_waiting);
void workers_stop(struct workers *w);

#endif
