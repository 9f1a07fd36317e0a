/* Near-duplicates as documents come.
 *
 * A sketch is the samples of min-hash, a byte each, then the simhash, eight
 * bytes. Bands of both kinds are parts of it: for min-hash the rows of a band;
 * for simhash its four parts of 16 bits, of which one is equal when at most
 * three bits differ. So one index serves both. */

#include "lib/near/near_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/stopping.h"
#include "lib/dedup/dedup_texts.h"
#include "lib/os/secret.h"
#include "lib/sketch/features/feature_list.h"
#include "lib/sketch/simhash.h"

#define SIMHASH_LEN   8
#define SIMHASH_PARTS 4
/* Tokens of a shingle, unless told: of a simhash as
 * og_feature_options_default() has it. */
#define SHINGLE         5
#define SIMHASH_SHINGLE 3
/* Shingles of the documents that were asked for last. */
#define CACHE_LEN ((size_t)16 << 20)

og_near_options og_near_options_default(void)
{
    return (og_near_options){.method = OG_NEAR_MINHASH,
                             .tokens = OG_TOKEN_WORDS,
                             .shingle_len = 0,
                             .n_bands = 14,
                             .n_rows = 8,
                             .memory = (uint64_t)64 << 20};
}

og_near_ask og_near_ask_default(void)
{
    return (og_near_ask){.threshold = 0.8, .max_distance = SIMHASH_PARTS - 1};
}

static og_status check(const og_near_options *o, og_error *err)
{
    const struct og_band_design design = {o->n_bands, o->n_rows};
    TRY(og_band_design_check(&design, err));
    if (o->n_bands > OG_NEAR_BANDS_MAX - SIMHASH_PARTS)
        return og_error_set(err, OG_ERR_USAGE, "%u bands: must be 1 to %d",
                            (unsigned)o->n_bands,
                            OG_NEAR_BANDS_MAX - SIMHASH_PARTS);
    if (o->shingle_len < 1 || o->shingle_len > OG_SHINGLE_MAX)
        return og_error_set(err, OG_ERR_USAGE,
                            "shingles of %u tokens: must be 1 to %d",
                            (unsigned)o->shingle_len, OG_SHINGLE_MAX);
    if ((unsigned)o->method > OG_NEAR_BOTH ||
        (unsigned)o->tokens > OG_TOKEN_DNA)
        return og_error_set(err, OG_ERR_USAGE, "no such method or tokens");
    return OG_OK;
}

og_status og_near_index_make(og_near *near, og_error *err)
{
    const og_near_options *o = &near->options;
    const struct og_band_design design = {o->n_bands, o->n_rows};
    struct og_near_band bands[OG_NEAR_BANDS_MAX];
    size_t n = 0;
    TRY(check(o, err));
    og_shingle_factors_init(&near->key, og_rabin_default(), o->shingle_len);
    og_shingler_init(&near->shingler, o->tokens, &near->key, NULL);
    TRY(og_band_sketcher_init(&near->sketcher, &design, NULL, err));
    near->minhash_len =
        o->method == OG_NEAR_SIMHASH ? 0 : near->sketcher.n_samples;
    near->sketch_len =
        near->minhash_len + (o->method == OG_NEAR_MINHASH ? 0 : SIMHASH_LEN);
    for (uint32_t i = 0; near->minhash_len != 0 && i < o->n_bands; i++)
        bands[n++] = (struct og_near_band){(uint16_t)(i * o->n_rows),
                                           (uint16_t)o->n_rows};
    for (size_t at = near->minhash_len; at < near->sketch_len; at += 2)
        bands[n++] = (struct og_near_band){(uint16_t)at, 2};
    return og_near_index_new(bands, n, near->sketch_len, o->memory, NULL,
                             &near->index, err);
}

/* ---- opening ---- */

static og_status open_texts(og_near *near, struct og_stored_texts *stored,
                            og_error *err)
{
    static const og_fields fields = OG_FIELDS_DEFAULT;
    if (stored == NULL) return OG_OK;
    near->stored = stored;
    TRY(og_dedup_texts_new(&fields, near->options.tokens, &near->key, CACHE_LEN,
                           "", &near->texts, err));
    og_dedup_texts_stores(near->texts, &near->stored);
    return OG_OK;
}

