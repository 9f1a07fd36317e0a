#ifndef OG_STREAM_PHASES_H
#define OG_STREAM_PHASES_H

/* Runs the pieces of a phase: on the threads of a stream (og_stream_phases()),
 * or by the caller alone. Code with work for all threads takes one of these,
 * and need not know where they come from. */

#include "lib/stream/ring.h"

struct og_phases {
    const void *ctx;
    unsigned n_threads; /* results must not depend on it */
    /* Like og_ring_share(). */
    og_status (*share)(const struct og_phases *phases, size_t n,
                       og_piece_fn *piece, void *piece_ctx, og_error *err);
    void *worker;     /* of a single-threaded caller */
    const char *step; /* what the next phase is called in timings; a constant;
                         NULL: "share" */
};

/* One thread; `worker` is passed to its pieces. */
struct og_phases og_phases_alone(void *worker);

static inline og_status og_phases_run(const struct og_phases *phases, size_t n,
                                      og_piece_fn *piece, void *piece_ctx,
                                      og_error *err)
{
    return phases->share(phases, n, piece, piece_ctx, err);
}

/* The same under a name of its own. */
static inline og_status og_phases_step(const struct og_phases *phases,
                                       const char *step, size_t n,
                                       og_piece_fn *piece, void *piece_ctx,
                                       og_error *err)
{
    struct og_phases named = *phases;
    named.step = step;
    return named.share(&named, n, piece, piece_ctx, err);
}

#endif
