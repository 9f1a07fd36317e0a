#ifndef OG_STREAM_PHASES_H
#define OG_STREAM_PHASES_H

/* Who runs the pieces of a phase: the threads of a stream (og_stream_phases()),
 * or the caller alone. Whoever has work for all threads takes one of these, and
 * need not know where they come from. */

#include "lib/stream/ring.h"

struct og_phases {
    const void *ctx;
    unsigned n_threads; /* what comes out must not depend on it */
    /* As og_ring_share(). */
    og_status (*share)(const struct og_phases *phases, size_t n,
                       og_piece_fn *piece, void *piece_ctx, og_error *err);
    void *worker;     /* of a caller that is alone */
    const char *step; /* what the next phase is called in timings; a constant;
                         NULL: "share" */
};

/* One thread; `worker` is what its pieces are given. */
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
