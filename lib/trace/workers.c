/* One thread reads, n prepare, the caller writes.
 *
 * The jobs are a ring. Blocks are numbered as they are read, number i goes into
 * place i modulo the length of the ring, and three counters chase each other
 * around it:
 *
 *     n_written  <=  n_taken  <=  n_read  <=  n_written + n_jobs
 *     (caller)       (workers)    (reader)
 *
 * So there is no queue, results come in the order of the input by themselves,
 * memory is bounded, and when the writer is slow everybody waits for it. A job
 * is touched by one thread at a time, outside the lock; the lock is taken three
 * times a block, which is nothing beside preparing it.
 *
 * The end of the input, or an error, travels around the ring as a job like any
 * other, so that all that came before it is written first. */

#include "lib/trace/workers.h"

#include <assert.h>
#include <pthread.h>

#define MOST_THREADS 256

/* The reader stops at this many bytes in flight even if there are places left:
 * documents can be of any size. One block is always allowed. */
#define MOST_IN_FLIGHT ((size_t)32 << 20)

struct worker {
    struct og_workers *workers;
    struct og_job_tools tools;
    pthread_t thread;
};

struct place {
    struct og_job job;
    size_t len; /* of the block, when it was read */
    bool is_prepared;
};

struct og_workers {
    const og_allocator *allocator;
    struct og_source *source;
    struct og_job_options options;
    struct place *ring;
    size_t n_jobs;
    struct worker *workers; /* one without a thread if there are none */
    unsigned n_workers;
    unsigned n_started;
    bool has_reader;
    pthread_t reader;
    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t may_read, may_take, may_write;
    uint64_t n_read, n_taken, n_written;
    size_t in_flight; /* bytes of the blocks between n_written and n_read */
    bool stop;
};

static struct place *place_of(struct og_workers *w, uint64_t number)
{
    return &w->ring[number % w->n_jobs];
}

/* ---- the reader ---- */

static bool has_room(const struct og_workers *w)
{
    const uint64_t n = w->n_read - w->n_written;
    return n < w->n_jobs && (n == 0 || w->in_flight < MOST_IN_FLIGHT);
}

/* NULL: no more is wanted. */
static struct place *wait_for_room(struct og_workers *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->stop && !has_room(w))
        pthread_cond_wait(&w->may_read, &w->lock);
    struct place *place = w->stop ? NULL : place_of(w, w->n_read);
    pthread_mutex_unlock(&w->lock);
    return place;
}

static void pass_to_workers(struct og_workers *w, struct place *place)
{
    place->is_prepared = false;
    place->len = place->job.status == OG_OK ? place->job.block.len : 0;
    pthread_mutex_lock(&w->lock);
    w->n_read++;
    w->in_flight += place->len;
    pthread_cond_signal(&w->may_take);
    pthread_mutex_unlock(&w->lock);
}

static void *read_all(void *ctx)
{
    struct og_workers *w = ctx;
    struct place *place;
    while ((place = wait_for_room(w)) != NULL) {
        og_job_read(&place->job, w->source);
        const og_status status = place->job.status;
        pass_to_workers(w, place);
        if (status != OG_OK) break;
    }
    return NULL;
}

/* ---- the workers ---- */

static struct place *wait_for_block(struct og_workers *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->stop && w->n_taken == w->n_read)
        pthread_cond_wait(&w->may_take, &w->lock);
    struct place *place = w->stop ? NULL : place_of(w, w->n_taken++);
    pthread_mutex_unlock(&w->lock);
    return place;
}

static void pass_to_writer(struct og_workers *w, struct place *place)
{
    pthread_mutex_lock(&w->lock);
    place->is_prepared = true;
    if (place == place_of(w, w->n_written)) pthread_cond_signal(&w->may_write);
    pthread_mutex_unlock(&w->lock);
}

static void *prepare_all(void *ctx)
{
    struct worker *self = ctx;
    struct og_workers *w = self->workers;
    struct place *place;
    while ((place = wait_for_block(w)) != NULL) {
        og_job_prepare(&place->job, &w->options, &self->tools);
        pass_to_writer(w, place);
    }
    return NULL;
}

/* ---- the caller ---- */

static struct og_job *work_alone(struct og_workers *w)
{
    struct og_job *job = &w->ring[0].job;
    og_job_read(job, w->source);
    og_job_prepare(job, &w->options, &w->workers[0].tools);
    return job;
}

