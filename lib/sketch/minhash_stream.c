/* Min-hash of streams of documents: features in, sketches out, in order.
 *
 * Each thread has a sampler of its own. The sketch of a document is passed on
 * as bytes in the file's form (minhash_stream.h), after the number of features;
 * it is written to a file unchanged or decoded for the caller. */

#include "lib/sketch/minhash_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sketch/minhash.h"
#include "lib/sketch/sketch_stream.h"

/* ---- the form in a file ---- */

static size_t norm_len(const og_minhash_options *o)
{
    return og_minhash_is_weighted(o->method) ? 8 : 0;
}

size_t og_minhash_file_len(const og_minhash_options *o)
{
    if (og_minhash_is_set(o->method)) return 8 + 8 * (size_t)o->n_samples;
    if (o->n_bits == 32) return norm_len(o) + 4 * (size_t)o->n_samples;
    return norm_len(o) + 1 + ((size_t)o->n_samples * o->n_bits + 7) / 8;
}

void og_minhash_file_head(const og_minhash_options *o,
                          const char *feature_words, struct og_sketch_head *out)
{
    *out = (struct og_sketch_head){.kind = og_minhash_is_weighted(o->method)
                                               ? OG_SKETCH_WEIGHTED
                                               : OG_SKETCH_MINHASH,
                                   .sketch_len = og_minhash_file_len(o)};
    char modulus[32] = "";
    if (o->method == OG_MINHASH_MODULO)
        snprintf(modulus, sizeof(modulus), " modulus=%u", (unsigned)o->modulus);
    snprintf(out->params, sizeof(out->params),
             "method=%s family=%s samples=%u bits=%u seed=%" PRIu64 "%s %s",
             og_minhash_method_name(o->method), og_family_name(o->family),
             (unsigned)o->n_samples, (unsigned)o->n_bits, o->seed, modulus,
             feature_words);
}

og_status og_minhash_file_options(const struct og_sketch_head *head,
                                  const char *name, og_minhash_options *out,
                                  og_error *err)
{
    char method[16], family[16];
    unsigned n_samples, n_bits;
    *out = og_minhash_options_default();
    if (sscanf(head->params,
               "method=%15s family=%15s samples=%u bits=%u seed=%" SCNu64,
               method, family, &n_samples, &n_bits, &out->seed) != 5 ||
        !og_minhash_method_parse((og_bytes){method, strlen(method)},
                                 &out->method) ||
        !og_family_parse((og_bytes){family, strlen(family)}, &out->family))
        return og_error_set(err, OG_ERR_INPUT,
                            "sketch file '%s' has parameters that are not "
                            "known here: '%s'",
                            name, head->params);
    out->n_samples = n_samples;
    out->n_bits = n_bits;
    const char *modulus = strstr(head->params, " modulus=");
    if (modulus != NULL) out->modulus = (uint32_t)atol(modulus + 9);
    og_error why;
    if (og_minhash_options_check(out, &why) != OG_OK ||
        og_minhash_file_len(out) != head->sketch_len)
        return og_error_set(err, OG_ERR_INPUT,
                            "sketch file '%s' has sketches of %zu bytes that "
                            "do not fit '%s'",
                            name, head->sketch_len, head->params);
    return OG_OK;
}

