#ifndef OG_SOURCE_WEB_PAGE_TAGS_H
#define OG_SOURCE_WEB_PAGE_TAGS_H

/* The tags of the nodes of a page: those of the parser, and one for text. */

#include <gumbo.h>
#include <stdint.h>

#define OG_PAGE_TEXT ((uint16_t)GUMBO_TAG_LAST)

#endif
