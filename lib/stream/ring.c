/* The jobs are a ring. They are numbered as they are read, number i goes into
 * place i modulo the length of the ring, and four counters chase each other
 * around it:
 *
 *     n_free    <=  n_done    <=  n_taken    <=  n_read   <=  n_free + n_jobs
 *     (writer)      (caller)      (workers)      (reader)
 *
 * So there is no queue, results are in the order of reading, memory is bounded,
 * and a slow caller makes all threads wait. A job is accessed by one thread at
 * a time, outside the lock; the lock is taken four times per job, which is
 * negligible compared with preparing it.
 *
 * Pieces of the caller's phases (og_ring_share) come before jobs: everything
 * else waits for what is first in the order. They are claimed through one
 * atomic counter. The lock is taken when a thread begins to help and when it
 * leaves; the phase has ended once the counter is at its end and no thread is
 * helping. Waking a thread takes longer than many a piece, so the caller wakes
 * two, and each of them two more.
 *
 * The end of the input, or an error, travels around the ring as a job like any
 * other, so that all earlier jobs are taken first. */

#include "lib/stream/ring.h"

#include <pthread.h>
#include <stdatomic.h>

#include "lib/stream/phases.h"

#define MOST_THREADS 256

/* Default of most_in_flight. */
#define MOST_IN_FLIGHT ((size_t)32 << 20)

/* Jobs in addition to those that the threads are working on: some are read
 * ahead, some wait for their turn. Each keeps its memory, so there should be
 * few. */
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
    struct og_stage_times times;
};

/* The caller's phase. Everything but `next` and `failed` is protected by the
 * lock, or was set before the helpers came. */
struct phase {
    og_piece_fn *piece;
    void *ctx;
    const char *name;
    size_t n;
    atomic_size_t next;   /* to be claimed */
    atomic_size_t failed; /* the lowest that failed; n: none */
    og_error err;         /* of that one */
    unsigned n_helpers;
    bool is_open;
};

struct og_ring {
    const og_allocator *allocator;
    struct og_ring_work work;
    struct place *places;
    size_t n_jobs;
    struct worker *workers;
    unsigned n_workers;
    struct worker caller; /* its own bytes, for sharing work */
    bool has_reader;
    pthread_t reader;
    struct og_stage_times reader_times;
    bool has_writer; /* otherwise the caller writes */
    pthread_t writer;
    struct og_stage_times writer_times;
    struct og_stage_begin taking; /* the caller has a job */
    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t may_read, may_prepare, may_take, may_write, has_left,
        has_written;
    struct phase phase;
    uint64_t n_read, n_taken, n_done, n_free;
    unsigned n_waiting; /* idle workers */
    size_t in_flight;
    bool stop;
};

static struct place *place_of(struct og_ring *r, uint64_t number)
{
    return &r->places[number % r->n_jobs];
}

static void read_job(struct og_ring *r, struct place *p,
                     struct og_stage_times *times)
{
    const struct og_stage_begin begin = og_stage_begin(times);
    p->len = 0;
    p->is_prepared = false;
    p->is_last = !r->work.read(r->work.ctx, p->job, &p->len);
    og_stage_end(times, "read", begin);
}

static void write_job(struct og_ring *r, const struct place *p,
                      struct og_stage_times *times)
{
    if (r->work.write == NULL) return;
    const struct og_stage_begin begin = og_stage_begin(times);
    r->work.write(r->work.ctx, p->job);
    og_stage_end(times, "write", begin);
}

static void prepare_job(struct og_ring *r, struct place *p, struct worker *w,
                        struct og_stage_times *times)
{
    const struct og_stage_begin begin = og_stage_begin(times);
    r->work.prepare(r->work.ctx, w->mine, p->job);
    og_stage_end(times, "prepare", begin);
}

/* ---- the reader ---- */

static bool has_room(const struct og_ring *r)
{
    const uint64_t n = r->n_read - r->n_free;
    return n < r->n_jobs && (n == 0 || r->in_flight < r->work.most_in_flight);
}

