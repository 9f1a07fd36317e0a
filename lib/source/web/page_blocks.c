#include "lib/source/web/page_blocks.h"

#include <string.h>

#include "lib/source/spaces.h"
#include "lib/source/web/page_tags.h"

static void take_text(struct og_page_block *b, og_bytes text, bool is_link)
{
    bool in_space = true;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        const bool space = og_is_space(text.data[i]);
        if (!space || !in_space) {
            b->len++;
            b->link_len += is_link;
        }
        in_space = space;
        if (space) continue;
        if ((c & 0xc0) != 0x80) memset(b->last, 0, sizeof(b->last));
        const size_t at = strnlen(b->last, sizeof(b->last));
        if (at < sizeof(b->last)) b->last[at] = (char)c;
        b->hash = (b->hash ^ c) * 16777619u;
        if (b->len == 1 && is_link) b->is_link_first = true;
        b->n_upper += c >= 'A' && c <= 'Z';
        b->n_digits += c >= '0' && c <= '9';
        b->n_commas += c == ',';
        if (c == 0xc2 && i + 1 < text.len && text.data[i + 1] == '\xa9')
            b->has_sign = true;
        if (text.len - i < 3 || c < 0xd8) continue;
        b->n_commas += memcmp(text.data + i, "\xd8\x8c", 2) == 0 ||
                       memcmp(text.data + i, "\xe3\x80\x81", 3) == 0 ||
                       memcmp(text.data + i, "\xef\xbc\x8c", 3) == 0;
    }
}

/* A short part of a line that is named a byline, a caption or the like. */
static bool is_silent(const struct og_page_node *node,
                      const struct og_page_stat *s)
{
    enum { LONGEST = 200 };
    return !og_page_is_block(node->tag) && s->text_len < LONGEST &&
           (node->traits & (OG_PAGE_HIDDEN | OG_PAGE_ASIDE | OG_PAGE_COMMENT |
                            OG_PAGE_BYLINE | OG_PAGE_CAPTION)) != 0;
}

static bool is_empty(og_bytes text)
{
    size_t i = 0;
    while (i < text.len && og_is_space(text.data[i]))
        i++;
    return i == text.len;
}

static bool add_text(struct og_page_main *m, const struct og_page *page,
                     uint32_t i)
{
    const struct og_page_node *const node = &page->nodes[i];
    struct og_page_stat *const s = &m->stats[i];
    const uint32_t at = s->home;
    if (m->stats[at].block == 0) {
        if (!OG_GROW(m->allocator, m->blocks, m->blocks_cap, m->n_blocks + 1))
            return false;
        m->blocks[m->n_blocks++] = (struct og_page_block){.node = at};
        m->stats[at].block = (uint32_t)m->n_blocks;
    }
    s->block = m->stats[at].block;
    struct og_page_block *const b = &m->blocks[s->block - 1];
    take_text(b, node->text, s->is_link);
    if (b->len < OG_PAGE_CUE_LEN) b->cues |= og_page_cues(node->text);
    return true;
}

bool og_page_find_blocks(struct og_page_main *m, const struct og_page *page)
{
    m->n_blocks = 0;
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        const struct og_page_node *const node = &page->nodes[i];
        const struct og_page_stat *const up = &m->stats[node->parent];
        struct og_page_stat *const s = &m->stats[i];
        s->block = 0;
        s->home = i == 0 || og_page_is_block(node->tag) ? i : up->home;
        s->is_inside = s->is_chosen || (i > 0 && up->is_inside);
        s->is_link = node->tag == GUMBO_TAG_A || (i > 0 && up->is_link);
        s->is_silent = is_silent(node, s) || (i > 0 && up->is_silent);
        if (node->tag != OG_PAGE_TEXT || s->is_silent || is_empty(node->text))
            continue;
        if (!add_text(m, page, i)) return false;
    }
    return true;
}

/* ---- the page as a whole ---- */

static void remember(struct og_page_survey *survey, uint32_t hash)
{
    const uint32_t at = hash % OG_PAGE_SEEN;
    survey->is_twice[at] = survey->seen[at] == hash;
    survey->seen[at] = hash;
}

static void add_to_survey(struct og_page_main *m, const struct og_page *page,
                          size_t i, struct og_page_survey *out)
{
    struct og_page_block *const b = &m->blocks[i];
    remember(out, b->hash);
    if (page->nodes[b->node].tag == GUMBO_TAG_H1 && out->first_h1 == UINT32_MAX)
        out->first_h1 = (uint32_t)i;
    b->is_inside = m->stats[b->node].is_inside;
    b->is_prose = b->len >= OG_PAGE_PROSE && b->link_len < b->len / 3;
    if (!b->is_prose) return;
    out->prose_len += b->len;
    if (!b->is_inside || m->stats[b->node].is_gone) return;
    out->root_prose += b->len;
    if (out->first_prose == UINT32_MAX) out->first_prose = (uint32_t)i;
    out->last_prose = (uint32_t)i;
}

void og_page_survey(struct og_page_main *m, const struct og_page *page,
                    struct og_page_survey *out)
{
    memset(out, 0, sizeof(*out));
    out->first_prose = out->first_h1 = UINT32_MAX;
    for (uint32_t i = 0; i < page->n_nodes && out->root == 0; i++)
        if (m->stats[i].is_chosen) out->root = i;
    for (size_t i = 0; i < m->n_blocks; i++)
        add_to_survey(m, page, i, out);
}
