#include "lib/stream/problem_reporter.h"

#include <string.h>

#include "lib/base/status.h"
#include "lib/source/block.h"

void og_report_problem(const struct og_problem_reporter *t,
                       const struct og_block *block, og_problem problem)
{
    if (t->on_problem == NULL) return;
    problem.file = (og_bytes){block->file, strlen(block->file)};
    t->on_problem(t->ctx, &problem);
}

void og_report_document_problem(const struct og_problem_reporter *t,
                                const struct og_block *block, uint64_t line,
                                uint64_t offset, const char *message)
{
    og_report_problem(
        t, block,
        (og_problem){.line = line, .offset = offset, .message = message});
}

void og_reporter_note_block(struct og_problem_reporter *t,
                            const struct og_block *block)
{
    if (block->sequence >= t->n_blocks) {
        t->n_documents += t->n_documents_of_block;
        t->n_blocks = block->sequence + 1;
    }
    t->n_documents_of_block = block->n_documents;
}

static void note_skipped(struct og_problem_reporter *t,
                         const struct og_block *block,
                         const struct og_source_problem *p)
{
    const bool has_line = p->line != 0;
    if (t->n_skipped++ > 0) return;
    og_error_set(&t->first_skipped, OG_ERR_INPUT, "'%.60s', %s %llu: %s",
                 og_shown_path(block->file, 60), has_line ? "line" : "byte",
                 (unsigned long long)(has_line ? p->line : p->offset),
                 p->message);
}

void og_report_block_problem(struct og_problem_reporter *t,
                             const struct og_block *block, size_t i)
{
    const struct og_source_problem *p = &block->problems[i];
    og_reporter_note_block(t, block);
    if (p->skipped && !p->whole_file) note_skipped(t, block, p);
    if (p->whole_file) {
        if (t->counts != NULL) t->counts->n_files_failed++;
        if (t->failure.status == OG_OK) og_block_failure(block, p, &t->failure);
    } else if (p->skipped && t->counts != NULL) {
        t->counts->n_skipped++;
    }
    og_report_problem(t, block,
                      (og_problem){.line = p->line,
                                   .offset = p->offset,
                                   .skipped = p->skipped,
                                   .message = p->message});
}

og_status og_reporter_end(const struct og_problem_reporter *t, og_status status,
                          og_error *err)
{
    if (status != OG_OK) return status;
    if (t->failure.status != OG_OK) return og_error_pass(err, &t->failure);
    if (t->n_skipped == 0 || t->n_documents + t->n_documents_of_block > 0)
        return OG_OK;
    if (t->n_skipped == 1)
        return og_error_set(err, OG_ERR_INPUT,
                            "the only record was skipped: %s",
                            t->first_skipped.message);
    return og_error_set(
        err, OG_ERR_INPUT, "all %llu records were skipped; the first: %s",
        (unsigned long long)t->n_skipped, t->first_skipped.message);
}
