#ifndef OG_SOURCE_WEB_PAGE_DATA_H
#define OG_SOURCE_WEB_PAGE_DATA_H

/*   in:  scripts of a page that contain data, JSON-LD and the like
 *   out: what they say of the page (lib/source/web/page_about.h)
 *
 * Read with a light hand, since many are not quite JSON: strings that follow
 * the names that matter, wherever they are. The first of each counts. */

#include "lib/base/bump.h"

/* Unescaped, in the memory of the page; len 0: none. */
struct og_page_data {
    og_bytes headline, published, created, modified, body;
};

/* False: no memory. */
bool og_page_data_read(struct og_page_data *data, og_bytes script,
                       struct og_bump *bump);

#endif
