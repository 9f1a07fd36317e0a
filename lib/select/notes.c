/* What the table keeps beside a print, so that the estimation can tell more
 * than its own origin.
 *
 * The context of a shingle: two bits of the hash of each of the four tokens
 * before it (low byte, the nearest in the lowest bits) and behind it (high
 * byte). When a later document holds the shingle, comparing its own context
 * with the stored one tells how far the copy reaches to either side, token by
 * token: a difference is the end of the copy for certain, and four agreements
 * are an accident once in 256 times. */

#include "lib/select/select.h"

static void note_order(struct og_selection *sel)
{
    for (size_t i = 0; i < sel->n; i++) {
        const uint64_t before = i > 0 ? sel->print[i - 1] >> 56 : 0;
        const uint64_t after = i + 1 < sel->n ? sel->print[i + 1] >> 56 : 0;
        sel->offset[i] = (uint8_t)i;
        sel->near[i] = (uint16_t)(before | after << 8);
    }
}

/* Two bits of a hash that neither its order nor its divisors use much. */
static unsigned token_bits(uint64_t hash)
{
    return hash >> 20 & 3;
}

static uint16_t context_of(const struct og_tokens *tokens, size_t begin,
                           size_t end)
{
    unsigned near = 0;
    for (unsigned j = 0; j < OG_CONTEXT_TOKENS; j++) {
        if (begin > j) near |= token_bits(tokens->hash[begin - 1 - j]) << 2 * j;
        if (end + j < tokens->n)
            near |= token_bits(tokens->hash[end + j]) << (8 + 2 * j);
    }
    return (uint16_t)near;
}

static void note_context(struct og_selection *sel,
                         const struct og_tokens *tokens)
{
    for (size_t i = 0; i < sel->n; i++) {
        const uint32_t begin = sel->pos[i];
        sel->offset[i] = (uint16_t)begin;
        sel->near[i] = context_of(tokens, begin, begin + sel->len[i]);
    }
}

void og_selection_note(struct og_selection *sel, const struct og_tokens *tokens,
                       og_note_kind kind)
{
    switch (kind) {
    case OG_NOTE_NONE: break;
    case OG_NOTE_ORDER: note_order(sel); break;
    case OG_NOTE_CONTEXT: note_context(sel, tokens); break;
    }
}
