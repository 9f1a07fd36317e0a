/* Near-duplicates as documents come.
 *
 * A sketch is the samples of min-hash, a byte each, then the simhash, eight
 * bytes. Bands of both kinds are parts of it: for min-hash the rows of a band;
 * for simhash its four parts of 16 bits, of which one is equal when at most
 * three bits differ. So one index serves both. */

#include "lib/near/near_verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIMHASH_LEN   8
#define SIMHASH_PARTS 4

/* Tokens of a shingle, unless told: of a simhash as
 * og_feature_options_default() has it. */
#define SHINGLE         5
#define SIMHASH_SHINGLE 3

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
    TRY(og_near_index_new(bands, n, near->sketch_len, o->memory, NULL,
                          &near->index, err));
    return og_near_verify_load(near, err);
}

og_status og_near_open(const char *path, bool writable,
                       const og_near_options *options, og_near **out,
                       og_error *err)
{
    const og_near_options usual = og_near_options_default();
    og_near *near = calloc(1, sizeof(*near));
    if (near == NULL) return og_error_memory(err, sizeof(*near), "an index");
    near->options = options != NULL ? *options : usual;
    if (near->options.shingle_len == 0)
        near->options.shingle_len =
            near->options.method == OG_NEAR_SIMHASH ? SIMHASH_SHINGLE : SHINGLE;
    near->lock_fd = near->journal_fd = -1;
    near->is_writable = writable;
    og_status status = check(&near->options, err);
    const bool is_memory = strcmp(path, ":memory:") == 0;
    if (status == OG_OK && !is_memory)
        status = og_near_verify_open(near, path, err);
    if (status == OG_OK)
        status = is_memory ? og_near_index_make(near, err)
                           : og_near_files_open(near, path, err);
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
    og_near_files_close(near);
    og_near_verify_close(near);
    og_near_index_free(near->index);
    og_band_sketcher_release(&near->sketcher);
    free(near);
}

og_status og_near_commit(og_near *near, og_error *err)
{
    return og_near_files_commit(near, err);
}

void og_near_info_get(const og_near *near, og_near_info *out)
{
    *out = (og_near_info){.n_documents = og_near_index_n(near->index),
                          .n_room = og_near_index_room(near->index),
                          .n_evicted = og_near_index_n_evicted(near->index),
                          .is_store = near->is_store,
                          .has_texts = near->stored != NULL,
                          .n_stored = near->n_stored,
                          .n_exact = near->n_exact,
                          .n_estimated = near->n_estimated,
                          .options = near->options};
}

/* ---- one document ---- */

struct asking {
    og_near *near;
    const og_near_ask *ask;
    og_near_match *matches;
    size_t matches_cap;
};

static og_status make_sketch(void *ctx, struct og_dedup_worker *h,
                             og_bytes text, og_error *err)
{
    const struct asking *a = ctx;
    return og_near_sketch(a->near, h, text, err);
}

/* Samples agree by chance once in 256: taken off the estimate. */
static double estimate(size_t n_equal, size_t n)
{
    const double share = (double)n_equal / (double)n;
    const double similarity = (share - 1.0 / 256) / (1 - 1.0 / 256);
    return similarity > 0 ? similarity : 0;
}

/* Whether it is worth a look by its samples: of a pair at the threshold, all
 * but one in thirty thousand are (four standard deviations). */
static double least_estimate(const struct asking *a)
{
    const double t = a->ask->threshold;
    return t - 4 * sqrt(t * (1 - t) / (double)a->near->minhash_len);
}