static void *read_all(void *ctx)
{
    struct og_ring *r = ctx;
    bool is_last = false;
    while (!is_last) {
        pthread_mutex_lock(&r->lock);
        const double waits = og_wait_begin(&r->reader_times);
        while (!r->stop && !has_room(r))
            pthread_cond_wait(&r->may_read, &r->lock);
        og_wait_end(&r->reader_times, waits);
        struct place *p = r->stop ? NULL : place_of(r, r->n_read);
        pthread_mutex_unlock(&r->lock);
        if (p == NULL) break;
        read_job(r, p, &r->reader_times);
        is_last = p->is_last;
        pthread_mutex_lock(&r->lock);
        r->n_read++;
        r->in_flight += p->len;
        pthread_cond_signal(&r->may_prepare);
        pthread_mutex_unlock(&r->lock);
    }
    og_stage_rest(&r->reader_times, "wake");
    return NULL;
}

/* ---- the writer ---- */

/* With the lock held. */
static void free_place(struct og_ring *r)
{
    r->in_flight -= place_of(r, r->n_free)->len;
    r->n_free++;
    pthread_cond_signal(&r->may_read);
}

/* With the lock held: the next job to write; NULL: the ring was stopped. */
static struct place *wait_to_write(struct og_ring *r)
{
    const double waits = og_wait_begin(&r->writer_times);
    while (!r->stop && r->n_free == r->n_done)
        pthread_cond_wait(&r->may_write, &r->lock);
    og_wait_end(&r->writer_times, waits);
    return r->stop ? NULL : place_of(r, r->n_free);
}

static void *write_all(void *ctx)
{
    struct og_ring *r = ctx;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        const struct place *p = wait_to_write(r);
        pthread_mutex_unlock(&r->lock);
        if (p == NULL) break;
        write_job(r, p, &r->writer_times);
        pthread_mutex_lock(&r->lock);
        free_place(r);
        if (r->n_free == r->n_done) pthread_cond_signal(&r->has_written);
        pthread_mutex_unlock(&r->lock);
    }
    og_stage_rest(&r->writer_times, "wake");
    return NULL;
}

void og_ring_wait_written(struct og_ring *r)
{
    if (!r->has_writer) return;
    const double waits = og_wait_begin(&r->caller.times);
    pthread_mutex_lock(&r->lock);
    while (r->n_free != r->n_done)
        pthread_cond_wait(&r->has_written, &r->lock);
    pthread_mutex_unlock(&r->lock);
    og_wait_end(&r->caller.times, waits);
}

/* ---- pieces ---- */

static void note_failure(struct og_ring *r, size_t number, const og_error *err)
{
    pthread_mutex_lock(&r->lock);
    if (number < atomic_load(&r->phase.failed)) {
        r->phase.err = *err;
        atomic_store(&r->phase.failed, number);
    }
    pthread_mutex_unlock(&r->lock);
}

/* Numbers are claimed in order, so every one below a failed one runs. */
static void claim_pieces(struct og_ring *r, void *mine)
{
    struct phase *phase = &r->phase;
    for (;;) {
        og_error err = {.status = OG_OK};
        const size_t number = atomic_fetch_add(&phase->next, 1);
        if (number >= phase->n || number > atomic_load(&phase->failed)) return;
        if (phase->piece(phase->ctx, mine, number, &err) != OG_OK)
            note_failure(r, number, &err);
    }
}

static void run_pieces(struct og_ring *r, struct worker *w)
{
    const char *name = r->phase.name != NULL ? r->phase.name : "share";
    const struct og_stage_begin begin = og_stage_begin(&w->times);
    claim_pieces(r, w->mine);
    og_stage_end(&w->times, name, begin);
}

static bool has_pieces(const struct og_ring *r)
{
    return r->phase.is_open && atomic_load(&r->phase.next) < r->phase.n;
}

/* With the lock held. One piece is the caller's; no more threads are woken than
 * needed. */
static void wake_helpers(struct og_ring *r)
{
    enum { MOST = 2 };
    const size_t next = atomic_load(&r->phase.next) + 1;
    const size_t n_left = next < r->phase.n ? r->phase.n - next : 0;
    const size_t n = n_left < r->n_waiting ? n_left : r->n_waiting;
    for (size_t i = 0; i < n && i < MOST; i++)
        pthread_cond_signal(&r->may_prepare);
}

/* Called, and returns, with the lock held. */
static void help(struct worker *w)
{
    struct og_ring *r = w->ring;
    r->phase.n_helpers++;
    wake_helpers(r);
    pthread_mutex_unlock(&r->lock);
    run_pieces(r, w);
    pthread_mutex_lock(&r->lock);
    if (--r->phase.n_helpers == 0) pthread_cond_signal(&r->has_left);
}

