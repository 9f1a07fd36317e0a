/* Jobs come back in the order in which they were read, on any number of
 * threads. */

#include "tests/unit/stage_support.h"

#include "lib/stream/ring.h"
#include <string.h>

enum { N_JOBS = 500 };

struct job {
    unsigned number, prepared;
    bool is_taken, is_last;
};

struct plan {
    unsigned n_read, n_released;
    unsigned n_written; /* by the writing thread */
    unsigned n_workers; /* that were started and not stopped */
    bool fails;         /* a worker cannot be started */
};

static og_status start_worker(void *ctx, void *worker, og_error *err)
{
    struct plan *p = ctx;
    (void)worker;
    __atomic_add_fetch(&p->n_workers, 1, __ATOMIC_SEQ_CST);
    return p->fails ? og_error_memory(err, 1, "a worker") : OG_OK;
}

static void stop_worker(void *ctx, void *worker)
{
    struct plan *p = ctx;
    (void)worker;
    __atomic_sub_fetch(&p->n_workers, 1, __ATOMIC_SEQ_CST);
}

static void release_job(void *ctx, void *job)
{
    (void)ctx, (void)job;
}

static bool read_job(void *ctx, void *job, size_t *out_len)
{
    struct plan *p = ctx;
    struct job *j = job;
    j->number = p->n_read++;
    j->prepared = 0;
    j->is_taken = false;
    *out_len = 100;
    return p->n_read < N_JOBS;
}

static void prepare(void *ctx, void *worker, void *job)
{
    struct job *j = job;
    (void)ctx, (void)worker;
    j->prepared = j->number + 1;
}

/* In the order of the jobs, each after it was taken. */
static void write_job(void *ctx, void *job)
{
    struct plan *p = ctx;
    const struct job *j = job;
    assert_true(j->is_taken);
    assert_int_equal(j->number, p->n_written);
    p->n_written++;
}

static const struct og_ring_work work = {.job_len = sizeof(struct job),
                                         .worker_len = 8,
                                         .start_worker = start_worker,
                                         .stop_worker = stop_worker,
                                         .release_job = release_job,
                                         .read = read_job,
                                         .prepare = prepare};

static struct og_ring *begin(struct plan *plan, unsigned n_threads)
{
    struct og_ring_work w = work;
    struct og_ring *ring;
    *plan = (struct plan){0};
    w.ctx = plan;
    assert_int_equal(og_ring_new(&w, n_threads, NULL, &ring, NULL), OG_OK);
    return ring;
}

/* Every worker that was started is stopped. */
static void end(struct og_ring *ring, const struct plan *plan)
{
    og_ring_free(ring);
    assert_int_equal(plan->n_workers, 0);
}

static void the_order_is_that_of_reading(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 5; n_threads++) {
        struct plan plan;
        struct og_ring *ring = begin(&plan, n_threads);
        bool is_last = false;
        for (unsigned i = 0; !is_last; i++) {
            const struct job *job = og_ring_next(ring, &is_last);
            assert_int_equal(job->number, i);
            assert_int_equal(job->prepared, i + 1); /* also the last one */
            assert_true(is_last == (i + 1 == N_JOBS));
            og_ring_give_back(ring);
        }
        end(ring, &plan);
    }
}

static struct og_ring *begin_with_writer(struct plan *plan, unsigned n_threads)
{
    struct og_ring_work w = work;
    struct og_ring *ring;
    *plan = (struct plan){0};
    w.ctx = plan;
    w.write = write_job;
    w.is_timed = true;
    assert_int_equal(og_ring_new(&w, n_threads, NULL, &ring, NULL), OG_OK);
    return ring;
}

static void take_one(struct og_ring *ring, bool *is_last)
{
    struct job *job = og_ring_next(ring, is_last);
    job->is_taken = true;
    og_ring_give_back(ring);
}

static void jobs_are_written_in_order(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 5; n_threads++) {
        struct plan plan;
        struct og_ring *ring = begin_with_writer(&plan, n_threads);
        bool is_last = false;
        for (unsigned i = 1; !is_last; i++) {
            take_one(ring, &is_last);
            if (i % 50 != 0 && !is_last) continue;
            og_ring_wait_written(ring);
            assert_int_equal(plan.n_written, i);
        }
        assert_int_equal(plan.n_written, N_JOBS);
        og_ring_stop(ring);
        assert_non_null(og_ring_times(ring, n_threads + 2));
        assert_null(og_ring_times(ring, n_threads + 3));
        end(ring, &plan);
    }
}

