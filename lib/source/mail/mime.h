#ifndef OG_SOURCE_MAIL_MIME_H
#define OG_SOURCE_MAIL_MIME_H

/* The two encodings in which mails carry bytes as text, and encoded headers.
 * Malformed input is skipped, as every mail program does: a mail is never
 * refused because of a bad digit. */

#include "lib/source/charset.h"

/* Appends the bytes to `out`. */
void og_mime_base64(og_bytes s, struct og_pack *out);
void og_mime_quoted(og_bytes s, struct og_pack *out);

/* A header with =?charset?Q?words?= in it (RFC 2047), appended to `out` as
 * UTF-8 in one line. */
og_status og_mime_header(og_bytes s, struct og_charset *charset,
                         struct og_pack *scratch, struct og_pack *out,
                         og_error *err);

#endif
