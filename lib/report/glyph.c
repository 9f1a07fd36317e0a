/* Characters for reports: where one ends, how wide it is, how to show it
 * safely.
 *
 * The text of a document is untrusted. Printed raw, an escape sequence in it
 * could retitle the terminal, paste keys or hide a passage, so every control
 * character is spelled out. The width is utf8proc's, which knows East Asian
 * wide characters and combining marks; wcwidth() would depend on the locale of
 * the program. */

#include "lib/report/glyph.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

struct og_glyph og_glyph_at(const char *data, size_t len)
{
    if (len == 0) return (struct og_glyph){0, 0, false};
    const unsigned char first = (unsigned char)data[0];
    if (first < 0x80) return (struct og_glyph){first, 1, true};
    const size_t most = len < 4 ? len : 4;
    utf8proc_int32_t code_point;
    const utf8proc_ssize_t n = utf8proc_iterate(
        (const utf8proc_uint8_t *)data, (utf8proc_ssize_t)most, &code_point);
    if (n <= 0) return (struct og_glyph){0xfffd, 1, false};
    return (struct og_glyph){(uint32_t)code_point, (unsigned)n, true};
}

size_t og_glyph_before(const char *data, size_t pos)
{
    /* Steps over at most three continuation bytes; if the character found does
     * not reach `pos`, the byte before `pos` is invalid. */
    for (size_t back = 1; back <= 4 && back <= pos; back++) {
        if (((unsigned char)data[pos - back] & 0xc0) == 0x80) continue;
        const struct og_glyph g = og_glyph_at(data + pos - back, back);
        return g.len == back ? pos - back : pos - 1;
    }
    return pos - 1;
}

bool og_glyph_is_space(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x2028 ||
           c == 0x2029 || c == 0x3000;
}

/* Bidirectional marks, embeddings, overrides and isolates; tags; the byte order
 * mark. Joiners (U+200C, U+200D) are kept: scripts and emoji need them. */
static bool is_invisible_control(uint32_t c)
{
    return c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
           c == 0xfeff || (c >= 0xe0000 && c <= 0xe0fff);
}

bool og_glyph_is_hidden(uint32_t c)
{
    if (og_glyph_is_space(c)) return false;
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || is_invisible_control(c);
}

static size_t show_code(uint32_t c, char out[16], unsigned *out_columns)
{
    const int n = snprintf(out, 16, "<U+%04X>", (unsigned)c);
    *out_columns = (unsigned)n;
    return (size_t)n;
}

static size_t show_caret(uint32_t c, char out[16], unsigned *out_columns)
{
    out[0] = '^';
    out[1] = (char)(c ^ 0x40); /* ^[ is escape, ^? is delete */
    *out_columns = 2;
    return 2;
}

size_t og_glyph_show(const char *data, struct og_glyph glyph, char out[16],
                     unsigned *out_columns)
{
    const uint32_t c = glyph.code_point;
    if (!glyph.valid) {
        memcpy(out, "\xef\xbf\xbd", 3);
        *out_columns = 1;
        return 3;
    }
    if (c < 0x20 || c == 0x7f) return show_caret(c, out, out_columns);
    if ((c >= 0x80 && c < 0xa0) || is_invisible_control(c))
        return show_code(c, out, out_columns);
    const int width = c < 0x7f ? 1 : utf8proc_charwidth((utf8proc_int32_t)c);
    memcpy(out, data, glyph.len);
    *out_columns = width < 0 ? 0 : (unsigned)width;
    return glyph.len;
}
