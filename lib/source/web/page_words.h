#ifndef OG_SOURCE_WEB_PAGE_WORDS_H
#define OG_SOURCE_WEB_PAGE_WORDS_H

/* The words that web designers use for the parts of a page. */

#include "lib/source/web/page.h"

/* The traits that a class, an id or a role indicates. */
uint16_t og_page_words(const char *name);

#endif
