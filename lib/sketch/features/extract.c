/* From a document to its features.
 *
 *     text -> folded -> tokens -> words (no stop words, stemmed) -> phrases
 *
 * The title and the text are two fields: each is processed by itself, so that
 * no phrase spans both, and a phrase has the weight of the position of its
 * first word. A field that is shorter than a phrase is one phrase: short
 * documents have features, too.
 *
 * Fingerprints are linear: the bits of two phrases that share words depend on
 * each other. Votes of a simhash must not, so every fingerprint is mixed at the
 * end. */

#include <string.h>

#include "lib/sketch/features/feature_list.h"
#include "lib/sketch/features/heading.h"
#include "lib/sketch/features/stem.h"
#include "lib/sketch/features/stop.h"
#include "lib/sketch/logarithm.h"

/* The fingerprint kernels read up to 64 bytes past the last word. */
#define WORD_SLACK 8

/* ---- beginning and end ---- */

static const char *stop_language(const og_feature_options *o)
{
    if (o->stop == NULL && o->kind == OG_FEATURE_SPOT) return "en";
    return o->stop;
}

static og_status make_parts(struct og_extractor *x, og_error *err)
{
    const og_feature_options *o = &x->options;
    x->shingle_factors = og_allocate(x->allocator, sizeof(*x->shingle_factors));
    if (x->shingle_factors == NULL)
        return og_error_memory(err, sizeof(*x->shingle_factors), "phrases");
    og_shingle_factors_init(x->shingle_factors, og_rabin_default(),
                            o->phrase_len);
    if (stop_language(o) != NULL)
        TRY(og_stop_set_new(stop_language(o), o->key, x->allocator, &x->stop,
                            err));
    if (o->stem != NULL)
        TRY(og_stemming_new(o->stem, o->key, x->allocator, &x->stemming, err));
    return OG_OK;
}

og_status og_extractor_init(struct og_extractor *x,
                            const og_feature_options *options,
                            const og_allocator *allocator, og_error *err)
{
    memset(x, 0, sizeof(*x));
    x->allocator = allocator;
    x->options = *options;
    og_text_init(&x->text, allocator);
    og_tokens_init(&x->tokens, allocator);
    og_fps_init(&x->fps, allocator);
    og_status status = og_feature_options_check(options, err);
    if (status == OG_OK) status = make_parts(x, err);
    if (status != OG_OK) og_extractor_release(x);
    return status;
}

void og_extractor_release(struct og_extractor *x)
{
    const og_allocator *a = x->allocator;
    og_fps_release(&x->fps);
    og_tokens_release(&x->tokens);
    og_text_release(&x->text);
    og_stemming_free(x->stemming);
    og_stop_set_free(x->stop);
    og_release(a, x->shingle_factors, sizeof(*x->shingle_factors));
    OG_UNGROW(a, x->word, x->word_cap);
    OG_UNGROW(a, x->content, x->content_cap);
    OG_UNGROW(a, x->place_weight, x->place_weight_cap);
    OG_UNGROW(a, x->is_stop, x->is_stop_cap);
    x->stemming = NULL;
    x->stop = NULL;
    x->shingle_factors = NULL;
}

size_t og_extractor_n_repaired(const struct og_extractor *x)
{
    return x->n_repaired;
}

/* ---- words ---- */

static og_status reserve_words(struct og_extractor *x, og_error *err)
{
    const size_t n = x->tokens.n;
    const size_t n_words = n + x->options.phrase_len + WORD_SLACK;
    if (OG_GROW(x->allocator, x->word, x->word_cap, n_words) &&
        OG_GROW(x->allocator, x->place_weight, x->place_weight_cap, n + 1) &&
        OG_GROW(x->allocator, x->is_stop, x->is_stop_cap, n + 1))
        return OG_OK;
    return og_error_memory(err, n_words * sizeof(*x->word), "words");
}

static uint64_t word_of(struct og_extractor *x, size_t i)
{
    const struct og_tokens *t = &x->tokens;
    if (x->stemming == NULL) return t->hash[i];
    return og_stemming_hash(x->stemming, x->text.data + t->begin[i],
                            t->end[i] - t->begin[i], t->hash[i]);
}

