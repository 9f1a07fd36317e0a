/* Words, characters and bases: tokens that are runs of bytes of one kind.
 *
 * The text is processed in blocks of 64 bytes, with masks (byte_masks.h) of
 * ASCII word bytes and of bytes that begin or continue other characters. Those
 * others are looked up one by one, which yields a bit per class at their first
 * bytes; everything else is done for the 64 bytes at once. Bits are spread from
 * first bytes over the tail bytes, and then
 *
 *     text    t h e   ไ ท ย   x .     (each Thai character: 3 bytes)
 *     member  1 1 1 0 1 1 1 ... 1 0   belongs to a token
 *     split   0 0 0 0 1 1 1 ... 1 0   starts a token even after a member
 *
 *     starts = member & (~before | split)         before = member << 1
 *     ends   = before & (~member | split)
 *
 * So a text of ASCII with a few curly quotes pays for the quotes only, and
 * there is no branch on the kind of a character, which in Thai would be
 * unpredictable. Chunks of blocks keep the work in the first-level cache; the
 * hashes of a chunk's tokens are computed while its bytes are still near. */

#include "lib/token/tokenise.h"

#include "lib/base/bits.h"
#include "lib/base/stopping.h"
#include "lib/text/char_class.h"
#include "lib/text/utf8.h"
#include "lib/token/byte_masks.h"
#include "lib/token/token_hash.h"

#define CHUNK_BLOCKS 64
#define CHUNK_BYTES  (CHUNK_BLOCKS * OG_MASK_BLOCK)

/* More than a chunk can yield, and what the kernels may write beyond. */
/* Between two looks whether to continue: some milliseconds. */
#define STOP_BYTES   (1024 * CHUNK_BYTES)
#define CHUNK_TOKENS (CHUNK_BYTES + 1 + OG_MASK_POSITIONS_SLACK)

/* What one block leaves to the next: 1 when its last byte belongs to ... */
struct carry {
    uint64_t member; /* a token */
    uint64_t mark;   /* a mark */
    uint64_t alone;  /* a character that stands alone, or one of its marks */
};

struct edges {
    uint64_t starts, ends;
};

/* ---- characters beyond ASCII ---- */

/* The classes of the characters of a block, at their first bytes. */
struct classes {
    uint64_t word, alone, mark;
};

static struct classes look_up(const char *data, uint64_t lead)
{
    _Static_assert(OG_CHAR_WORD == 1 && OG_CHAR_ALONE == 2 && OG_CHAR_MARK == 3,
                   "two bits that are taken apart");
    uint64_t low = 0, high = 0;
    for (; lead != 0; lead &= lead - 1) {
        const unsigned at = (unsigned)__builtin_ctzll(lead);
        const struct og_utf8 u =
            og_utf8_decode_valid((const unsigned char *)data + at);
        const uint64_t class = og_char_class_find(u.code_point);
        low |= (class & 1) << at;
        high |= (class >> 1) << at;
    }
    return (struct classes){low & ~high, high & ~low, low & high};
}

/* From first bytes over their tails, at most three. `carry` is 1 when the
 * tails at the start of the block belong as well. */
static inline uint64_t spread(uint64_t bits, uint64_t tail, uint64_t carry)
{
    bits |= carry & tail;
    bits |= bits << 1 & tail;
    bits |= bits << 1 & tail;
    return bits | (bits << 1 & tail);
}

/* The runs of `ground` that begin right after a bit of `seeds`, whole: adding
 * a run's first bit to it turns all of it to zeros. */
static inline uint64_t flood(uint64_t ground, uint64_t after_seeds)
{
    const uint64_t first = ground & ~(ground << 1) & after_seeds;
    return ground & ~(ground + first);
}

static struct edges cut_by_class(struct classes at, uint64_t tail,
                                 struct carry *carry)
{
    const uint64_t member =
        spread(at.word | at.alone | at.mark, tail, carry->member);
    const uint64_t mark = spread(at.mark, tail, carry->mark);
    uint64_t alone = spread(at.alone, tail, carry->alone);
    alone |= flood(mark, alone << 1 | carry->alone);
    const uint64_t after_alone = alone << 1 | carry->alone;
    const uint64_t split = at.alone | (after_alone & member & ~mark & ~tail);
    const uint64_t before = member << 1 | carry->member;
    *carry = (struct carry){member >> 63, mark >> 63, alone >> 63};
    return (struct edges){member & (~before | split),
                          before & (~member | split)};
}

