#ifndef OG_TESTS_PHASES_SUPPORT_H
#define OG_TESTS_PHASES_SUPPORT_H

/* The threads of a stream without a stream: for code that works in phases. */

#include "lib/stream/phases.h"

static inline og_status idle_start(void *ctx, void *worker, og_error *err)
{
    (void)ctx, (void)worker, (void)err;
    return OG_OK;
}

static inline void idle_stop(void *ctx, void *worker)
{
    (void)ctx, (void)worker;
}

static inline void idle_release(void *ctx, void *job)
{
    (void)ctx, (void)job;
}

static inline bool idle_read(void *ctx, void *job, size_t *out_len)
{
    (void)ctx, (void)job;
    *out_len = 1;
    return false;
}

static inline void idle_prepare(void *ctx, void *worker, void *job)
{
    (void)ctx, (void)worker, (void)job;
}

static inline og_status idle_share(const struct og_phases *phases, size_t n,
                                   og_piece_fn *piece, void *ctx, og_error *err)
{
    return og_ring_share((struct og_ring *)phases->ctx, n, piece, ctx, err);
}

/* For og_ring_free(). */
static inline struct og_ring *threads_of(unsigned n)
{
    static const struct og_ring_work work = {.job_len = 8,
                                             .worker_len = 8,
                                             .start_worker = idle_start,
                                             .stop_worker = idle_stop,
                                             .release_job = idle_release,
                                             .read = idle_read,
                                             .prepare = idle_prepare};
    struct og_ring *ring;
    assert_int_equal(og_ring_new(&work, n, NULL, &ring, NULL), OG_OK);
    return ring;
}

static inline struct og_phases phases_of(struct og_ring *ring)
{
    return (struct og_phases){
        .ctx = ring, .n_threads = og_ring_threads(ring), .share = idle_share};
}

#endif
