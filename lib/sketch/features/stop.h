#ifndef OG_SKETCH_FEATURES_STOP_H
#define OG_SKETCH_FEATURES_STOP_H

/* Stop words: those that say nothing of what a text is about. Short lists of
 * our own; what matters is that they are common and fixed, not that they are
 * complete. */

#include "lib/base/memory.h"

struct og_stop_set;

/* OG_ERR_USAGE names the languages there are. `key` as for the tokens. */
og_status og_stop_set_new(const char *language, uint64_t key,
                          const og_allocator *allocator,
                          struct og_stop_set **out, og_error *err);
void og_stop_set_free(struct og_stop_set *set); /* NULL is fine */

/* Whether the token with this hash is one. */
bool og_stop_set_has(const struct og_stop_set *set, uint64_t token_hash);

bool og_stop_language_is(const char *language);

#endif
