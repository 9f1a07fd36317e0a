#include "lib/source/web/page_features.h"

#include <string.h>

#include "lib/source/web/page_tags.h"

/* Boxes farther out add no information. */
enum { MAX_LEVELS = 64 };

/* One of the `n` values of a group. */
static void one_of(struct og_page_features *f, int n, int value)
{
    if (f->n < OG_PAGE_MAX_BITS && value >= 0 && value < n)
        f->bits[f->n++] = (uint16_t)(f->base + value);
    f->base += n;
}

/* Each of `n` bits of a mask. */
static void some_of(struct og_page_features *f, int n, uint32_t mask)
{
    for (int i = 0; i < n; i++)
        if ((mask >> i & 1) != 0 && f->n < OG_PAGE_MAX_BITS)
            f->bits[f->n++] = (uint16_t)(f->base + i);
    f->base += n;
}

static int step_of(uint32_t value, const uint32_t *steps, int n)
{
    int i = 0;
    while (i < n && value >= steps[i])
        i++;
    return i;
}

#define STEP(value, ...)                                                       \
    step_of(value, (const uint32_t[]){__VA_ARGS__},                            \
            (int)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static uint32_t percent(uint32_t part, uint32_t whole)
{
    return whole == 0 ? 0 : (uint32_t)((uint64_t)part * 100 / whole);
}

static int tag_class(uint16_t tag)
{
    switch (tag) {
    case GUMBO_TAG_P: return 0;
    case GUMBO_TAG_LI: return 1;
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH: return 2;
    case GUMBO_TAG_H1: return 3;
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3: return 4;
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6: return 5;
    case GUMBO_TAG_DIV: return 6;
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN: return 7;
    case GUMBO_TAG_DD:
    case GUMBO_TAG_DT: return 8;
    case GUMBO_TAG_BLOCKQUOTE: return 9;
    case GUMBO_TAG_PRE: return 10;
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_CAPTION: return 11;
    default: return 12;
    }
}

static int end_class(const struct og_page_block *b)
{
    static const char *const ends[] = {".",
                                       "!",
                                       "?",
                                       "\"",
                                       "\xc2\xbb",
                                       "\xe2\x80\xa6",
                                       "\xe2\x80\x9c",
                                       "\xe2\x80\x9d",
                                       "\xe3\x80\x82",
                                       "\xef\xbc\x81",
                                       "\xef\xbc\x9f",
                                       "\xe0\xa5\xa4"};
    char last[5] = {0};
    memcpy(last, b->last, 4);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (strcmp(last, ends[i]) == 0) return 0;
    if (strcmp(last, ")") == 0) return 1;
    if (strcmp(last, ":") == 0) return 2;
    if (strcmp(last, ",") == 0) return 3;
    return 4;
}

static uint32_t tag_mask(uint16_t tag)
{
    switch (tag) {
    case GUMBO_TAG_NAV: return 1;
    case GUMBO_TAG_ASIDE: return 2;
    case GUMBO_TAG_FOOTER: return 4;
    case GUMBO_TAG_HEADER: return 8;
    case GUMBO_TAG_FORM: return 16;
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FIGCAPTION: return 32;
    case GUMBO_TAG_TABLE: return 64;
    case GUMBO_TAG_UL: return 128;
    case GUMBO_TAG_OL: return 256;
    case GUMBO_TAG_ARTICLE: return 512;
    case GUMBO_TAG_MAIN: return 1024;
    case GUMBO_TAG_BLOCKQUOTE: return 2048;
    case GUMBO_TAG_NOSCRIPT: return 4096;
    case GUMBO_TAG_DL: return 8192;
    case GUMBO_TAG_A: return 16384;
    case GUMBO_TAG_DETAILS: return 32768;
    default: return 0;
    }
}

enum { N_TAG_MASK = 16, N_TRAITS = 11 };

/* The boxes around a block, up to the root of the text that contains it. */
struct around {
    uint32_t tags;
    uint16_t near, far;
    uint32_t context; /* the first box with some text besides */
    int depth;
};

static struct around look_around(const struct og_page_facts *x,
                                 const struct og_page_block *b)
{
    struct around a = {.context = 0};
    const uint32_t own = x->m->stats[b->node].text_len;
    for (uint32_t at = b->node; at != 0 && a.depth < MAX_LEVELS;
         at = x->page->nodes[at].parent) {
        const struct og_page_node *const node = &x->page->nodes[at];
        if (at != b->node && x->m->stats[at].is_chosen) break;
        a.tags |= tag_mask(node->tag);
        if (a.depth < 3)
            a.near |= node->traits;
        else
            a.far |= node->traits;
        if (a.context == 0 && x->m->stats[at].text_len >= own + 300)
            a.context = at;
        a.depth++;
    }
    return a;
}

static void add_neighbour(const struct og_page_facts *x,
                          struct og_page_features *f, size_t i, int step)
{
    const size_t at = i + (size_t)step;
    const bool is_there = at < x->m->n_blocks;
    const struct og_page_block *const b = &x->m->blocks[is_there ? at : i];
    one_of(f, 6, is_there ? STEP(b->len, 25, 80, 200, 400) : 5);
    one_of(f, 4,
           is_there ? STEP(percent(b->link_len, b->len), 10, 50, 90) : -1);
    one_of(f, 4, is_there ? b->is_inside + 2 * b->is_prose : -1);
}

static int distance_to_prose(const struct og_page_facts *x, size_t i)
{
    const size_t n = x->m->n_blocks;
    for (size_t d = 0; d < 12; d++)
        if ((i >= d && x->m->blocks[i - d].is_prose) ||
            (i + d < n && x->m->blocks[i + d].is_prose))
            return (int)d;
    return 12;
}

/* The distance to the nearest prose of the text: 0 to 4 before it, 5 to 9
 * after. */
static int inside_distance(const struct og_page_facts *x, size_t i)
{
    if (x->survey->first_prose == UINT32_MAX) return -1;
    if (i < x->survey->first_prose)
        return STEP((uint32_t)(x->survey->first_prose - i), 2, 3, 5, 10);
    if (i > x->survey->last_prose)
        return 5 + STEP((uint32_t)(i - x->survey->last_prose), 2, 3, 5, 10);
    return -1;
}

/* Levels from the root up to what contains the block, too. */
static uint32_t tree_distance(const struct og_page_facts *x, uint32_t node)
{
    uint32_t n = 0;
    for (uint32_t at = x->survey->root; at != 0 && n < MAX_LEVELS;
         at = x->page->nodes[at].parent, n++)
        if (node >= at && node < x->page->nodes[at].end) break;
    return n;
}

/* Siblings of the same class, of the element or of the box around it. */
static uint32_t n_alike(const struct og_page_facts *x, uint32_t node)
{
    const struct og_page_node *const nodes = x->page->nodes;
    for (int level = 0; level < 4 && node != 0;
         level++, node = nodes[node].parent) {
        if (nodes[node].name_hash == 0) continue;
        uint32_t n = 0;
        const uint32_t up = nodes[node].parent;
        uint32_t seen = 0;
        for (uint32_t i = up + 1; i < nodes[up].end && seen < 64;
             i = nodes[i].end, seen++)
            n += i != node && nodes[i].name_hash == nodes[node].name_hash;
        return n;
    }
    return 0;
}

/* The text itself. */
static void add_text(struct og_page_features *f, const struct og_page_facts *x,
                     const struct og_page_block *b)
{
    const uint32_t link_share = percent(b->link_len, b->len);
    one_of(f, 13, tag_class(x->page->nodes[b->node].tag));
    one_of(f, 10, STEP(b->len, 10, 25, 50, 80, 120, 200, 400, 1000, 3000));
    one_of(f, 6, b->link_len == 0 ? 0 : 1 + STEP(link_share, 10, 25, 50, 90));
    one_of(f, 3, b->link_len == 0 ? 0 : b->is_link_first ? 1 : 2);
    one_of(f, 5, end_class(b));
    one_of(f, 4, STEP(b->n_commas, 1, 2, 4));
    one_of(f, 3, STEP(percent(b->n_digits, b->len), 5, 20));
    one_of(f, 3, STEP(percent(b->n_upper, b->len), 15, 50));
    some_of(f, 1, b->has_sign);
    some_of(f, OG_PAGE_N_CUES, b->len < 120 ? b->cues : 0);
    some_of(f, OG_PAGE_N_CUES,
            b->len >= 120 && b->len < OG_PAGE_CUE_LEN ? b->cues : 0);
    const uint32_t at = b->hash % OG_PAGE_SEEN;
    some_of(f, 1, x->survey->seen[at] == b->hash && x->survey->is_twice[at]);
}

/* The shares of links and of prose in a box. */
static void add_shares(struct og_page_features *f,
                       const struct og_page_stat *box)
{
    one_of(f, 6,
           STEP(percent(box->link_len, box->text_len), 5, 15, 30, 50, 90));
    one_of(f, 6,
           STEP(percent(box->prose_len, box->text_len), 5, 30, 60, 80, 95));
}

/* The surrounding boxes and their votes. */
static void add_boxes(struct og_page_features *f, const struct og_page_facts *x,
                      const struct og_page_block *b)
{
    const struct og_page_stat *const stats = x->m->stats;
    const struct og_page_stat *const s = &stats[b->node];
    const struct around a = look_around(x, b);
    add_shares(f, &stats[x->page->nodes[b->node].parent]);
    add_shares(f, &stats[a.context]);
    some_of(f, N_TAG_MASK, a.tags);
    some_of(f, N_TRAITS, a.near);
    some_of(f, N_TRAITS, a.far);
    one_of(f, 4, s->is_unlikely + 2 * s->is_gone);
    one_of(f, 2, s->is_best);
    one_of(f, 2, b->is_inside);
    one_of(f, 5, STEP((uint32_t)a.depth, 2, 3, 5, 8));
    one_of(f, 5, STEP(n_alike(x, b->node), 1, 2, 4, 8));
    one_of(f, 6, STEP(tree_distance(x, b->node), 1, 2, 3, 5, 8));
}

/* The position on the page. */
static void add_place(struct og_page_features *f, const struct og_page_facts *x,
                      size_t i, uint32_t prose_before)
{
    const struct og_page_survey *const v = x->survey;
    one_of(f, 7,
           STEP(percent(prose_before, v->prose_len), 1, 10, 50, 90, 99, 100));
    one_of(f, 3, i < v->first_prose ? 0 : i > v->last_prose ? 2 : 1);
    one_of(f, 5, STEP((uint32_t)distance_to_prose(x, i), 1, 2, 4, 9));
    one_of(f, 10, inside_distance(x, i));
    one_of(f, 3, v->first_h1 == UINT32_MAX ? 2 : i > v->first_h1);
    one_of(f, 5, STEP(percent(v->root_prose, v->prose_len), 20, 40, 60, 80));
    one_of(f, 4, STEP(v->root_prose, 300, 1000, 3000));
    one_of(f, 5,
           STEP(percent(x->m->blocks[i].len, v->prose_len), 2, 10, 25, 50));
}

void og_page_features_of(const struct og_page_facts *x, size_t i,
                         uint32_t prose_before, struct og_page_features *out)
{
    out->n = out->base = 0;
    add_text(out, x, &x->m->blocks[i]);
    add_boxes(out, x, &x->m->blocks[i]);
    add_neighbour(x, out, i, 1);
    add_neighbour(x, out, i, -1);
    add_place(out, x, i, prose_before);
}