struct og_job *og_workers_next(struct og_workers *w)
{
    if (!w->has_reader) return work_alone(w);
    pthread_mutex_lock(&w->lock);
    struct place *place = place_of(w, w->n_written);
    while (w->n_taken == w->n_written || !place->is_prepared)
        pthread_cond_wait(&w->may_write, &w->lock);
    pthread_mutex_unlock(&w->lock);
    return &place->job;
}

void og_workers_give_back(struct og_workers *w)
{
    if (!w->has_reader) return;
    pthread_mutex_lock(&w->lock);
    assert(w->n_written < w->n_taken);
    w->in_flight -= place_of(w, w->n_written)->len;
    w->n_written++;
    pthread_cond_signal(&w->may_read);
    pthread_mutex_unlock(&w->lock);
}

/* ---- beginning and end ---- */

static void stop_threads(struct og_workers *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->may_read);
    pthread_cond_broadcast(&w->may_take);
    pthread_mutex_unlock(&w->lock);
    while (w->n_started > 0)
        pthread_join(w->workers[--w->n_started].thread, NULL);
    if (w->has_reader) pthread_join(w->reader, NULL);
    w->has_reader = false;
}

/* The reader comes last: while there is none nothing was read, and the caller
 * can still do it all. */
static void start_threads(struct og_workers *w)
{
    while (w->n_started < w->n_workers) {
        struct worker *worker = &w->workers[w->n_started];
        if (pthread_create(&worker->thread, NULL, prepare_all, worker) != 0)
            break;
        w->n_started++;
    }
    if (w->n_started == 0) return;
    w->has_reader = pthread_create(&w->reader, NULL, read_all, w) == 0;
    if (!w->has_reader) stop_threads(w);
}

static bool make_ring(struct og_workers *w)
{
    const og_allocator *a = w->allocator;
    w->ring = og_allocate_zero(a, w->n_jobs * sizeof(*w->ring));
    w->workers = og_allocate_zero(a, w->n_workers * sizeof(*w->workers));
    if (w->ring == NULL || w->workers == NULL) return false;
    for (size_t i = 0; i < w->n_jobs; i++)
        og_job_init(&w->ring[i].job, a);
    for (unsigned i = 0; i < w->n_workers; i++) {
        w->workers[i].workers = w;
        og_job_tools_init(&w->workers[i].tools, a);
    }
    return true;
}

og_status og_workers_new(struct og_source *source,
                         const struct og_job_options *options,
                         unsigned n_threads, const og_allocator *allocator,
                         struct og_workers **out, og_error *err)
{
    if (n_threads > MOST_THREADS) n_threads = MOST_THREADS;
    struct og_workers *w = og_allocate_zero(allocator, sizeof(*w));
    if (w == NULL) return og_error_memory(err, sizeof(*w), "threads");
    w->allocator = allocator;
    w->source = source;
    w->options = *options;
    w->n_workers = n_threads;
    w->n_jobs = n_threads == 1 ? 1 : 2 * (size_t)n_threads + 2;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->may_read, NULL);
    pthread_cond_init(&w->may_take, NULL);
    pthread_cond_init(&w->may_write, NULL);
    if (!make_ring(w)) {
        const size_t len = w->n_jobs * sizeof(*w->ring);
        og_workers_free(w);
        return og_error_memory(err, len, "threads");
    }
    if (n_threads > 1) start_threads(w);
    *out = w;
    return OG_OK;
}

static void release_ring(struct og_workers *w)
{
    for (size_t i = 0; i < w->n_jobs; i++)
        og_job_release(&w->ring[i].job);
    for (unsigned i = 0; i < w->n_workers; i++)
        og_job_tools_release(&w->workers[i].tools);
}

void og_workers_free(struct og_workers *w)
{
    if (w == NULL) return;
    const og_allocator *a = w->allocator;
    stop_threads(w);
    if (w->ring != NULL && w->workers != NULL) release_ring(w);
    og_release(a, w->workers, w->n_workers * sizeof(*w->workers));
    og_release(a, w->ring, w->n_jobs * sizeof(*w->ring));
    pthread_cond_destroy(&w->may_write);
    pthread_cond_destroy(&w->may_take);
    pthread_cond_destroy(&w->may_read);
    pthread_mutex_destroy(&w->lock);
    og_release(a, w, sizeof(*w));
}
