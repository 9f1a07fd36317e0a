#include "request_queue.h"

#include "request.h"

#include <errno.h>
#include <time.h>

void request_queue_init(struct request_queue *q, size_t most_waiting)
{
    *q = (struct request_queue){.most_waiting = most_waiting};
    q->last = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->work, NULL);
}

bool request_queue_put(struct request_queue *q, struct request *r, bool must)
{
    pthread_mutex_lock(&q->lock);
    const bool has_room =
        !q->is_stopping && (must || q->n_waiting < q->most_waiting);
    if (has_room) {
        r->next = NULL;
        *q->last = r;
        q->last = &r->next;
        q->n_waiting++;
        pthread_cond_signal(&q->work);
    }
    pthread_mutex_unlock(&q->lock);
    return has_room;
}

/* The lock is held. */
static struct request *take_first(struct request_queue *q)
{
    struct request *const r = q->first;
    if (r == NULL) return NULL;
    q->first = r->next;
    if (q->first == NULL) q->last = &q->first;
    q->n_waiting--;
    return r;
}

struct request *request_queue_try(struct request_queue *q)
{
    pthread_mutex_lock(&q->lock);
    struct request *const r = take_first(q);
    pthread_mutex_unlock(&q->lock);
    return r;
}

struct request *request_queue_take(struct request_queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->first == NULL && !q->is_stopping)
        pthread_cond_wait(&q->work, &q->lock);
    struct request *const r = take_first(q);
    pthread_mutex_unlock(&q->lock);
    return r;
}

bool request_queue_wait(struct request_queue *q)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&q->lock);
    while (q->first == NULL && !q->is_stopping)
        if (pthread_cond_timedwait(&q->work, &q->lock, &until) == ETIMEDOUT)
            break;
    const bool goes_on = q->first != NULL || !q->is_stopping;
    pthread_mutex_unlock(&q->lock);
    return goes_on;
}

size_t request_queue_length(struct request_queue *q)
{
    pthread_mutex_lock(&q->lock);
    const size_t n = q->n_waiting;
    pthread_mutex_unlock(&q->lock);
    return n;
}

void request_queue_stop(struct request_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->is_stopping = true;
    pthread_cond_broadcast(&q->work);
    pthread_mutex_unlock(&q->lock);
}
