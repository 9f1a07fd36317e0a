/*   in:  documents, and which of them to compare              (lib/stream)
 *   out: for each pair, how alike the two are                 (the caller)
 *
 * For engines that find the candidates themselves, on many machines. A pair is
 * judged as og_decide() judges a candidate: enough samples agree, and then the
 * shingles are compared. The parities and summaries that og_decide() looks at
 * in between rule out only what the shingles would, so they are left out. */

#include <origo/keys.h>

#include "lib/base/stopping.h"
#include "lib/dedup/dedup_decide.h"
#include "lib/fingerprint/shingler.h"
#include "lib/os/secret.h"
#include "lib/stream/engine.h"

struct sets_worker {
    struct og_shingler shingler;
    struct og_shingle_set set;
    uint64_t *distinct;
    size_t distinct_cap;
};

/* What is kept of a document. */
struct document_set {
    const uint64_t *fps; /* all different */
    size_t n;
    const uint8_t *sketch;
};

struct sets_run {
    const og_dedup_options *options;
    struct og_shingle_factors factors;
    struct og_band_sketcher sketcher;
    struct og_arena arena; /* of the sets */
    struct document_set *docs;
    size_t n, docs_cap;
};

/* ---- sets ---- */

static og_status start_sets(void *ctx, void *mine, og_error *err)
{
    const struct sets_run *r = ctx;
    struct sets_worker *w = mine;
    (void)err;
    og_shingler_init(&w->shingler, r->options->tokens, &r->factors, NULL);
    og_shingle_set_init(&w->set, NULL);
    return OG_OK;
}

static void stop_sets(void *ctx, void *mine)
{
    struct sets_worker *w = mine;
    (void)ctx;
    og_shingler_release(&w->shingler);
    og_shingle_set_release(&w->set);
    OG_UNGROW(NULL, w->distinct, w->distinct_cap);
}

/* The different fingerprints of the text that was just sketched, under a key of
 * this process, so that no text can be written to collide with another. */
static og_status find_distinct(struct sets_worker *w, og_bytes text,
                               og_error *err)
{
    const struct og_fps *fps = &w->shingler.fps;
    TRY(og_shingler_rekey(&w->shingler, text, og_secret(), err));
    TRY(og_shingler_reprint(&w->shingler, w->shingler.tokens.hash,
                            w->shingler.tokens.n, err));
    if (!OG_GROW(NULL, w->distinct, w->distinct_cap, fps->n))
        return og_error_memory(err, fps->n * 8, "a set of shingles");
    return og_shingle_set_fill(&w->set, fps->data, fps->n, w->distinct, err);
}

static og_status make_set(void *ctx, void *mine, struct og_batch *b,
                          struct og_stream_doc *d, og_error *err)
{
    const struct sets_run *r = ctx;
    struct sets_worker *w = mine;
    uint8_t sketch[OG_BAND_SAMPLES_MAX];
    struct document_set made = {.sketch = sketch};
    TRY(og_shingler_run(&w->shingler, d->doc.text, err));
    og_band_sketch(&r->sketcher, w->shingler.fps.data, w->shingler.fps.n,
                   sketch);
    TRY(find_distinct(w, d->doc.text, err));
    made.fps = w->distinct;
    made.n = w->set.n;
    d->n_tokens = w->shingler.tokens.n;
    d->n_repaired = w->shingler.text.n_repaired;
    d->doc.text = (og_bytes){0};
    if (OG_BATCH_KEEP(b, made.fps, made.n) &&
        OG_BATCH_KEEP(b, made.sketch, r->sketcher.n_samples))
        d->made = og_arena_copy(&b->arena, &made, sizeof(made), 8);
    og_shingler_trim(&w->shingler);
    return d->made != NULL ? OG_OK
                           : og_error_memory(err, made.n * 8, "a document");
}

static og_status take_set(void *ctx, struct og_batch *b,
                          struct og_stream_doc *d, og_error *err)
{
    struct sets_run *r = ctx;
    struct document_set doc = *(const struct document_set *)d->made;
    (void)b;
    doc.fps = og_arena_copy(&r->arena, doc.fps, doc.n * sizeof(*doc.fps), 8);
    doc.sketch = og_arena_copy(&r->arena, doc.sketch, r->sketcher.n_samples, 8);
    if (doc.fps == NULL || doc.sketch == NULL ||
        !OG_GROW(NULL, r->docs, r->docs_cap, r->n + 1))
        return og_error_memory(err, doc.n * sizeof(*doc.fps), "a document");
    r->docs[r->n++] = doc;
    return OG_OK;
}

