#ifndef OG_SKETCH_FEATURES_FEATURES_H
#define OG_SKETCH_FEATURES_FEATURES_H

/*   in:  the tokens of a document, and its title            (lib/token)
 *   out: its features: a hash and a weight each             (lib/sketch)
 *
 * What a document is compared by. Every sketch (simhash, min-hash and so
 * on) starts here, so two sketches of one document are about the same things.
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
 * A hash is 64 bits, mixed: every bit of it is as good as any other, also for
 * fingerprints, which are linear. Equal phrases have equal hashes, whatever the
 * rest of the document.
 *
 * With OG_TF_COUNT the features are a bag: one that comes again is here
 * again, and its weights add up. That costs nothing, and neither a sum
 * (simhash) nor a minimum (min-hash of sets) minds. Who does mind calls
 * og_features_merge(). With OG_TF_ONE and OG_TF_LOG they are merged already. */
struct og_features {
    const og_allocator *allocator;
    uint64_t *hash; /* in the order of the text; 64 bytes after may be read */
    float *weight;  /* > 0 and finite; NULL when !is_weighted */
    size_t n, cap, weight_cap;
    bool is_weighted; /* false: all weights are 1, `weight` is not looked at */
    bool is_merged;   /* no hash comes twice */
    /* Scratch of og_features_merge(). */
    uint32_t *slot;
    size_t slot_cap;
};

void og_features_init(struct og_features *features,
                      const og_allocator *allocator);
void og_features_release(struct og_features *features);
void og_features_clear(struct og_features *features);

/* Appends one; a weight other than 1 makes the whole weighted. For tests and
 * for callers with features of their own. OG_ERR_MEMORY. */
og_status og_features_add(struct og_features *features, uint64_t hash,
                          float weight, og_error *err);

/* Equal hashes become one whose weight is their sum, in the order of their
 * first places. OG_ERR_MEMORY leaves the features as they were. */
og_status og_features_merge(struct og_features *features, og_error *err);

/* OG_ERR_INPUT when a weight is negative, zero, infinite or no number; the
 * message names the first one and its place. */
og_status og_features_check(const struct og_features *features, og_error *err);

/* ---- extraction ---- */

struct og_stemming; /* stems and what they were stems of:
                       lib/sketch/features/stem.c */
struct og_stop_set; /* hashes of stop words: lib/sketch/features/stop.c */

struct og_extractor {
    const og_allocator *allocator;
    og_feature_options options; /* its strings and idf must stay */
    struct og_shingle_factors *shingle_factors;
    struct og_stop_set *stop;
    struct og_stemming *stemming;
    struct og_text text;
    struct og_tokens tokens;
    struct og_fps fps;
    size_t n_repaired;
    /* The words that phrases are made of: tokens without stop words, stemmed;
     * and what each weighs by its place. */
    uint64_t *word;
    size_t word_cap, n_words;
    uint64_t *content; /* of spots: the words that are no stop words */
    size_t content_cap;
    float *place_weight;
    size_t place_weight_cap;
    bool *is_stop;
    size_t is_stop_cap;
};

/* OG_ERR_USAGE: no such language, a length out of range, an idf file of other
 * features (both sets are named). */
og_status og_extractor_init(struct og_extractor *x,
                            const og_feature_options *options,
                            const og_allocator *allocator, og_error *err);
void og_extractor_release(struct og_extractor *x);

/* Replaces what `out` held by the features of `doc`. OG_ERR_LIMIT: the text is
 * longer than OG_TEXT_MAX; OG_ERR_MEMORY. `out` is then empty. */
og_status og_extract(struct og_extractor *x, const og_document *doc,
                     struct og_features *out, og_error *err);

/* Bytes that were not UTF-8 in the last document. */
size_t og_extractor_n_repaired(const struct og_extractor *x);

/* The options in words, "tokens=words features=phrases phrase=5 tf=count":
 * two are equal when their features can be compared. What is not in force
 * (idf, title, ...) is not named. Zero-terminated, cut at `cap`. */
#define OG_FEATURE_WORDS_MAX 256
void og_feature_words(const og_feature_options *options, char *out, size_t cap);

/* Whether every weight is a whole number, whatever the document. */
bool og_feature_weights_are_whole(const og_feature_options *options);

/* The same without what only weighs: what an idf file depends on. */
void og_feature_identity(const og_feature_options *options, char *out,
                         size_t cap);

#endif
