#ifndef OG_SOURCE_XML_XML_LIMITS_H
#define OG_SOURCE_XML_XML_LIMITS_H

/*   in:  an XML document in UTF-8, from anywhere
 *   out: whether it is cheap to parse                  (xml_text.h)
 *
 * The parser compares each attribute of an element with all its others, each
 * prefix with all that are in scope, and each attribute that a DTD declares
 * with all others. So their numbers are limited before the parser sees them,
 * far above what documents need. */

#include "lib/base/status.h"

#define OG_XML_MAX_ATTRIBUTES 1000 /* of an element */
#define OG_XML_MAX_NAMESPACES 1000 /* in scope at one place of the document */
#define OG_XML_MAX_DTD        ((size_t)64 << 10) /* bytes inside the document */

/* OG_ERR_LIMIT with the line and the reason. Whether it is XML is for the
 * parser to decide. */
og_status og_xml_check_limits(og_bytes data, og_error *err);

#endif
