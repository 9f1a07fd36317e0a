/* Candidates by bands, each compared shingle by shingle before anything is
 * said about it.
 *
 * A candidate is passed over without a comparison when so few of all samples
 * agree that a pair at the threshold would do so once in thirty thousand (four
 * standard deviations). That is what keeps a family of documents with a long
 * common footer from being compared each with each. */

#include "lib/dedup/dedup_decide.h"

#include <math.h>

#include "lib/base/stopping.h"

/* With more shingles the tags would agree by chance too often. */
#define WORTH_TAGS (OG_SHINGLE_TAGS / 8)
/* For fewer candidates marking them takes longer than it saves. */
#define WORTH_MARKS 3

og_status og_decider_init(struct og_decider *d,
                          const struct og_decide_options *options,
                          struct og_dedup_texts *texts, og_error *err)
{
    *d = (struct og_decider){.options = *options, .texts = texts};
    og_shingle_set_init(&d->set, NULL);
    og_set_summaries_init(&d->summaries, options->summaries_memory);
    TRY(og_band_table_init(&d->table, &options->design, options->memory, NULL,
                           err));
    d->table.beside_len = sizeof(struct og_dedup_entry);
    if (options->measure == OG_MEASURE_JACCARD) {
        const double n = (double)d->table.n_samples, p = options->threshold;
        const double least = n * p - 4 * sqrt(n * p * (1 - p));
        d->filter.least_equal = least > 0 ? (uint32_t)least : 0;
        d->filter.limits = &d->limits;
        og_parity_limits_init(&d->limits, p);
    }
    return OG_OK;
}

void og_decider_release(struct og_decider *d)
{
    og_band_hits_release(&d->table, &d->hits);
    og_band_table_release(&d->table);
    og_shingle_set_release(&d->set);
    og_set_summaries_release(&d->summaries);
    og_set_summary_release(&d->mine);
    og_set_summary_release(&d->other);
    OG_UNGROW(NULL, d->entries, d->entries_cap);
}

void og_decider_clear(struct og_decider *d)
{
    og_band_table_clear(&d->table);
    og_set_summaries_clear(&d->summaries);
    d->is_full = false;
}

static og_status fill_set(struct og_decider *d, const uint64_t *fps, size_t n,
                          og_error *err)
{
    TRY(og_shingle_set_fill(&d->set, fps, n, NULL, err));
    TRY(og_set_summary_make(&d->mine, d->set.slots, d->set.n_slots, d->set.n,
                            err));
    d->is_marked = d->hits.n_open >= WORTH_MARKS && d->set.n <= WORTH_TAGS;
    if (!d->is_marked) return OG_OK;
    return og_shingle_set_mark(&d->set, fps, n, err);
}

/* Opens the shingles of the document, once. */
static og_status open_set(struct og_decider *d, const struct og_decide_doc *doc,
                          og_error *err)
{
    const struct og_known_document *known;
    if (d->is_open) return OG_OK;
    d->is_open = true;
    if (doc->words != NULL) {
        const struct og_fps *fps;
        TRY(og_dedup_texts_print(d->texts, doc->words, doc->n_tokens, &fps,
                                 err));
        return fill_set(d, fps->data, fps->n, err);
    }
    TRY(og_dedup_texts_fetch(d->texts, doc->number, &doc->place, &known, err));
    return fill_set(d, known->fps, known->n, err);
}

/* The fewest shingles in common with which the document and one of `n` reach
 * the threshold. */
static size_t least_common(const struct og_decider *d, size_t n)
{
    const double threshold = d->options.threshold;
    return d->options.measure == OG_MEASURE_JACCARD
               ? og_jaccard_least(d->set.n, n, threshold)
               : og_containment_least(d->set.n, n, threshold);
}

/* False: it is below the threshold. */
static bool may_be_alike(const struct og_decider *d,
                         const struct og_wide_parity *other)
{
    const size_t a = d->set.n, b = other->n, least = least_common(d, b);
    return least <= a && least <= b &&
           !og_wide_parity_exceeds(d->mine.parity, other, a + b - 2 * least);
}

