/* From passages of tokens to spans of bytes. */

#include "lib/align/aligned_spans.h"

void og_aligned_spans_init(struct og_aligned_spans *verified,
                           const og_allocator *allocator)
{
    *verified = (struct og_aligned_spans){.allocator = allocator};
}

void og_aligned_spans_release(struct og_aligned_spans *verified)
{
    OG_UNGROW(verified->allocator, verified->spans, verified->spans_cap);
    OG_UNGROW(verified->allocator, verified->matches, verified->matches_cap);
    verified->n_spans = verified->n_matches = 0;
}

/* The bytes of the tokens begin .. end, at least one token. */
static og_range bytes_of(struct og_align_side side, uint32_t begin,
                         uint32_t end)
{
    return (og_range){
        og_text_source_begin(side.text, side.tokens->begin[begin]),
        og_text_source_end(side.text, side.tokens->end[end - 1]),
    };
}

static void add_match(struct og_aligned_spans *v, struct og_align_side document,
                      struct og_align_side origin, struct og_run run,
                      uint64_t from)
{
    og_range here = bytes_of(document, run.begin, run.begin + run.len);
    const og_range there =
        bytes_of(origin, run.origin_begin, run.origin_begin + run.len);
    if (here.begin < from) here.begin = from;
    if (here.begin >= here.end) return;
    v->matches[v->n_matches++] =
        (og_match){here.begin, here.end, there.begin, there.end};
}

/* Parts of a reworded passage may match the same words twice. */
static uint64_t count_matching(const struct og_passage *p,
                               const struct og_run *matches)
{
    const uint64_t n = p->end - p->begin;
    uint64_t n_equal = 0;
    for (uint32_t i = 0; i < p->n_runs; i++)
        n_equal += matches[p->first_run + i].len;
    return n_equal < n ? n_equal : n;
}

static void add_span(struct og_aligned_spans *v, struct og_align_side document,
                     struct og_align_side origin, const struct og_passage *p,
                     const struct og_run *matches)
{
    og_span *last = v->n_spans > 0 ? &v->spans[v->n_spans - 1] : NULL;
    og_range here = bytes_of(document, p->begin, p->end);
    const og_range there = bytes_of(origin, p->origin_begin, p->origin_end);
    const size_t first = v->n_matches;
    uint64_t from = last != NULL ? last->end : 0;
    const uint64_t n_matching = count_matching(p, matches);
    v->n_old += p->end - p->begin;
    v->n_matching += n_matching;
    if (here.begin < from) here.begin = from;
    if (here.begin >= here.end) {
        last->n_tokens += p->end - p->begin;
        last->n_matching += n_matching;
        return;
    }
    for (uint32_t i = 0; i < p->n_runs; i++) {
        add_match(v, document, origin, matches[p->first_run + i], from);
        if (v->n_matches > first) from = v->matches[v->n_matches - 1].end;
    }
    v->spans[v->n_spans++] = (og_span){
        .begin = here.begin,
        .end = here.end,
        .n_tokens = p->end - p->begin,
        .n_matching = n_matching,
        .how = OG_HOW_VERIFIED,
        .origin_begin = there.begin,
        .origin_end = there.end,
        .score = (double)p->score,
        .matches = v->matches + first,
        .n_matches = v->n_matches - first,
    };
}

og_status og_aligned_spans_set(struct og_aligned_spans *v,
                               struct og_align_side document,
                               struct og_align_side origin,
                               const struct og_alignment *alignment,
                               og_error *err)
{
    size_t n_matches = 0;
    v->n_spans = v->n_matches = v->n_old = v->n_matching = 0;
    for (size_t i = 0; i < alignment->n_passages; i++)
        n_matches += alignment->passages[i].n_runs;
    if (!OG_GROW(v->allocator, v->spans, v->spans_cap, alignment->n_passages) ||
        !OG_GROW(v->allocator, v->matches, v->matches_cap, n_matches))
        return og_error_memory(err, n_matches * sizeof(og_match), "spans");
    for (size_t i = 0; i < alignment->n_passages; i++)
        add_span(v, document, origin, &alignment->passages[i],
                 alignment->matches);
    return OG_OK;
}