static double load_double(const uint8_t *p)
{
    const uint64_t bits = og_load64(p);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double similarity_of_sets(const og_minhash_options *o, const uint8_t *a,
                                 const uint8_t *b)
{
    uint64_t set_a[OG_SAMPLES_MAX], set_b[OG_SAMPLES_MAX];
    uint64_t n_a = og_load64(a), n_b = og_load64(b);
    if (n_a > o->n_samples)
        n_a = o->n_samples; /* damaged; the checksums report
                               it */
    if (n_b > o->n_samples) n_b = o->n_samples;
    for (size_t i = 0; i < o->n_samples; i++) {
        set_a[i] = og_load64(a + 8 + 8 * i);
        set_b[i] = og_load64(b + 8 + 8 * i);
    }
    if (n_a == 0 || n_b == 0) return 0;
    return og_sample_sets_similarity(set_a, n_a, set_b, n_b, o->n_samples);
}

double og_minhash_file_similarity(const og_minhash_options *o, const uint8_t *a,
                                  const uint8_t *b, double *norm_a,
                                  double *norm_b)
{
    size_t n_equal = 0;
    *norm_a = *norm_b = 0;
    if (og_minhash_is_set(o->method)) return similarity_of_sets(o, a, b);
    if (norm_len(o) != 0) {
        *norm_a = load_double(a);
        *norm_b = load_double(b);
        a += 8;
        b += 8;
    }
    if (o->n_bits != 32)
        return a[0] == 0 || b[0] == 0
                   ? 0
                   : og_packed_similarity(a + 1, b + 1, o->n_samples,
                                          o->n_bits);
    if (og_load32(a) == OG_SAMPLE_NONE || og_load32(b) == OG_SAMPLE_NONE)
        return 0;
    for (size_t i = 0; i < o->n_samples; i++)
        n_equal += og_load32(a + 4 * i) == og_load32(b + 4 * i);
    return (double)n_equal / o->n_samples;
}

/* ---- making, any thread ---- */

struct minhash_work {
    const og_minhash_options *options;
    void *ctx;
    og_minhash_fn *on_sketch;
    struct og_sketch_writer *writer;
};

static og_status begin_minhash(void *ctx, void **out_mine, og_error *err)
{
    const struct minhash_work *w = ctx;
    og_minhash *m = NULL;
    TRY(og_minhash_new(w->options, &m, err));
    *out_mine = m;
    return OG_OK;
}

static void end_minhash(void *ctx, void *mine)
{
    (void)ctx;
    og_minhash_free(mine);
}

static void pack_row(const og_minhash_options *o, const uint32_t *samples,
                     struct og_pack *out)
{
    uint8_t packed[OG_SAMPLES_MAX * 2];
    if (o->n_bits == 32) {
        for (size_t i = 0; i < o->n_samples; i++)
            og_pack_fixed(out, samples[i], 4);
        return;
    }
    og_samples_pack(samples, o->n_samples, o->n_bits, packed);
    og_pack_fixed(out, samples[0] != OG_SAMPLE_NONE, 1);
    og_pack_bytes(out, packed, ((size_t)o->n_samples * o->n_bits + 7) / 8);
}

static void pack_norm(const struct og_features *f, struct og_pack *out)
{
    double norm = f->is_weighted ? 0 : (double)f->n;
    uint64_t bits;
    for (size_t i = 0; f->is_weighted && i < f->n; i++)
        norm += f->weight[i];
    memcpy(&bits, &norm, sizeof(bits));
    og_pack_fixed(out, bits, 8);
}

static og_status make_set(og_minhash *m, const og_minhash_options *o,
                          const struct og_features *f, bool to_file,
                          struct og_pack *out, og_error *err)
{
    const uint64_t *set;
    size_t n;
    TRY(og_minhash_sample_set(m, f->hash, f->n, &set, &n, err));
    /* In a file all sketches have one length: of the hashes divisible by the
     * modulus the smallest are kept, which represent the union equally well. */
    if (to_file && n > o->n_samples) n = o->n_samples;
    og_pack_fixed(out, n, 8);
    for (size_t i = 0; i < n; i++)
        og_pack_fixed(out, set[i], 8);
    const bool fills = to_file || o->method == OG_MINHASH_SMALLEST;
    for (size_t i = n; fills && i < o->n_samples; i++)
        og_pack_fixed(out, 0, 8);
    return OG_OK;
}

static og_status make_minhash(void *ctx, void *mine,
                              struct og_features *features, struct og_pack *out,
                              og_error *err)
{
    const struct minhash_work *w = ctx;
    const og_minhash_options *o = w->options;
    uint32_t samples[OG_SAMPLES_MAX];
    if (og_minhash_is_set(o->method))
        return make_set(mine, o, features, w->writer != NULL, out, err);
    if (og_minhash_is_weighted(o->method)) {
        TRY(og_features_merge(features, err));
        pack_norm(features, out);
    }
    TRY(og_minhash_samples(mine, features->hash,
                           features->is_weighted ? features->weight : NULL,
                           features->n, samples, err));
    pack_row(o, samples, out);
    return OG_OK;
}

/* ---- taking, in order ---- */

static bool give(const struct minhash_work *w, og_bytes id, const uint8_t *made,
                 og_minhash_sketch sketch)
{
    const og_minhash_options *o = w->options;
    uint32_t samples[OG_SAMPLES_MAX];
    if (norm_len(o) != 0) {
        sketch.norm = load_double(made);
        made += 8;
    }
    if (o->n_bits != 32) {
        sketch.is_empty = made[0] == 0;
        sketch.packed = made + 1;
    } else {
        for (size_t i = 0; i < o->n_samples; i++)
            samples[i] = og_load32(made + 4 * i);
        sketch.is_empty = samples[0] == OG_SAMPLE_NONE;
        sketch.samples = samples;
    }
    return w->on_sketch(w->ctx, id, &sketch);
}

/* The bytes after an id are not aligned: sets are copied. */
static og_status give_set(const struct minhash_work *w, og_bytes id,
                          const uint8_t *made, og_minhash_sketch sketch,
                          bool *out_continues, og_error *err)
{
    sketch.n_set = og_load64(made);
    sketch.is_empty = sketch.n_set == 0;
    const size_t len = (sketch.n_set + 1) * sizeof(uint64_t);
    uint64_t *set = og_allocate(NULL, len);
    if (set == NULL) return og_error_memory(err, len, "a set of samples");
    for (size_t i = 0; i < sketch.n_set; i++)
        set[i] = og_load64(made + 8 + 8 * i);
    sketch.set = set;
    *out_continues = w->on_sketch(w->ctx, id, &sketch);
    og_release(NULL, set, len);
    return OG_OK;
}

static og_status take_minhash(void *ctx, og_bytes id, const uint8_t *made,
                              size_t len, uint64_t n_features, og_error *err)
{
    const struct minhash_work *w = ctx;
    const og_minhash_sketch sketch = {.n_features = n_features};
    bool continues = true;
    (void)len;
    if (w->writer != NULL)
        return og_sketch_writer_add(w->writer, id, made, err);
    if (og_minhash_is_set(w->options->method))
        TRY(give_set(w, id, made, sketch, &continues, err));
    else
        continues = give(w, id, made, sketch);
    if (continues) return OG_OK;
    return og_stream_stopped(err);
}

/* Checked before the first document rather than at each of them. */
static og_status check_both(const og_minhash_options *minhash,
                            const og_feature_options *features, og_error *err)
{
    TRY(og_minhash_options_check(minhash, err));
    TRY(og_feature_options_check(features, err));
    if (minhash->method != OG_MINHASH_COPIES ||
        og_feature_weights_are_whole(features))
        return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "method 'copies' takes weights that are whole numbers: "
                        "document frequencies, logarithms and parts of a "
                        "weight go with the other weighted methods");
}

