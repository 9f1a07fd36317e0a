#ifndef OG_SOURCE_XML_XML_PARSE_H
#define OG_SOURCE_XML_XML_PARSE_H

/*   in:  an XML document in UTF-8, from anywhere
 *   out: its events                                    (xml_text.c, feed.c)
 *
 * Nothing is fetched and nothing grows: entities must stand for characters or a
 * few words, otherwise the document is refused. */

#include <libxml/parser.h>

#include "lib/base/status.h"

/* The first member of what the handlers receive. */
struct og_xml_parsing {
    xmlParserCtxtPtr context;
    int depth; /* open elements; the handlers count them */
    unsigned n_entities;
    char refusal[120]; /* "": none */
};

/* Ends the parsing; og_xml_parse() is then OG_ERR_INPUT. */
void og_xml_refuse(struct og_xml_parsing *parsing, const char *why,
                   const char *name);

/* `handler` receives the elements and the text; the handlers of declarations
 * are filled in. OG_ERR_INPUT and OG_ERR_LIMIT with the line and the reason;
 * OG_ERR_MEMORY. */
og_status og_xml_parse(struct og_xml_parsing *parsing, xmlSAXHandler *handler,
                       og_bytes data, og_error *err);

#endif
