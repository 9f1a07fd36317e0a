#include "workers.h"

#include "server.h"

static struct request *take_next(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->first == NULL && !w->is_stopping)
        pthread_cond_wait(&w->work, &w->lock);
    struct request *r = w->first;
    if (r != NULL) {
        w->first = r->next;
        if (w->first == NULL) w->last = &w->first;
        w->n_waiting--;
    }
    pthread_mutex_unlock(&w->lock);
    return r;
}

static void *run_worker(void *ctx)
{
    struct request *r;
    while ((r = take_next(ctx)) != NULL) {
        r->route->run(r);
        request_finish(r);
    }
    return NULL;
}

bool workers_start(struct workers *w, unsigned n, size_t most_waiting)
{
    *w = (struct workers){.most_waiting = most_waiting};
    w->last = &w->first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    while (w->n < n && w->n < MOST_WORKERS &&
           pthread_create(&w->threads[w->n], NULL, run_worker, w) == 0)
        w->n++;
    return w->n > 0;
}

void workers_stop(struct workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->is_stopping = true;
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->n; i++)
        pthread_join(w->threads[i], NULL);
    w->n = 0;
}

bool workers_submit(struct workers *w, struct request *r)
{
    pthread_mutex_lock(&w->lock);
    const bool has_room = !w->is_stopping && w->n_waiting < w->most_waiting;
    if (has_room) {
        r->next = NULL;
        *w->last = r;
        w->last = &r->next;
        w->n_waiting++;
        pthread_cond_signal(&w->work);
    }
    pthread_mutex_unlock(&w->lock);
    return has_room;
}
