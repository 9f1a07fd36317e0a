#ifndef OG_SOURCE_WEB_PAGE_TIMES_H
#define OG_SOURCE_WEB_PAGE_TIMES_H

/*   in:  the elements, scripts and text of a page
 *   out: when it was published, in which zone, and where it says so
 *        (og_page_about: time, time_zone, time_source) */

#include "lib/source/web/page.h"
#include "lib/source/web/page_tags.h"

/* For a <meta> with its content, and for any other element. `parent`: the node
 * that contains the element. */
void og_page_time_of_meta(struct og_page_about *about, const char *name,
                          og_bytes content);
void og_page_time_of_element(struct og_page *page, uint32_t parent,
                             const GumboElement *e);

/* Called when all elements, the scripts and the address are known. */
void og_page_time_finish(struct og_page *page);

/* Helpers that the readers of titles and of times share. */
const char *og_page_attribute(const GumboElement *e, const char *name);
const char *og_page_only_text(const GumboElement *e); /* NULL: it contains
                                                         more */
og_bytes og_page_trim(og_bytes s);

#endif
