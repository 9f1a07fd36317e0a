/* Candidates are found by bands, and each is compared shingle by shingle before
 * a decision.
 *
 * A candidate is skipped without a comparison if so few of all samples agree
 * that a pair at the threshold would have so few only once in thirty thousand
 * (four standard deviations). This prevents a family of documents with a long
 * common footer from being compared each with each. */

#include "lib/dedup/dedup_decide.h"

#include <math.h>

#include "lib/base/stopping.h"

/* With more shingles the tags would agree by chance too often. */
#define WORTH_TAGS (OG_SHINGLE_TAGS / 8)
/* For fewer candidates marking them takes longer than it saves. */
#define WORTH_MARKS 3

void og_decide_reader_init(struct og_decide_reader *r,
                           struct og_dedup_texts *texts)
{
    *r = (struct og_decide_reader){.texts = texts};
    og_shingle_set_init(&r->set, NULL);
}

void og_decide_reader_release(struct og_decide_reader *r)
{
    og_band_hits_release(NULL, &r->hits);
    og_shingle_set_release(&r->set);
    og_set_summary_release(&r->mine);
    og_set_summary_release(&r->other);
    OG_UNGROW(NULL, r->distinct, r->distinct_cap);
}

uint32_t og_decide_least_equal(const struct og_band_design *design,
                               og_measure_kind measure, double threshold)
{
    const double n = (double)design->n_bands * design->n_rows, p = threshold;
    const double least = n * p - 4 * sqrt(n * p * (1 - p));
    return measure == OG_MEASURE_JACCARD && least > 0 ? (uint32_t)least : 0;
}

og_status og_decider_init(struct og_decider *d,
                          const struct og_decide_options *options,
                          struct og_dedup_texts *texts, og_error *err)
{
    *d = (struct og_decider){.options = *options};
    og_decide_reader_init(&d->reader, texts);
    og_set_summaries_init(&d->summaries, options->summaries_memory);
    TRY(og_band_table_init(&d->table, &options->design, options->memory, NULL,
                           err));
    d->table.beside_len = sizeof(struct og_dedup_entry);
    d->filter.least_equal = og_decide_least_equal(
        &options->design, options->measure, options->threshold);
    if (options->measure == OG_MEASURE_JACCARD) {
        d->filter.limits = &d->limits;
        og_parity_limits_init(&d->limits, options->threshold);
    }
    return OG_OK;
}

void og_decider_release(struct og_decider *d)
{
    og_decide_reader_release(&d->reader);
    og_band_table_release(&d->table);
    og_set_summaries_release(&d->summaries);
    OG_UNGROW(NULL, d->entries, d->entries_cap);
}

void og_decider_clear(struct og_decider *d)
{
    og_band_table_clear(&d->table);
    og_set_summaries_clear(&d->summaries);
    d->is_full = false;
}

/* ---- the document ---- */

static og_status fill_set(struct og_decide_reader *r, const uint64_t *fps,
                          size_t n, og_error *err)
{
    if (!OG_GROW(NULL, r->distinct, r->distinct_cap, n))
        return og_error_memory(err, n * 8, "a set of shingles");
    TRY(og_shingle_set_fill(&r->set, fps, n, r->distinct, err));
    r->is_marked = r->hits.n_open >= WORTH_MARKS && r->set.n <= WORTH_TAGS;
    if (!r->is_marked) return OG_OK;
    return og_shingle_set_mark(&r->set, fps, n, err);
}

/* Builds the shingle set of the document, once. */
static og_status open_set(struct og_decide_reader *r,
                          const struct og_decide_doc *doc, og_error *err)
{
    const struct og_known_document *known;
    if (r->is_open) return OG_OK;
    r->is_open = true;
    if (doc->words != NULL) {
        const struct og_fps *fps;
        TRY(og_dedup_texts_print(r->texts, doc->words, doc->n_tokens, &fps,
                                 err));
        return fill_set(r, fps->data, fps->n, err);
    }
    TRY(og_dedup_texts_fetch(r->texts, doc->number, &doc->place, &known, err));
    return fill_set(r, known->fps, known->n, err);
}

