/* The jobs are a ring. They are numbered as they are read, number i goes into
 * place i modulo the length of the ring, and three counters chase each other
 * around it:
 *
 *     n_done    <=  n_taken    <=  n_read   <=  n_done + n_jobs
 *     (caller)      (workers)      (reader)
 *
 * So there is no queue, results come in the order of reading by themselves,
 * memory is bounded, and when the caller is slow everybody waits for it. A job
 * is touched by one thread at a time, outside the lock; the lock is taken three
 * times a job, which is nothing beside preparing it.
 *
 * The end of the input, or an error, travels around the ring as a job like any
 * other, so that all that came before it is taken first. */

#include "lib/stream/ring.h"

#include <pthread.h>

#define MOST_THREADS 256

/* The reader waits at this many bytes in flight even if there are places left;
 * one job is always allowed. */
#define MOST_IN_FLIGHT ((size_t)32 << 20)

/* Jobs beside those that the threads have at hand: some are read ahead, some
 * wait for their turn. Each keeps its memory, so they had better be few. */
#define SPARE_JOBS 4

struct place {
    void *job;
    size_t len;
    bool is_last, is_prepared;
};

struct worker {
    struct og_ring *ring;
    void *mine;
    bool is_started, has_thread;
    pthread_t thread;
};

struct og_ring {
    const og_allocator *allocator;
    struct og_ring_work work;
    struct place *places;
    size_t n_jobs;
    struct worker *workers;
    unsigned n_workers;
    bool has_reader;
    pthread_t reader;
    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t may_read, may_prepare, may_take;
    uint64_t n_read, n_taken, n_done;
    size_t in_flight;
    bool stop;
};

static struct place *place_of(struct og_ring *r, uint64_t number)
{
    return &r->places[number % r->n_jobs];
}

static void read_job(struct og_ring *r, struct place *p)
{
    p->len = 0;
    p->is_prepared = false;
    p->is_last = !r->work.read(r->work.ctx, p->job, &p->len);
}

/* ---- the reader ---- */

static bool has_room(const struct og_ring *r)
{
    const uint64_t n = r->n_read - r->n_done;
    return n < r->n_jobs && (n == 0 || r->in_flight < MOST_IN_FLIGHT);
}

static void *read_all(void *ctx)
{
    struct og_ring *r = ctx;
    bool is_last = false;
    while (!is_last) {
        pthread_mutex_lock(&r->lock);
        while (!r->stop && !has_room(r))
            pthread_cond_wait(&r->may_read, &r->lock);
        struct place *p = r->stop ? NULL : place_of(r, r->n_read);
        pthread_mutex_unlock(&r->lock);
        if (p == NULL) break;
        read_job(r, p);
        is_last = p->is_last;
        pthread_mutex_lock(&r->lock);
        r->n_read++;
        r->in_flight += p->len;
        pthread_cond_signal(&r->may_prepare);
        pthread_mutex_unlock(&r->lock);
    }
    return NULL;
}

/* ---- the workers ---- */

static void *prepare_all(void *ctx)
{
    struct worker *w = ctx;
    struct og_ring *r = w->ring;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        while (!r->stop && r->n_taken == r->n_read)
            pthread_cond_wait(&r->may_prepare, &r->lock);
        struct place *p = r->stop ? NULL : place_of(r, r->n_taken++);
        pthread_mutex_unlock(&r->lock);
        if (p == NULL) return NULL;
        r->work.prepare(r->work.ctx, w->mine, p->job);
        pthread_mutex_lock(&r->lock);
        p->is_prepared = true;
        if (p == place_of(r, r->n_done)) pthread_cond_signal(&r->may_take);
        pthread_mutex_unlock(&r->lock);
    }
}

/* ---- the caller ---- */

void *og_ring_next(struct og_ring *r, bool *out_is_last)
{
    struct place *p = place_of(r, r->n_done);
    if (!r->has_reader) {
        read_job(r, p);
        r->work.prepare(r->work.ctx, r->workers[0].mine, p->job);
    } else {
        pthread_mutex_lock(&r->lock);
        while (r->n_taken == r->n_done || !p->is_prepared)
            pthread_cond_wait(&r->may_take, &r->lock);
        pthread_mutex_unlock(&r->lock);
    }
    *out_is_last = p->is_last;
    return p->job;
}