/* What was not waited for may be missing: never one before another. */
static void a_writer_may_be_left(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        struct plan plan;
        struct og_ring *ring = begin_with_writer(&plan, n_threads);
        bool is_last;
        for (unsigned i = 0; i < 20; i++)
            take_one(ring, &is_last);
        end(ring, &plan);
        assert_in_range(plan.n_written, n_threads == 1 ? 20 : 0, 20);
    }
}

/* Freed in the middle: the threads end. */
static void may_be_left(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        struct plan plan;
        struct og_ring *ring = begin(&plan, n_threads);
        bool is_last;
        (void)og_ring_next(ring, &is_last);
        og_ring_give_back(ring);
        end(ring, &plan);
    }
    og_ring_free(NULL);
}

static void a_worker_that_cannot_start(void **state)
{
    struct plan plan = {.fails = true};
    struct og_ring_work w = work;
    struct og_ring *ring = NULL;
    (void)state;
    w.ctx = &plan;
    assert_int_equal(og_ring_new(&w, 3, NULL, &ring, NULL), OG_ERR_MEMORY);
    assert_int_equal(plan.n_workers, 0);
}

/* ---- phases ---- */

enum { N_PIECES = 300 };

struct phase_plan {
    unsigned first[N_PIECES], second[N_PIECES];
    size_t fails_at, fails_later; /* N_PIECES: none */
};

static og_status write_piece(void *ctx, void *worker, size_t piece,
                             og_error *err)
{
    struct phase_plan *p = ctx;
    (*(uint64_t *)worker)++; /* a thread's own: no lock */
    p->first[piece] = (unsigned)piece + 1;
    if (piece == p->fails_at)
        return og_error_set(err, OG_ERR_INPUT, "piece %zu", piece);
    if (piece == p->fails_later)
        return og_error_set(err, OG_ERR_IO, "piece %zu", piece);
    return OG_OK;
}

/* Each reads what others wrote in the phase before. */
static og_status read_pieces(void *ctx, void *worker, size_t piece,
                             og_error *err)
{
    struct phase_plan *p = ctx;
    (void)worker, (void)err;
    p->second[piece] =
        p->first[N_PIECES - 1 - piece] + p->first[(piece + 7) % N_PIECES];
    return OG_OK;
}

static void share_phases(struct og_ring *ring)
{
    struct phase_plan plan = {.fails_at = N_PIECES, .fails_later = N_PIECES};
    assert_int_equal(og_ring_share(ring, N_PIECES, write_piece, &plan, NULL),
                     OG_OK);
    assert_int_equal(og_ring_share(ring, N_PIECES, read_pieces, &plan, NULL),
                     OG_OK);
    for (unsigned i = 0; i < N_PIECES; i++)
        assert_int_equal(plan.second[i], N_PIECES - i + (i + 7) % N_PIECES + 1);
    assert_int_equal(og_ring_share(ring, 0, write_piece, &plan, NULL), OG_OK);
}

static void a_phase_has_all_threads(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 8; n_threads++) {
        struct plan plan;
        struct og_ring *ring = begin(&plan, n_threads);
        bool is_last = false;
        assert_true(og_ring_threads(ring) ==
                    (n_threads == 1 ? 1 : n_threads + 1));
        for (unsigned i = 0; !is_last; i++) {
            const struct job *job = og_ring_next(ring, &is_last);
            assert_int_equal(job->number, i);
            if (i % 5 == 0) share_phases(ring);
            og_ring_give_back(ring);
        }
        end(ring, &plan);
    }
}

/* The lowest number, not the first in time; the ring can be used again. */
static void the_first_failure_is_reported(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 8; n_threads++) {
        struct plan plan;
        struct phase_plan phase = {.fails_at = 40, .fails_later = 43};
        struct og_ring *ring = begin(&plan, n_threads);
        og_error err = {0};
        bool is_last;
        (void)og_ring_next(ring, &is_last);
        for (unsigned i = 0; i < 20; i++) {
            assert_int_equal(
                og_ring_share(ring, N_PIECES, write_piece, &phase, &err),
                OG_ERR_INPUT);
            assert_string_equal(err.message, "piece 40");
        }
        for (size_t i = 0; i <= 40; i++)
            assert_int_equal(phase.first[i], i + 1);
        share_phases(ring);
        end(ring, &plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_that_of_reading),
        cmocka_unit_test(may_be_left),
        cmocka_unit_test(jobs_are_written_in_order),
        cmocka_unit_test(a_writer_may_be_left),
        cmocka_unit_test(a_worker_that_cannot_start),
        cmocka_unit_test(a_phase_has_all_threads),
        cmocka_unit_test(the_first_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
