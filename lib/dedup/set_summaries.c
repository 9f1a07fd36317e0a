/* Summaries by entry: a pointer each, to memory that never moves. */

#include "lib/dedup/set_summaries.h"

#include <string.h>

og_status og_set_summary_make(struct og_set_summary *summary,
                              const uint64_t *fps, size_t n_fps, size_t n,
                              og_error *err)
{
    const size_t len = og_wide_parity_len(n);
    if (len > summary->len) {
        og_set_summary_release(summary);
        summary->parity = og_allocate(NULL, len);
        if (summary->parity == NULL)
            return og_error_memory(err, len, "a set of shingles");
        summary->len = len;
    }
    og_wide_parity_make(fps, n_fps, n, summary->parity);
    return OG_OK;
}

void og_set_summary_release(struct og_set_summary *summary)
{
    og_release(NULL, summary->parity, summary->len);
    *summary = (struct og_set_summary){NULL, 0};
}

void og_set_summaries_init(struct og_set_summaries *s, size_t memory)
{
    *s = (struct og_set_summaries){.memory = memory};
    og_arena_init(&s->arena, NULL);
}

void og_set_summaries_release(struct og_set_summaries *s)
{
    og_arena_release(&s->arena);
    OG_UNGROW(NULL, s->of, s->of_cap);
}

void og_set_summaries_clear(struct og_set_summaries *s)
{
    og_arena_clear(&s->arena, 0);
    if (s->of_cap > 0) memset(s->of, 0, s->of_cap * sizeof(*s->of));
}

og_status og_set_summaries_keep(struct og_set_summaries *s, uint32_t entry,
                                const struct og_wide_parity *summary,
                                og_error *err)
{
    const size_t before = s->of_cap;
    const size_t len = og_wide_parity_len(summary->n);
    if (s->memory != 0 && s->arena.total + len > s->memory) return OG_OK;
    if (!OG_GROW(NULL, s->of, s->of_cap, (size_t)entry + 1))
        return og_error_memory(err, entry * sizeof(*s->of), "documents");
    if (s->of_cap > before)
        memset(s->of + before, 0, (s->of_cap - before) * sizeof(*s->of));
    s->of[entry].parity = og_arena_copy(&s->arena, summary, len, 8);
    return s->of[entry].parity != NULL ? OG_OK
                                       : og_error_memory(err, len, "documents");
}
