#ifndef OG_TOKEN_TOKENS_H
#define OG_TOKEN_TOKENS_H

/*   in:  folded text                                        (lib/text)
 *   out: tokens: where each is, and its hash            (lib/fingerprint)
 */

#include "lib/text/text.h"

#include <origo/params.h>

struct og_tokens {
    const og_allocator *allocator;
    uint32_t *begin; /* offsets in the folded text, ascending */
    uint32_t *end;   /* end[i] > begin[i], end[i] <= begin[i + 1] */
    uint64_t *hash;  /* of the folded bytes; 64 zero bytes follow it */
    size_t n, cap;
    char *line; /* scratch: a line with its blanks folded */
    size_t line_cap;
};

void og_tokens_init(struct og_tokens *tokens, const og_allocator *allocator);
void og_tokens_release(struct og_tokens *tokens);

/* Replaces the content of `tokens` by the tokens of `text`. `key` enters every
 * hash: another key gives other fingerprints.
 *
 *   words  runs of letters, marks and digits; a character of a script without
 *          spaces is a token, with its marks (og_char_class_of)
 *   chars  each letter or digit, with its marks
 *   lines  each line that is not blank, without blanks around it. The hash
 *          counts each run of blanks inside it as one space. A line ends with
 *          LF, CR or both; blanks are space, tab, VT and FF (folding has made
 *          spaces of the other ones)
 *   dna    each a, c, g, t, u; everything else is skipped
 *
 * Memory grows with the tokens and is kept for the next text.
 * OG_ERR_MEMORY; `tokens` is then empty. */
og_status og_text_tokenise(const struct og_text *text, og_token_kind kind,
                           uint64_t key, struct og_tokens *tokens,
                           og_error *err);

/* The hashes of the tokens of `text` under another key; the tokens do not
 * change. There is room for one hash even if there is no token. */
og_status og_tokens_rehash(const struct og_text *text, og_token_kind kind,
                           uint64_t key, struct og_tokens *tokens,
                           og_error *err);

/* Hashes after the last one that are 0 and may be read. */
#define OG_TOKENS_TAIL 8

/* Whether two tokens are the same word, letter by letter (for lines: except for
 * runs of blanks). Removing, cutting and verifying are based on this, not on
 * hashes alone. */
bool og_tokens_same(const struct og_text *text, const struct og_tokens *tokens,
                    size_t token, const struct og_text *other_text,
                    const struct og_tokens *other, size_t other_token);

/* The hash of one token: the definition. `len` bytes at `data`. Not linear, so
 * that Rabin fingerprints of sequences of hashes are safe (the book, 2.2,
 * warning 1: never fingerprint a fingerprint with the same polynomial). */
uint64_t og_token_hash(const char *data, size_t len, uint64_t key);

#endif
