#ifndef OG_SOURCE_RECODE_H
#define OG_SOURCE_RECODE_H

/*   in:  bytes of UTF-16 or UTF-32, in pieces
 *   out: the same text in UTF-8, in pieces             (lib/source/source.c)
 *
 * This allows lines and records to be found in such files as in any other. */

#include <iconv.h>

#include "lib/base/memory.h"

struct og_recode {
    const char *charset; /* NULL: nothing is recoded */
    iconv_t iconv;
    char rest[8]; /* of an incomplete character */
    size_t rest_len;
};

/* The charset of a byte order mark at the front, and the length of the mark;
 * NULL: none. UTF-8 is not reported. */
const char *og_recode_of_mark(og_bytes head, size_t *out_len);

/* The UTF-16 charset that the bytes look like without a mark; NULL: neither. */
const char *og_recode_guess(og_bytes head);

og_status og_recode_open(struct og_recode *recode, const char *charset,
                         og_error *err);
void og_recode_close(struct og_recode *recode);

/* The most room that a text of `len` bytes needs. */
size_t og_recode_room(size_t len);

/* Writes to `out`, which has og_recode_room(in.len) bytes; returns the length
 * written. Anything that is not a character becomes U+FFFD. `is_last`: nothing
 * follows. */
size_t og_recode_run(struct og_recode *recode, og_bytes in, bool is_last,
                     char *out);

#endif
