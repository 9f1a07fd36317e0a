#ifndef OG_SOURCE_WEB_HTML_H
#define OG_SOURCE_WEB_HTML_H

/*   in:  an HTML page in UTF-8
 *   out: its main text, title, time and address        (lib/source/content.h)
 *
 * The tree of a page takes many times the length of the page, so it has a limit
 * of its own, threads share the memory for trees, and a tree is freed as soon
 * as its text is written. */

#include "lib/base/permits.h"
#include "lib/source/web/html_reduce.h"
#include "lib/source/web/page_main.h"

struct og_html {
    struct og_page page;
    struct og_page_main main;
    struct og_html_reduced reduced;
    struct og_pack title, url;  /* of page.about */
    size_t most;                /* bytes for a tree and what is known of its
                                   nodes; og_html_init(): no limit */
    struct og_permits *permits; /* for the same; NULL: none are needed */
    og_bytes text;              /* OG_BLOCK_PADDING readable bytes after it */
};

void og_html_init(struct og_html *html, const og_allocator *allocator);
void og_html_release(struct og_html *html);

/* Sets html->text; html->page.about describes the page: title, url, time.
 * `wants_whole`: menus and everything else, as for a mail. OG_ERR_LIMIT,
 * OG_ERR_MEMORY. */
og_status og_html_read(struct og_html *html, og_bytes data, bool wants_whole,
                       og_error *err);

#endif