void og_ring_give_back(struct og_ring *r)
{
    if (!r->has_reader) return;
    pthread_mutex_lock(&r->lock);
    r->in_flight -= place_of(r, r->n_done)->len;
    r->n_done++;
    pthread_cond_signal(&r->may_read);
    pthread_mutex_unlock(&r->lock);
}

/* ---- beginning and end ---- */

static void stop_threads(struct og_ring *r)
{
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->may_read);
    pthread_cond_broadcast(&r->may_prepare);
    pthread_mutex_unlock(&r->lock);
    for (unsigned i = 0; i < r->n_workers; i++)
        if (r->workers[i].has_thread) pthread_join(r->workers[i].thread, NULL);
    if (r->has_reader) pthread_join(r->reader, NULL);
    r->has_reader = false;
}

/* The reader comes last: while there is none the caller can still do it all.
 */
static void start_threads(struct og_ring *r)
{
    bool any = false;
    for (unsigned i = 0; i < r->n_workers; i++) {
        struct worker *w = &r->workers[i];
        w->has_thread = pthread_create(&w->thread, NULL, prepare_all, w) == 0;
        any |= w->has_thread;
    }
    if (any) r->has_reader = pthread_create(&r->reader, NULL, read_all, r) == 0;
    if (!r->has_reader) stop_threads(r);
}

static og_status fill(struct og_ring *r, og_error *err)
{
    r->places = og_allocate_zero(r->allocator, r->n_jobs * sizeof(*r->places));
    r->workers =
        og_allocate_zero(r->allocator, r->n_workers * sizeof(*r->workers));
    if (r->places == NULL || r->workers == NULL)
        return og_error_memory(err, r->n_jobs * sizeof(*r->places), "threads");
    for (size_t i = 0; i < r->n_jobs; i++) {
        r->places[i].job = og_allocate_zero(r->allocator, r->work.job_len);
        if (r->places[i].job == NULL)
            return og_error_memory(err, r->work.job_len, "a job");
    }
    for (unsigned i = 0; i < r->n_workers; i++) {
        struct worker *w = &r->workers[i];
        w->ring = r;
        w->mine = og_allocate_zero(r->allocator, r->work.worker_len);
        if (w->mine == NULL)
            return og_error_memory(err, r->work.worker_len, "a thread");
        w->is_started = true;
        TRY(r->work.start_worker(r->work.ctx, w->mine, err));
    }
    return OG_OK;
}

og_status og_ring_new(const struct og_ring_work *work, unsigned n_threads,
                      const og_allocator *allocator, struct og_ring **out,
                      og_error *err)
{
    if (n_threads > MOST_THREADS) n_threads = MOST_THREADS;
    if (n_threads == 0) n_threads = 1;
    struct og_ring *r = og_allocate_zero(allocator, sizeof(*r));
    if (r == NULL) return og_error_memory(err, sizeof(*r), "threads");
    r->allocator = allocator;
    r->work = *work;
    r->n_workers = n_threads;
    r->n_jobs = n_threads == 1 ? 1 : (size_t)n_threads + SPARE_JOBS;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->may_read, NULL);
    pthread_cond_init(&r->may_prepare, NULL);
    pthread_cond_init(&r->may_take, NULL);
    const og_status status = fill(r, err);
    if (status != OG_OK) {
        og_ring_free(r);
        return status;
    }
    if (n_threads > 1) start_threads(r);
    *out = r;
    return OG_OK;
}

void og_ring_free(struct og_ring *r)
{
    if (r == NULL) return;
    if (r->workers != NULL) stop_threads(r);
    for (size_t i = 0; r->places != NULL && i < r->n_jobs; i++) {
        if (r->places[i].job == NULL) continue;
        r->work.release_job(r->work.ctx, r->places[i].job);
        og_release(r->allocator, r->places[i].job, r->work.job_len);
    }
    for (unsigned i = 0; r->workers != NULL && i < r->n_workers; i++) {
        struct worker *w = &r->workers[i];
        if (w->is_started) r->work.stop_worker(r->work.ctx, w->mine);
        og_release(r->allocator, w->mine, r->work.worker_len);
    }
    og_release(r->allocator, r->places, r->n_jobs * sizeof(*r->places));
    og_release(r->allocator, r->workers, r->n_workers * sizeof(*r->workers));
    pthread_cond_destroy(&r->may_take);
    pthread_cond_destroy(&r->may_prepare);
    pthread_cond_destroy(&r->may_read);
    pthread_mutex_destroy(&r->lock);
    og_release(r->allocator, r, sizeof(*r));
}
