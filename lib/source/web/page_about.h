#ifndef OG_SOURCE_WEB_PAGE_ABOUT_H
#define OG_SOURCE_WEB_PAGE_ABOUT_H

/*   in:  the elements of a page and its data scripts
 *   out: what it says about itself: title, time, address */

#include "lib/source/web/page.h"
#include "lib/source/web/page_tags.h"

/* Keeps values of a higher rank than those found so far. `parent`: the node
 * that contains the element. */
void og_page_about_element(struct og_page *page, uint32_t parent,
                           const GumboNode *n);

/* Called after all elements: adds what the scripts say, chooses the title and
 * looks for a date in the text if there is no better one. False: out of
 * memory. */
bool og_page_about_finish(struct og_page *page, const og_bytes *scripts,
                          size_t n_scripts);

/* Resolves an address that may be relative; len 0: impossible. In the memory of
 * the page. */
og_bytes og_page_resolve(struct og_bump *bump, og_bytes base, og_bytes url);

#endif
