#include "lib/source/web/page_main.h"

#include <string.h>

void og_page_main_init(struct og_page_main *m, const og_allocator *allocator)
{
    memset(m, 0, sizeof(*m));
    m->allocator = allocator;
}

void og_page_main_release(struct og_page_main *m)
{
    OG_UNGROW(m->allocator, m->stats, m->stats_cap);
    OG_UNGROW(m->allocator, m->text, m->text_cap);
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

og_status og_page_main_text(struct og_page_main *m, const struct og_page *page,
                            og_error *err)
{
    TRY(make_stats(m, page, err));
    og_page_choose(page, m->stats);
    return og_page_write(m, page, err);
}

og_status og_page_whole_text(struct og_page_main *m, const struct og_page *page,
                             og_error *err)
{
    TRY(make_stats(m, page, err));
    if (page->n_nodes > 0) m->stats[0].is_chosen = true;
    return og_page_write(m, page, err);
}
