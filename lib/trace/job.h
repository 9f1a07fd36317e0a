#ifndef OG_TRACE_JOB_H
#define OG_TRACE_JOB_H

/*   in:  a block of the input                               (lib/source)
 *   out: its documents, prepared for the table, in order            (lib/trace)
 *
 * What goes from the reader through a worker to the writer. */

#include "lib/base/arena.h"
#include "lib/source/source.h"
#include "lib/store/store.h"
#include "lib/stream/prepare.h"

/* A document of a job; all views are into the job. */
struct og_job_document {
    og_document doc; /* without what was not to be kept */
    size_t text_len; /* of the source */
    uint64_t text_hash;
    struct og_text_place text; /* in job->frames, if there are any */
    uint64_t line, offset;     /* where it stands in the file */
    bool bad_time;
    size_t n_problems_before; /* problems of the block that come before it */
    /* What the stages made of it. Without places only the selection is there,
     * and the numbers: tokens.n, text.n_repaired. */
    struct og_prepared prepared;
    bool has_answer; /* a worker has asked already */
    og_answer answer;
};

struct og_job_options {
    struct og_source_options source;
    const struct og_prepare_options *prepare;
    bool keep_places; /* answers are wanted: what leads from a token back */
    bool keep_texts;
    bool keep_names;        /* title, address, other fields */
    struct og_texts *texts; /* pack the texts for it; NULL: do not */
    size_t min_tokens;      /* shorter documents are not kept, nor packed */
    /* When nothing is added an answer does not depend on the documents before
     * it: workers ask this store. NULL: they do not. */
    og_store *store;
    const og_trace_options *asking;
};

struct og_job {
    const og_allocator *allocator;
    struct og_block block;
    struct og_job_document *docs;
    size_t n_docs, docs_cap;
    struct og_arena arena;
    size_t answers_len;    /* of texts in the answers */
    struct og_pack frames; /* the texts, packed, of those that may be kept */
    /* OG_OK; OG_END: there is no block, the input is at its end; else what
     * went wrong behind the last document, and its story. */
    og_status status;
    og_error err;
};

void og_job_init(struct og_job *job, const og_allocator *allocator);
void og_job_release(struct og_job *job);

/* Empties it, reads the next block, sets job->status. The reader's thread. */
void og_job_read(struct og_job *job, struct og_source *source);

/* What a thread needs to prepare jobs. */
struct og_job_tools {
    struct og_scratch scratch;
    og_trace *trace;         /* only for options->store */
    struct og_framer framer; /* only for options->texts */
    bool has_framer;
    og_bytes *texts; /* of a job */
    struct og_text_place *places;
    size_t texts_cap, places_cap;
};
void og_job_tools_init(struct og_job_tools *tools,
                       const og_allocator *allocator);
void og_job_tools_release(struct og_job_tools *tools);

/* Takes the block apart and prepares its documents. Any thread. */
void og_job_prepare(struct og_job *job, const struct og_job_options *options,
                    struct og_job_tools *tools);

#endif