static og_status run_minhash(struct minhash_work *w, const og_input *input,
                             const og_feature_options *features,
                             og_stream_counts *out_counts, og_error *err)
{
    const struct og_sketch_work work = {
        w, NULL, begin_minhash, end_minhash, make_minhash, take_minhash};
    return og_sketch_stream(input, features, &work, out_counts, err);
}

og_status og_minhash_stream(const og_input *input,
                            const og_minhash_options *minhash,
                            const og_feature_options *features,
                            og_minhash_fn *on_sketch, void *ctx,
                            og_stream_counts *out_counts, og_error *err)
{
    struct minhash_work w = {
        .options = minhash, .ctx = ctx, .on_sketch = on_sketch};
    TRY(check_both(minhash, features, err));
    return run_minhash(&w, input, features, out_counts, err);
}

/* A file is also written if some input could not be read and documents are
 * missing; the status reports it. */
og_status og_minhash_save(const og_input *input,
                          const og_minhash_options *minhash,
                          const og_feature_options *features,
                          const char *out_path, og_stream_counts *out_counts,
                          og_error *err)
{
    struct minhash_work w = {.options = minhash};
    struct og_sketch_head head;
    char words[OG_FEATURE_WORDS_MAX];
    og_stream_counts counts = {0};
    TRY(check_both(minhash, features, err));
    og_feature_words(features, words, sizeof(words));
    og_minhash_file_head(minhash, words, &head);
    TRY(og_sketch_writer_open(out_path, &head, NULL, &w.writer, err));
    const og_status status = run_minhash(&w, input, features, &counts, err);
    if (out_counts != NULL) *out_counts = counts;
    return og_sketch_stream_end(w.writer, status, &counts, err);
}
