#ifndef OG_REPORT_GLYPH_H
#define OG_REPORT_GLYPH_H

/*   in:  the bytes of a text that nobody vouches for   (the reports)
 *   out: one character after the other, harmless       (the reports)
 *
 * A byte that is not UTF-8 counts as one character, U+FFFD, as in lib/text,
 * so that offsets in characters agree with what the rest of origo sees. */

#include "lib/base/status.h"

struct og_glyph {
    uint32_t code_point; /* U+FFFD for a byte that is not UTF-8 */
    unsigned len;        /* bytes in the source; 0 at the end only */
    bool valid;
};

/* The character at data[0]; `len` is what is left of the text. */
struct og_glyph og_glyph_at(const char *data, size_t len);

/* The start of the character before `pos` (> 0). */
size_t og_glyph_before(const char *data, size_t pos);

/* Space, tab, line and paragraph ends: what wrapping may replace. */
bool og_glyph_is_space(uint32_t code_point);

/* Controls, and what turns the direction of writing: a person cannot see them,
 * and they can make a text read as another. Spaces are not among them. */
bool og_glyph_is_hidden(uint32_t code_point);

/* How a person sees a character: at most 16 bytes that no terminal takes for a
 * command. Returns their number, *out_columns gets the width on the screen (0
 * to 10). Control characters become ^[ or <U+009B>, and so do those that turn
 * the direction of writing, which can make a text read as another. */
size_t og_glyph_show(const char *data, struct og_glyph glyph, char out[16],
                     unsigned *out_columns);

#endif
