/* Nodes into text: inline content runs together, with space collapsed to one
 * blank; blocks begin new lines; paragraphs are separated by an empty line. A
 * heading keeps its level as # signs, by which later stages recognise it. In
 * <pre> space is preserved. */

#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "lib/source/source.h"
#include "lib/source/spaces.h"
#include "lib/source/web/page_main.h"
#include "lib/source/web/page_tags.h"

struct writing {
    struct og_page_main *m;
    struct og_due_space due;
    int heading; /* level of the heading that the next word begins */
    bool failed;
};

static void put(struct writing *w, const char *data, size_t len)
{
    struct og_page_main *const m = w->m;
    if (w->failed) return;
    if (!OG_GROW(m->allocator, m->text, m->text_cap,
                 m->text_len + len + OG_BLOCK_PADDING)) {
        w->failed = true;
        return;
    }
    memcpy(m->text + m->text_len, data, len);
    m->text_len += len;
}

/* Writes pending space before something else is written. */
static void settle(struct writing *w)
{
    size_t len;
    const char *space = og_due_take(&w->due, w->m->text_len == 0, &len);
    if (len > 0) put(w, space, len);
    if (w->heading > 0) {
        put(w, &"###### "[6 - w->heading], (size_t)w -> heading + 1);
        w->heading = 0;
    }
}

/* Without soft hyphens, which mark where a word may be broken and are not part
 * of it. */
static void put_words(struct writing *w, const char *p, size_t len)
{
    static const char hyphen[] = "\xc2\xad";
    const char *const end = p + len;
    while (p < end) {
        const char *const at = memmem(p, (size_t)(end - p), hyphen, 2);
        put(w, p, (size_t)((at == NULL ? end : at) - p));
        p = at == NULL ? end : at + 2;
    }
}

static void write_words(struct writing *w, og_bytes text)
{
    const char *p = text.data;
    const char *const end = p + text.len;
    while (p < end) {
        const char *const begin = p;
        while (p < end && og_is_space(*p))
            p++;
        if (p > begin) w->due.has_space = true;
        const char *const word = p;
        p = og_words_end(p, end);
        if (p == word) continue;
        settle(w);
        put_words(w, word, (size_t)(p - word));
    }
}

static int heading_level(uint16_t tag)
{
    return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6 ? tag - GUMBO_TAG_H1 + 1
                                                      : 0;
}

/* Blocks that follow each other without an empty line. */
static bool is_close(uint16_t tag)
{
    return tag == GUMBO_TAG_LI || tag == GUMBO_TAG_TR || tag == GUMBO_TAG_DT ||
           tag == GUMBO_TAG_DD;
}

static void break_at(struct writing *w, uint16_t tag)
{
    if (tag == GUMBO_TAG_BR) og_due_break(&w->due, 1);
    if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH)
        w->due.has_space = true;
    else if (og_page_is_block(tag))
        og_due_break(&w->due, is_close(tag) ? 1 : 2);
}

static void begin_element(struct writing *w, uint16_t tag)
{
    break_at(w, tag);
    if (!w->m->is_whole && heading_level(tag) != 0)
        w->heading = heading_level(tag);
}

static void end_element(struct writing *w, uint16_t tag)
{
    break_at(w, tag);
    if (heading_level(tag) != 0) w->heading = 0;
}

static void write_text(struct writing *w, const struct og_page *page,
                       const struct og_page_node *node)
{
    if (page->nodes[node->parent].tag != GUMBO_TAG_PRE) {
        write_words(w, node->text);
        return;
    }
    og_bytes text = node->text;
    while (text.len > 0 && og_is_space(text.data[text.len - 1]))
        text.len--;
    if (text.len == 0) return;
    settle(w);
    put(w, text.data, text.len);
}

/* Content shown only to readers without scripts is not written, unless it is
 * text. */
static bool is_written(const struct og_page_main *m, uint32_t i)
{
    const struct og_page_stat *const s = &m->stats[i];
    return m->is_whole || (m->stats[s->home].is_kept && !s->is_silent);
}

/* Ends the open elements that do not contain node `i`. */
static uint32_t end_elements(struct writing *w, const struct og_page *page,
                             uint32_t open, uint32_t i)
{
    while (open != 0 && page->nodes[open].end <= i) {
        end_element(w, page->nodes[open].tag);
        open = page->nodes[open].parent;
    }
    return open;
}

og_status og_page_write(struct og_page_main *m, const struct og_page *page,
                        og_error *err)
{
    struct writing w = {.m = m};
    uint32_t open = 0; /* the innermost open element */
    m->text_len = 0;
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const struct og_page_node *const node = &page->nodes[i];
        open = end_elements(&w, page, open, i);
        if (node->tag == OG_PAGE_TEXT) {
            if (is_written(m, i)) write_text(&w, page, node);
        } else if (m->is_whole && node->tag == GUMBO_TAG_NOSCRIPT) {
            i = node->end - 1;
        } else {
            begin_element(&w, node->tag);
            open = i;
        }
    }
    put(&w, "", 0);
    if (w.failed)
        return og_error_memory(err, m->text_len, "the text of a page");
    memset(m->text + m->text_len, 0, OG_BLOCK_PADDING);
    return OG_OK;
}