static og_status open_all(og_near *near, const struct og_near_place *place,
                          og_error *err)
{
    if (place->folder != NULL) {
        near->folder = strdup(place->folder);
        if (near->folder == NULL)
            return og_error_memory(err, strlen(place->folder), "a path");
    }
    TRY(check(&near->options, err));
    if (place->folder == NULL || place->is_new)
        TRY(og_near_index_make(near, err));
    else
        TRY(og_near_files_open(near, err));
    TRY(open_texts(near, place->stored, err));
    return place->is_new ? og_near_flush(near, err) : OG_OK;
}

og_status og_near_open(const struct og_near_place *place,
                       const og_near_options *options, og_near **out,
                       og_error *err)
{
    const og_near_options usual = og_near_options_default();
    og_near *near = og_allocate_zero(NULL, sizeof(*near));
    *out = NULL;
    if (near == NULL) return og_error_memory(err, sizeof(*near), "an index");
    near->options = options != NULL ? *options : usual;
    if (near->options.shingle_len == 0)
        near->options.shingle_len =
            near->options.method == OG_NEAR_SIMHASH ? SIMHASH_SHINGLE : SHINGLE;
    near->uuid = place->uuid;
    near->is_writable = place->is_writable;
    og_shingle_set_init(&near->set, NULL);
    const og_status status = open_all(near, place, err);
    if (status != OG_OK) {
        og_near_close(near);
        return status;
    }
    *out = near;
    return OG_OK;
}

void og_near_close(og_near *near)
{
    if (near == NULL) return;
    og_dedup_texts_free(near->texts);
    og_shingle_set_release(&near->set);
    og_pack_release(&near->sketch);
    if (near->shingler.key != NULL) og_shingler_release(&near->shingler);
    og_near_index_free(near->index);
    og_band_sketcher_release(&near->sketcher);
    OG_UNGROW(NULL, near->matches, near->matches_cap);
    free(near->folder);
    og_release(NULL, near, sizeof(*near));
}

/* ---- sketches ---- */

/* Fingerprints as the features of og_extract() with its usual options, so that
 * a code here is the one that simhash makes of the same document. */
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

/* To near->sketch; the fingerprints stay in the shingler. */
static og_status make_sketch(og_near *near, og_bytes text, og_error *err)
{
    uint8_t samples[OG_BAND_SAMPLES_MAX];
    near->sketch.len = 0;
    TRY(og_shingler_run(&near->shingler, text, err));
    const struct og_fps *fps = &near->shingler.fps;
    if (near->minhash_len != 0) {
        og_band_sketch(&near->sketcher, fps->data, fps->n, samples);
        og_pack_bytes(&near->sketch, samples, near->minhash_len);
    }
    if (near->sketch_len != near->minhash_len)
        og_pack_fixed(&near->sketch, make_simhash(fps), SIMHASH_LEN);
    return near->sketch.failed
               ? og_error_memory(err, near->sketch_len, "a sketch")
               : OG_OK;
}

og_status og_near_add(og_near *near, uint32_t number, og_bytes text,
                      og_error *err)
{
    TRY(make_sketch(near, text, err));
    const struct og_near_entry e = {.sketch = near->sketch.data,
                                    .document = number};
    og_near_index_add(near->index, &e);
    near->n_documents = number + 1;
    og_shingler_trim(&near->shingler);
    return OG_OK;
}

/* ---- one document ---- */

/* Samples agree by chance once in 256: taken off the estimate. */
static double estimate(size_t n_equal, size_t n)
{
    const double share = (double)n_equal / (double)n;
    const double similarity = (share - 1.0 / 256) / (1 - 1.0 / 256);
    return similarity > 0 ? similarity : 0;
}

/* Whether it is worth a look by its samples: of a pair at the threshold, all
 * but one in thirty thousand are (four standard deviations). */
static double least_estimate(const og_near *near, double threshold)
{
    return threshold -
           4 * sqrt(threshold * (1 - threshold) / (double)near->minhash_len);
}

/* The Jaccard similarity of the question with a document of the store. */
static og_status verify(og_near *near, uint32_t number, double *out,
                        og_error *err)
{
    const struct og_known_document *known;
    const struct og_dedup_place place = {.offset = number,
                                         .file = OG_PLACE_STORE};
    TRY(og_dedup_texts_fetch(near->texts, number, &place, &known, err));
    *out =
        og_jaccard(near->set.n, known->n,
                   og_shingle_set_common(&near->set, known->fps, known->n, 0));
    return OG_OK;
}

