#ifndef OG_SOURCE_WEB_HTML_REDUCE_H
#define OG_SOURCE_WEB_HTML_REDUCE_H

/*   in:  any HTML
 *   out: HTML with what text extraction needs         (lib/source/web/page.h)
 *
 * Two thirds of a page are scripts, style sheets, drawings, and attributes that
 * say nothing about its text. They are removed before the page is parsed,
 * because parsing costs ten times as much per byte. This is also the place for
 * limits: the parser compares every attribute of an element with every other
 * one, and searches the open elements for many tags. Here an element keeps at
 * most one attribute of each known name, and is dropped if it is nested too
 * deep. */

#include "lib/base/packing.h"

/* Scripts that contain data about the page (JSON-LD and the like). */
#define OG_HTML_MAX_SCRIPTS 64

struct og_html_reduced {
    struct og_pack html;
    og_bytes scripts[OG_HTML_MAX_SCRIPTS]; /* views into the page */
    size_t n_scripts;
};

/* OG_ERR_MEMORY. */
og_status og_html_reduce(struct og_html_reduced *r, og_bytes html,
                         og_error *err);

#endif
