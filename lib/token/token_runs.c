/* Words, characters and bases: tokens that are runs of bytes of a kind.
 *
 * The text is taken in chunks that stay in the first-level cache. Of each, the
 * kernels (byte_masks.h) tell which bytes are ASCII word bytes. Characters
 * beyond ASCII are then looked up one by one and drawn into the same masks:
 *
 *     text    t h e   ไ ท ย   x .     (each Thai character: 3 bytes)
 *     member  1 1 1 0 1 1 1 ... 1 0   belongs to a token
 *     split   0 0 0 0 1 1 1 ... 1 0   starts a token even after a member
 *
 * from which starts and ends fall out for 64 bytes at a time:
 *
 *     starts = member & (~before | split)         before = member << 1
 *     ends   = before & (~member | split)
 *
 * So a text of ASCII with a few curly quotes pays for the quotes only. The
 * hashes of a chunk's tokens are computed while its bytes are still near. */

#include "lib/token/tokenise.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/text/utf8.h"
#include "lib/token/byte_masks.h"
#include "lib/token/token_hash.h"

#define CHUNK_BLOCKS 64
#define CHUNK_BYTES  (CHUNK_BLOCKS * OG_MASK_BLOCK)

/* More than a chunk can yield, and what the kernels may write beyond. */
#define CHUNK_TOKENS (CHUNK_BYTES + 1 + OG_MASK_POSITIONS_SLACK)

struct chunk {
    const char *data;
    size_t begin, len, n_blocks; /* begin: in the text */
    /* One word more than blocks: a character may end behind the last. */
    uint64_t member[CHUNK_BLOCKS + 1];
    uint64_t split[CHUNK_BLOCKS + 1];
    uint64_t high[CHUNK_BLOCKS + 1];
};

/* What one chunk leaves to the next. */
struct runs {
    const struct og_mask_kernels *kernels;
    bool by_character;
    uint64_t in_token; /* 1: the last byte was a member */
    bool after_alone;  /* ... and belongs to a character that stands alone */
    size_t n_begins, n_ends;
};

