/* What the table keeps beside a fingerprint, so that the estimation can infer
 * more than its own origin.
 *
 * The context of a shingle: two bits of the hash of each of the four tokens
 * before it (low byte, the nearest in the lowest bits) and after it (high
 * byte). When a later document contains the shingle, comparing its own context
 * with the stored one shows how far the copy reaches to either side, token by
 * token: a difference is the end of the copy for certain, and four agreements
 * are an accident once in 256 times. */

#include "lib/os/cpu.h"
#include "lib/select/select.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

static void note_order(struct og_selection *sel)
{
    for (size_t i = 0; i < sel->n; i++) {
        const uint64_t before = i > 0 ? sel->fp[i - 1] >> 56 : 0;
        const uint64_t after = i + 1 < sel->n ? sel->fp[i + 1] >> 56 : 0;
        sel->offset[i] = (uint8_t)i;
        sel->near[i] = (uint16_t)(before | after << 8);
    }
}

/* Two bits of a hash that neither its order nor its divisors use much. */
#define CONTEXT_SHIFT 20

static unsigned token_bits(uint64_t hash)
{
    return hash >> CONTEXT_SHIFT & 3;
}

/* The definition, and the form for the ends of a document. */
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

#if defined(OG_X86)
/* Four bits to every second place of a byte, in order and turned round. */
static const uint8_t spread[16] = {0x00, 0x01, 0x04, 0x05, 0x10, 0x11,
                                   0x14, 0x15, 0x40, 0x41, 0x44, 0x45,
                                   0x50, 0x51, 0x54, 0x55};
static const uint8_t spread_back[16] = {0x00, 0x40, 0x10, 0x50, 0x04, 0x44,
                                        0x14, 0x54, 0x01, 0x41, 0x11, 0x51,
                                        0x05, 0x45, 0x15, 0x55};

/* One bit of each of four hashes. */
OG_TARGET_AVX2 static inline unsigned pick_bit(__m256i hashes, int bit)
{
    return (unsigned)_mm256_movemask_pd(
        _mm256_castsi256_pd(_mm256_slli_epi64(hashes, 63 - bit)));
}

/* Four tokens must precede `begin` and follow `end`. */
OG_TARGET_AVX2 static inline uint16_t context_inside(const uint64_t *hash,
                                                     size_t begin, size_t end)
{
    const __m256i before =
        _mm256_loadu_si256((const __m256i *)(hash + begin - 4));
    const __m256i after = _mm256_loadu_si256((const __m256i *)(hash + end));
    return (uint16_t)(spread_back[pick_bit(before, CONTEXT_SHIFT)] |
                      spread_back[pick_bit(before, CONTEXT_SHIFT + 1)] << 1 |
                      spread[pick_bit(after, CONTEXT_SHIFT)] << 8 |
                      spread[pick_bit(after, CONTEXT_SHIFT + 1)] << 9);
}

OG_TARGET_AVX2 static void note_context_avx2(struct og_selection *sel,
                                             const struct og_tokens *tokens)
{
    for (size_t i = 0; i < sel->n; i++) {
        const size_t begin = sel->pos[i];
        const size_t end = begin + sel->len[i];
        sel->offset[i] = (uint16_t)begin;
        sel->near[i] = begin >= 4 && end + 4 <= tokens->n
                           ? context_inside(tokens->hash, begin, end)
                           : context_of(tokens, begin, end);
    }
}
#endif

static void note_context(struct og_selection *sel,
                         const struct og_tokens *tokens)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX2) {
        note_context_avx2(sel, tokens);
        return;
    }
#endif
    for (size_t i = 0; i < sel->n; i++) {
        const uint32_t begin = sel->pos[i];
        sel->offset[i] = (uint16_t)begin;
        sel->near[i] = context_of(tokens, begin, begin + sel->len[i]);
    }
}

void og_selection_add_context(struct og_selection *sel,
                              const struct og_tokens *tokens,
                              og_context_kind kind)
{
    switch (kind) {
    case OG_CONTEXT_NONE: break;
    case OG_CONTEXT_ORDER: note_order(sel); break;
    case OG_CONTEXT_BITS: note_context(sel, tokens); break;
    }
}