static og_status start_one(struct og_ring *r, struct worker *w, og_error *err)
{
    w->ring = r;
    w->times.is_on = r->work.is_timed;
    w->mine = og_allocate_zero(r->allocator, r->work.worker_len);
    if (w->mine == NULL)
        return og_error_memory(err, r->work.worker_len, "a thread");
    w->is_started = true;
    return r->work.start_worker(r->work.ctx, w->mine, err);
}

static og_status share_alone(const struct og_phases *alone, size_t n,
                             og_piece_fn *piece, void *ctx, og_error *err)
{
    for (size_t i = 0; i < n; i++)
        TRY(piece(ctx, alone->worker, i, err));
    return OG_OK;
}

struct og_phases og_phases_alone(void *worker)
{
    return (struct og_phases){
        .n_threads = 1, .share = share_alone, .worker = worker};
}

og_status og_ring_share(struct og_ring *r, size_t n, og_piece_fn *piece,
                        void *ctx, og_error *err)
{
    struct phase *phase = &r->phase;
    const struct og_phases alone = og_phases_alone(r->workers[0].mine);
    if (!r->has_reader) {
        const struct og_stage_begin begin = og_stage_begin(&r->caller.times);
        const og_status status = share_alone(&alone, n, piece, ctx, err);
        og_stage_end(&r->caller.times,
                     phase->name != NULL ? phase->name : "share", begin);
        return status;
    }
    if (!r->caller.is_started) TRY(start_one(r, &r->caller, err));
    pthread_mutex_lock(&r->lock);
    phase->piece = piece;
    phase->ctx = ctx;
    phase->n = n;
    atomic_store(&phase->next, 0);
    atomic_store(&phase->failed, n);
    phase->is_open = true;
    wake_helpers(r);
    pthread_mutex_unlock(&r->lock);
    run_pieces(r, &r->caller);
    pthread_mutex_lock(&r->lock);
    phase->is_open = false;
    const double waits = og_wait_begin(&r->caller.times);
    while (phase->n_helpers > 0)
        pthread_cond_wait(&r->has_left, &r->lock);
    og_wait_end(&r->caller.times, waits);
    pthread_mutex_unlock(&r->lock);
    if (atomic_load(&phase->failed) == n) return OG_OK;
    return og_error_pass(err, &phase->err);
}

void og_ring_name(struct og_ring *r, const char *stage)
{
    r->phase.name = stage;
}

const struct og_stage_times *og_ring_times(struct og_ring *r, unsigned i)
{
    if (i == 0) return &r->caller.times;
    if (i == 1) return &r->reader_times;
    if (i - 2 < r->n_workers) return &r->workers[i - 2].times;
    return i - 2 == r->n_workers && r->work.write != NULL ? &r->writer_times
                                                          : NULL;
}

unsigned og_ring_threads(const struct og_ring *r)
{
    return r->has_reader ? r->n_workers + 1 : 1;
}

/* ---- the workers ---- */

/* With the lock held: the next job to prepare; NULL: there are no more. */
static struct place *wait_for_job(struct worker *w)
{
    struct og_ring *r = w->ring;
    for (;;) {
        if (r->stop) return NULL;
        if (has_pieces(r))
            help(w);
        else if (r->n_taken != r->n_read)
            return place_of(r, r->n_taken++);
        else {
            const double waits = og_wait_begin(&w->times);
            r->n_waiting++;
            pthread_cond_wait(&r->may_prepare, &r->lock);
            r->n_waiting--;
            og_wait_end(&w->times, waits);
        }
    }
}

static void *prepare_all(void *ctx)
{
    struct worker *w = ctx;
    struct og_ring *r = w->ring;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        struct place *p = wait_for_job(w);
        pthread_mutex_unlock(&r->lock);
        if (p == NULL) break;
        prepare_job(r, p, w, &w->times);
        pthread_mutex_lock(&r->lock);
        p->is_prepared = true;
        if (p == place_of(r, r->n_done)) pthread_cond_signal(&r->may_take);
        pthread_mutex_unlock(&r->lock);
    }
    og_stage_rest(&w->times, "wake");
    return NULL;
}

/* ---- the caller ---- */

