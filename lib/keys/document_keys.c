/*   in:  documents                                            (lib/stream)
 *   out: the keys of each, in order                         (the caller)
 *
 * Bands are those of deduplication, fingerprints those of a store: this only
 * calls the stages that compute them. Keys are computed on all threads and kept
 * in the arena of their batch until they are taken. */

#include <origo/keys.h>

#include "lib/fingerprint/shingler.h"
#include "lib/select/prepare.h"
#include "lib/sketch/band_sketch.h"
#include "lib/stream/engine.h"

struct run {
    og_token_kind tokens;
    struct og_shingle_factors factors;
    struct og_band_sketcher sketcher;
    struct og_prepare_options prepare;
    og_keys_fn *on_keys;
    void *ctx;
    uint64_t n;
};

/* ---- bands ---- */

static og_status start_bands(void *ctx, void *mine, og_error *err)
{
    const struct run *r = ctx;
    (void)err;
    og_shingler_init(mine, r->tokens, &r->factors, NULL);
    return OG_OK;
}

static void stop_bands(void *ctx, void *mine)
{
    (void)ctx;
    og_shingler_release(mine);
}

static og_status keep(struct og_batch *b, struct og_stream_doc *d,
                      const og_document_keys *keys, og_error *err)
{
    og_document_keys *made =
        og_arena_copy(&b->arena, keys, sizeof(*keys), _Alignof(uint64_t));
    if (made == NULL ||
        (made->n > 0 && !OG_BATCH_KEEP(b, made->key, made->n)) ||
        (made->n > 0 && made->token != NULL &&
         !OG_BATCH_KEEP(b, made->token, made->n)) ||
        (made->n_samples > 0 &&
         !OG_BATCH_KEEP(b, made->sample, made->n_samples)))
        return og_error_memory(err, keys->n * sizeof(*keys->key), "keys");
    d->made = made;
    d->n_tokens = keys->n_tokens;
    d->doc.text = (og_bytes){0};
    return OG_OK;
}

/* Equal samples in another band give another key. */
static uint64_t key_of_band(const struct og_band_design *design,
                            const uint8_t *sketch, uint32_t band)
{
    const uint64_t key =
        og_band_key(sketch + (size_t)band * design->n_rows, design->n_rows);
    return og_mix64(key + band);
}

static og_status make_bands(void *ctx, void *mine, struct og_batch *b,
                            struct og_stream_doc *d, og_error *err)
{
    const struct run *r = ctx;
    const struct og_band_design *design = &r->sketcher.design;
    struct og_shingler *shingler = mine;
    uint8_t sketch[OG_BAND_SAMPLES_MAX];
    uint64_t keys[OG_BAND_SAMPLES_MAX];
    TRY(og_shingler_run(shingler, d->doc.text, err));
    og_band_sketch(&r->sketcher, shingler->fps.data, shingler->fps.n, sketch);
    for (uint32_t i = 0; i < design->n_bands; i++)
        keys[i] = key_of_band(design, sketch, i);
    d->n_repaired = shingler->text.n_repaired;
    const og_document_keys made = {.key = keys,
                                   .n = design->n_bands,
                                   .n_tokens = shingler->tokens.n,
                                   .sample = sketch,
                                   .n_samples = r->sketcher.n_samples};
    og_shingler_trim(shingler);
    return keep(b, d, &made, err);
}

/* ---- fingerprints ---- */

static og_status start_fingerprints(void *ctx, void *mine, og_error *err)
{
    (void)ctx;
    (void)err;
    og_scratch_init(mine, NULL);
    return OG_OK;
}

static void stop_fingerprints(void *ctx, void *mine)
{
    (void)ctx;
    og_scratch_release(mine);
}

static og_status make_fingerprints(void *ctx, void *mine, struct og_batch *b,
                                   struct og_stream_doc *d, og_error *err)
{
    const struct run *r = ctx;
    struct og_scratch *scratch = mine;
    TRY(og_scratch_prepare(scratch, d->doc.text, &r->prepare, err));
    const struct og_prepared *p = &scratch->prepared;
    d->n_repaired = p->text.n_repaired;
    const og_document_keys made = {.key = p->selection.fp,
                                   .token = p->selection.pos,
                                   .n = p->selection.n,
                                   .n_tokens = p->tokens.n};
    const og_status status = keep(b, d, &made, err);
    og_scratch_trim(scratch);
    return status;
}

/* ---- both ---- */

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct run *r = ctx;
    og_document_keys *made = d->made;
    (void)b;
    made->number = r->n++;
    made->id = d->doc.id;
    return r->on_keys(r->ctx, made) ? OG_OK : og_stream_stopped(err);
}

static og_status stream(const og_input *input, struct og_stream_work *work,
                        og_stream_counts *out_counts, og_error *err)
{
    og_stream_counts counts = {0};
    work->take = take;
    const og_status status = og_stream_documents(input, work, &counts, err);
    if (out_counts != NULL) *out_counts = counts;
    return status;
}

og_status og_band_keys(const og_input *input, const og_dedup_options *options,
                       og_keys_fn *on_keys, void *ctx,
                       og_stream_counts *out_counts, og_error *err)
{
    const struct og_band_design design = {options->n_bands, options->n_rows};
    struct run r = {.tokens = options->tokens, .on_keys = on_keys, .ctx = ctx};
    struct og_stream_work work = {.ctx = &r,
                                  .worker_len = sizeof(struct og_shingler),
                                  .start_worker = start_bands,
                                  .stop_worker = stop_bands,
                                  .make = make_bands};
    TRY(og_dedup_options_check(options, err));
    TRY(og_band_sketcher_init(&r.sketcher, &design, NULL, err));
    og_shingle_factors_init(&r.factors, og_rabin_default(),
                            options->shingle_len);
    const og_status status = stream(input, &work, out_counts, err);
    og_band_sketcher_release(&r.sketcher);
    return status;
}

og_status og_fingerprint_keys(const og_input *input, const og_params *params,
                              og_keys_fn *on_keys, void *ctx,
                              og_stream_counts *out_counts, og_error *err)
{
    struct run r = {.on_keys = on_keys, .ctx = ctx};
    struct og_stream_work work = {.ctx = &r,
                                  .worker_len = sizeof(struct og_scratch),
                                  .start_worker = start_fingerprints,
                                  .stop_worker = stop_fingerprints,
                                  .make = make_fingerprints};
    TRY(og_params_check(params, err));
    og_shingle_factors_init(&r.factors, og_rabin_default(),
                            params->shingle_len);
    r.prepare = (struct og_prepare_options){.tokens = params->tokens,
                                            .shingle_factors = &r.factors,
                                            .select = params->select,
                                            .fold = params->fold};
    return stream(input, &work, out_counts, err);
}
