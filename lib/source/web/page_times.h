#ifndef OG_SOURCE_WEB_PAGE_TIMES_H
#define OG_SOURCE_WEB_PAGE_TIMES_H

/*   in:  the elements, scripts and text of a page
 *   out: when it was published, in what zone it says so, and where
 *        (og_page_about: time, time_zone, time_source) */

#include "lib/source/web/page.h"
#include "lib/source/web/page_tags.h"

/* Of a <meta> and its content; of any other element. `parent`: the node that
 * the element is in. */
void og_page_time_of_meta(struct og_page_about *about, const char *name,
                          og_bytes content);
void og_page_time_of_element(struct og_page *page, uint32_t parent,
                             const GumboElement *e);

/* When all elements are known, and what the scripts say, and the address. */
void og_page_time_finish(struct og_page *page);

/* Small parts that the readers of titles and of times share. */
const char *og_page_attribute(const GumboElement *e, const char *name);
const char *og_page_only_text(const GumboElement *e); /* NULL: it has more */
og_bytes og_page_trim(og_bytes s);

#endif
