/* Exact answers of near, out of the texts of a store. */

#include "lib/near/near_verify.h"

#include "lib/dedup/dedup_texts.h"
#include "lib/sketch/features/feature_list.h"
#include "lib/sketch/simhash.h"

/* Shingles of the documents that were asked for last. */
#define CACHE_LEN ((size_t)16 << 20)

og_status og_near_verify_open(og_near *near, const char *path, og_error *err)
{
    if (!og_is_store(path)) return OG_OK;
    near->is_store = true;
    og_shingle_set_init(&near->set, NULL);
    const og_status status = og_stored_texts_open(path, &near->stored, err);
    /* Without texts there are sketches, if any, and estimates. */
    return status == OG_ERR_USAGE ? OG_OK : status;
}

void og_near_verify_close(og_near *near)
{
    og_dedup_texts_free(near->texts);
    og_stored_texts_close(near->stored);
    if (near->is_store) og_shingle_set_release(&near->set);
}

/* Fingerprints as the features of og_extract() with its usual options, so that
 * a code here is the one that simhash makes of the same document. */
static uint64_t make_simhash(const og_near *near, const struct og_fps *fps)
{
    enum { AT_ONCE = 256 };
    const struct og_simhash_kernel *kernel = og_simhash_choose();
    uint64_t hash[AT_ONCE + OG_FEATURE_SLACK] = {0}, ones[64], sum[64] = {0};
    if (near->has_old_simhash) return kernel->sign(fps->data, fps->n);
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

og_status og_near_sketch(const og_near *near, struct og_dedup_worker *h,
                         og_bytes text, og_error *err)
{
    uint8_t sketch[OG_BAND_SAMPLES_MAX];
    TRY(og_shingler_run(&h->shingler, text, err));
    const struct og_fps *fps = &h->shingler.fps;
    if (near->minhash_len != 0) {
        og_band_sketch(&near->sketcher, fps->data, fps->n, sketch);
        og_pack_bytes(&h->made, sketch, near->minhash_len);
    }
    if (near->sketch_len != near->minhash_len)
        og_pack_fixed(&h->made, make_simhash(near, fps),
                      near->sketch_len - near->minhash_len);
    if (near->stored == NULL) return OG_OK;
    const size_t pad = og_near_fps_at(near) - near->sketch_len;
    og_pack_fixed(&h->made, 0, pad);
    og_pack_bytes(&h->made, fps->data, fps->n * sizeof(*fps->data));
    return OG_OK;
}

/* ---- the documents of the store ---- */

static og_status make_stored(void *ctx, struct og_dedup_worker *h,
                             og_bytes text, og_error *err)
{
    return og_near_sketch(ctx, h, text, err);
}

static og_status take_stored(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    og_near *near = ctx;
    const struct og_near_entry e = {.sketch = d->made,
                                    .id = d->doc.id,
                                    .time = d->doc.time,
                                    .has_time = d->doc.has_time,
                                    .origin = (uint32_t)d->offset + 1};
    near->n_stored++;
    return og_near_index_add(near->index, &e, err);
}

og_status og_near_verify_load(og_near *near, og_error *err)
{
    static const og_fields fields = OG_FIELDS_DEFAULT;
    og_stream_counts counts = {0};
    if (near->stored == NULL) return OG_OK;
    const struct og_dedup_source source = {.stored = near->stored,
                                           .tokens = near->options.tokens,
                                           .key = &near->key,
                                           .make = make_stored,
                                           .ctx = near,
                                           .take = take_stored};
    TRY(og_dedup_texts_new(&fields, near->options.tokens, &near->key, CACHE_LEN,
                           "", &near->texts, err));
    og_dedup_texts_stores(near->texts, &near->stored);
    return og_dedup_stream(&source, &counts, err);
}

/* ---- comparing ---- */

og_status og_near_verify_ask(og_near *near, const uint64_t *fps, size_t n,
                             og_error *err)
{
    return og_shingle_set_fill(&near->set, fps, n, NULL, err);
}

og_status og_near_verify(og_near *near, uint32_t number, double *out,
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