/* And its summary. */
static og_status open_summary(struct og_decide_reader *r,
                              const struct og_decide_doc *doc, og_error *err)
{
    if (r->has_mine) return OG_OK;
    TRY(open_set(r, doc, err));
    r->has_mine = true;
    return og_set_summary_make(&r->mine, r->distinct, r->set.n, r->set.n, err);
}

/* ---- comparing ---- */

/* The fewest common shingles with which the document and one of `n` reach the
 * threshold. */
static size_t least_common(const struct og_decider *d,
                           const struct og_decide_reader *r, size_t n)
{
    const double threshold = d->options.threshold;
    return d->options.measure == OG_MEASURE_JACCARD
               ? og_jaccard_least(r->set.n, n, threshold)
               : og_containment_least(r->set.n, n, threshold);
}

/* False: it is below the threshold. */
static bool may_be_alike(const struct og_decider *d,
                         const struct og_decide_reader *r,
                         const struct og_wide_parity *other)
{
    const size_t a = r->set.n, b = other->n, least = least_common(d, r, b);
    return least <= a && least <= b &&
           !og_wide_parity_exceeds(r->mine.parity, other, a + b - 2 * least);
}

/* It takes a tenth of the time of reading their samples. */
og_status og_decide_pass_over(const struct og_decider *d,
                              struct og_decide_reader *r,
                              const struct og_decide_doc *doc, og_error *err)
{
    enum { STEP = 8 };
    struct og_band_hits *hits = &r->hits;
    const struct og_set_summaries *all = &d->summaries;
    const size_t n = hits->n_open;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 2 * STEP < n)
            og_set_summaries_expect(all, hits->met[i + 2 * STEP]);
        if (i + STEP < n)
            og_set_summaries_expect_bits(all, hits->met[i + STEP]);
        const struct og_wide_parity *other =
            og_set_summaries_of(all, hits->met[i]);
        if (other != NULL) {
            TRY(open_summary(r, doc, err));
            if (!may_be_alike(d, r, other)) continue;
        }
        hits->met[kept++] = hits->met[i];
    }
    hits->n_open = kept;
    return OG_OK;
}

/* 0 if it is below the threshold. */
static double similarity_with(const struct og_decider *d,
                              struct og_decide_reader *r,
                              const struct og_known_document *known)
{
    const bool is_jaccard = d->options.measure == OG_MEASURE_JACCARD;
    const size_t a = r->set.n, b = known->n, least = least_common(d, r, b);
    r->n_compared++;
    if (least > a || least > b) return 0;
    if (r->is_marked &&
        og_shingle_set_at_most(&r->set, known->tags, b, least) < least)
        return 0;
    const size_t common = og_shingle_set_common(&r->set, known->fps, b, least);
    if (common < least) return 0;
    const double similarity =
        is_jaccard ? og_jaccard(a, b, common) : og_containment(a, b, common);
    return similarity < d->options.threshold ? 0 : similarity;
}

og_status og_decide_pair(const struct og_decider *d, struct og_decide_reader *r,
                         const struct og_decide_doc *doc,
                         const struct og_decide_doc *other, double *out,
                         og_error *err)
{
    const struct og_known_document *known;
    TRY(open_set(r, doc, err));
    TRY(og_dedup_texts_fetch(r->texts, other->number, &other->place, &known,
                             err));
    *out = similarity_with(d, r, known);
    return OG_OK;
}

/* A document that was compared and found dissimilar leaves its summary for
 * later comparisons. */
static og_status leave_summary(struct og_decider *d, struct og_decide_reader *r,
                               uint32_t at,
                               const struct og_known_document *known,
                               og_error *err)
{
    if (og_set_summaries_of(&d->summaries, at) != NULL) return OG_OK;
    TRY(og_set_summary_make(&r->other, known->fps, known->n, known->n, err));
    if (r->on_summary != NULL)
        return r->on_summary(r->ctx, at, r->other.parity, err);
    return og_set_summaries_keep(&d->summaries, at, r->other.parity, err);
}

