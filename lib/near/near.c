/* Near-duplicates of a stream of documents.
 *
 * A sketch is the samples of min-hash, a byte each, then the simhash, eight
 * bytes. Bands of both kinds are parts of it: for min-hash the rows of a band;
 * for simhash its four parts of 16 bits, of which one is equal if at most three
 * bits differ. So one index serves both. */

#include "lib/near/near_engine.h"

#include <stdlib.h>
#include <string.h>

#define SIMHASH_LEN   8
#define SIMHASH_PARTS 4
/* The default shingle lengths: for simhash that of
 * og_feature_options_default(). */
#define SHINGLE         5
#define SIMHASH_SHINGLE 3
/* Shingles of recently queried documents. */
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

og_near_stream_options og_near_stream_options_default(void)
{
    return (og_near_stream_options){.threshold = 0.8,
                                    .max_distance = SIMHASH_PARTS - 1};
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
    return og_near_index_new(bands, n, near->sketch_len, o->memory, NULL,
                             &near->index, err);
}

void og_near_index_unmake(og_near *near)
{
    og_near_index_free(near->index);
    near->index = NULL;
    og_band_sketcher_release(&near->sketcher);
}

/* ---- opening ---- */

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
    TRY(og_near_asker_init(&near->own, near, place->stored, CACHE_LEN, err));
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
    near->files.list.next = 1;
    pthread_mutex_init(&near->counting, NULL);
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
    og_near_asker_release(&near->own);
    og_near_index_unmake(near);
    og_pack_release(&near->records);
    og_pack_release(&near->others);
    pthread_mutex_destroy(&near->counting);
    free(near->folder);
    og_release(NULL, near, sizeof(*near));
}

/* ---- a log ---- */

size_t og_near_record_len(const og_near *near)
{
    return sizeof(uint32_t) + near->sketch_len;
}

/* A document may be there twice: answers name it once. */
og_status og_near_share(og_near *near, og_error *err)
{
    const size_t len = og_near_record_len(near);
    if (near->log.append == NULL) return OG_OK;
    near->others.len = 0;
    TRY(near->log.append(
        near->log.ctx,
        (og_bytes){(const char *)near->records.data, near->records.len},
        &near->others, err));
    for (size_t at = 0; at + len <= near->others.len; at += len) {
        const uint8_t *record = near->others.data + at;
        const struct og_near_entry e = {.sketch = record + sizeof(uint32_t),
                                        .document = og_load32(record)};
        og_near_index_add(near->index, &e);
    }
    return OG_OK;
}

og_status og_near_catch_up(og_near *near, og_error *err)
{
    near->records.len = 0;
    return og_near_share(near, err);
}

/* ---- one document ---- */

og_status og_near_add(og_near *near, uint32_t number, og_bytes text,
                      og_error *err)
{
    struct og_near_asker *own = &near->own;
    TRY(og_near_sketch(near, own, text, err));
    const struct og_near_entry e = {.sketch = own->sketch.data,
                                    .document = number};
    og_near_index_add(near->index, &e);
    near->n_documents = number + 1;
    og_shingler_trim(&own->shingler);
    return OG_OK;
}

static og_status keep_matches(og_near *near, struct og_near_asker *asker,
                              og_error *err)
{
    if (!OG_GROW(NULL, asker->matches, asker->matches_cap, asker->n_met))
        return og_error_memory(err, asker->n_met * sizeof(*asker->matches),
                               "matches");
    pthread_mutex_lock(&near->counting);
    for (size_t i = 0; i < asker->n_met; i++) {
        const struct og_near_met *met = &asker->met[i];
        asker->matches[i] = met->match;
        *(met->match.is_exact ? &near->n_exact : &near->n_estimated) += 1;
        og_near_index_touch(near->index, met->entry);
    }
    pthread_mutex_unlock(&near->counting);
    return OG_OK;
}

og_status og_near_find(og_near *near, struct og_near_asker *asker,
                       og_bytes text, const og_near_query *query,
                       const struct og_near_scope *scope,
                       const og_near_match **out, size_t *out_n, og_error *err)
{
    if (asker == NULL) asker = &near->own;
    TRY(og_near_query_check(query, err));
    TRY(og_near_sketch(near, asker, text, err));
    const struct og_near_question question = {.sketch = asker->sketch.data,
                                              .text = text,
                                              .query = query,
                                              .scope = scope};
    og_near_begin(asker);
    TRY(og_near_meet_index(near, asker, &question, NULL, err));
    og_near_sort(asker);
    TRY(keep_matches(near, asker, err));
    *out = asker->matches;
    *out_n = asker->n_met;
    og_shingler_trim(&asker->shingler);
    return OG_OK;
}
