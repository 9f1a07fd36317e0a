#ifndef OG_SKETCH_FEATURES_FEATURES_H
#define OG_SKETCH_FEATURES_FEATURES_H

/*   in:  the tokens of a document, and its title            (lib/token)
 *   out: its features: a hash and a weight each             (lib/sketch)
 *
 * Documents are compared by their features. Every sketch (simhash, min-hash and
 * so on) starts here, so all sketches of a document are based on the same
 * features.
 *
 *     struct og_extractor x;
 *     og_extractor_init(&x, &options, allocator, &err);
 *     og_extract(&x, &doc, &features, &err);      for every document
 *     og_extractor_release(&x);
 *
 * One extractor per thread. */

#include "lib/fingerprint/fingerprint.h"
#include "lib/sketch/features/idf.h"

#include <origo/sketch.h>

/* The features of one document.
 *
 * A hash has 64 mixed bits: all of them are equally good, also when the feature
 * is a fingerprint, which is linear. Equal phrases have equal hashes, whatever
 * the rest of the document.
 *
 * With OG_TF_COUNT the features are a bag: a repeated feature is repeated here,
 * and its weights add up. That costs nothing, and affects neither a sum
 * (simhash) nor a minimum (min-hash of sets). Callers that it does affect use
 * og_features_merge(). With OG_TF_ONE and OG_TF_LOG the features are already
 * merged. */
struct og_features {
    const og_allocator *allocator;
    uint64_t *hash; /* in the order of the text; 64 bytes past the end are
                       readable */
    float *weight;  /* > 0 and finite; NULL if !is_weighted */
    size_t n, cap, weight_cap;
    bool is_weighted; /* false: all weights are 1 and `weight` is unused */
    bool is_merged;   /* no hash is repeated */
    /* Scratch of og_features_merge(). */
    uint32_t *slot;
    size_t slot_cap;
};

void og_features_init(struct og_features *features,
                      const og_allocator *allocator);
void og_features_release(struct og_features *features);
void og_features_clear(struct og_features *features);

/* Appends one; a weight other than 1 makes all features weighted. For tests and
 * for callers with features of their own. OG_ERR_MEMORY. */
og_status og_features_add(struct og_features *features, uint64_t hash,
                          float weight, og_error *err);

/* Merges equal hashes into one whose weight is their sum, in the order of their
 * first positions. OG_ERR_MEMORY leaves the features unchanged. */
og_status og_features_merge(struct og_features *features, og_error *err);

/* OG_ERR_INPUT if a weight is negative, zero, infinite or not a number; the
 * message gives the first one and its position. */
og_status og_features_check(const struct og_features *features, og_error *err);

/* ---- extraction ---- */

struct og_stemming; /* a cache of stems: lib/sketch/features/stem.c */
struct og_stop_set; /* hashes of stop words: lib/sketch/features/stop.c */

struct og_extractor {
    const og_allocator *allocator;
    og_feature_options options; /* its strings and idf must outlive the
                                   extractor */
    struct og_shingle_factors *shingle_factors;
    struct og_stop_set *stop;
    struct og_stemming *stemming;
    struct og_text text;
    struct og_tokens tokens;
    struct og_fps fps;
    size_t n_repaired;
    /* The words from which phrases are made: tokens without stop words,
     * stemmed; and the weight of each by its position. */
    uint64_t *word;
    size_t word_cap, n_words;
    uint64_t *content; /* for spots: the words that are not stop words */
    size_t content_cap;
    float *place_weight;
    size_t place_weight_cap;
    bool *is_stop;
    size_t is_stop_cap;
};

/* OG_ERR_USAGE: an unsupported language, a length out of range, or an idf file
 * of other features (both sets are named). */
og_status og_extractor_init(struct og_extractor *x,
                            const og_feature_options *options,
                            const og_allocator *allocator, og_error *err);
void og_extractor_release(struct og_extractor *x);

/* Replaces the content of `out` by the features of `doc`. OG_ERR_LIMIT: the
 * text is longer than OG_TEXT_MAX; OG_ERR_MEMORY. `out` is then empty. */
og_status og_extract(struct og_extractor *x, const og_document *doc,
                     struct og_features *out, og_error *err);

/* The number of bytes that were not UTF-8 in the last document. */
size_t og_extractor_n_repaired(const struct og_extractor *x);

/* The options in words, "tokens=words features=phrases phrase=5 tf=count":
 * equal if features can be compared. Options that are not in effect (idf,
 * title, ...) are not named. Zero-terminated, cut at `cap`. */
#define OG_FEATURE_WORDS_MAX 256
void og_feature_words(const og_feature_options *options, char *out, size_t cap);

/* Whether every weight is a whole number for any document. */
bool og_feature_weights_are_whole(const og_feature_options *options);

/* The same without options that affect weights only: what an idf file depends
 * on. */
void og_feature_identity(const og_feature_options *options, char *out,
                         size_t cap);

#endif