/* 0 if it is below the threshold. */
static og_status compare(struct og_decider *d, struct og_decide_reader *r,
                         uint32_t at, double *out, og_error *err)
{
    const struct og_dedup_entry *entry = &d->entries[at];
    const struct og_known_document *known;
    TRY(og_dedup_texts_fetch(r->texts, entry->number, &entry->place, &known,
                             err));
    *out = similarity_with(d, r, known);
    return *out > 0 ? OG_OK : leave_summary(d, r, at, known, err);
}

/* Candidates are spread over memory: the next ones are prefetched. */
static void expect(const struct og_decider *d, const struct og_decide_reader *r,
                   size_t i)
{
    enum { STEP = 6 };
    const struct og_band_hit *hits = r->hits.hits;
    const size_t n = r->hits.n;
    if (i + 3 * STEP < n)
        __builtin_prefetch(&d->entries[hits[i + 3 * STEP].entry]);
    if (i + 2 * STEP < n)
        og_dedup_texts_expect(r->texts,
                              d->entries[hits[i + 2 * STEP].entry].number);
    if (i + STEP < n)
        og_dedup_texts_expect_tags(r->texts,
                                   d->entries[hits[i + STEP].entry].number);
}

og_status og_decide_compare(struct og_decider *d, struct og_decide_reader *r,
                            const struct og_decide_doc *doc,
                            struct og_verdict *out, og_error *err)
{
    for (size_t i = 0; i < r->hits.n; i++) {
        expect(d, r, i);
        if (i % 64 == 63) TRY(og_stop_check(err));
        double similarity;
        TRY(open_set(r, doc, err));
        TRY(compare(d, r, r->hits.hits[i].entry, &similarity, err));
        if (similarity <= 0) continue;
        *out = (struct og_verdict){.kind = OG_VERDICT_COPY,
                                   .of = d->entries[r->hits.hits[i].entry],
                                   .similarity = similarity};
        return OG_OK;
    }
    return OG_OK;
}

/* ---- components ---- */

/* An entry with the same shingles represents the document, since whatever is
 * similar to one is similar to the other. Then nothing else has to be compared
 * or remembered; a million equal documents are one entry. Samples are spread
 * over memory, and parities have just been read: they rule out almost all
 * entries. */
static og_status find_equal(struct og_decider *d, struct og_decide_reader *r,
                            const struct og_decide_doc *doc, bool *is_equal,
                            og_error *err)
{
    enum { AHEAD = 16 };
    for (size_t i = 0; i < r->hits.n_open; i++) {
        const uint32_t at = r->hits.met[i];
        if (i + AHEAD < r->hits.n_open) /* for join_alike() */
            __builtin_prefetch(&d->entries[r->hits.met[i + AHEAD]]);
        if (!og_set_parity_may_equal(&doc->parity, &d->table.parities[at]) ||
            !og_band_table_equals(&d->table, doc->sketch, at))
            continue;
        const struct og_dedup_entry *entry = &d->entries[at];
        const struct og_known_document *known;
        TRY(open_set(r, doc, err));
        TRY(og_dedup_texts_fetch(r->texts, entry->number, &entry->place, &known,
                                 err));
        r->n_compared++;
        const size_t n = r->set.n;
        *is_equal = n > 0 && n == known->n &&
                    og_shingle_set_common(&r->set, known->fps, n, n) == n;
        if (*is_equal) return d->on_pair(d->ctx, doc->number, entry, 1.0, err);
    }
    return OG_OK;
}

/* Joins the document with those of r->hits.met that are similar to it. Their
 * order makes no difference. One that is already in the same component is
 * skipped: where a thousand are similar, all but the first. Their samples are
 * spread over memory, and reading them took a large part of the time of a
 * million documents. */
