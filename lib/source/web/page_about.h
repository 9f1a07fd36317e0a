#ifndef OG_SOURCE_WEB_PAGE_ABOUT_H
#define OG_SOURCE_WEB_PAGE_ABOUT_H

/* What an element says about the whole page: title, time, address. */

#include "lib/source/web/page.h"

/* Keeps what is known better than what was there. */
void og_page_about_element(struct og_page_about *about, const GumboNode *n);

#endif
