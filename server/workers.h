#ifndef SERVER_WORKERS_H
#define SERVER_WORKERS_H

/* Threads for questions that take long: those of a connection look after many
 * others. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct request;

enum { MOST_WORKERS = 64 };

struct workers {
    pthread_t threads[MOST_WORKERS];
    unsigned n;
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct request *first, **last;
    size_t n_waiting, most_waiting;
    bool is_stopping;
};

/* False: not one could be started. */
bool workers_start(struct workers *w, unsigned n, size_t most_waiting);
void workers_stop(struct workers *w);
/* False: too many wait. */
bool workers_submit(struct workers *w, struct request *r);

#endif
