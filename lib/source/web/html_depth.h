#ifndef OG_SOURCE_WEB_HTML_DEPTH_H
#define OG_SOURCE_WEB_HTML_DEPTH_H

/*   in:  HTML of any depth
 *   out: HTML that is nested at most so deep           (lib/source/web/page.h)
 *
 * The parser asks for many tags which elements are open, and walks over them:
 * a page of 100,000 nested boxes would take the square of that. As browsers
 * do, boxes beyond a depth that no page needs are left out and their content
 * stays. */

#include "lib/base/packing.h"

/* What browsers allow. */
#define OG_HTML_MAX_DEPTH 512

/* *out is `html` itself, or a copy in `copy` with the tags that are too deep
 * blanked. OG_ERR_MEMORY. */
og_status og_html_flatten(og_bytes html, struct og_pack *copy, og_bytes *out,
                          og_error *err);

#endif
