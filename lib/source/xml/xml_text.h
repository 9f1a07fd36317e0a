#ifndef OG_SOURCE_XML_XML_TEXT_H
#define OG_SOURCE_XML_XML_TEXT_H

/*   in:  an XML document in UTF-8: TEI, or any other that contains text
 *   out: its text, title and time                      (lib/source/content.h)
 *
 * Nothing is fetched: many documents name an external DTD, which is never read.
 * xml_parse.c says which entities are resolved and which make a document be
 * refused. */

#include "lib/base/packing.h"
#include "lib/source/citations.h"

#include <origo/document.h>

struct og_xml_text {
    struct og_pack text, title;
    int64_t time;
    bool has_time;
    char language[36];          /* xml:lang of the root or the text; "": none */
    og_time_source time_source; /* OG_TIME_FILE: only the release of the
                                   electronic text is known */
};

void og_xml_text_init(struct og_xml_text *xml, const og_allocator *allocator);
void og_xml_text_release(struct og_xml_text *xml);

/* OG_ERR_INPUT and OG_ERR_LIMIT with the line and the reason; OG_ERR_MEMORY.
 * xml->text has OG_BLOCK_PADDING readable bytes after it. `citations` gets the
 * parts of the text by the chain of their n (book, poem, line: "1.2.3", also of
 * milestones) and their xml:id; if no element has either, by the lines of the
 * file. */
og_status og_xml_text_read(struct og_xml_text *xml, og_bytes data,
                           struct og_citations *citations, og_error *err);

#endif