static bool is_near(const og_near *near, const og_near_query *query,
                    const og_near_match *m)
{
    return (near->sketch_len != near->minhash_len &&
            m->distance <= query->max_distance) ||
           (near->minhash_len != 0 && m->similarity >= query->threshold);
}

/* By the sketches alone. False: it is not worth a look. */
static bool estimate_match(const og_near *near, const og_near_query *query,
                           const struct og_near_entry *e, og_near_match *out)
{
    const uint8_t *sketch = near->sketch.data;
    const size_t n = near->minhash_len;
    *out = (og_near_match){.similarity = -1, .distance = 64};
    if (n != 0)
        out->similarity = estimate(og_band_agreement(sketch, e->sketch, n), n);
    if (near->sketch_len != n)
        out->distance = (unsigned)__builtin_popcountll(
            og_load64(sketch + n) ^ og_load64(e->sketch + n));
    if (is_near(near, query, out)) return true;
    return near->stored != NULL && n != 0 &&
           out->similarity >= least_estimate(near, query->threshold);
}

static og_status compare(og_near *near, const og_near_query *query,
                         const struct og_near_scope *scope,
                         const struct og_near_entry *e, og_near_match *out,
                         bool *out_is_near, og_error *err)
{
    *out_is_near = estimate_match(near, query, e, out);
    if (!*out_is_near) return OG_OK;
    TRY(scope->name(scope->ctx, e->document, out, out_is_near, err));
    if (!*out_is_near) return OG_OK;
    if (near->stored != NULL) {
        TRY(verify(near, e->document, &out->similarity, err));
        out->is_exact = true;
        *out_is_near = is_near(near, query, out);
    }
    return OG_OK;
}

static int most_similar_first(const void *x, const void *y)
{
    const og_near_match *a = x, *b = y;
    if (a->similarity != b->similarity)
        return a->similarity > b->similarity ? -1 : 1;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    const size_t len = a->id.len < b->id.len ? a->id.len : b->id.len;
    const int order = memcmp(a->id.data, b->id.data, len);
    if (order != 0) return order;
    return a->id.len < b->id.len ? -1 : a->id.len > b->id.len;
}

static og_status find_all(og_near *near, const og_near_query *query,
                          const struct og_near_scope *scope, size_t *out_n,
                          og_error *err)
{
    const uint32_t *found;
    size_t n_found, n = 0;
    TRY(og_near_index_find(near->index, near->sketch.data, &found, &n_found,
                           err));
    if (!OG_GROW(NULL, near->matches, near->matches_cap, n_found))
        return og_error_memory(err, n_found * sizeof(*near->matches),
                               "matches");
    for (size_t i = 0; i < n_found; i++) {
        struct og_near_entry e;
        bool is_match;
        if (i % 64 == 63) TRY(og_stop_check(err));
        og_near_index_get(near->index, found[i], &e);
        TRY(compare(near, query, scope, &e, &near->matches[n], &is_match, err));
        if (!is_match) continue;
        *(near->matches[n].is_exact ? &near->n_exact : &near->n_estimated) += 1;
        og_near_index_touch(near->index, found[i]);
        n++;
    }
    *out_n = n;
    return OG_OK;
}

/* What is compared with texts: under the secret key of this run, as those
 * are. */
static og_status open_set(og_near *near, og_bytes text, og_error *err)
{
    struct og_shingler *s = &near->shingler;
    TRY(og_shingler_rekey(s, text, og_secret(), err));
    TRY(og_shingler_reprint(s, s->tokens.hash, s->tokens.n, err));
    return og_shingle_set_fill(&near->set, s->fps.data, s->fps.n, NULL, err);
}

og_status og_near_find(og_near *near, og_bytes text, const og_near_query *query,
                       const struct og_near_scope *scope,
                       const og_near_match **out, size_t *out_n, og_error *err)
{
    if (query->max_distance >= SIMHASH_PARTS)
        return og_error_set(err, OG_ERR_USAGE,
                            "distance %u: must be 0 to %d bits",
                            query->max_distance, SIMHASH_PARTS - 1);
    TRY(make_sketch(near, text, err));
    if (near->stored != NULL) TRY(open_set(near, text, err));
    TRY(find_all(near, query, scope, out_n, err));
    if (*out_n > 1)
        qsort(near->matches, *out_n, sizeof(*near->matches),
              most_similar_first);
    *out = near->matches;
    og_shingler_trim(&near->shingler);
    return OG_OK;
}