static uint64_t bits_below(size_t n)
{
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/* A chunk ends where a character ends. */
static size_t chunk_len(const struct og_text *text, size_t begin)
{
    size_t len = text->len - begin;
    if (len <= CHUNK_BYTES) return len;
    len = CHUNK_BYTES;
    while (og_utf8_is_tail((unsigned char)text->data[begin + len]))
        len--;
    return len;
}

static void set_chunk(struct chunk *c, const struct og_text *text, size_t begin)
{
    c->begin = begin;
    c->data = text->data + begin;
    c->len = chunk_len(text, begin);
    c->n_blocks = (c->len + OG_MASK_BLOCK - 1) / OG_MASK_BLOCK;
}

/* What the kernels saw behind the end of the chunk belongs to the next. */
static void cut_masks(struct chunk *c)
{
    const size_t last = c->n_blocks - 1;
    const uint64_t inside = bits_below(c->len - last * OG_MASK_BLOCK);
    c->member[last] &= inside;
    c->high[last] &= inside;
    c->member[c->n_blocks] = 0;
}

/* ---- characters beyond ASCII --------------------------------------------- */

static inline void set_bits(uint64_t *masks, size_t at, uint64_t run)
{
    const size_t shift = at % 64;
    masks[at / 64] |= run << shift;
    masks[at / 64 + 1] |= run >> 1 >> (63 - shift);
}

/* Draws the character at `at` into the masks. `*alone_end` is where the last
 * character that stands alone ended, with its marks: what comes there starts
 * a token, unless it is one more mark. No branches on the class: in Thai, no
 * predictor guesses it. */
static inline size_t draw_character(struct chunk *c, size_t at,
                                    bool by_character, size_t *alone_end)
{
    const struct og_utf8 u =
        og_utf8_decode_valid((const unsigned char *)c->data + at);
    const enum og_char_class class = og_char_class_of(u.code_point);
    const uint64_t is_member = class != OG_CHAR_OTHER;
    const uint64_t is_mark = class == OG_CHAR_MARK;
    const uint64_t is_alone =
        (class == OG_CHAR_ALONE) | ((class == OG_CHAR_WORD) & by_character);
    const uint64_t goes_on = is_mark & (at == *alone_end);
    const size_t end = at + u.len;
    set_bits(c->member, at, (-is_member) & bits_below(u.len));
    c->split[at / 64] |= is_alone << at % 64;
    c->split[at / 64] &= ~(goes_on << at % 64);
    c->split[end / 64] |= (is_alone | goes_on) << end % 64;
    if (is_alone | goes_on) *alone_end = end;
    return end;
}

static void draw_characters(struct chunk *c, struct runs *runs)
{
    size_t alone_end = runs->after_alone ? 0 : SIZE_MAX;
    size_t done = 0; /* a character may reach into the next block */
    for (size_t b = 0; b < c->n_blocks; b++) {
        const size_t base = b * OG_MASK_BLOCK;
        uint64_t left = c->high[b];
        if (done > base) left &= ~bits_below(done - base);
        while (left != 0) {
            const size_t at = base + (size_t)__builtin_ctzll(left);
            done = draw_character(c, at, runs->by_character, &alone_end);
            left &= ~bits_below(done - base);
        }
    }
    runs->after_alone = alone_end == c->len;
}

/* ---- masks to tokens ----------------------------------------------------- */

/* Turns member and split into starts and ends, in place. */
static void find_edges(struct chunk *c, struct runs *runs)
{
    uint64_t carry = runs->in_token;
    for (size_t b = 0; b < c->n_blocks; b++) {
        const uint64_t member = c->member[b];
        const uint64_t before = member << 1 | carry;
        const uint64_t split = c->split[b] & member;
        c->member[b] = member & (~before | split);
        c->split[b] = before & (~member | split);
        carry = member >> 63;
        if (b == c->n_blocks - 1) { /* a token may go on in the next chunk */
            const size_t len = c->len - b * OG_MASK_BLOCK;
            carry = member >> (len - 1) & 1;
            c->split[b] &= bits_below(len);
        }
    }
    runs->in_token = carry;
}

static void cut_chunk(struct chunk *c, struct runs *runs,
                      struct og_tokens *tokens)
{
    const struct og_mask_kernels *kernels = runs->kernels;
    kernels->words(c->data, c->n_blocks, c->member, c->high);
    cut_masks(c);
    const size_t split_len = (c->n_blocks + 1) * sizeof(uint64_t);
    if (runs->by_character)
        memcpy(c->split, c->member, split_len);
    else
        memset(c->split, 0, split_len);
    c->split[0] |= runs->after_alone;
    draw_characters(c, runs);
    find_edges(c, runs);
    const uint32_t base = (uint32_t)c->begin;
    runs->n_begins += kernels->positions(c->member, c->n_blocks, base,
                                         tokens->begin + runs->n_begins);
    runs->n_ends += kernels->positions(c->split, c->n_blocks, base,
                                       tokens->end + runs->n_ends);
}

/* Every base is a token of one byte. */
static void cut_chunk_bases(struct chunk *c, struct runs *runs,
                            struct og_tokens *tokens)
{
    const struct og_mask_kernels *kernels = runs->kernels;
    kernels->bases(c->data, c->n_blocks, c->member, c->high);
    cut_masks(c);
    const uint32_t base = (uint32_t)c->begin;
    const size_t n = runs->n_begins;
    runs->n_begins +=
        kernels->positions(c->member, c->n_blocks, base, tokens->begin + n);
    runs->n_ends +=
        kernels->positions(c->member, c->n_blocks, base + 1, tokens->end + n);
}

og_status og_tokenise_runs(const struct og_text *text, og_token_kind kind,
                           uint64_t key, struct og_tokens *tokens,
                           og_error *err)
{
    og_token_hash_fn *const hash_many = og_token_hash_choose();
    struct runs runs = {.kernels = og_mask_kernels_choose(),
                        .by_character = kind == OG_TOKEN_CHARS};
    struct chunk chunk;
    for (size_t at = 0; at < text->len; at += chunk.len) {
        TRY(og_tokens_reserve(tokens, runs.n_begins + CHUNK_TOKENS, err));
        set_chunk(&chunk, text, at);
        if (kind == OG_TOKEN_DNA)
            cut_chunk_bases(&chunk, &runs, tokens);
        else
            cut_chunk(&chunk, &runs, tokens);
        if (at + chunk.len == text->len && runs.in_token)
            tokens->end[runs.n_ends++] = (uint32_t)text->len;
        hash_many(text->data, tokens->begin + tokens->n,
                  tokens->end + tokens->n, runs.n_ends - tokens->n, key,
                  tokens->hash + tokens->n);
        tokens->n = runs.n_ends;
    }
    return OG_OK;
}
