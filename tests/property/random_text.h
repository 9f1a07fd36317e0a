#ifndef OG_TESTS_RANDOM_TEXT_H
#define OG_TESTS_RANDOM_TEXT_H

/* Random strings that hurt: ASCII runs, marks that sort and compose, Hangul
 * letters, compatibility characters, scripts without spaces, invisible
 * characters, any code point, and bytes that are not UTF-8. Seeded, so that a
 * failure comes back. */

#include "lib/base/bits.h"
#include "lib/text/utf8.h"

struct random_range {
    uint32_t first, n;
};

static const struct random_range random_ranges[] = {
    {0x00a0, 0x60},   /* Latin 1 */
    {0x0100, 0x180},  /* Latin extended */
    {0x0300, 0x70},   /* marks */
    {0x0300, 0x10},   /* the marks that compose most */
    {0x0340, 0x10},   /* marks that decompose */
    {0x0370, 0x90},   /* Greek */
    {0x0400, 0x100},  /* Cyrillic */
    {0x05b0, 0x30},   /* Hebrew points */
    {0x0610, 0x60},   /* Arabic letters and marks */
    {0x0900, 0x80},   /* Devanagari */
    {0x0980, 0x80},   /* Bengali: vowels that compose with class 0 */
    {0x0dc0, 0x40},   /* Sinhala */
    {0x0e00, 0x60},   /* Thai */
    {0x0e80, 0x60},   /* Lao */
    {0x0f40, 0x80},   /* Tibetan */
    {0x1000, 0x60},   /* Myanmar */
    {0x1100, 0x14},   /* Hangul initials */
    {0x1160, 0x18},   /* Hangul vowels */
    {0x11a6, 0x20},   /* Hangul finals */
    {0x1780, 0x60},   /* Khmer */
    {0x1e00, 0x100},  /* Latin with marks */
    {0x1f00, 0x100},  /* Greek with marks */
    {0x2000, 0x70},   /* spaces, invisible characters, signs */
    {0x2100, 0x90},   /* letter-like, fractions */
    {0x2460, 0x40},   /* circled */
    {0x3040, 0xc0},   /* kana and its marks */
    {0x3300, 0x100},  /* squared: fold to many letters */
    {0x4e00, 0x5000}, /* Han */
    {0xac00, 0x2ba4}, /* Hangul syllables */
    {0xf900, 0x200},  /* Han compatibility */
    {0xfb00, 0x50},   /* ligatures, Hebrew presentation */
    {0xfb50, 0x2b0},  /* Arabic presentation, the longest foldings */
    {0xfe00, 0x10},   /* variation selectors */
    {0xff00, 0xf0},   /* full and half width */
    {0x11080, 0x100}, /* Kaithi, Chakma: compose beyond 16 bits */
    {0x1d150, 0x20},  /* musical symbols that decompose */
    {0x1d400, 0x400}, /* mathematical letters */
    {0x20000, 0x400}, /* Han extension B */
    {0xe0100, 0xf0},  /* variation selectors supplement */
    {0x0080, 0x10ff80},
};

static inline uint32_t random_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)og_mul_high(og_random_next(seed), n);
}

static inline uint32_t random_code_point(uint64_t *seed)
{
    const size_t n_ranges = sizeof(random_ranges) / sizeof(random_ranges[0]);
    const struct random_range r =
        random_ranges[random_below(seed, (uint32_t)n_ranges)];
    const uint32_t c = r.first + random_below(seed, r.n);
    return c >= 0xd800 && c < 0xe000 ? 0x0301 : c;
}

static inline size_t random_ascii(uint64_t *seed, char *out, size_t cap)
{
    static const char usual[] = "etaoinshrdlu ETAOIN .,\n\r\t 0123acgtACGTU<=>";
    size_t n = 1 + random_below(seed, random_below(seed, 4) ? 6 : 90);
    if (n > cap) n = cap;
    for (size_t i = 0; i < n; i++)
        out[i] = random_below(seed, 8)
                     ? usual[random_below(seed, sizeof(usual) - 1)]
                     : (char)random_below(seed, 128);
    return n;
}

static inline size_t random_broken(uint64_t *seed, char *out)
{
    unsigned char bytes[4];
    const uint32_t len = og_utf8_encode(random_code_point(seed), bytes);
    if (random_below(seed, 2)) { /* a character cut short */
        memcpy(out, bytes, len - 1u);
        return len - 1u;
    }
    for (size_t i = 0; i < 3; i++)
        out[i] = (char)(0x80 + random_below(seed, 0x80));
    return 1 + random_below(seed, 3);
}

/* Fills at most `cap` bytes (at least 8) and returns their number. Each text
 * has its own mixture, and some texts stay with one range for long. */
static inline size_t random_text(uint64_t *seed, char *out, size_t cap)
{
    const size_t wanted = 1 + random_below(seed, (uint32_t)cap - 4);
    const uint32_t ascii = random_below(seed, 8),
                   broken = random_below(seed, 3);
    uint32_t sticky = random_code_point(seed);
    const bool sticks = random_below(seed, 3) == 0;
    size_t n = 0;
    while (n + 4 <= wanted) {
        if (random_below(seed, 10) < ascii) {
            n += random_ascii(seed, out + n, wanted - n);
        } else if (random_below(seed, 40) < broken) {
            n += random_broken(seed, out + n);
        } else {
            if (random_below(seed, 30) == 0) sticky = random_code_point(seed);
            uint32_t c = random_code_point(seed);
            if (sticks && sticky < 0x10000 && random_below(seed, 4))
                c = (sticky & ~0x1fu) + random_below(seed, 32);
            if (c < 0x80 || (c >= 0xd800 && c < 0xe000)) c = 0xfc;
            n += og_utf8_encode(c, (unsigned char *)out + n);
        }
    }
    return n;
}

#endif
