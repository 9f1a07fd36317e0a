#ifndef OG_SOURCE_WEB_PAGE_ABOUT_H
#define OG_SOURCE_WEB_PAGE_ABOUT_H

/*   in:  the elements of a page and its scripts of data
 *   out: what it says about itself: title, time, address */

#include "lib/source/web/page.h"
#include "lib/source/web/page_tags.h"

/* Keeps what is known better than what was there. `parent`: the node that the
 * element is in. */
void og_page_about_element(struct og_page *page, uint32_t parent,
                           const GumboNode *n);

/* When all elements are known: takes in what the scripts say, chooses the
 * title and looks for a date in the text if there is no better one. False: no
 * memory. */
bool og_page_about_finish(struct og_page *page, const og_bytes *scripts,
                          size_t n_scripts);

/* An address that may be relative, made whole; len 0: it cannot be. In the
 * memory of the page. */
og_bytes og_page_resolve(struct og_bump *bump, og_bytes base, og_bytes url);

#endif
