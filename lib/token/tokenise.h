#ifndef OG_TOKEN_TOKENISE_H
#define OG_TOKEN_TOKENISE_H

/* What the tokenisers share: they append to `tokens`, which is empty when
 * they start, and fill in begin, end, hash and n. */

#include "lib/token/tokens.h"

#include <origo/params.h>

og_status og_tokenise_runs(const struct og_text *text, og_token_kind kind,
                           uint64_t key, struct og_tokens *tokens,
                           og_error *err);
og_status og_tokenise_lines(const struct og_text *text, uint64_t key,
                            struct og_tokens *tokens, og_error *err);

/* Inside a line. */
static inline bool og_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* Makes room for `need` tokens in all. The arrays keep their content up to the
 * old capacity, whatever tokens->n says. */
og_status og_tokens_reserve(struct og_tokens *tokens, size_t need,
                            og_error *err);

#endif