/* 0 when it is below the threshold. */
static double similarity_with(struct og_decider *d,
                              const struct og_known_document *known)
{
    const bool is_jaccard = d->options.measure == OG_MEASURE_JACCARD;
    const size_t a = d->set.n, b = known->n, least = least_common(d, b);
    d->n_compared++;
    if (least > a || least > b) return 0;
    if (d->is_marked &&
        og_shingle_set_at_most(&d->set, known->tags, b, least) < least)
        return 0;
    const size_t common = og_shingle_set_common(&d->set, known->fps, b, least);
    if (common < least) return 0;
    const double similarity =
        is_jaccard ? og_jaccard(a, b, common) : og_containment(a, b, common);
    return similarity < d->options.threshold ? 0 : similarity;
}

/* Of candidates that were compared with others before, those that their
 * summaries rule out go: it takes a tenth of what reading their samples does.
 */
static og_status pass_over(struct og_decider *d,
                           const struct og_decide_doc *doc, og_error *err)
{
    enum { STEP = 8 };
    struct og_band_hits *hits = &d->hits;
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
            TRY(open_set(d, doc, err));
            if (!may_be_alike(d, other)) continue;
        }
        hits->met[kept++] = hits->met[i];
    }
    hits->n_open = kept;
    return OG_OK;
}

/* 0 when it is below the threshold. The first comparison with an entry leaves
 * its summary for the next ones. */
static og_status compare(struct og_decider *d, uint32_t at, double *out,
                         og_error *err)
{
    const struct og_dedup_entry *entry = &d->entries[at];
    const struct og_known_document *known;
    *out = 0;
    TRY(og_dedup_texts_fetch(d->texts, entry->number, &entry->place, &known,
                             err));
    if (og_set_summaries_of(&d->summaries, at) == NULL) {
        TRY(og_set_summary_make(&d->other, known->fps, known->n, known->n,
                                err));
        TRY(og_set_summaries_keep(&d->summaries, at, &d->other, err));
        if (!may_be_alike(d, d->other.parity)) return OG_OK;
    }
    *out = similarity_with(d, known);
    return OG_OK;
}

/* Candidates lie all over memory: those that come soon are asked for now. */
static void expect(const struct og_decider *d, size_t i)
{
    enum { STEP = 6 };
    const struct og_band_hit *hits = d->hits.hits;
    const size_t n = d->hits.n;
    if (i + 3 * STEP < n)
        __builtin_prefetch(&d->entries[hits[i + 3 * STEP].entry]);
    if (i + 2 * STEP < n)
        og_dedup_texts_expect(d->texts,
                              d->entries[hits[i + 2 * STEP].entry].number);
    if (i + STEP < n)
        og_dedup_texts_expect_tags(d->texts,
                                   d->entries[hits[i + STEP].entry].number);
}

/* Components: an entry with the same shingles stands for the document, since
 * whatever is like one is like the other. Then nothing else has to be compared
 * and nothing remembered; a million equal documents are one entry. */
static og_status find_equal(struct og_decider *d,
                            const struct og_decide_doc *doc, bool *is_equal,
                            og_error *err)
{
    for (size_t i = 0; i < d->hits.n; i++) {
        if (d->hits.hits[i].n_equal < d->table.n_samples) continue;
        const struct og_dedup_entry *entry = &d->entries[d->hits.hits[i].entry];
        const struct og_known_document *known;
        TRY(open_set(d, doc, err));
        TRY(og_dedup_texts_fetch(d->texts, entry->number, &entry->place, &known,
                                 err));
        d->n_compared++;
        const size_t n = d->set.n;
        *is_equal = n > 0 && n == known->n &&
                    og_shingle_set_common(&d->set, known->fps, n, n) == n;
        if (*is_equal) return d->on_pair(d->ctx, doc->number, entry, 1.0, err);
    }
    return OG_OK;
}

