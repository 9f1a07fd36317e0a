/* Queries for near-duplicates, on any number of threads. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/stopping.h"
#include "lib/dedup/dedup_texts.h"
#include "lib/near/near_engine.h"
#include "lib/os/secret.h"
#include "lib/sketch/features/feature_list.h"
#include "lib/sketch/simhash.h"

#define SIMHASH_LEN 8
#define MOST_BITS   3 /* of simhashes: four parts of them are bands */

/* ---- beginning and end ---- */

og_status og_near_asker_init(struct og_near_asker *asker, const og_near *near,
                             struct og_stored_texts *stored, size_t memory,
                             og_error *err)
{
    static const og_fields fields = OG_FIELDS_DEFAULT;
    *asker = (struct og_near_asker){0};
    og_shingler_init(&asker->shingler, near->options.tokens, &near->key, NULL);
    og_shingle_set_init(&asker->set, NULL);
    if (stored == NULL) return OG_OK;
    asker->stored = stored;
    TRY(og_dedup_texts_new(&fields, near->options.tokens, &near->key, memory,
                           "", &asker->texts, err));
    og_dedup_texts_stores(asker->texts, &asker->stored);
    return OG_OK;
}

void og_near_asker_release(struct og_near_asker *asker)
{
    og_dedup_texts_free(asker->texts);
    og_shingle_set_release(&asker->set);
    og_pack_release(&asker->sketch);
    if (asker->shingler.key != NULL) og_shingler_release(&asker->shingler);
    og_near_found_release(&asker->found);
    OG_UNGROW(NULL, asker->met, asker->met_cap);
    OG_UNGROW(NULL, asker->matches, asker->matches_cap);
    OG_UNGROW(NULL, asker->expected, asker->expected_cap);
}

/* ---- sketches ---- */

/* Fingerprints like the features of og_extract() with its default options, so
 * that a simhash here equals that of og_sketcher for the same document. */
static uint64_t make_simhash(const struct og_fps *fps)
{
    enum { AT_ONCE = 256 };
    const struct og_simhash_kernel *kernel = og_simhash_choose();
    uint64_t hash[AT_ONCE + OG_FEATURE_SLACK] = {0}, ones[64], sum[64] = {0};
    for (size_t i = 0; i < fps->n; i += AT_ONCE) {
        const size_t n = fps->n - i < AT_ONCE ? fps->n - i : AT_ONCE;
        for (size_t k = 0; k < n; k++)
            hash[k] = og_mix64(fps->data[i + k]);
        kernel->count(hash, n, ones);
        for (size_t bit = 0; bit < 64; bit++)
            sum[bit] += ones[bit];
    }
    return og_simhash_signs(sum, fps->n);
}

og_status og_near_sketch(const og_near *near, struct og_near_asker *asker,
                         og_bytes text, og_error *err)
{
    uint8_t samples[OG_BAND_SAMPLES_MAX];
    struct og_pack *sketch = &asker->sketch;
    sketch->len = 0;
    TRY(og_shingler_run(&asker->shingler, text, err));
    const struct og_fps *fps = &asker->shingler.fps;
    if (near->minhash_len != 0) {
        og_band_sketch(&near->sketcher, fps->data, fps->n, samples);
        og_pack_bytes(sketch, samples, near->minhash_len);
    }
    if (near->sketch_len != near->minhash_len)
        og_pack_fixed(sketch, make_simhash(fps), SIMHASH_LEN);
    return sketch->failed ? og_error_memory(err, near->sketch_len, "a sketch")
                          : OG_OK;
}

/* ---- one candidate ---- */

/* Samples agree by chance once in 256: subtracted from the estimate. */
static double estimate(size_t n_equal, size_t n)
{
    const double share = (double)n_equal / (double)n;
    const double similarity = (share - 1.0 / 256) / (1 - 1.0 / 256);
    return similarity > 0 ? similarity : 0;
}

/* The lowest estimate worth a comparison: pairs at the threshold exceed it,
 * except for one in thirty thousand (four standard deviations). */
static double least_estimate(const og_near *near, double threshold)
{
    return threshold -
           4 * sqrt(threshold * (1 - threshold) / (double)near->minhash_len);
}

/* Shingles for comparison with texts: under the secret key of this run, like
 * those. Most queries do not get to a text. */
static og_status open_set(struct og_near_asker *asker, og_bytes text,
                          og_error *err)
{
    struct og_shingler *s = &asker->shingler;
    const uint64_t key = s->token_key;
    if (asker->has_set) return OG_OK;
    s->token_key = og_secret();
    const og_status status = og_shingler_run(s, text, err);
    s->token_key = key;
    TRY(status);
    TRY(og_shingle_set_fill(&asker->set, s->fps.data, s->fps.n, NULL, err));
    asker->has_set = true;
    return OG_OK;
}

/* The Jaccard similarity of the query with a document of the store. */
static og_status verify(struct og_near_asker *asker, og_bytes text,
                        uint32_t number, double *out, og_error *err)
{
    const struct og_known_document *known;
    const struct og_shingle_set *set = &asker->set;
    const struct og_dedup_place place = {.offset = number,
                                         .file = OG_PLACE_STORE};
    TRY(open_set(asker, text, err));
    TRY(og_dedup_texts_fetch(asker->texts, number, &place, &known, err));
    *out = og_jaccard(set->n, known->n,
                      og_shingle_set_common(set, known->fps, known->n, 0));
    return OG_OK;
}