/* ---- pairs ---- */

/* `set` is that of `a`. */
static double similarity_of(const struct sets_run *r,
                            const struct og_shingle_set *set,
                            const struct document_set *a,
                            const struct document_set *b)
{
    const og_dedup_options *o = r->options;
    const bool is_jaccard = o->measure == OG_MEASURE_JACCARD;
    const size_t least = is_jaccard
                             ? og_jaccard_least(a->n, b->n, o->threshold)
                             : og_containment_least(a->n, b->n, o->threshold);
    if (least > a->n || least > b->n) return 0;
    if (og_band_agreement(a->sketch, b->sketch, r->sketcher.n_samples) <
        og_dedup_least_equal(o))
        return 0;
    const size_t common = og_shingle_set_common(set, b->fps, b->n, least);
    if (common < least) return 0;
    const double similarity = is_jaccard ? og_jaccard(a->n, b->n, common)
                                         : og_containment(a->n, b->n, common);
    return similarity < o->threshold ? 0 : similarity;
}

static og_status compare_pairs(const struct sets_run *r,
                               struct og_shingle_set *set,
                               const og_document_pair *pairs, size_t n,
                               double *out, og_error *err)
{
    uint64_t opened = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        if (i % 1024 == 0) TRY(og_stop_check(err));
        if (pairs[i].a >= r->n || pairs[i].b >= r->n)
            return og_error_set(
                err, OG_ERR_USAGE, "pair %zu names document %llu of %zu", i,
                (unsigned long long)(pairs[i].a >= r->n ? pairs[i].a
                                                        : pairs[i].b),
                r->n);
        const struct document_set *a = &r->docs[pairs[i].a];
        if (opened != pairs[i].a)
            TRY(og_shingle_set_fill(set, a->fps, a->n, NULL, err));
        opened = pairs[i].a;
        out[i] = similarity_of(r, set, a, &r->docs[pairs[i].b]);
    }
    return OG_OK;
}

static og_status read_and_compare(struct sets_run *r, const og_input *input,
                                  const og_document_pair *pairs, size_t n,
                                  double *out, og_stream_counts *counts,
                                  og_error *err)
{
    const struct og_stream_work work = {.ctx = r,
                                        .worker_len =
                                            sizeof(struct sets_worker),
                                        .start_worker = start_sets,
                                        .stop_worker = stop_sets,
                                        .make = make_set,
                                        .take = take_set};
    struct og_shingle_set set;
    TRY(og_stream_documents(input, &work, counts, err));
    og_shingle_set_init(&set, NULL);
    const og_status status = compare_pairs(r, &set, pairs, n, out, err);
    og_shingle_set_release(&set);
    return status;
}

og_status og_dedup_compare(const og_input *input,
                           const og_dedup_options *options,
                           const og_document_pair *pairs, size_t n,
                           double *out_similarity, og_stream_counts *out_counts,
                           og_error *err)
{
    const struct og_band_design design = {options->n_bands, options->n_rows};
    struct sets_run r = {.options = options};
    og_stream_counts counts = {0};
    TRY(og_dedup_options_check(options, err));
    TRY(og_band_sketcher_init(&r.sketcher, &design, NULL, err));
    og_shingle_factors_init(&r.factors, og_rabin_default(),
                            options->shingle_len);
    og_arena_init(&r.arena, NULL);
    const og_status status =
        read_and_compare(&r, input, pairs, n, out_similarity, &counts, err);
    if (out_counts != NULL) *out_counts = counts;
    OG_UNGROW(NULL, r.docs, r.docs_cap);
    og_arena_release(&r.arena);
    og_band_sketcher_release(&r.sketcher);
    return status;
}

uint32_t og_dedup_least_equal(const og_dedup_options *options)
{
    const struct og_band_design design = {options->n_bands, options->n_rows};
    return og_decide_least_equal(&design, options->measure, options->threshold);
}
