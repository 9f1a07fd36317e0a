#ifndef OG_REPORT_ESCAPE_H
#define OG_REPORT_ESCAPE_H

/*   in:  text of strangers                                 (the reports)
 *   out: the same text inside JSON, XML, HTML or a TSV field (writer)
 *
 * Whatever the bytes are, what is written is well formed: a byte that is not
 * UTF-8 becomes U+FFFD, one character for one byte, so that offsets in
 * characters stay true. */

#include "lib/report/glyph.h"
#include "lib/report/writer.h"

/* With its quotes. */
void og_escape_json(struct og_writer *w, og_bytes s);

/* The same string, with every '<', '>' and '&' as an escape: a script element
 * of HTML may contain it, nothing in it can end the element. */
void og_escape_script(struct og_writer *w, og_bytes s);

/* For text and for attributes in either kind of quote. What XML 1.0 cannot say
 * (most control characters, U+FFFE, U+FFFF) becomes U+FFFD; carriage returns
 * are spelled, for a parser would take them for line feeds. In an attribute
 * tabs and line feeds are spelled too: a parser would make them spaces. */
void og_escape_xml(struct og_writer *w, og_bytes s);
void og_escape_attribute(struct og_writer *w, og_bytes s);

/* For text of a page. Control characters and those that turn the direction of
 * writing become small marks (<span class="u">) that give their number. Line
 * ends of every kind become line feeds. */
void og_escape_html(struct og_writer *w, og_bytes s);

/* What would break the line is written as JSON does it: \u000a. */
void og_escape_tsv(struct og_writer *w, og_bytes s);

/* For a segment of an address: all but letters, digits and -._~ as %XX. */
void og_escape_address(struct og_writer *w, og_bytes s);

#endif
