#ifndef OG_STREAM_PROBLEM_REPORTER_H
#define OG_STREAM_PROBLEM_REPORTER_H

/* Problems of the documents of a stream: reported to the caller, counted, and
 * the first file that failed remembered for the status of the run. */

#include "lib/source/source.h"

#include <origo/reading.h>

struct og_problem_reporter {
    void *ctx;
    void (*on_problem)(void *ctx, const og_problem *problem); /* or NULL */
    og_stream_counts *counts; /* NULL: not counted */
    og_error failure; /* of the first whole file; OG_OK: there was none */
    /* Whether anything was read at all. A block may still grow while it is
     * reported, so the current one is counted separately. */
    uint64_t n_skipped, n_documents;
    uint64_t n_blocks, n_documents_of_block;
    og_error first_skipped;
};

/* Records the number of documents of a block. The functions below do so for the
 * block they are given, in order of the blocks. */
void og_reporter_note_block(struct og_problem_reporter *reporter,
                            const struct og_block *block);

/* The problem gets the name of the block's file. */
void og_report_problem(const struct og_problem_reporter *reporter,
                       const struct og_block *block, og_problem problem);

/* A problem of a document that is processed all the same. */
void og_report_document_problem(const struct og_problem_reporter *reporter,
                                const struct og_block *block, uint64_t line,
                                uint64_t offset, const char *message);

/* Problem number i of a block. */
void og_report_block_problem(struct og_problem_reporter *reporter,
                             const struct og_block *block, size_t i);

/* The status of a run that ended with `status`: a file that failed is a
 * failure, too, and so is an input of which every record was skipped. */
og_status og_reporter_end(const struct og_problem_reporter *reporter,
                          og_status status, og_error *err);

#endif