/* Stop words are recognised before stemming. Spots keep them, since they begin
 * the phrases. */
static void take_words(struct og_extractor *x)
{
    const bool keeps_stop = x->options.kind == OG_FEATURE_SPOT;
    size_t n = 0;
    for (size_t i = 0; i < x->tokens.n; i++) {
        const bool is_stop =
            x->stop != NULL && og_stop_set_has(x->stop, x->tokens.hash[i]);
        if (is_stop && !keeps_stop) continue;
        x->word[n] = is_stop ? x->tokens.hash[i] : word_of(x, i);
        x->is_stop[n] = is_stop;
        x->place_weight[n] = x->place_weight[i];
        n++;
    }
    x->n_words = n;
}

static og_status make_words(struct og_extractor *x, og_bytes field,
                            float weight, bool has_headings, og_error *err)
{
    const og_feature_options *o = &x->options;
    TRY(og_text_fold(&x->text, field, err));
    TRY(og_text_tokenise(&x->text, o->tokens, o->key, &x->tokens, err));
    TRY(reserve_words(x, err));
    for (size_t i = 0; i < x->tokens.n; i++)
        x->place_weight[i] = weight;
    if (has_headings && o->heading_weight != 1)
        og_headings_weigh(&x->text, &x->tokens, (float)o->heading_weight,
                          x->place_weight);
    if (x->stop == NULL && x->stemming == NULL) {
        x->n_words = x->tokens.n;
        if (x->n_words > 0)
            memcpy(x->word, x->tokens.hash, x->n_words * sizeof(*x->word));
    } else {
        take_words(x);
    }
    return OG_OK;
}

/* ---- phrases: into out->hash, after those that are there ---- */

static og_status put_tokens(struct og_extractor *x, struct og_features *out,
                            og_error *err)
{
    TRY(og_features_reserve(out, out->n + x->n_words, err));
    for (size_t i = 0; i < x->n_words; i++)
        out->hash[out->n + i] = og_mix64(x->word[i]);
    out->n += x->n_words;
    return OG_OK;
}

/* The phrases that begin at each of the first `n` words. */
static og_status put_fps(struct og_extractor *x, size_t n,
                         struct og_features *out, og_error *err)
{
    const struct og_tokens words = {.allocator = x->allocator,
                                    .hash = x->word,
                                    .n = n + x->options.phrase_len - 1};
    memset(x->word + words.n, 0, WORD_SLACK * sizeof(*x->word));
    TRY(og_tokens_fingerprint(&words, x->shingle_factors, &x->fps, err));
    TRY(og_features_reserve(out, out->n + n, err));
    for (size_t i = 0; i < n; i++)
        out->hash[out->n + i] = og_mix64(x->fps.data[i]);
    out->n += n;
    return OG_OK;
}

static og_status put_phrases(struct og_extractor *x, struct og_features *out,
                             og_error *err)
{
    const uint32_t len = x->options.phrase_len;
    if (x->n_words == 0) return OG_OK;
    if (x->n_words >= len) return put_fps(x, x->n_words - len + 1, out, err);
    TRY(og_features_reserve(out, out->n + 1, err));
    out->hash[out->n++] =
        og_mix64(og_rabin_words(og_rabin_default(), x->word, x->n_words));
    return OG_OK;
}

/* The text is a ring: its last word is followed by its first one, more than
 * once if it is shorter than a phrase. */
static og_status put_ring(struct og_extractor *x, struct og_features *out,
                          og_error *err)
{
    if (x->n_words == 0) return OG_OK;
    for (size_t i = 0; i + 1 < x->options.phrase_len; i++)
        x->word[x->n_words + i] = x->word[i % x->n_words];
    return put_fps(x, x->n_words, out, err);
}

