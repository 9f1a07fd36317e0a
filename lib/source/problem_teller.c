#include "lib/source/problem_teller.h"

#include <string.h>

#include "lib/base/status.h"

void og_tell_problem(const struct og_problem_teller *t,
                     const struct og_block *block, og_problem problem)
{
    if (t->on_problem == NULL) return;
    problem.file = (og_bytes){block->file, strlen(block->file)};
    t->on_problem(t->ctx, &problem);
}

void og_tell_document(const struct og_problem_teller *t,
                      const struct og_block *block, uint64_t line,
                      uint64_t offset, const char *message)
{
    og_tell_problem(
        t, block,
        (og_problem){.line = line, .offset = offset, .message = message});
}

void og_tell_block_problem(struct og_problem_teller *t,
                           const struct og_block *block, size_t i)
{
    const struct og_source_problem *p = &block->problems[i];
    if (p->whole_file) {
        if (t->counts != NULL) t->counts->n_files_failed++;
        if (t->failure.status == OG_OK) og_block_failure(block, p, &t->failure);
    } else if (p->skipped && t->counts != NULL) {
        t->counts->n_skipped++;
    }
    og_tell_problem(t, block,
                    (og_problem){.line = p->line,
                                 .offset = p->offset,
                                 .skipped = p->skipped,
                                 .message = p->message});
}

void og_tell_block_problems(struct og_problem_teller *t,
                            const struct og_block *block, size_t from,
                            size_t to)
{
    for (size_t i = from; i < to; i++)
        og_tell_block_problem(t, block, i);
}

og_status og_teller_end(const struct og_problem_teller *t, og_status status,
                        og_error *err)
{
    if (status != OG_OK || t->failure.status == OG_OK) return status;
    return og_error_set(err, t->failure.status, "%s", t->failure.message);
}
