#ifndef OG_TEXT_UTF8_H
#define OG_TEXT_UTF8_H

/* One character of UTF-8, in and out.
 *
 * A decoder that meets bytes that are not UTF-8 must say how many of them to
 * skip. We follow the practice that Unicode recommends (The Unicode Standard,
 * 3.9, "U+FFFD Substitution of Maximal Subparts"; the web's decoders do the
 * same): the longest prefix that could still have become a character is one
 * unit, and becomes one U+FFFD. So a text that was cut in the middle of a
 * character ends with one replacement, not three. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OG_UTF8_INVALID     UINT32_MAX
#define OG_UTF8_REPLACEMENT 0xfffdu /* 3 bytes: ef bf bd */

struct og_utf8 {
    uint32_t code_point; /* or OG_UTF8_INVALID */
    uint32_t len;        /* source bytes it takes, 1 to 4 */
};

static inline bool og_utf8_is_tail(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Never reads beyond s[left - 1]; `left` is at least 1. The range checks look
 * at lead and second byte together: that is where overlong forms, surrogates
 * and code points over 10FFFF show. */
static inline struct og_utf8 og_utf8_decode(const unsigned char *s, size_t left)
{
    const uint32_t lead = s[0];
    if (lead < 0x80) return (struct og_utf8){lead, 1};
    if (left < 2 || !og_utf8_is_tail(s[1]))
        return (struct og_utf8){OG_UTF8_INVALID, 1};
    const uint32_t tail = s[1] & 0x3f;
    if (lead < 0xe0) {
        if (lead < 0xc2) return (struct og_utf8){OG_UTF8_INVALID, 1};
        return (struct og_utf8){(lead & 0x1f) << 6 | tail, 2};
    }
    if (lead < 0xf0) {
        const uint32_t high = (lead & 0x0f) << 6 | tail;
        if (high < 0x20 || high >> 5 == 0xd800 >> 11)
            return (struct og_utf8){OG_UTF8_INVALID, 1};
        if (left < 3 || !og_utf8_is_tail(s[2]))
            return (struct og_utf8){OG_UTF8_INVALID, 2};
        return (struct og_utf8){high << 6 | (s[2] & 0x3fu), 3};
    }
    const uint32_t high = (lead & 0x0f) << 6 | tail;
    if (high < 0x10 || high > 0x10f)
        return (struct og_utf8){OG_UTF8_INVALID, 1};
    if (left < 3 || !og_utf8_is_tail(s[2]))
        return (struct og_utf8){OG_UTF8_INVALID, 2};
    if (left < 4 || !og_utf8_is_tail(s[3]))
        return (struct og_utf8){OG_UTF8_INVALID, 3};
    const uint32_t low = (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu);
    return (struct og_utf8){high << 12 | low, 4};
}

/* The length of the character whose first byte is `lead`, in valid UTF-8. */
static inline uint32_t og_utf8_len(unsigned char lead)
{
    if (lead < 0x80) return 1;
    return 2u + (lead >= 0xe0) + (lead >= 0xf0);
}

/* For folded text, which is valid: no checks. */
static inline struct og_utf8 og_utf8_decode_valid(const unsigned char *s)
{
    const uint32_t lead = s[0];
    if (lead < 0x80) return (struct og_utf8){lead, 1};
    if (lead < 0xe0)
        return (struct og_utf8){(lead & 0x1f) << 6 | (s[1] & 0x3fu), 2};
    const uint32_t middle = (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    if (lead < 0xf0) return (struct og_utf8){(lead & 0x0f) << 12 | middle, 3};
    return (struct og_utf8){(lead & 0x07) << 18 | middle << 6 | (s[3] & 0x3fu),
                            4};
}

/* Writes 1 to 4 bytes and returns how many. `c` is a code point. */
static inline uint32_t og_utf8_encode(uint32_t c, unsigned char out[4])
{
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (unsigned char)(0xc0 | c >> 6);
        out[1] = (unsigned char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (unsigned char)(0xe0 | c >> 12);
        out[1] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (unsigned char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (unsigned char)(0xf0 | c >> 18);
    out[1] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (unsigned char)(0x80 | (c & 0x3f));
    return 4;
}

#endif