static og_status join_alike(struct og_decider *d, struct og_decide_reader *r,
                            const struct og_decide_doc *doc,
                            struct og_verdict *out, og_error *err)
{
    bool is_equal = false;
    TRY(find_equal(d, r, doc, &is_equal, err));
    if (is_equal) out->kind = OG_VERDICT_JOINED;
    for (size_t i = 0; i < r->hits.n_open && !is_equal; i++) {
        const uint32_t at = r->hits.met[i];
        const struct og_dedup_entry *entry = &d->entries[at];
        if (i % 64 == 63) TRY(og_stop_check(err));
        if (d->is_joined(d->ctx, doc->number, entry->number) ||
            og_band_table_agreement(&d->table, doc->sketch, at) <
                d->filter.least_equal)
            continue;
        double similarity;
        TRY(open_set(r, doc, err));
        TRY(compare(d, r, at, &similarity, err));
        if (similarity > 0)
            TRY(d->on_pair(d->ctx, doc->number, entry, similarity, err));
    }
    return OG_OK;
}

/* ---- one document after the other ---- */

static og_status remember(struct og_decider *d, const struct og_decide_doc *doc,
                          const struct og_band_item *item,
                          struct og_verdict *out, og_error *err)
{
    if (!d->is_full) d->is_full = !og_band_table_has_room(&d->table, 0);
    if (d->is_full) {
        out->kind = OG_VERDICT_LATER;
        return OG_OK;
    }
    if (!OG_GROW(NULL, d->entries, d->entries_cap, d->table.n + 1))
        return og_error_memory(err, d->table.n * sizeof(*d->entries),
                               "documents");
    d->entries[d->table.n] =
        (struct og_dedup_entry){.number = doc->number, .place = doc->place};
    out->entry = (uint32_t)d->table.n;
    TRY(og_band_table_add(&d->table, item, &d->reader.hits, err));
    if (!d->reader.has_mine) return OG_OK;
    return og_set_summaries_keep(&d->summaries, out->entry,
                                 d->reader.mine.parity, err);
}

og_status og_decide(struct og_decider *d, const struct og_decide_doc *doc,
                    struct og_verdict *out, og_error *err)
{
    struct og_decide_reader *r = &d->reader;
    const uint64_t before = r->n_compared;
    *out = (struct og_verdict){.kind = OG_VERDICT_KEPT};
    r->is_open = r->has_mine = false;
    const struct og_band_item item = {
        .sketch = doc->sketch, .before = doc->before, .parity = doc->parity};
    TRY(og_band_table_meet(&d->table, &item, d->filter.limits, &r->hits, err));
    d->n_candidates += r->hits.n_met;
    if (!doc->is_against) {
        TRY(og_decide_pass_over(d, r, doc, err));
        if (d->options.cluster == OG_CLUSTER_STAR) {
            TRY(og_band_table_agree(&d->table, &item, d->filter.least_equal,
                                    &r->hits, err));
            TRY(og_decide_compare(d, r, doc, out, err));
        } else {
            TRY(join_alike(d, r, doc, out, err));
        }
    }
    d->n_compared += r->n_compared - before;
    if (out->kind != OG_VERDICT_KEPT) return OG_OK;
    return remember(d, doc, &item, out, err);
}

og_status og_decide_similarity(struct og_decider *d,
                               const struct og_dedup_entry *a,
                               const struct og_dedup_entry *b, double *out,
                               og_error *err)
{
    struct og_decide_reader *r = &d->reader;
    const struct og_known_document *known;
    TRY(og_dedup_texts_fetch(r->texts, a->number, &a->place, &known, err));
    TRY(og_shingle_set_fill(&r->set, known->fps, known->n, NULL, err));
    TRY(og_dedup_texts_fetch(r->texts, b->number, &b->place, &known, err));
    const size_t common =
        og_shingle_set_common(&r->set, known->fps, known->n, 0);
    *out = d->options.measure == OG_MEASURE_JACCARD
               ? og_jaccard(r->set.n, known->n, common)
               : og_containment(r->set.n, known->n, common);
    return OG_OK;
}
