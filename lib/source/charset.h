#ifndef OG_SOURCE_CHARSET_H
#define OG_SOURCE_CHARSET_H

/*   in:  bytes in some charset, and what was declared about it
 *   out: the same text in UTF-8                         (every reader)
 *
 * A byte order mark decides; without one the text itself, if it is valid UTF-8
 * (text in another charset is not by chance, unless it is very short); then the
 * declaration; then a guess (uchardet). Bytes that the charset does not define
 * become U+FFFD. Labels have the meaning that browsers give them: iso-8859-1 is
 * windows-1252, gb2312 is gb18030. */

#include <iconv.h>

#include "lib/base/packing.h"

struct og_charset {
    iconv_t iconv; /* of the last label; (iconv_t)-1: none */
    char label[40];
    struct og_pack text; /* the converted text */
};

void og_charset_init(struct og_charset *c, const og_allocator *allocator);
void og_charset_release(struct og_charset *c);

/* `declared` may be empty, unknown or wrong. *out is a view of `bytes` if no
 * conversion was needed, otherwise it is valid until the next call.
 * OG_ERR_MEMORY. */
og_status og_charset_convert(struct og_charset *c, og_bytes bytes,
                             og_bytes declared, og_bytes *out, og_error *err);

/* The charset of <meta charset> or <?xml encoding> at the beginning of a page;
 * len 0: none. */
og_bytes og_charset_of_html(og_bytes html);
/* The language of <html lang>. */
og_bytes og_charset_language_of_html(og_bytes html);
og_bytes og_charset_of_xml(og_bytes xml);

/* The value of charset= in "text/html; charset=utf-8"; len 0: none. */
og_bytes og_charset_of_type(og_bytes content_type);

#endif
