#ifndef OG_REPORT_PAGE_FILES_H
#define OG_REPORT_PAGE_FILES_H

/*   in:  lib/report/page/ *.css and *.js                (tools/embed_page.py)
 *   out: their bytes, with the hashes that a browser checks  (report_html) */

#include <stddef.h>

extern const char og_page_style[], og_page_script[];
extern const size_t og_page_style_len, og_page_script_len;
/* Base64 of SHA-256, for the Content-Security-Policy. */
extern const char og_page_style_hash[], og_page_script_hash[];

#endif
