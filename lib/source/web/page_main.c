#include "lib/source/web/page_judge.h"

#include <string.h>

#include "lib/source/source.h"

/* What is known of nodes and blocks, kept for the next page. */
#define KEEP_LEN ((size_t)1 << 20)

void og_page_main_init(struct og_page_main *m, const og_allocator *allocator)
{
    memset(m, 0, sizeof(*m));
    m->allocator = allocator;
}

void og_page_main_release(struct og_page_main *m)
{
    OG_UNGROW(m->allocator, m->stats, m->stats_cap);
    OG_UNGROW(m->allocator, m->blocks, m->blocks_cap);
    OG_UNGROW(m->allocator, m->text, m->text_cap);
}

void og_page_main_drop(struct og_page_main *m)
{
    if (m->stats_cap > KEEP_LEN / sizeof(*m->stats))
        OG_UNGROW(m->allocator, m->stats, m->stats_cap);
    if (m->blocks_cap > KEEP_LEN / sizeof(*m->blocks))
        OG_UNGROW(m->allocator, m->blocks, m->blocks_cap);
}

static og_status make_stats(struct og_page_main *m, const struct og_page *page,
                            og_error *err)
{
    if (!OG_GROW(m->allocator, m->stats, m->stats_cap, page->n_nodes + 1))
        return og_error_memory(err, page->n_nodes * sizeof(*m->stats),
                               "the parts of a page");
    memset(m->stats, 0, page->n_nodes * sizeof(*m->stats));
    return OG_OK;
}

/* A page that is filled by a script has its text in the data of a script. It
 * counts if it is plain and much longer than what the page itself shows. */
static bool is_in_data(const struct og_page_main *m, og_bytes body)
{
    enum { LEAST = 400, MUCH_MORE = 2 };
    return body.len >= LEAST && body.len / MUCH_MORE > m->text_len &&
           memchr(body.data, '<', body.len) == NULL &&
           memchr(body.data, '&', body.len) == NULL;
}

static og_status copy_body(struct og_page_main *m, og_bytes body, og_error *err)
{
    if (!OG_GROW(m->allocator, m->text, m->text_cap,
                 body.len + OG_BLOCK_PADDING))
        return og_error_memory(err, body.len, "the text of a page");
    memcpy(m->text, body.data, body.len);
    memset(m->text + body.len, 0, OG_BLOCK_PADDING);
    m->text_len = body.len;
    return OG_OK;
}

og_status og_page_main_text(struct og_page_main *m, const struct og_page *page,
                            og_error *err)
{
    TRY(make_stats(m, page, err));
    m->is_whole = false;
    og_page_choose(page, m->stats);
    TRY(og_page_judge(m, page, err));
    TRY(og_page_write(m, page, err));
    const og_bytes body = page->about.data.body;
    return is_in_data(m, body) ? copy_body(m, body, err) : OG_OK;
}

og_status og_page_whole_text(struct og_page_main *m, const struct og_page *page,
                             og_error *err)
{
    TRY(make_stats(m, page, err));
    m->is_whole = true;
    return og_page_write(m, page, err);
}
