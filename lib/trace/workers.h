#ifndef OG_TRACE_WORKERS_H
#define OG_TRACE_WORKERS_H

/*   in:  a source                                           (lib/source)
 *   out: its jobs, prepared, in order                (lib/trace/trace_stream.c)
 *
 *     struct og_workers *workers;
 *     og_workers_new(source, &options, n_threads, allocator, &workers, &err);
 *     while ((job = og_workers_next(workers))->status == OG_OK)
 *         ... then og_workers_give_back(workers);
 *     og_workers_free(workers);
 *
 * All by the same thread, whatever the others do behind the scene. */

#include "lib/trace/job.h"

struct og_workers;

/* With one thread, or when the system gives no more, all work is done inside
 * og_workers_next(). The source is the workers' alone until _free. */
og_status og_workers_new(struct og_source *source,
                         const struct og_job_options *options,
                         unsigned n_threads, const og_allocator *allocator,
                         struct og_workers **out, og_error *err);

/* At any time; waits until a block that is being read is read. NULL is
 * fine. */
void og_workers_free(struct og_workers *workers);

/* Waits for the next job in the order of the input. Its status is OG_END
 * behind the last one; behind that, or an error, no other job comes. */
struct og_job *og_workers_next(struct og_workers *workers);

/* The job that og_workers_next() gave is done with. */
void og_workers_give_back(struct og_workers *workers);

#endif
