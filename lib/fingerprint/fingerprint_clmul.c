/* Shingle fingerprints as carry-less dot products, on every machine that has
 * such products: clmul.h explains the arithmetic and has what differs. */

#include "lib/fingerprint/clmul.h"
#include "lib/fingerprint/fingerprint.h"

#if defined(OG_X86) || defined(OG_NEON)

OG_TARGET_CLMUL static void print_each(const uint64_t *hash, size_t n,
                                       const struct og_shingle_factors *key,
                                       uint64_t *out)
{
    const struct og_reducer reducer = og_reducer_of(key->rabin);
    const og_word lead = og_word_of(key->lead);
    for (size_t i = 0; i < n; i++) {
        og_wide sum = og_wide_of(og_word_of(0));
        for (uint32_t j = 0; j < key->shingle_len; j++)
            sum = og_wide_add(sum,
                              og_word_product(og_word_load(hash + i + j),
                                              og_word_load(key->factor + j)));
        og_word_store(out + i, og_word_add(og_reduce(&reducer, sum), lead));
    }
}

/* Sliding takes three products where the dot product takes ten, but each
 * fingerprint waits for the one before it. So a document is cut into LANES
 * parts that slide side by side; there are registers for eight. */
#define LANES 8
/* Below this the first fingerprint of each part costs more than sliding saves.
 */
#define WORTH_SLIDING (LANES * 8)

struct slider {
    struct og_reducer reducer;
    og_word leave, turn;
};

/* The next fingerprint: what leaves times its power, plus the rest and what
 * comes times x^64, which is in the low word as it is (clmul.h); reduced. */
OG_TARGET_CLMUL static inline og_word slide(const struct slider *s, og_word fp,
                                            og_word leaves, og_word comes)
{
    const og_wide gone = og_word_product(leaves, s->leave);
    const og_wide rest = og_wide_of(og_word_add(fp, comes));
    return og_word_add(og_reduce(&s->reducer, og_wide_add(gone, rest)),
                       s->turn);
}

OG_TARGET_CLMUL static void slide_lanes(const uint64_t *hash, size_t part,
                                        const struct og_shingle_factors *key,
                                        uint64_t *out)
{
    const struct slider s = {.reducer = og_reducer_of(key->rabin),
                             .leave = og_word_of(key->leave),
                             .turn = og_word_of(key->turn)};
    const size_t ahead = key->shingle_len - 1;
    og_word fp[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        print_each(hash + lane * part, 1, key, out + lane * part);
        fp[lane] = og_word_load(out + lane * part);
    }
    for (size_t i = 1; i < part; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            const uint64_t *word = hash + lane * part + i;
            fp[lane] = slide(&s, fp[lane], og_word_load(word - 1),
                             og_word_load(word + ahead));
            og_word_store(out + lane * part + i, fp[lane]);
        }
}

OG_TARGET_CLMUL void og_fingerprint_clmul(const uint64_t *hash, size_t n,
                                          const struct og_shingle_factors *key,
                                          uint64_t *out)
{
    const size_t part = n >= WORTH_SLIDING ? n / LANES : 0;
    const size_t done = part * LANES;
    if (part > 0) slide_lanes(hash, part, key, out);
    print_each(hash + done, n - done, key, out + done);
}

#endif
