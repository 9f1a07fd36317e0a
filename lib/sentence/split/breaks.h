#ifndef OG_SENTENCE_SPLIT_BREAKS_H
#define OG_SENTENCE_SPLIT_BREAKS_H

/*   in:  a text                                              (lib/source)
 *   out: where Unicode's rules end a sentence                (lib/sentence)
 *
 * The default sentence breaks of UAX 29, unchanged: the basis on which
 * split.h builds. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct og_break {
    size_t end; /* of the sentence; the next one begins here */
    /* The full stop or other sign that ended it; `end` if it was a line end or
     * the end of the text. */
    size_t stop;
    bool is_full_stop; /* ATerm: may be an abbreviation, too */
    bool is_closed;    /* quotes or brackets follow the sign */
};

/* The end of the sentence that continues at `from`, which is less than `len`.
 * With `joins_lines`, CR and LF are spaces, as in wrapped text. Bytes that are
 * not UTF-8 are treated like any other character. */
struct og_break og_break_next(const char *text, size_t len, size_t from,
                              bool joins_lines);

#endif
