#ifndef OG_SOURCE_WEB_PAGE_DATA_H
#define OG_SOURCE_WEB_PAGE_DATA_H

/*   in:  data scripts of a page, JSON-LD and the like
 *   out: what they say about the page (lib/source/web/page_about.h)
 *
 * Parsed leniently, since many are not quite JSON: strings after the names that
 * matter, wherever they are. The first of each counts. */

#include "lib/base/bump.h"

/* Unescaped, in the memory of the page; len 0: none. */
struct og_page_data {
    og_bytes headline, published, created, modified, body;
};

/* False: out of memory. */
bool og_page_data_read(struct og_page_data *data, og_bytes script,
                       struct og_bump *bump);

#endif
