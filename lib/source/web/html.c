#include "lib/source/web/html.h"

#include <string.h>

/* Bytes per byte of reduced HTML, and those that every page may use. Of 662
 * pages from the web the tree took at most 21 times its HTML, and the rest half
 * as much: a second attempt is rare. */
#define USUAL_FACTOR 48
#define USUAL_LEAST  ((size_t)1 << 20)

/* What is known of the nodes of a tree, and of their blocks, takes 5 to 65 % as
 * much as the tree. */
static size_t tree_share(size_t most)
{
    return most / 8 * 5;
}

void og_html_init(struct og_html *html, const og_allocator *allocator)
{
    memset(html, 0, sizeof(*html));
    og_page_init(&html->page, allocator);
    og_page_main_init(&html->main, allocator);
    html->reduced.html.allocator = allocator;
    html->title.allocator = html->url.allocator = allocator;
    html->most = SIZE_MAX;
}

void og_html_release(struct og_html *html)
{
    og_page_release(&html->page);
    og_page_main_release(&html->main);
    og_pack_release(&html->reduced.html);
    og_pack_release(&html->title);
    og_pack_release(&html->url);
}

static og_status write_text(struct og_html *html, bool wants_whole,
                            og_error *err)
{
    const struct og_html_reduced *const r = &html->reduced;
    TRY(og_page_parse(&html->page,
                      (og_bytes){(const char *)r->html.data, r->html.len},
                      r->scripts, r->n_scripts, err));
    if (wants_whole) return og_page_whole_text(&html->main, &html->page, err);
    return og_page_main_text(&html->main, &html->page, err);
}

static og_bytes copy(struct og_pack *to, og_bytes from)
{
    to->len = 0;
    og_pack_bytes(to, from.data, from.len);
    return (og_bytes){to->len == 0 ? "" : (const char *)to->data, to->len};
}

/* Frees the tree, and keeps what the page says about itself. */
static og_status drop_tree(struct og_html *html, og_error *err)
{
    const struct og_page_about about = html->page.about;
    html->title.failed = html->url.failed = false;
    const og_bytes title = copy(&html->title, about.title);
    const og_bytes url = copy(&html->url, about.url);
    og_page_drop(&html->page);
    og_page_main_drop(&html->main);
    html->page.about = (struct og_page_about){.title = title,
                                              .url = url,
                                              .time = about.time,
                                              .time_zone = about.time_zone,
                                              .time_source = about.time_source,
                                              .time_rank = about.time_rank};
    if (html->title.failed || html->url.failed)
        return og_error_memory(err, about.title.len + about.url.len, "a title");
    return OG_OK;
}

/* With this many bytes for the tree and what is known of its nodes. */
static og_status read_within(struct og_html *html, size_t most,
                             bool wants_whole, og_error *err)
{
    html->page.most = tree_share(most);
    og_permits_take(html->permits, most);
    const og_status status = write_text(html, wants_whole, err);
    const og_status dropped = drop_tree(html, status == OG_OK ? err : NULL);
    og_permits_return(html->permits, most);
    return status != OG_OK ? status : dropped;
}

/* What nearly all pages of this length need. */
static size_t usual_need(size_t len)
{
    return len > (SIZE_MAX - USUAL_LEAST) / USUAL_FACTOR
               ? SIZE_MAX
               : USUAL_LEAST + len * USUAL_FACTOR;
}

og_status og_html_read(struct og_html *html, og_bytes data, bool wants_whole,
                       og_error *err)
{
    TRY(og_html_reduce(&html->reduced, data, err));
    const size_t usual = usual_need(html->reduced.html.len);
    og_status status = OG_ERR_LIMIT;
    if (html->permits != NULL && usual < html->most)
        status = read_within(html, usual, wants_whole, err);
    if (status == OG_ERR_LIMIT)
        status = read_within(html, html->most, wants_whole, err);
    TRY(status);
    html->text = (og_bytes){html->main.text, html->main.text_len};
    return OG_OK;
}
