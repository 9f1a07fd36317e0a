/* Hash breaking and DCT: the text is cut into segments after tokens whose
 * hash the divisor p divides, and each segment gets one fingerprint.
 *
 * The revised rule of Seo and Croft does without segments shorter than p. The
 * shares of the paper's Table 3 (20 % for p = 3, 8 % for p = 8) are those of
 * ignoring the *cut* that would make a short segment, so that it grows into
 * the next one: 1 / (2 p - 1) and a little for the ends of documents. Leaving
 * the short segments themselves out gives 1/p (1 - 1/p)^(p-1), 15 % and 5 %.
 * We do the former: no text goes unseen.
 *
 * Hash breaking fingerprints the tokens of a segment exactly. DCT reads their
 * hashes as a signal, takes the first coefficients of its discrete cosine
 * transform and rounds them coarsely, so that a segment with a small change may
 * keep its fingerprint. All arithmetic is IEEE double without contraction, with
 * a cosine of our own: the same fingerprints on every machine. */

#include "lib/select/rules.h"

#include <math.h>

static void add_segment(struct og_selection *sel, size_t begin, size_t end,
                        uint64_t fp)
{
    sel->pos[sel->n] = (uint32_t)begin;
    sel->len[sel->n] = (uint32_t)(end - begin);
    sel->fp[sel->n] = fp;
    sel->n++;
}

/* After the next cut from `begin` on; n at the end of the text. */
static size_t segment_end(const struct og_tokens *tokens, size_t begin,
                          uint32_t divisor)
{
    size_t end = begin;
    while (end < tokens->n) {
        const bool cut = tokens->hash[end] % divisor == 0;
        end++;
        if (cut && end - begin >= divisor) break;
    }
    return end;
}

void og_select_hash_break(const struct og_tokens *tokens,
                          const struct og_rabin *rabin, uint32_t divisor,
                          struct og_selection *sel)
{
    size_t end;
    for (size_t begin = 0; begin < tokens->n; begin = end) {
        end = segment_end(tokens, begin, divisor);
        if (end - begin >= divisor)
            add_segment(
                sel, begin, end,
                og_rabin_words(rabin, tokens->hash + begin, end - begin));
    }
}

/* cos(pi t) for t in 0 .. 1 by its Taylor polynomial around 1/2, where it is
 * odd; off by less than 1e-9, and the same everywhere. */
static double cos_pi(double t)
{
    const double pi = 3.14159265358979323846;
    const double x = (0.5 - t) * pi;
    const double y = x * x;
    return x *
           (1 -
            y / 6 *
                (1 -
                 y / 20 *
                     (1 -
                      y / 42 * (1 - y / 72 * (1 - y / 110 * (1 - y / 156))))));
}

/* cos(pi a / b) for any a >= 0: folds the angle into 0 .. pi. */
static double cos_pi_ratio(uint64_t a, uint64_t b)
{
    const uint64_t turn = a % (2 * b);
    return cos_pi((double)(turn <= b ? turn : 2 * b - turn) / (double)b);
}

/* Eight coefficients of eight bits. Hashes are spread over -1 .. 1; divided by
 * sqrt(n) each coefficient has a variance near 1/3 whatever the length, and a
 * step of 1/4 leaves about a dozen likely values to each. */
#define DCT_COEFFICIENTS 8
#define DCT_STEP         0.25
/* Longer segments are rare and cost n times 8: the tail is left to the last
 * coefficient's rounding. */
#define DCT_LONGEST 256

static uint64_t dct_fp(const uint64_t *hash, size_t n)
{
    if (n > DCT_LONGEST) n = DCT_LONGEST;
    uint64_t fp = 0;
    for (uint64_t u = 0; u < DCT_COEFFICIENTS; u++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            const double signal =
                (double)(int32_t)(hash[i] >> 32) / 2147483648.0;
            sum += signal * cos_pi_ratio((2 * i + 1) * u, 2 * n);
        }
        const double scaled = sum / sqrt((double)n) / DCT_STEP;
        const int level = (int)floor(scaled + 0.5);
        fp = fp << 8 | (uint8_t)level;
    }
    return og_mix64(fp);
}

void og_select_dct(const struct og_tokens *tokens, uint32_t divisor,
                   struct og_selection *sel)
{
    size_t end;
    for (size_t begin = 0; begin < tokens->n; begin = end) {
        end = segment_end(tokens, begin, divisor);
        if (end - begin >= divisor)
            add_segment(sel, begin, end,
                        dct_fp(tokens->hash + begin, end - begin));
    }
}
