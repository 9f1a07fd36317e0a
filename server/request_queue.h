#ifndef SERVER_REQUEST_QUEUE_H
#define SERVER_REQUEST_QUEUE_H

/* Requests that wait for a thread: for the one that writes, or for one of the
 * workers. First come, first served; a full queue takes no more. */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct request;

struct request_queue {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct request *first, **last;
    size_t n_waiting, most_waiting;
    bool is_stopping;
};

void request_queue_init(struct request_queue *q, size_t most_waiting);
/* False: too many wait, or it is stopping. A request that `must` wait, because
 * it has at most one place in the queue at a time, finds one always. */
bool request_queue_put(struct request_queue *q, struct request *r, bool must);
/* The first one; NULL: none waits. */
struct request *request_queue_try(struct request_queue *q);
/* The first one, waited for; NULL: none is left and none will come. */
struct request *request_queue_take(struct request_queue *q);
/* Until one waits, it is stopping, or a second has passed. False: none is left
 * and none will come. */
bool request_queue_wait(struct request_queue *q);
size_t request_queue_length(struct request_queue *q);
/* Whoever waits for a request looks up. */
void request_queue_stop(struct request_queue *q);

#endif
