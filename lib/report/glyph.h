#ifndef OG_REPORT_GLYPH_H
#define OG_REPORT_GLYPH_H

/*   in:  the bytes of an untrusted text                 (the reports)
 *   out: one character after the other, harmless       (the reports)
 *
 * A byte that is not UTF-8 counts as one character, U+FFFD, as in lib/text, so
 * that offsets in characters agree with the rest of origo. */

#include "lib/base/status.h"

struct og_glyph {
    uint32_t code_point; /* U+FFFD for a byte that is not UTF-8 */
    unsigned len;        /* bytes in the source; 0 at the end only */
    bool valid;
};

/* The character at data[0]; `len` is the length of the remaining text. */
struct og_glyph og_glyph_at(const char *data, size_t len);

/* The start of the character before `pos` (> 0). */
size_t og_glyph_before(const char *data, size_t pos);

/* Space, tab, line and paragraph ends: characters that wrapping may replace. */
bool og_glyph_is_space(uint32_t code_point);

/* Control characters and those that change the text direction: they are
 * invisible, and can make a text read as another. Spaces are not among them. */
bool og_glyph_is_hidden(uint32_t code_point);

/* The visible form of a character: at most 16 bytes that no terminal interprets
 * as a command. Returns their number; *out_columns is the width on the screen
 * (0 to 10). Control characters become ^[ or <U+009B>, and so do those that
 * change the text direction, which can make a text read as another. */
size_t og_glyph_show(const char *data, struct og_glyph glyph, char out[16],
                     unsigned *out_columns);

#endif
