#ifndef OG_REPORT_ESCAPE_H
#define OG_REPORT_ESCAPE_H

/*   in:  untrusted text                                     (the reports)
 *   out: the same text inside JSON, XML, HTML or a TSV field (writer)
 *
 * The output is well formed whatever the input bytes are: a byte that is not
 * UTF-8 becomes U+FFFD, one character for one byte, so that offsets in
 * characters remain valid. */

#include "lib/report/glyph.h"
#include "lib/report/writer.h"

/* With quotes. */
void og_escape_json(struct og_writer *w, og_bytes s);

/* The same string, with every '<', '>' and '&' escaped: it may be put into a
 * script element of HTML and cannot end the element. */
void og_escape_script(struct og_writer *w, og_bytes s);

/* For text and for attributes in either kind of quotes. Characters that XML 1.0
 * cannot represent (most control characters, U+FFFE, U+FFFF) become U+FFFD;
 * carriage returns are written as references, because a parser would turn them
 * into line feeds. In attributes tabs and line feeds are, too: a parser would
 * turn them into spaces. */
void og_escape_xml(struct og_writer *w, og_bytes s);
void og_escape_attribute(struct og_writer *w, og_bytes s);

/* For text of a page. Control characters and those that change the text
 * direction become small marks (<span class="u">) with their number. Line ends
 * of every kind become line feeds. */
void og_escape_html(struct og_writer *w, og_bytes s);

/* Characters that would break the line are written as in JSON: \u000a. */
void og_escape_tsv(struct og_writer *w, og_bytes s);

/* For a path segment of an address: all but letters, digits and -._~ as %XX. */
void og_escape_address(struct og_writer *w, og_bytes s);

#endif
