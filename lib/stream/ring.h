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
 *     og_ring_free(ring); */

#include "lib/base/memory.h"

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

#endif
