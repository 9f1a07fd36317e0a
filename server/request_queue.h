#ifndef SERVER_REQUEST_QUEUE_H
#define SERVER_REQUEST_QUEUE_H

/* Requests that wait for a thread: for the writer, or for one of the workers.
 * First in, first out; a full queue rejects more. */

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
/* False: the queue is full or stopping. With `must` a request is always
 * accepted: it has at most one place in the queue at a time. */
bool request_queue_put(struct request_queue *q, struct request *r, bool must);
/* Takes the first request; NULL: none waits. */
struct request *request_queue_try(struct request_queue *q);
/* Waits for a request and takes it; NULL: none is left and none will come. */
struct request *request_queue_take(struct request_queue *q);
/* Returns when a request waits, the queue is stopping, or a second has passed.
 * False: none is left and none will come. */
bool request_queue_wait(struct request_queue *q);
size_t request_queue_length(struct request_queue *q);
/* Wakes all threads that wait for a request. */
void request_queue_stop(struct request_queue *q);

#endif