/* ---- blocks ---- */

static inline struct edges cut_block(const char *data, struct og_masks masks,
                                     bool by_character, struct carry *carry)
{
    if (OG_LIKELY((masks.lead | masks.tail | carry->alone) == 0 &&
                  !by_character)) {
        const uint64_t before = masks.member << 1 | carry->member;
        *carry = (struct carry){.member = masks.member >> 63};
        return (struct edges){masks.member & ~before, before & ~masks.member};
    }
    struct classes at = look_up(data, masks.lead);
    at.word |= masks.member;
    if (by_character) {
        at.alone |= at.word;
        at.word = 0;
    }
    return cut_by_class(at, masks.tail, carry);
}

/* The tokeniser's place in its work. */
struct runs {
    const struct og_mask_kernels *kernels;
    og_token_kind kind;
    struct carry carry;
    size_t n_begins, n_ends; /* written to tokens->begin, ->end */
};

static void cut_words(struct runs *runs, const char *data, size_t n_blocks,
                      uint32_t base, struct og_tokens *tokens)
{
    struct og_masks masks[CHUNK_BLOCKS];
    uint64_t starts[CHUNK_BLOCKS], ends[CHUNK_BLOCKS];
    const bool by_character = runs->kind == OG_TOKEN_CHARS;
    runs->kernels->words(data, n_blocks, masks);
    for (size_t b = 0; b < n_blocks; b++) {
        const struct edges e = cut_block(data + b * OG_MASK_BLOCK, masks[b],
                                         by_character, &runs->carry);
        starts[b] = e.starts;
        ends[b] = e.ends;
    }
    runs->n_begins += runs->kernels->positions(starts, n_blocks, base,
                                               tokens->begin + runs->n_begins);
    runs->n_ends += runs->kernels->positions(ends, n_blocks, base,
                                             tokens->end + runs->n_ends);
}

/* Every base is a token of one byte. */
static void cut_bases(struct runs *runs, const char *data, size_t n_blocks,
                      uint32_t base, struct og_tokens *tokens)
{
    uint64_t bases[CHUNK_BLOCKS];
    runs->kernels->bases(data, n_blocks, bases);
    runs->n_begins += runs->kernels->positions(bases, n_blocks, base,
                                               tokens->begin + runs->n_begins);
    runs->n_ends += runs->kernels->positions(bases, n_blocks, base + 1,
                                             tokens->end + runs->n_ends);
}

/* The last block reaches into the padding, whose zeros end a token; only when
 * the text fills it to the last byte, a token may still be open. */
static void cut_chunk(struct runs *runs, const struct og_text *text, size_t at,
                      struct og_tokens *tokens)
{
    const size_t left = text->len - at;
    const size_t len = left < CHUNK_BYTES ? left : CHUNK_BYTES;
    const size_t n_blocks = (len + OG_MASK_BLOCK - 1) / OG_MASK_BLOCK;
    if (runs->kind == OG_TOKEN_DNA)
        cut_bases(runs, text->data + at, n_blocks, (uint32_t)at, tokens);
    else
        cut_words(runs, text->data + at, n_blocks, (uint32_t)at, tokens);
    if (len == left && runs->n_ends < runs->n_begins)
        tokens->end[runs->n_ends++] = (uint32_t)text->len;
}

og_status og_tokenise_runs(const struct og_text *text, og_token_kind kind,
                           uint64_t key, struct og_tokens *tokens,
                           og_error *err)
{
    og_token_hash_fn *const hash_many = og_token_hash_choose();
    struct runs runs = {.kernels = og_mask_kernels_choose(), .kind = kind};
    for (size_t at = 0; at < text->len; at += CHUNK_BYTES) {
        if (at % STOP_BYTES == 0) TRY(og_stop_check(err));
        TRY(og_tokens_reserve(tokens, runs.n_begins + CHUNK_TOKENS, err));
        cut_chunk(&runs, text, at, tokens);
        const size_t n = tokens->n;
        hash_many(text->data, tokens->begin + n, tokens->end + n,
                  runs.n_ends - n, key, tokens->hash + n);
        tokens->n = runs.n_ends;
    }
    return OG_OK;
}
