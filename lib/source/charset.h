#ifndef OG_SOURCE_CHARSET_H
#define OG_SOURCE_CHARSET_H

/*   in:  bytes in some charset, and what was said about it
 *   out: the same text in UTF-8                         (every reader)
 *
 * A byte order mark decides; else the text itself when it is sound UTF-8 (no
 * other charset comes out as that by chance, unless it is very short); else
 * what was declared; else what it looks like (uchardet). What the charset does
 * not know becomes U+FFFD. Labels mean what browsers mean by them: iso-8859-1
 * is windows-1252, gb2312 is gb18030. */

#include <iconv.h>

#include "lib/base/packing.h"

struct og_charset {
    iconv_t iconv; /* of the last label; (iconv_t)-1: none */
    char label[40];
    struct og_pack text; /* what was converted */
};

void og_charset_init(struct og_charset *c, const og_allocator *allocator);
void og_charset_release(struct og_charset *c);

/* `declared` may be empty, unknown or wrong. *out is a view of `bytes` when
 * nothing was to be done, else it is valid until the next call. OG_ERR_MEMORY.
 */
og_status og_charset_convert(struct og_charset *c, og_bytes bytes,
                             og_bytes declared, og_bytes *out, og_error *err);

/* What <meta charset> or <?xml encoding> at the beginning of a page say; len
 * 0: nothing. */
og_bytes og_charset_of_html(og_bytes html);
/* What <html lang> says. */
og_bytes og_charset_language_of_html(og_bytes html);
og_bytes og_charset_of_xml(og_bytes xml);

/* The value of charset= in "text/html; charset=utf-8"; len 0: there is none. */
og_bytes og_charset_of_type(og_bytes content_type);

#endif
