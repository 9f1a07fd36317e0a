/* A library that was built without an HTML parser (-Dhtml=disabled). */

#include <string.h>

#include "lib/source/web/html.h"

void og_html_init(struct og_html *html, const og_allocator *allocator)
{
    (void)allocator;
    memset(html, 0, sizeof(*html));
}

void og_html_release(struct og_html *html)
{
    (void)html;
}

og_status og_html_read(struct og_html *html, og_bytes data, bool wants_whole,
                       og_error *err)
{
    (void)html, (void)data, (void)wants_whole;
    return og_error_set(err, OG_ERR_INPUT, "this build reads no HTML");
}