static og_status compare(struct asking *a, const uint8_t *sketch,
                         const struct og_near_entry *e, og_near_match *out,
                         bool *out_is_near, og_error *err)
{
    og_near *near = a->near;
    const size_t n = near->minhash_len;
    const double threshold = a->ask->threshold;
    bool is_close = false;
    out->similarity = -1;
    out->distance = 64;
    out->is_exact = false;
    if (n != 0)
        out->similarity = estimate(og_band_agreement(sketch, e->sketch, n), n);
    if (near->sketch_len != n) {
        out->distance = (unsigned)__builtin_popcountll(
            og_load64(sketch + n) ^ og_load64(e->sketch + n));
        is_close = out->distance <= a->ask->max_distance;
    }
    *out_is_near = is_close || (n != 0 && out->similarity >= threshold);
    if (e->origin == 0 || (!is_close && out->similarity < least_estimate(a)))
        return OG_OK;
    TRY(og_near_verify(near, e->origin - 1, &out->similarity, err));
    out->is_exact = true;
    *out_is_near = is_close || (n != 0 && out->similarity >= threshold);
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

/* A document that was taken into the index and into the store is told once,
 * exactly. */
static size_t drop_doubles(og_near_match *matches, size_t n)
{
    size_t n_left = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_double = false;
        for (size_t j = 0; j < n && !is_double && !matches[i].is_exact; j++)
            is_double = matches[j].is_exact &&
                        matches[j].id.len == matches[i].id.len &&
                        memcmp(matches[j].id.data, matches[i].id.data,
                               matches[i].id.len) == 0;
        if (!is_double) matches[n_left++] = matches[i];
    }
    return n_left;
}

static og_status find(struct asking *a, const uint8_t *sketch, size_t *out_n,
                      og_error *err)
{
    const uint32_t *found;
    size_t n_found, n = 0;
    TRY(og_near_index_find(a->near->index, sketch, &found, &n_found, err));
    if (!OG_GROW(NULL, a->matches, a->matches_cap, n_found))
        return og_error_memory(err, n_found * sizeof(*a->matches), "matches");
    for (size_t i = 0; i < n_found; i++) {
        struct og_near_entry e;
        og_near_index_get(a->near->index, found[i], &e);
        og_near_match *m = &a->matches[n];
        bool is_near;
        TRY(compare(a, sketch, &e, m, &is_near, err));
        if (!is_near) continue;
        m->id = e.id;
        m->time = e.time;
        m->has_time = e.has_time;
        og_near_index_touch(a->near->index, found[i]);
        n++;
    }
    if (a->near->stored != NULL) n = drop_doubles(a->matches, n);
    for (size_t i = 0; i < n; i++)
        *(a->matches[i].is_exact ? &a->near->n_exact : &a->near->n_estimated) +=
            1;
    if (n > 1) qsort(a->matches, n, sizeof(*a->matches), most_similar_first);
    *out_n = n;
    return OG_OK;
}

static og_status take(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct asking *a = ctx;
    size_t n = 0;
    const size_t at = og_near_fps_at(a->near);
    if (a->near->stored != NULL)
        TRY(og_near_verify_ask(
            a->near,
            (const uint64_t *)(const void *)((const char *)d->made + at),
            (d->made_len - at) / sizeof(uint64_t), err));
    TRY(find(a, d->made, &n, err));
    if (a->ask->on_answer != NULL &&
        !a->ask->on_answer(a->ask->ctx, &d->doc, a->matches, n))
        return og_stream_stopped(err);
    if (!a->ask->add) return OG_OK;
    const struct og_near_entry e = {.sketch = d->made,
                                    .id = d->doc.id,
                                    .time = d->doc.time,
                                    .has_time = d->doc.has_time};
    TRY(og_near_index_add(a->near->index, &e, err));
    return og_near_files_add(a->near, &e, err);
}

og_status og_near_stream(og_near *near, const og_input *input,
                         const og_near_ask *ask, og_stream_counts *out_counts,
                         og_error *err)
{
    og_stream_counts counts = {0};
    struct asking a = {.near = near, .ask = ask};
    const struct og_dedup_source source = {
        .input = *input,
        .tokens = near->options.tokens,
        .key = &near->key,
        .make = make_sketch,
        .ctx = &a,
        .take = take,
        .uses_time = true,
    };
    if (ask->add && near->folder != NULL && !near->is_writable)
        return og_error_set(err, OG_ERR_USAGE, "the index is open for reading");
    if (ask->max_distance >= SIMHASH_PARTS)
        return og_error_set(err, OG_ERR_USAGE,
                            "distance %u: must be 0 to %d bits",
                            ask->max_distance, SIMHASH_PARTS - 1);
    og_status status = og_dedup_stream(&source, &counts, err);
    if (ask->add && (status == OG_OK || counts.is_told)) {
        og_error second;
        const og_status committed = og_near_commit(near, &second);
        if (committed != OG_OK) {
            status = og_error_set(err, committed, "%s", second.message);
            counts.is_told = false;
        }
    }
    OG_UNGROW(NULL, a.matches, a.matches_cap);
    if (out_counts != NULL) *out_counts = counts;
    return status;
}
