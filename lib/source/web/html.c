#include "lib/source/web/html.h"

#include <string.h>

void og_html_init(struct og_html *html, const og_allocator *allocator)
{
    memset(html, 0, sizeof(*html));
    og_page_init(&html->page, allocator);
    og_page_main_init(&html->main, allocator);
    html->reduced.html.allocator = allocator;
}

void og_html_release(struct og_html *html)
{
    og_page_release(&html->page);
    og_page_main_release(&html->main);
    og_pack_release(&html->reduced.html);
}

og_status og_html_read(struct og_html *html, og_bytes data, bool wants_whole,
                       og_error *err)
{
    const struct og_pack *const reduced = &html->reduced.html;
    TRY(og_html_reduce(&html->reduced, data, err));
    TRY(og_page_parse(&html->page,
                      (og_bytes){(const char *)reduced->data, reduced->len},
                      html->reduced.scripts, html->reduced.n_scripts, err));
    if (wants_whole)
        TRY(og_page_whole_text(&html->main, &html->page, err));
    else
        TRY(og_page_main_text(&html->main, &html->page, err));
    html->text = (og_bytes){html->main.text, html->main.text_len};
    return OG_OK;
}
