/* The book's own min-hash forms, which spend few random bits.
 *
 *     byte    (3.2)  a byte for each feature and sample, 64 bits for ties
 *     zeros   (4.1)  the run of zeros before the first one bit: two bits
 *     biased  (4.2)  a lead bit that is 0 once in 128: a feature tells by a
 *                    few bits for which of 128 samples it competes at all
 *
 * Bits are counted as they are consumed. On current processors this saves no
 * time: a multiplication gives 32 bits for less than a branch costs. The
 * methods serve as a yardstick, and for expensive sources of bits. */

#include <assert.h>

#include "lib/sketch/lazy_bits.h"

/* ---- 3.2: one byte, ties deferred ---- */

/* A bijection of the feature for every sample, so tails never tie. */
static uint64_t tail_of(uint64_t hash, size_t sample)
{
    return og_mix64(hash + 0xd1342543de82ef95u * (sample + 1));
}

static void settle_tails(struct og_minhash *m, struct og_contest *c,
                         size_t sample)
{
    uint64_t best = tail_of(c->rival[0], sample);
    for (uint32_t i = 1; i < c->n; i++) {
        const uint64_t tail = tail_of(c->rival[i], sample);
        if (tail >= best) continue;
        best = tail;
        c->rival[0] = c->rival[i];
    }
    m->n_bits_used += 64 * (uint64_t)c->n;
    c->n = 1;
}

void og_minhash_byte(struct og_minhash *m, const uint64_t *x, size_t n,
                     uint32_t *out)
{
    const size_t n_samples = m->options.n_samples;
    og_contest_clear(m);
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = og_family_hash(&m->family, x[i]);
        uint64_t state = hash, prefixes = 0;
        for (size_t s = 0; s < n_samples; s++, prefixes >>= 8) {
            if (s % 8 == 0) prefixes = og_random_next(&state);
            const uint32_t rank = 255 - (uint32_t)(prefixes & 255);
            og_contest_enter(m, s, rank, hash, settle_tails);
        }
    }
    m->n_bits_used += 8 * (uint64_t)n * n_samples;
    og_contest_finish(m, settle_tails, out);
}

/* ---- 4.1: leading zeros ---- */

void og_minhash_zeros(struct og_minhash *m, const uint64_t *x, size_t n,
                      uint32_t *out)
{
    og_contest_clear(m);
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = og_family_hash(&m->family, x[i]);
        struct og_bit_stream stream = og_bits_start(hash);
        for (size_t s = 0; s < m->options.n_samples; s++)
            og_contest_enter(m, s, og_bits_run(&stream), hash,
                             og_contest_settle_runs);
        m->n_bits_used += stream.n_used;
    }
    og_contest_finish(m, og_contest_settle_runs, out);
}

/* ---- 4.2: biased lead bits ---- */

#define BLOCK 128

/* The probability that the next k lead bits contain a zero, 1 - e^(-k / 128),
 * as a binary fraction: a lead bit is a one with probability e^(-1/128), as the
 * book proposes to make its counting exact. Computed by multiplication alone,
 * hence equal on every machine. */
static void fill_thresholds(uint64_t threshold[BLOCK + 1])
{
    const double one = 0.9922179382602435; /* e^(-1/128) */
    double none = 1;
    for (int k = 0; k <= BLOCK; k++, none *= one)
        threshold[k] = (uint64_t)((1 - none) * 0x1p53) << 11;
}

static unsigned n_equal_bits(uint64_t a, uint64_t b)
{
    return a == b ? 63 : (unsigned)__builtin_clzll(a ^ b);
}

/* The number of ones among the lead bits before the next zero, `n` if there is
 * none in the next n. The fraction is read only as far as needed to tell
 * between which two thresholds it lies. */
static unsigned next_zero(struct og_bit_stream *stream,
                          const uint64_t threshold[BLOCK + 1], unsigned n)
{
    const uint64_t fraction = og_bits_peek(stream);
    unsigned low = 0, high = n; /* threshold[low] <= fraction */
    if (fraction >= threshold[n]) {
        og_bits_skip(stream, n_equal_bits(fraction, threshold[n]) + 1);
        return n;
    }
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (fraction >= threshold[middle])
            low = middle;
        else
            high = middle;
    }
    unsigned n_bits = n_equal_bits(fraction, threshold[high]);
    if (low > 0 && n_equal_bits(fraction, threshold[low]) > n_bits)
        n_bits = n_equal_bits(fraction, threshold[low]);
    og_bits_skip(stream, n_bits + 1);
    return low;
}

/* Every zero lead bit of a feature is followed by a run, as in 4.1. */
static void enter_block(struct og_minhash *m,
                        const uint64_t threshold[BLOCK + 1],
                        struct og_bit_stream *stream, uint64_t hash,
                        size_t begin, size_t end)
{
    size_t s = begin;
    while (s < end) {
        s += next_zero(stream, threshold, (unsigned)(end - s));
        if (s >= end) break;
        og_contest_enter(m, s, 1 + og_bits_run(stream), hash,
                         og_contest_settle_runs);
        s++;
    }
}

/* A sample for which no feature had a zero: all of them continue after their
 * ones. */
static void patch_up(struct og_minhash *m, const uint64_t *x, size_t n,
                     size_t sample)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = og_family_hash(&m->family, x[i]);
        struct og_bit_stream tail = og_bits_tail(hash, sample);
        const uint32_t run = og_bits_run(&tail);
        m->n_bits_used += tail.n_used;
        og_contest_enter(m, sample, run, hash, og_contest_settle_runs);
    }
}

void og_minhash_biased(struct og_minhash *m, const uint64_t *x, size_t n,
                       uint32_t *out)
{
    const size_t n_samples = m->options.n_samples;
    uint64_t threshold[BLOCK + 1];
    fill_thresholds(threshold);
    og_contest_clear(m);
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = og_family_hash(&m->family, x[i]);
        struct og_bit_stream stream = og_bits_start(hash);
        for (size_t s = 0; s < n_samples; s += BLOCK)
            enter_block(m, threshold, &stream, hash, s,
                        s + BLOCK < n_samples ? s + BLOCK : n_samples);
        m->n_bits_used += stream.n_used;
    }
    for (size_t s = 0; s < n_samples; s++)
        if (m->contest[s].n == 0) patch_up(m, x, n, s);
    og_contest_finish(m, og_contest_settle_runs, out);
}
