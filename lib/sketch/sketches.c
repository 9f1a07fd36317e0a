/* The public functions of simhash and document frequencies: a document, or
 * whole streams to a callback or a file. */

#include <stdio.h>
#include <string.h>

#include "lib/sketch/simhash.h"
#include "lib/sketch/sketch_file.h"
#include "lib/sketch/sketch_stream.h"
#include "lib/source/block.h"

/* ---- single documents ---- */

struct og_sketcher {
    struct og_extractor extractor;
    struct og_features features;
    struct og_simhash_scratch scratch;
};

og_status og_sketcher_new(const og_feature_options *options, og_sketcher **out,
                          og_error *err)
{
    struct og_sketcher *s = og_allocate_zero(NULL, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "a sketcher");
    const og_status status =
        og_extractor_init(&s->extractor, options, NULL, err);
    if (status != OG_OK) {
        og_release(NULL, s, sizeof(*s));
        return status;
    }
    og_features_init(&s->features, NULL);
    og_simhash_scratch_init(&s->scratch, NULL);
    *out = s;
    return OG_OK;
}

void og_sketcher_free(og_sketcher *s)
{
    if (s == NULL) return;
    og_simhash_scratch_release(&s->scratch);
    og_features_release(&s->features);
    og_extractor_release(&s->extractor);
    og_release(NULL, s, sizeof(*s));
}

og_status og_sketcher_simhash(og_sketcher *s, const og_document *doc,
                              unsigned n_bits, og_simhash *out,
                              uint64_t *out_n_features, og_error *err)
{
    TRY(og_extract(&s->extractor, doc, &s->features, err));
    if (out_n_features != NULL) *out_n_features = s->features.n;
    return og_simhash_make(&s->features, n_bits, &s->scratch, out, err);
}

/* ---- simhash of streams ---- */

struct simhash_work {
    unsigned n_bits;
    const og_allocator *allocator;
    void *ctx;
    og_simhash_fn *on_simhash;
    struct og_sketch_writer *writer;
};

static og_status begin_simhash(void *ctx, void **out_mine, og_error *err)
{
    const struct simhash_work *w = ctx;
    struct og_simhash_scratch *s = og_allocate(w->allocator, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "a sketch");
    og_simhash_scratch_init(s, w->allocator);
    *out_mine = s;
    return OG_OK;
}

static void end_simhash(void *ctx, void *mine)
{
    const struct simhash_work *w = ctx;
    og_simhash_scratch_release(mine);
    og_release(w->allocator, mine, sizeof(struct og_simhash_scratch));
}

static og_status make_simhash(void *ctx, void *mine,
                              struct og_features *features, struct og_pack *out,
                              og_error *err)
{
    const struct simhash_work *w = ctx;
    og_simhash made;
    TRY(og_simhash_make(features, w->n_bits, mine, &made, err));
    og_pack_fixed(out, made.word[0], 8);
    if (w->n_bits == 128) og_pack_fixed(out, made.word[1], 8);
    return OG_OK;
}

static og_status take_simhash(void *ctx, og_bytes id, const uint8_t *made,
                              size_t len, uint64_t n_features, og_error *err)
{
    const struct simhash_work *w = ctx;
    if (w->writer != NULL)
        return og_sketch_writer_add(w->writer, id, made, err);
    og_simhash sketch = {{og_load64(made), 0}};
    if (len == 16) sketch.word[1] = og_load64(made + 8);
    if (!w->on_simhash(w->ctx, id, &sketch, n_features))
        return og_stream_stopped(err);
    return OG_OK;
}

static og_status run_simhash(struct simhash_work *w, const og_input *input,
                             const og_feature_options *features,
                             og_stream_counts *out_counts, og_error *err)
{
    const struct og_sketch_work work = {
        w,           w->allocator, begin_simhash,
        end_simhash, make_simhash, take_simhash};
    return og_sketch_stream(input, features, &work, out_counts, err);
}

static og_status check_bits(unsigned n_bits, og_error *err)
{
    if (n_bits == 64 || n_bits == 128) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "a simhash has 64 or 128 bits, not %u", n_bits);
}

og_status og_simhash_stream(const og_input *input, unsigned n_bits,
                            const og_feature_options *features,
                            og_simhash_fn *on_simhash, void *ctx,
                            og_stream_counts *out_counts, og_error *err)
{
    struct simhash_work w = {
        .n_bits = n_bits, .ctx = ctx, .on_simhash = on_simhash};
    TRY(check_bits(n_bits, err));
    return run_simhash(&w, input, features, out_counts, err);
}

static void make_head(const og_feature_options *features, unsigned n_bits,
                      struct og_sketch_head *out)
{
    char words[OG_FEATURE_WORDS_MAX];
    og_feature_words(features, words, sizeof(words));
    *out = (struct og_sketch_head){.kind = OG_SKETCH_SIMHASH,
                                   .sketch_len = n_bits / 8};
    snprintf(out->params, sizeof(out->params), "bits=%u %s", n_bits, words);
}

og_status og_simhash_save(const og_input *input, unsigned n_bits,
                          const og_feature_options *features,
                          const char *out_path, og_stream_counts *out_counts,
                          og_error *err)
{
    struct simhash_work w = {.n_bits = n_bits};
    struct og_sketch_head head;
    og_stream_counts counts = {0};
    TRY(check_bits(n_bits, err));
    TRY(og_feature_options_check(features, err));
    make_head(features, n_bits, &head);
    TRY(og_sketch_writer_open(out_path, &head, NULL, &w.writer, err));
    og_status status = run_simhash(&w, input, features, &counts, err);
    if (out_counts != NULL) *out_counts = counts;
    return og_sketch_stream_end(w.writer, status, &counts, err);
}

/* ---- document frequencies of streams ---- */

static og_status make_features(void *ctx, void *mine,
                               struct og_features *features,
                               struct og_pack *out, og_error *err)
{
    (void)ctx, (void)mine;
    TRY(og_features_merge(features, err));
    og_pack_bytes(out, features->hash, features->n * sizeof(*features->hash));
    return OG_OK;
}

static og_status take_features(void *ctx, og_bytes id, const uint8_t *made,
                               size_t len, uint64_t n_features, og_error *err)
{
    (void)id, (void)n_features, (void)err;
    og_idf_counter_add(ctx, (const uint64_t *)(const void *)made,
                       len / sizeof(uint64_t));
    og_idf_counter_end_document(ctx);
    return OG_OK;
}

og_status og_idf_make(const og_input *input, const og_feature_options *features,
                      uint64_t memory, const char *out_path,
                      og_idf_info *out_info, og_stream_counts *out_counts,
                      og_error *err)
{
    char words[OG_FEATURE_WORDS_MAX];
    struct og_idf_counter *counter = NULL;
    og_feature_options plain = *features;
    plain.idf = NULL;
    plain.tf = OG_TF_COUNT;
    plain.heading_weight = 1;
    TRY(og_feature_options_check(&plain, err));
    og_feature_identity(&plain, words, sizeof(words));
    TRY(og_idf_counter_new(memory, words, NULL, &counter, err));
    const struct og_sketch_work work = {
        .ctx = counter, .make = make_features, .take = take_features};
    const og_input limited = og_limited_input(input, memory);
    og_status status =
        og_sketch_stream(&limited, &plain, &work, out_counts, err);
    if (status == OG_OK) status = og_idf_counter_save(counter, out_path, err);
    if (out_info != NULL) *out_info = og_idf_counter_info(counter);
    og_idf_counter_free(counter);
    return status;
}
