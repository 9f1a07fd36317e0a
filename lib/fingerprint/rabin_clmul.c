/* Bytes to a fingerprint, 32 at a step: four words are multiplied by their
 * powers of x at once and reduced together, so the long chain of dependent
 * steps is one reduction for every 32 bytes. */

#include "lib/fingerprint/clmul.h"

#if defined(OG_TARGET_CLMUL)

OG_TARGET_CLMUL uint64_t og_rabin_extend_clmul(const struct og_rabin *rabin,
                                               uint64_t fp, const void *data,
                                               size_t len)
{
    const uint8_t *bytes = data;
    if (len >= 32) {
        /* power[i] is x^(8 * 2^i); one x less, as clmul.h requires. */
        const struct og_field *field = &rabin->field;
        const uint64_t x63 = 1;
        const uint64_t x127 = og_field_mul(field, x63, rabin->empty);
        const uint64_t x191 = og_field_mul(field, x127, rabin->empty);
        const uint64_t x255 = og_field_mul(field, x191, rabin->empty);
        for (; len >= 32; bytes += 32, len -= 32) {
            og_wide sum = og_clmul(fp ^ og_load64(bytes), x255);
            sum = og_wide_add(sum, og_clmul(og_load64(bytes + 8), x191));
            sum = og_wide_add(sum, og_clmul(og_load64(bytes + 16), x127));
            sum = og_wide_add(sum, og_clmul(og_load64(bytes + 24), x63));
            fp = og_clmul_reduce(rabin, sum);
        }
    }
    return og_rabin_extend_tables(rabin, fp, bytes, len);
}

#endif
