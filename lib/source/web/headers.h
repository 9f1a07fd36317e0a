#ifndef OG_SOURCE_WEB_HEADERS_H
#define OG_SOURCE_WEB_HEADERS_H

/* "Name: value" lines that end with an empty one: mails, HTTP and WARC all
 * begin with them. Views into the input. */

#include "lib/base/status.h"

/* Longer ones are not headers. */
#define OG_HEADERS_MAX ((size_t)1 << 20)

/* Bytes up to after the empty line; 0: it is not there. */
size_t og_headers_len(og_bytes data);

/* The value of the first header of that name, without the space around it; a
 * value that continues in the next line has the newlines in it. len 0: none. */
og_bytes og_headers_find(og_bytes headers, const char *name);

/* A line of `data` from *pos on, without its newline; false at the end. */
bool og_next_line(og_bytes data, size_t *pos, og_bytes *out);

og_bytes og_trim(og_bytes s);

/* Whether `s` begins with `prefix`, small and capital letters alike. */
bool og_begins_with(og_bytes s, const char *prefix);

/* ";name=value" after the first value, quotes away; len 0: none. */
og_bytes og_header_parameter(og_bytes value, const char *name);

/* A whole number of digits alone. */
bool og_parse_length(og_bytes s, uint64_t *out);

#endif
