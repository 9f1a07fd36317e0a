#ifndef OG_SELECT_RULES_H
#define OG_SELECT_RULES_H

/* The rules that have a file of their own. Each appends to `sel`, which has
 * room for one entry a token and OG_SELECT_SLACK more. */

#include "lib/select/select.h"

#define OG_SELECT_SLACK 16

/* hailstorm.c: fill sel->pos only. */
void og_select_hailstorm(const uint64_t *hash, size_t n_shingles,
                         uint32_t shingle_len, struct og_selection *sel);
void og_select_syncmer(const uint64_t *hash, size_t n_shingles,
                       uint32_t shingle_len, uint32_t place,
                       struct og_selection *sel);

/* Their implementations, for tests. */
void og_select_hailstorm_plain(const uint64_t *hash, size_t n_shingles,
                               uint32_t shingle_len, struct og_selection *sel);

/* segment.c: fill all three arrays. */
void og_select_hash_break(const struct og_tokens *tokens,
                          const struct og_rabin *rabin, uint32_t divisor,
                          struct og_selection *sel);
void og_select_dct(const struct og_tokens *tokens, uint32_t divisor,
                   struct og_selection *sel);

#endif
