#ifndef OG_JOB_H
#define OG_JOB_H

/*   in:  a block of the input                               (lib/source)
 *   out: its documents, prepared for the table, in order    (lib/pipeline.c)
 *
 * What goes from the reader through a worker to the writer. */

#include "lib/arena.h"
#include "lib/scratch.h"
#include "lib/source/source.h"

/* A document of a job; all views are into the job. */
struct og_job_document {
    og_document doc;       /* without title, url and text when !keep_texts */
    size_t text_len;       /* of the source */
    uint64_t line, offset; /* where it stands in the file */
    bool bad_time;
    size_t n_problems_before; /* problems of the block that come before it */
    /* What the stages made of it. Without texts only the selection is there,
     * and the numbers: tokens.n, text.n_repaired. */
    struct og_prepared prepared;
};

struct og_job_options {
    struct og_source_options source;
    const struct og_prepare_options *prepare;
    bool keep_texts; /* answers are wanted */
};

struct og_job {
    const og_allocator *allocator;
    struct og_block block;
    struct og_job_document *docs;
    size_t n_docs, docs_cap;
    struct og_arena arena;
    /* OG_OK; OG_END: there is no block, the input is at its end; else what
     * went wrong behind the last document, and its story. */
    og_status status;
    og_error err;
};

void og_job_init(struct og_job *job, const og_allocator *allocator);
void og_job_release(struct og_job *job);

/* Empties it, reads the next block, sets job->status. The reader's thread. */
void og_job_read(struct og_job *job, struct og_source *source);

/* Takes the block apart and prepares its documents. Any thread. */
void og_job_prepare(struct og_job *job, const struct og_job_options *options,
                    struct og_scratch *scratch);

#endif