static bool is_near(const og_near *near, const og_near_query *query,
                    const og_near_match *m)
{
    return (near->sketch_len != near->minhash_len &&
            m->distance <= query->max_distance) ||
           (near->minhash_len != 0 && m->similarity >= query->threshold);
}

/* By the sketches alone. False: not worth a comparison. */
static bool estimate_match(const og_near *near, bool is_exact,
                           const struct og_near_question *q,
                           const uint8_t *other, og_near_match *out)
{
    const size_t n = near->minhash_len;
    *out = (og_near_match){.similarity = -1, .distance = 64};
    if (n != 0)
        out->similarity = estimate(og_band_agreement(q->sketch, other, n), n);
    if (near->sketch_len != n)
        out->distance = (unsigned)__builtin_popcountll(
            og_load64(q->sketch + n) ^ og_load64(other + n));
    if (is_near(near, q->query, out)) return true;
    return is_exact && n != 0 &&
           out->similarity >= least_estimate(near, q->query->threshold);
}

og_status og_near_meet(const og_near *near, struct og_near_asker *asker,
                       const struct og_near_question *q, uint32_t entry,
                       const struct og_near_entry *known, og_error *err)
{
    const bool is_exact = asker->stored != NULL;
    const struct og_near_scope *scope = q->scope;
    struct og_near_met met = {.entry = entry, .document = known->document};
    bool is_reported;
    if (!estimate_match(near, is_exact, q, known->sketch, &met.match))
        return OG_OK;
    TRY(scope->name(scope->ctx, known->document, &met.match, &is_reported,
                    err));
    if (!is_reported) return OG_OK;
    if (is_exact) {
        TRY(verify(asker, q->text, known->document, &met.match.similarity,
                   err));
        met.match.is_exact = true;
        if (!is_near(near, q->query, &met.match)) return OG_OK;
    }
    if (!OG_GROW(NULL, asker->met, asker->met_cap, asker->n_met + 1))
        return og_error_memory(err, sizeof(met), "matches");
    asker->met[asker->n_met++] = met;
    return OG_OK;
}

/* ---- one query ---- */

og_status og_near_query_check(const og_near_query *query, og_error *err)
{
    if (query->max_distance <= MOST_BITS) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE, "distance %u: must be 0 to %d bits",
                        query->max_distance, MOST_BITS);
}

void og_near_begin(struct og_near_asker *asker)
{
    asker->n_met = 0;
    asker->has_set = false;
}

/* Those that will be named: where names are on servers, all of them are asked
 * for at once. */
static og_status expect_found(const og_near *near, struct og_near_asker *asker,
                              const struct og_near_question *q, og_error *err)
{
    const struct og_near_found *found = &asker->found;
    og_near_match match;
    size_t n = 0;
    if (q->scope->expect == NULL || found->n == 0) return OG_OK;
    if (!OG_GROW(NULL, asker->expected, asker->expected_cap, found->n))
        return og_error_memory(err, found->n * 4, "candidates");
    for (size_t i = 0; i < found->n; i++) {
        struct og_near_entry known;
        og_near_index_get(near->index, found->entries[i], &known);
        if (estimate_match(near, asker->stored != NULL, q, known.sketch,
                           &match))
            asker->expected[n++] = known.document;
    }
    return q->scope->expect(q->scope->ctx, asker->expected, n, err);
}

og_status og_near_meet_index(const og_near *near, struct og_near_asker *asker,
                             const struct og_near_question *q,
                             const uint32_t *n_met, og_error *err)
{
    struct og_near_found *found = &asker->found;
    TRY(og_near_index_find(near->index, q->sketch, n_met, found, err));
    TRY(expect_found(near, asker, q, err));
    for (size_t i = 0; i < found->n; i++) {
        struct og_near_entry known;
        if (i % 64 == 63) TRY(og_stop_check(err));
        og_near_index_get(near->index, found->entries[i], &known);
        TRY(og_near_meet(near, asker, q, found->entries[i], &known, err));
    }
    return OG_OK;
}

static int most_similar_first(const void *x, const void *y)
{
    const struct og_near_met *p = x, *q = y;
    const og_near_match *a = &p->match, *b = &q->match;
    if (a->similarity != b->similarity)
        return a->similarity > b->similarity ? -1 : 1;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    const size_t len = a->id.len < b->id.len ? a->id.len : b->id.len;
    const int order = len > 0 ? memcmp(a->id.data, b->id.data, len) : 0;
    if (order != 0) return order;
    if (a->id.len != b->id.len) return a->id.len < b->id.len ? -1 : 1;
    return p->document < q->document ? -1 : p->document > q->document;
}

void og_near_sort(struct og_near_asker *asker)
{
    size_t n = 0;
    if (asker->n_met > 1)
        qsort(asker->met, asker->n_met, sizeof(*asker->met),
              most_similar_first);
    /* From a log one may be there twice. */
    for (size_t i = 0; i < asker->n_met; i++)
        if (n == 0 || asker->met[n - 1].document != asker->met[i].document)
            asker->met[n++] = asker->met[i];
    asker->n_met = n;
}
