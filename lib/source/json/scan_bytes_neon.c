/* The loops of scan_bytes.c with NEON: from special byte to special byte, like
 * the AVX2 form. */

#include "lib/base/neon.h"
#include "lib/source/json/scan_bytes.h"

#if defined(OG_NEON)

/* Four bits a byte (og_neon_nibbles). */
static inline uint64_t special_nibbles(uint8x16_t v)
{
    const uint8x16_t quote = vceqq_u8(v, vdupq_n_u8('"'));
    const uint8x16_t backslash = vceqq_u8(v, vdupq_n_u8('\\'));
    const uint8x16_t control = vcltq_u8(v, vdupq_n_u8(0x20));
    return og_neon_nibbles(vorrq_u8(control, vorrq_u8(quote, backslash)));
}

static const struct og_scan_kernels *plain(void)
{
    return og_scan_kernels_of(OG_CPU_PLAIN);
}

static const char *find_special_neon(const char *p, const char *end)
{
    for (; end - p >= 16; p += 16) {
        const uint64_t special = special_nibbles(og_neon_load(p));
        if (special != 0) return p + __builtin_ctzll(special) / 4;
    }
    return plain()->find_special(p, end);
}

static const char *unescape_neon(const char *p, const char *end, char **dest)
{
    char *out = *dest;
    while (end - p >= 16) {
        const uint8x16_t v = og_neon_load(p);
        const uint64_t special = special_nibbles(v);
        const int n = special == 0 ? 16 : __builtin_ctzll(special) / 4;
        vst1q_u8((uint8_t *)out, v);
        p += n;
        out += n;
        if (n == 16) continue;
        if (!og_scan_resolve(p, end, out)) {
            *dest = out;
            return p;
        }
        p += 2;
        out++;
    }
    *dest = out;
    return plain()->unescape(p, end, dest);
}

/* Sixteen counters of 8 bits hold 255 steps. */
static size_t count_newlines_neon(const char *p, const char *end)
{
    enum { MOST = 255 };
    size_t n = 0;
    while (end - p >= 16) {
        uint8x16_t counters = vdupq_n_u8(0);
        for (int i = 0; i < MOST && end - p >= 16; i++, p += 16)
            counters =
                vsubq_u8(counters, vceqq_u8(og_neon_load(p), vdupq_n_u8('\n')));
        n += vaddlvq_u8(counters);
    }
    return n + plain()->count_newlines(p, end);
}

const struct og_scan_kernels og_scan_kernels_neon = {
    find_special_neon,
    unescape_neon,
    count_newlines_neon,
};

#endif
