#ifndef OG_TOKEN_TOKEN_HASH_H
#define OG_TOKEN_TOKEN_HASH_H

/* The hashes of many tokens at once: the same values as og_token_hash(). */

#include <stddef.h>
#include <stdint.h>

/* `text` is folded text: OG_TEXT_PADDING bytes after the last token may be
 * read. Writes out[0 .. n). */
typedef void og_token_hash_fn(const char *text, const uint32_t *begin,
                              const uint32_t *end, size_t n, uint64_t key,
                              uint64_t *out);

/* The form for this machine (lib/os/cpu.h). */
og_token_hash_fn *og_token_hash_choose(void);

/* The plain twin. */
og_token_hash_fn og_token_hash_many_plain;

#endif