static og_status compare_all(struct og_decider *d,
                             const struct og_decide_doc *doc,
                             struct og_verdict *out, og_error *err)
{
    const bool is_star = d->options.cluster == OG_CLUSTER_STAR;
    bool is_equal = false;
    if (!is_star) TRY(find_equal(d, doc, &is_equal, err));
    if (is_equal) out->kind = OG_VERDICT_JOINED;
    for (size_t i = 0; i < d->hits.n && !is_equal; i++) {
        expect(d, i);
        if (i % 64 == 63) TRY(og_stop_check(err));
        const struct og_dedup_entry *entry = &d->entries[d->hits.hits[i].entry];
        if (!is_star && d->is_joined(d->ctx, doc->number, entry->number))
            continue;
        double similarity;
        TRY(open_set(d, doc, err));
        TRY(compare(d, d->hits.hits[i].entry, &similarity, err));
        if (similarity <= 0) continue;
        if (!is_star) {
            TRY(d->on_pair(d->ctx, doc->number, entry, similarity, err));
            continue;
        }
        *out = (struct og_verdict){
            .kind = OG_VERDICT_COPY, .of = *entry, .similarity = similarity};
        return OG_OK;
    }
    return OG_OK;
}

static og_status remember(struct og_decider *d, const struct og_decide_doc *doc,
                          const struct og_band_item *item,
                          struct og_verdict *out, og_error *err)
{
    if (!d->is_full) d->is_full = !og_band_table_has_room(&d->table);
    if (d->is_full) {
        out->kind = OG_VERDICT_LATER;
        return OG_OK;
    }
    if (!OG_GROW(NULL, d->entries, d->entries_cap, d->table.n + 1))
        return og_error_memory(err, d->table.n * sizeof(*d->entries),
                               "documents");
    d->entries[d->table.n] =
        (struct og_dedup_entry){.number = doc->number, .place = doc->place};
    TRY(og_band_table_add(&d->table, item, &d->hits, err));
    if (!d->is_open) return OG_OK; /* none is like it so far */
    return og_set_summaries_keep(&d->summaries, (uint32_t)d->table.n - 1,
                                 &d->mine, err);
}

og_status og_decide(struct og_decider *d, const struct og_decide_doc *doc,
                    struct og_verdict *out, og_error *err)
{
    *out = (struct og_verdict){.kind = OG_VERDICT_KEPT};
    d->is_open = false;
    const struct og_band_item item = {
        .sketch = doc->sketch, .before = doc->before, .parity = doc->parity};
    TRY(og_band_table_meet(&d->table, &item, d->filter.limits, &d->hits, err));
    d->n_candidates += d->hits.n_met;
    if (!doc->is_against) TRY(pass_over(d, doc, err));
    TRY(og_band_table_agree(&d->table, &item, d->filter.least_equal, &d->hits,
                            err));
    if (d->hits.n > 0 && !doc->is_against) TRY(compare_all(d, doc, out, err));
    if (out->kind != OG_VERDICT_KEPT) return OG_OK;
    return remember(d, doc, &item, out, err);
}

og_status og_decide_similarity(struct og_decider *d,
                               const struct og_dedup_entry *a,
                               const struct og_dedup_entry *b, double *out,
                               og_error *err)
{
    const struct og_known_document *known;
    TRY(og_dedup_texts_fetch(d->texts, a->number, &a->place, &known, err));
    TRY(og_shingle_set_fill(&d->set, known->fps, known->n, NULL, err));
    TRY(og_dedup_texts_fetch(d->texts, b->number, &b->place, &known, err));
    const size_t common =
        og_shingle_set_common(&d->set, known->fps, known->n, 0);
    *out = d->options.measure == OG_MEASURE_JACCARD
               ? og_jaccard(d->set.n, known->n, common)
               : og_containment(d->set.n, known->n, common);
    return OG_OK;
}
