#ifndef OG_SKETCH_FEATURES_STEM_H
#define OG_SKETCH_FEATURES_STEM_H

/* Words to stems, by the Snowball algorithms of libstemmer: "connection" and
 * "connected" both become "connect". One per thread. */

#include "lib/base/memory.h"

struct og_stemming;

/* As og_stem_check(). `key` as for the tokens. */
og_status og_stemming_new(const char *language, uint64_t key,
                          const og_allocator *allocator,
                          struct og_stemming **out, og_error *err);
void og_stemming_free(struct og_stemming *stemming); /* NULL is fine */

/* The hash of the stem of a folded word whose own hash is `hash`. A word
 * without a stem keeps its hash, as does any word if memory is exhausted. */
uint64_t og_stemming_hash(struct og_stemming *stemming, const char *word,
                          size_t len, uint64_t hash);

/* OG_ERR_USAGE lists the supported languages. */
og_status og_stem_check(const char *language, og_error *err);

#endif
