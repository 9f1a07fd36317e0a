#ifndef OG_STREAM_RING_H
#define OG_STREAM_RING_H

/* One thread reads, n prepare, the caller takes, one writes, in the order of
 * reading.
 *
 *     og_ring_new(&work, n_threads, allocator, &ring, &err);
 *     do {
 *         job = og_ring_next(ring, &is_last);
 *         ... the last one is a job, too: it may carry an error
 *         og_ring_give_back(ring);
 *     } while (!is_last);
 *     og_ring_wait_written(ring);
 *     og_ring_free(ring);
 *
 * In between, the caller can use the same threads for its own work, phase by
 * phase: og_ring_share(). */

#include "lib/base/memory.h"
#include "lib/stream/stage_times.h"

struct og_ring_work {
    void *ctx;
    size_t job_len;    /* bytes of a job; zeroed at first */
    size_t worker_len; /* private bytes of each preparing thread */
    /* _stop is called in any case, also after a _start that failed. */
    og_status (*start_worker)(void *ctx, void *worker, og_error *err);
    void (*stop_worker)(void *ctx, void *worker);
    void (*release_job)(void *ctx, void *job);
    /* On the reading thread. Returns false if there is no more, or after an
     * error, which the job itself records. *out_len counts as memory in
     * flight. */
    bool (*read)(void *ctx, void *job, size_t *out_len);
    /* Any preparing thread. */
    void (*prepare)(void *ctx, void *worker, void *job);
    /* On the writing thread: one job after the other, each after it was given
     * back, while later ones are taken. Its place is free afterwards. May be
     * NULL. */
    void (*write)(void *ctx, void *job);
    bool is_timed; /* og_ring_times() will be called */
    /* The reader waits at this many bytes in flight even if there are places
     * free; one job is always allowed. 0: 32 MiB. */
    size_t most_in_flight;
};

struct og_ring;

/* With one thread everything happens inside og_ring_next() and
 * og_ring_give_back(). */
og_status og_ring_new(const struct og_ring_work *work, unsigned n_threads,
                      const og_allocator *allocator, struct og_ring **out,
                      og_error *err);
void og_ring_free(struct og_ring *ring); /* NULL is fine */

/* The next job. If its read() returned false, *out_is_last is true and no other
 * follows. */
void *og_ring_next(struct og_ring *ring, bool *out_is_last);
void og_ring_give_back(struct og_ring *ring);
/* Returns when all jobs that were given back are written. Those that are not
 * written when the ring is stopped never are. */
void og_ring_wait_written(struct og_ring *ring);

/* One piece of a phase; `worker` points to the bytes of the current thread. */
typedef og_status og_piece_fn(void *ctx, void *worker, size_t piece,
                              og_error *err);

/* A phase of the caller's work: pieces 0 to n - 1, on all threads. The
 * preparing threads take pieces first, between two jobs; the caller also takes
 * pieces, with worker bytes of its own. Returns when all pieces are done, so
 * the next phase may read what this one wrote. Pieces begin in order of their
 * numbers. If some fail, the status is that of the lowest number, whatever the
 * number of threads; pieces after it may be skipped. */
og_status og_ring_share(struct og_ring *ring, size_t n, og_piece_fn *piece,
                        void *ctx, og_error *err);
/* The name of the following phases in timings; a constant. */
void og_ring_name(struct og_ring *ring, const char *stage);

/* Ends the threads; no more jobs can be obtained. */
void og_ring_stop(struct og_ring *ring);

/* The times of thread i: 0 is the caller, whose stage "take" is its time
 * between _next and _give_back, without its pieces; then the reader, then the
 * workers, then the writer. NULL: there is no such thread. After _stop. */
const struct og_stage_times *og_ring_times(struct og_ring *ring, unsigned i);

/* The number of threads of og_ring_share(), including the caller. */
unsigned og_ring_threads(const struct og_ring *ring);

#endif