void *og_ring_next(struct og_ring *r, bool *out_is_last)
{
    struct place *p = place_of(r, r->n_done);
    if (!r->has_reader) {
        read_job(r, p, &r->caller.times);
        prepare_job(r, p, &r->workers[0], &r->caller.times);
    } else {
        const double waits = og_wait_begin(&r->caller.times);
        pthread_mutex_lock(&r->lock);
        while (r->n_taken == r->n_done || !p->is_prepared)
            pthread_cond_wait(&r->may_take, &r->lock);
        pthread_mutex_unlock(&r->lock);
        og_wait_end(&r->caller.times, waits);
    }
    *out_is_last = p->is_last;
    r->taking = og_stage_begin(&r->caller.times);
    return p->job;
}

void og_ring_give_back(struct og_ring *r)
{
    og_stage_end(&r->caller.times, "take", r->taking);
    if (!r->has_writer) write_job(r, place_of(r, r->n_done), &r->caller.times);
    if (!r->has_reader) return;
    pthread_mutex_lock(&r->lock);
    r->n_done++;
    if (r->has_writer)
        pthread_cond_signal(&r->may_write);
    else
        free_place(r);
    pthread_mutex_unlock(&r->lock);
}

/* ---- beginning and end ---- */

static void stop_threads(struct og_ring *r)
{
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->may_read);
    pthread_cond_broadcast(&r->may_prepare);
    pthread_cond_broadcast(&r->may_write);
    pthread_mutex_unlock(&r->lock);
    for (unsigned i = 0; i < r->n_workers; i++) {
        if (r->workers[i].has_thread) pthread_join(r->workers[i].thread, NULL);
        r->workers[i].has_thread = false;
    }
    if (r->has_reader) pthread_join(r->reader, NULL);
    if (r->has_writer) pthread_join(r->writer, NULL);
    r->has_reader = r->has_writer = false;
}

/* The writer and the reader come last: without them the caller can still do
 * everything. */
static void start_threads(struct og_ring *r)
{
    bool any = false;
    for (unsigned i = 0; i < r->n_workers; i++) {
        struct worker *w = &r->workers[i];
        w->has_thread = pthread_create(&w->thread, NULL, prepare_all, w) == 0;
        any |= w->has_thread;
    }
    if (any && r->work.write != NULL)
        r->has_writer = pthread_create(&r->writer, NULL, write_all, r) == 0;
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
    for (unsigned i = 0; i < r->n_workers; i++)
        TRY(start_one(r, &r->workers[i], err));
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
    if (work->most_in_flight == 0) r->work.most_in_flight = MOST_IN_FLIGHT;
    r->n_workers = n_threads;
    r->caller.times.is_on = r->reader_times.is_on = work->is_timed;
    r->writer_times.is_on = work->is_timed;
    r->n_jobs = n_threads == 1 ? 1 : (size_t)n_threads + SPARE_JOBS;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->may_read, NULL);
    pthread_cond_init(&r->may_prepare, NULL);
    pthread_cond_init(&r->may_take, NULL);
    pthread_cond_init(&r->may_write, NULL);
    pthread_cond_init(&r->has_left, NULL);
    pthread_cond_init(&r->has_written, NULL);
    const og_status status = fill(r, err);
    if (status != OG_OK) {
        og_ring_free(r);
        return status;
    }
    if (n_threads > 1) start_threads(r);
    *out = r;
    return OG_OK;
}

void og_ring_stop(struct og_ring *r)
{
    stop_threads(r);
}

static void stop_one(struct og_ring *r, struct worker *w)
{
    if (w->is_started) r->work.stop_worker(r->work.ctx, w->mine);
    og_release(r->allocator, w->mine, r->work.worker_len);
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
    for (unsigned i = 0; r->workers != NULL && i < r->n_workers; i++)
        stop_one(r, &r->workers[i]);
    stop_one(r, &r->caller);
    og_release(r->allocator, r->places, r->n_jobs * sizeof(*r->places));
    og_release(r->allocator, r->workers, r->n_workers * sizeof(*r->workers));
    pthread_cond_destroy(&r->has_written);
    pthread_cond_destroy(&r->has_left);
    pthread_cond_destroy(&r->may_write);
    pthread_cond_destroy(&r->may_take);
    pthread_cond_destroy(&r->may_prepare);
    pthread_cond_destroy(&r->may_read);
    pthread_mutex_destroy(&r->lock);
    og_release(r->allocator, r, sizeof(*r));
}
