#include "workers.h"

#include "server.h"

static void *run_worker(void *ctx)
{
    struct workers *const w = ctx;
    struct request *r;
    while ((r = request_queue_take(&w->queue)) != NULL) {
        r->route->run(r);
        request_finish(r);
    }
    return NULL;
}

bool workers_start(struct workers *w, unsigned n, size_t most_waiting)
{
    *w = (struct workers){.n = 0};
    request_queue_init(&w->queue, most_waiting);
    while (w->n < n && w->n < MOST_WORKERS &&
           pthread_create(&w->threads[w->n], NULL, run_worker, w) == 0)
        w->n++;
    return w->n > 0;
}

void workers_stop(struct workers *w)
{
    request_queue_stop(&w->queue);
    for (unsigned i = 0; i < w->n; i++)
        pthread_join(w->threads[i], NULL);
    w->n = 0;
}
