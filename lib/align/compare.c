/* Two texts side by side, without a store.
 *
 *     text/ token/  of both  ->  estimate/align  ->  aligned_spans.c  -> answer
 *
 * The answer has the form of a store's answer, with one origin, so that every
 * report can show it. */

#include "lib/align/comparison.h"

#include "lib/align/aligned_spans.h"

struct side {
    struct og_text text;
    struct og_tokens tokens;
};

struct og_comparison {
    const og_allocator *allocator;
    struct side document, origin;
    struct og_aligner *aligner;
    struct og_aligned_spans verified;
    og_range *novel;
    size_t novel_cap;
    og_origin origins[1];
    og_answer answer; /* views of the above and of the caller's documents */
};

og_compare_options og_compare_options_default(void)
{
    const struct og_align_options align = OG_ALIGN_OPTIONS_DEFAULT;
    return (og_compare_options){.tokens = OG_TOKEN_WORDS,
                                .min_copy = align.min_copy,
                                .reworded = align.reworded};
}

/* ---- lifecycle ---- */

static void side_init(struct side *side, const og_allocator *allocator)
{
    og_text_init(&side->text, allocator);
    og_tokens_init(&side->tokens, allocator);
}

static void side_release(struct side *side)
{
    og_tokens_release(&side->tokens);
    og_text_release(&side->text);
}

og_comparison *og_comparison_new(void)
{
    const og_allocator *const allocator = NULL;
    og_comparison *c = og_allocate_zero(allocator, sizeof(*c));
    if (c == NULL) return NULL;
    side_init(&c->document, allocator);
    side_init(&c->origin, allocator);
    og_aligned_spans_init(&c->verified, allocator);
    c->aligner = og_aligner_new(allocator);
    if (c->aligner != NULL) return c;
    og_comparison_free(c);
    return NULL;
}

void og_comparison_free(og_comparison *c)
{
    if (c == NULL) return;
    OG_UNGROW(c->allocator, c->novel, c->novel_cap);
    og_aligner_free(c->aligner);
    og_aligned_spans_release(&c->verified);
    side_release(&c->origin);
    side_release(&c->document);
    og_release(c->allocator, c, sizeof(*c));
}

const og_answer *og_comparison_answer(const og_comparison *comparison)
{
    return &comparison->answer;
}

void og_comparison_number(og_comparison *c, uint64_t number)
{
    for (size_t i = 0; i < c->verified.n_spans; i++)
        c->verified.spans[i].origin = number;
    c->origins[0].number = number;
}

void og_comparison_set_thresholds(og_comparison *c,
                                  const struct og_align_thresholds *thresholds)
{
    og_aligner_set_thresholds(c->aligner, thresholds);
}

/* ---- the answer ---- */

static void name_origin(og_comparison *c, const og_document *origin)
{
    const struct og_aligned_spans *v = &c->verified;
    for (size_t i = 0; i < v->n_spans; i++) {
        v->spans[i].origin_id = origin->id;
        v->spans[i].origin_time = origin->has_time ? origin->time : 0;
        v->spans[i].origin_has_time = origin->has_time;
        v->spans[i].origin_time_source = origin->time_source;
    }
    c->origins[0] = (og_origin){.id = origin->id,
                                .title = origin->title,
                                .url = origin->url,
                                .time = origin->has_time ? origin->time : 0,
                                .has_time = origin->has_time,
                                .time_source = origin->time_source,
                                .text = origin->text,
                                .n_tokens = v->n_old,
                                .n_matching = v->n_matching};
}

/* The tokens from `begin` to `end`, without bytes that belong to a span. */
static void add_novel(og_comparison *c, size_t begin, size_t end,
                      og_range between)
{
    const struct side *side = &c->document;
    if (begin >= end) return;
    og_range range = {
        og_text_source_begin(&side->text, side->tokens.begin[begin]),
        og_text_source_end(&side->text, side->tokens.end[end - 1])};
    if (range.begin < between.begin) range.begin = between.begin;
    if (range.end > between.end) range.end = between.end;
    if (range.begin < range.end) c->novel[c->answer.n_novel++] = range;
}

