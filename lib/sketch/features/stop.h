#ifndef OG_SKETCH_FEATURES_STOP_H
#define OG_SKETCH_FEATURES_STOP_H

/* Stop words: words that say nothing about the subject of a text. Short lists
 * of our own; they need to be common and fixed, not complete. */

#include "lib/base/memory.h"

struct og_stop_set;

/* OG_ERR_USAGE lists the supported languages. `key` as for the tokens. */
og_status og_stop_set_new(const char *language, uint64_t key,
                          const og_allocator *allocator,
                          struct og_stop_set **out, og_error *err);
void og_stop_set_free(struct og_stop_set *set); /* NULL is fine */

/* Whether the token with this hash is a stop word. */
bool og_stop_set_has(const struct og_stop_set *set, uint64_t token_hash);

bool og_stop_language_is(const char *language);

#endif
