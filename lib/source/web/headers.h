#ifndef OG_SOURCE_WEB_HEADERS_H
#define OG_SOURCE_WEB_HEADERS_H

/* "Name: value" lines that end with an empty one: mails, HTTP and WARC all
 * begin with them. Views into the input. */

#include "lib/base/status.h"

/* Longer ones are not headers. */
#define OG_HEADERS_MAX ((size_t)1 << 20)

/* The length up to and including the empty line; 0: there is none. */
size_t og_headers_len(og_bytes data);

/* The value of the first header of that name, without surrounding space; a
 * value that continues on the next line contains the newline. len 0: none. */
og_bytes og_headers_find(og_bytes headers, const char *name);

/* The line of `data` at *pos, without its newline; false at the end. */
bool og_next_line(og_bytes data, size_t *pos, og_bytes *out);

og_bytes og_trim(og_bytes s);

/* Whether `s` begins with `prefix`, ignoring case. */
bool og_begins_with(og_bytes s, const char *prefix);

/* ";name=value" after the first value, without quotes; len 0: none. */
og_bytes og_header_parameter(og_bytes value, const char *name);

/* A whole number of digits only. */
bool og_parse_length(og_bytes s, uint64_t *out);

#endif