/* The words that are not stop words, in order: the continuation of spots. */
static og_status take_content(struct og_extractor *x, size_t *out_n,
                              og_error *err)
{
    if (!OG_GROW(x->allocator, x->content, x->content_cap, x->n_words))
        return og_error_memory(err, x->n_words * sizeof(*x->content), "words");
    size_t n = 0;
    for (size_t i = 0; i < x->n_words; i++)
        if (!x->is_stop[i]) x->content[n++] = x->word[i];
    *out_n = n;
    return OG_OK;
}

/* A stop word and the content after it; nothing if that is too short. */
static og_status put_spots(struct og_extractor *x, struct og_features *out,
                           og_error *err)
{
    const struct og_rabin *rabin = og_rabin_default();
    const uint32_t n_after = x->options.phrase_len - 1;
    size_t n_content = 0, n_before = 0, n = 0;
    TRY(take_content(x, &n_content, err));
    TRY(og_features_reserve(out, out->n + x->n_words, err));
    for (size_t i = 0; i < x->n_words; i++) {
        if (!x->is_stop[i]) {
            n_before++;
            continue;
        }
        if (n_content - n_before < n_after) break;
        uint64_t fp = og_rabin_words(rabin, x->word + i, 1);
        for (uint32_t j = 0; j < n_after; j++)
            fp = og_rabin_extend_word(rabin, fp, x->content[n_before + j]);
        out->hash[out->n++] = og_mix64(fp);
        x->place_weight[n++] = x->place_weight[i];
    }
    return OG_OK;
}

static og_status put_features(struct og_extractor *x, struct og_features *out,
                              og_error *err)
{
    switch (x->options.kind) {
    case OG_FEATURE_TOKENS: return put_tokens(x, out, err);
    case OG_FEATURE_PHRASES: return put_phrases(x, out, err);
    case OG_FEATURE_WRAP: return put_ring(x, out, err);
    case OG_FEATURE_SPOT: return put_spots(x, out, err);
    }
    return OG_OK;
}

static og_status put_field(struct og_extractor *x, og_bytes field, float weight,
                           bool has_headings, struct og_features *out,
                           og_error *err)
{
    const size_t first = out->n;
    TRY(make_words(x, field, weight, has_headings, err));
    x->n_repaired += x->text.n_repaired;
    TRY(put_features(x, out, err));
    if (out->is_weighted && out->n > first)
        memcpy(out->weight + first, x->place_weight,
               (out->n - first) * sizeof(*out->weight));
    return OG_OK;
}

/* ---- weights ---- */

static bool is_weighted(const og_feature_options *o)
{
    return o->idf != NULL || o->tf == OG_TF_LOG || o->heading_weight != 1 ||
           (o->title_weight != 0 && o->title_weight != 1);
}

static void apply_log(struct og_features *f)
{
    for (size_t i = 0; i < f->n; i++)
        f->weight[i] = (float)og_log2(1 + (double)f->weight[i]);
}

static void apply_idf(struct og_features *f, const og_idf *idf)
{
    for (size_t i = 0; i < f->n; i++)
        f->weight[i] = (float)(f->weight[i] * og_idf_weight(idf, f->hash[i]));
}

static og_status weigh(const og_feature_options *o, struct og_features *out,
                       og_error *err)
{
    if (o->tf != OG_TF_COUNT)
        TRY(og_features_join(out, o->tf == OG_TF_ONE, err));
    if (o->tf == OG_TF_LOG) apply_log(out);
    if (o->idf != NULL) apply_idf(out, o->idf);
    return OG_OK;
}

/* ---- a document ---- */

static og_status extract(struct og_extractor *x, const og_document *doc,
                         struct og_features *out, og_error *err)
{
    const og_feature_options *o = &x->options;
    if (o->title_weight > 0)
        TRY(put_field(x, doc->title, (float)o->title_weight, false, out, err));
    TRY(put_field(x, doc->text, 1, true, out, err));
    return weigh(o, out, err);
}

og_status og_extract(struct og_extractor *x, const og_document *doc,
                     struct og_features *out, og_error *err)
{
    og_features_clear(out);
    out->is_weighted = is_weighted(&x->options);
    x->n_repaired = 0;
    const og_status status = extract(x, doc, out, err);
    if (status != OG_OK) og_features_clear(out);
    return status;
}