static og_status find_novel(og_comparison *c,
                            const struct og_alignment *alignment, og_error *err)
{
    const struct side *side = &c->document;
    const size_t n = alignment->n_passages;
    size_t begin = 0;
    og_range between = {0, 0};
    if (!OG_GROW(c->allocator, c->novel, c->novel_cap, n + 1))
        return og_error_memory(err, (n + 1) * sizeof(og_range), "an answer");
    for (size_t i = 0; i < n; i++) {
        const struct og_passage *p = &alignment->passages[i];
        between.end =
            og_text_source_begin(&side->text, side->tokens.begin[p->begin]);
        add_novel(c, begin, p->begin, between);
        begin = p->end;
        between.begin =
            og_text_source_end(&side->text, side->tokens.end[p->end - 1]);
    }
    between.end = side->text.source_len;
    add_novel(c, begin, side->tokens.n, between);
    c->answer.novel = c->novel;
    return OG_OK;
}

static og_status build_answer(og_comparison *c, const og_document *origin,
                              const struct og_alignment *alignment,
                              og_error *err)
{
    og_answer *answer = &c->answer;
    const uint64_t n = c->document.tokens.n, n_old = c->verified.n_old;
    name_origin(c, origin);
    answer->n_tokens = n;
    answer->n_fresh = n - n_old;
    answer->n_matching = c->verified.n_matching;
    answer->n_repaired = c->document.text.n_repaired;
    answer->spans = c->verified.spans;
    answer->n_spans = c->verified.n_spans;
    answer->origins = c->origins;
    answer->n_origins = n_old > 0;
    answer->has_dominant = n_old > n - n_old;
    if (answer->has_dominant) {
        answer->dominant_id = origin->id;
        answer->dominant_share = (double)n_old / (double)n;
    }
    return find_novel(c, alignment, err);
}

/* ---- comparing ---- */

static og_status read_side(struct side *side, const og_document *doc,
                           og_token_kind tokens, og_error *err)
{
    side->text.fold = OG_FOLD_MARKS;
    TRY(og_text_fold(&side->text, doc->text, err));
    return og_text_tokenise(&side->text, tokens, 0, &side->tokens, err);
}

static og_status compare(og_comparison *c, const og_document *doc,
                         const og_document *origin,
                         const og_compare_options *options, og_error *err)
{
    struct og_align_options align = OG_ALIGN_OPTIONS_DEFAULT;
    struct og_alignment alignment;
    const struct og_align_side here = {.text = &c->document.text,
                                       .tokens = &c->document.tokens};
    const struct og_align_side there = {.text = &c->origin.text,
                                        .tokens = &c->origin.tokens};
    align.min_copy = options->min_copy;
    align.reworded = options->reworded;
    TRY(read_side(&c->document, doc, options->tokens, err));
    TRY(read_side(&c->origin, origin, options->tokens, err));
    TRY(og_align(c->aligner, here, there, &align, &alignment, err));
    TRY(og_aligned_spans_set(&c->verified, here, there, &alignment, err));
    return build_answer(c, origin, &alignment, err);
}

og_status og_compare(og_comparison *c, const og_document *doc,
                     const og_document *origin,
                     const og_compare_options *options, og_error *err)
{
    const og_compare_options usual = og_compare_options_default();
    if (options == NULL) options = &usual;
    c->answer = (og_answer){0};
    if (options->min_copy < 3)
        return og_error_set(err, OG_ERR_USAGE,
                            "min_copy is %u, it must be 3 at least",
                            options->min_copy);
    const og_status status = compare(c, doc, origin, options, err);
    if (status != OG_OK) c->answer = (og_answer){0};
    return status;
}
