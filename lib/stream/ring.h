#ifndef OG_STREAM_RING_H
#define OG_STREAM_RING_H

/* One thread reads, n prepare, the caller takes, in the order of reading.
 *
 *     og_ring_new(&work, n_threads, allocator, &ring, &err);
 *     do {
 *         job = og_ring_next(ring, &is_last);
 *         ... the last one is a job, too: it may carry an error
 *         og_ring_give_back(ring);
 *     } while (!is_last);
 *     og_ring_free(ring);
 *
 * What the caller does in between can use the same threads, phase by phase:
 * og_ring_share(). */

#include "lib/base/memory.h"
#include "lib/stream/stage_times.h"

struct og_ring_work {
    void *ctx;
    size_t job_len;    /* bytes of a job; they are zeroed at first */
    size_t worker_len; /* bytes that each preparing thread has for itself */
    /* _stop in any case, also after a _start that failed. */
    og_status (*start_worker)(void *ctx, void *worker, og_error *err);
    void (*stop_worker)(void *ctx, void *worker);
    void (*release_job)(void *ctx, void *job);
    /* The reading thread. Returns false when there is no more, or an error
     * that the job itself remembers. *out_len counts as memory in flight. */
    bool (*read)(void *ctx, void *job, size_t *out_len);
    /* Any preparing thread. */
    void (*prepare)(void *ctx, void *worker, void *job);
    bool is_timed; /* og_ring_times() is asked for */
    /* The reader waits at this many bytes in flight even if there are places
     * left; one job is always allowed. 0: 32 MiB. */
    size_t most_in_flight;
};

struct og_ring;

/* With one thread everything happens inside og_ring_next(). */
og_status og_ring_new(const struct og_ring_work *work, unsigned n_threads,
                      const og_allocator *allocator, struct og_ring **out,
                      og_error *err);
void og_ring_free(struct og_ring *ring); /* NULL is fine */

/* The next job. After one whose read() returned false *out_is_last is true
 * and no other comes. */
void *og_ring_next(struct og_ring *ring, bool *out_is_last);
void og_ring_give_back(struct og_ring *ring);

/* One of the pieces of a phase; `worker` are the bytes of the thread at hand.
 */
typedef og_status og_piece_fn(void *ctx, void *worker, size_t piece,
                              og_error *err);

/* A phase of the caller's work: pieces 0 to n - 1, on all threads. Those that
 * prepare jobs take pieces first, whenever they are between two jobs; the
 * caller takes pieces, too, with a worker's bytes of its own. Returns when all
 * pieces are done, so what one phase has written the next may read. Pieces
 * begin in the order of their numbers. When some fail the status is that of the
 * lowest number, whatever the number of threads; pieces after it may be left
 * out. */
og_status og_ring_share(struct og_ring *ring, size_t n, og_piece_fn *piece,
                        void *ctx, og_error *err);
/* What the phases to come are called in timings; a constant. */
void og_ring_name(struct og_ring *ring, const char *stage);

/* Ends the threads; no job can be had any more. */
void og_ring_stop(struct og_ring *ring);

/* Where the time of thread i went: 0 is the caller, whose stage "take" is what
 * it did between _next and _give_back, without its pieces; then the reader,
 * then the workers. NULL: there is no such thread. After _stop. */
const struct og_stage_times *og_ring_times(struct og_ring *ring, unsigned i);

/* How many threads og_ring_share() has, the caller included. */
unsigned og_ring_threads(const struct og_ring *ring);

#endif
