/* Chooses the parts of a page that are its main text.
 *
 * The idea is that of Arc90's Readability, which its descendants share:
 * paragraphs vote. A paragraph counts more the longer it is and the more commas
 * it has; its vote goes to the elements around it, less to those farther out;
 * an element that consists largely of links counts little. The element with the
 * most votes contains the text, and adjacent parts that look the same belong to
 * it. Before the vote, elements whose class marks them as a sidebar or the like
 * are removed; after it, whatever inside the text is not text: share buttons,
 * lists of other articles, tables of links.
 *
 * A page with misleading classes loses its text in the first step. So if little
 * is left, everything is repeated with less trust in the names, and that result
 * counts if it is much longer. */

#include <string.h>

#include "lib/source/spaces.h"
#include "lib/source/web/page_judge.h"
#include "lib/source/web/page_tags.h"

enum {
    SHORTEST_PARAGRAPH = 25,
    LEAST_PROSE = 80,
    ENOUGH_TEXT = 350,
    MUCH_MORE = 3, /* a result this many times longer casts doubt on the
                      names */
    N_ANCESTORS = 5,
    MAX_CLIMB = 64 /* levels; text is not nested deeper */
};

struct choice {
    const struct og_page *page;
    struct og_page_stat *stats;
    bool trusts_names; /* drop elements with unlikely names */
    bool cleans;       /* drop lists and the like inside the text */
    uint32_t body;
    uint32_t prose_len; /* of the chosen elements, before cleaning */
};

static const struct og_page_node *node_of(const struct choice *c, uint32_t i)
{
    return &c->page->nodes[i];
}

static bool has(const struct choice *c, uint32_t i, unsigned traits)
{
    return (c->page->nodes[i].traits & traits) != 0;
}

static float link_share(const struct og_page_stat *s)
{
    return s->text_len == 0 ? 0 : (float)s->link_len / (float)s->text_len;
}

/* ---- counting ---- */

static uint32_t folded_len(og_bytes s)
{
    uint32_t n = 0;
    bool in_space = true;
    for (size_t i = 0; i < s.len; i++) {
        const bool space = og_is_space(s.data[i]);
        n += !space || !in_space;
        in_space = space;
    }
    return n;
}

/* Commas of Latin, Arabic and Chinese writing. */
static uint32_t count_commas(og_bytes s)
{
    uint32_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        if (c == ',') n++;
        if (s.len - i < 3 || c < 0xd8) continue;
        n += memcmp(s.data + i, "\xd8\x8c", 2) == 0 ||
             memcmp(s.data + i, "\xe3\x80\x81", 3) == 0 ||
             memcmp(s.data + i, "\xef\xbc\x8c", 3) == 0;
    }
    return n;
}

/* From the last node to the first: the content of a node follows it. Removed
 * parts do not count. */
void og_page_count(const struct og_page *page, struct og_page_stat *stats)
{
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        struct og_page_stat *const s = &stats[i];
        s->text_len = s->link_len = s->n_commas = s->own_len = 0;
        s->own_link_len = s->prose_len = 0;
        s->n_p = s->n_li = s->n_input = 0;
    }
    for (uint32_t i = (uint32_t)page->n_nodes; i-- > 0;) {
        const struct og_page_node *const node = &page->nodes[i];
        struct og_page_stat *const s = &stats[i];
        struct og_page_stat *const up = &stats[node->parent];
        if (s->is_gone) {
            s->text_len = s->link_len = s->n_commas = s->own_len = 0;
            s->own_link_len = s->prose_len = 0;
            s->n_p = s->n_li = s->n_input = 0;
            continue;
        }
        if (node->tag == OG_PAGE_TEXT) {
            s->text_len = s->own_len = folded_len(node->text);
            s->n_commas = count_commas(node->text);
        }
        if (node->tag == GUMBO_TAG_A) {
            s->link_len = s->text_len;
            s->own_link_len = s->own_len;
        }
        const bool is_block = og_page_is_block(node->tag);
        if (is_block && s->own_len >= LEAST_PROSE &&
            s->own_link_len < s->own_len / 3)
            s->prose_len += s->own_len;
        if (i == 0) break;
        up->text_len += s->text_len;
        up->link_len += s->link_len;
        up->n_commas += s->n_commas;
        up->prose_len += s->prose_len;
        up->n_p += s->n_p + (node->tag == GUMBO_TAG_P);
        up->n_li += s->n_li + (node->tag == GUMBO_TAG_LI);
        up->n_input += s->n_input + (node->tag == GUMBO_TAG_INPUT);
        if (!is_block) {
            up->own_len += s->own_len;
            up->own_link_len += s->own_link_len;
        }
    }
}

/* As if nothing were removed. */
void og_page_count_all(const struct og_page *page, struct og_page_stat *stats)
{
    for (uint32_t i = 0; i < page->n_nodes; i++) {
        stats[i].was_gone = stats[i].is_gone;
        stats[i].is_gone = false;
    }
    og_page_count(page, stats);
    for (uint32_t i = 0; i < page->n_nodes; i++)
        stats[i].is_gone = stats[i].was_gone;
}

static void count(struct choice *c)
{
    og_page_count(c->page, c->stats);
}

/* Everything inside a removed part is removed. */
static void spread_gone(struct choice *c)
{
    const struct og_page *const page = c->page;
    for (uint32_t i = 1; i < page->n_nodes; i++)
        if (c->stats[page->nodes[i].parent].is_gone) c->stats[i].is_gone = true;
}

/* ---- before the vote ---- */

static bool is_hollow(uint16_t tag)
{
    return tag == GUMBO_TAG_NAV || tag == GUMBO_TAG_ASIDE ||
           tag == GUMBO_TAG_FOOTER || tag == GUMBO_TAG_MENU;
}

static bool is_unlikely(const struct choice *c, uint32_t i)
{
    const uint16_t tag = node_of(c, i)->tag;
    if (tag == OG_PAGE_TEXT || tag == GUMBO_TAG_BODY || tag == GUMBO_TAG_HTML ||
        tag == GUMBO_TAG_A)
        return false;
    if (has(c, i, OG_PAGE_HIDDEN)) return true;
    if (!c->trusts_names) return false;
    if (is_hollow(tag)) return true;
    if (has(c, i, OG_PAGE_BODY) || tag == GUMBO_TAG_ARTICLE ||
        tag == GUMBO_TAG_MAIN)
        return false;
    return has(c, i, OG_PAGE_UNLIKELY) && !has(c, i, OG_PAGE_LIKELY);
}

/* An element with most of the page's text is not marginal, whatever its
 * name. */
static bool holds_most(const struct choice *c, uint32_t i)
{
    return !has(c, i, OG_PAGE_COMMENT) &&
           c->stats[i].prose_len > c->stats[c->body].prose_len / 2;
}

static void drop_unlikely(struct choice *c)
{
    for (uint32_t i = 1; i < c->page->n_nodes; i++)
        c->stats[i].is_gone = false;
    count(c);
    for (uint32_t i = 1; i < c->page->n_nodes; i++)
        c->stats[i].is_gone = is_unlikely(c, i) && !holds_most(c, i);
    spread_gone(c);
}

/* ---- the vote ---- */

static float class_weight(const struct choice *c, uint32_t i)
{
    float weight = 0;
    if (has(c, i, OG_PAGE_BAD)) weight -= 25;
    if (has(c, i, OG_PAGE_GOOD)) weight += 25;
    return weight;
}

static float tag_weight(uint16_t tag)
{
    switch (tag) {
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN: return 5;
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_BLOCKQUOTE: return 3;
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_FORM: return -3;
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
    case GUMBO_TAG_TH: return -5;
    default: return 0;
    }
}

static void vote(struct choice *c, uint32_t ancestor, float score)
{
    struct og_page_stat *const s = &c->stats[ancestor];
    if (!s->is_scored) {
        s->is_scored = true;
        s->score =
            tag_weight(node_of(c, ancestor)->tag) + class_weight(c, ancestor);
    }
    s->score += score;
}

/* Tags that are paragraphs; other blocks with text of their own vote for
 * themselves first. */
static bool is_paragraph(uint16_t tag)
{
    return tag == GUMBO_TAG_P || tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_TD ||
           tag == GUMBO_TAG_BLOCKQUOTE;
}

static bool votes(uint16_t tag)
{
    return is_paragraph(tag) || tag == GUMBO_TAG_DIV ||
           tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_ARTICLE ||
           tag == GUMBO_TAG_MAIN || tag == GUMBO_TAG_CENTER ||
           tag == GUMBO_TAG_BODY || tag == GUMBO_TAG_FORM;
}

static void vote_for_ancestors(struct choice *c, uint32_t i)
{
    const struct og_page_stat *const s = &c->stats[i];
    const uint32_t hundreds = s->own_len / 100;
    const float score =
        1 + (float)s->n_commas + (float)(hundreds < 3 ? hundreds : 3);
    uint32_t at = is_paragraph(node_of(c, i)->tag) ? node_of(c, i)->parent : i;
    for (int level = 0; level < N_ANCESTORS && at != 0; level++) {
        const float divider = level == 0   ? 1
                              : level == 1 ? 2
                                           : (float)(level * 3);
        vote(c, at, score / divider);
        at = node_of(c, at)->parent;
    }
}

static void take_votes(struct choice *c)
{
    for (uint32_t i = 1; i < c->page->n_nodes; i++) {
        c->stats[i].is_scored = false;
        c->stats[i].score = 0;
        c->stats[i].is_chosen = false;
    }
    for (uint32_t i = 1; i < c->page->n_nodes; i++)
        if (!c->stats[i].is_gone && votes(node_of(c, i)->tag) &&
            c->stats[i].own_len >= SHORTEST_PARAGRAPH)
            vote_for_ancestors(c, i);
    for (uint32_t i = 1; i < c->page->n_nodes; i++)
        if (c->stats[i].is_scored)
            c->stats[i].score *= 1 - link_share(&c->stats[i]);
}

static uint32_t best_candidate(const struct choice *c)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < c->page->n_nodes; i++)
        if (c->stats[i].is_scored && !c->stats[i].is_gone &&
            (best == 0 || c->stats[i].score > c->stats[best].score))
            best = i;
    return best;
}

static bool holds(const struct choice *c, uint32_t outer, uint32_t inner)
{
    return inner >= outer && inner < node_of(c, outer)->end;
}

/* An element that contains at least three other good candidates is the text,
 * written in pieces. */
static uint32_t common_ancestor(const struct choice *c, uint32_t best)
{
    const float enough = c->stats[best].score * 0.75f;
    uint32_t at = node_of(c, best)->parent;
    for (int level = 0; level < MAX_CLIMB && at != 0 && at != c->body;
         level++, at = node_of(c, at)->parent) {
        int n = 0;
        uint32_t passed = 0; /* candidates inside a counted one do not count */
        for (uint32_t i = at + 1; i < node_of(c, at)->end; i++) {
            if (i < passed || !c->stats[i].is_scored || c->stats[i].is_gone ||
                c->stats[i].score < enough || holds(c, i, best))
                continue;
            n++;
            passed = node_of(c, i)->end;
        }
        if (n >= 3) return at;
    }
    return best;
}

/* Climbs as long as the votes rise: the text may be spread over siblings. */
static uint32_t climb(const struct choice *c, uint32_t best)
{
    float last = c->stats[best].score;
    const float least = last / 3;
    for (uint32_t at = node_of(c, best)->parent; at != 0 && at != c->body;
         at = node_of(c, at)->parent) {
        const struct og_page_stat *const s = &c->stats[at];
        if (!s->is_scored) continue;
        if (s->score < least) break;
        if (s->score > last) return at;
        last = s->score;
    }
    return best;
}

/* Climbs as long as the surroundings are text, too, in boxes of their own. */
static uint32_t widen(const struct choice *c, uint32_t best)
{
    for (uint32_t at = node_of(c, best)->parent; at != 0 && at != c->body;
         at = node_of(c, at)->parent) {
        const struct og_page_stat *const in = &c->stats[best];
        const struct og_page_stat *const out = &c->stats[at];
        const uint32_t more = out->text_len - in->text_len;
        const uint32_t more_prose = out->prose_len - in->prose_len;
        const uint32_t more_links = out->link_len - in->link_len;
        if (more_prose >= in->prose_len / 8 && more_prose >= more / 2 &&
            more_links <= more / 10 * 3)
            best = at;
    }
    return best;
}

/* ---- parts beside the best ---- */

static bool ends_a_sentence(const struct choice *c, uint32_t i)
{
    for (uint32_t at = node_of(c, i)->end; at-- > i;) {
        const og_bytes text = node_of(c, at)->text;
        for (size_t k = text.len; k-- > 0;)
            if (!og_is_space(text.data[k]))
                return strchr(".!?:\"", text.data[k]) != NULL;
    }
    return false;
}

static bool belongs(const struct choice *c, uint32_t best, uint32_t i)
{
    const struct og_page_stat *const s = &c->stats[i];
    const float best_score = c->stats[best].score;
    const float threshold = best_score * 0.2f > 10 ? best_score * 0.2f : 10;
    const bool is_alike =
        node_of(c, i)->name_hash != 0 &&
        node_of(c, i)->name_hash == node_of(c, best)->name_hash;
    const float bonus = is_alike ? best_score * 0.2f : 0;
    if (s->is_gone || s->text_len == 0) return false;
    if (s->is_scored && s->score + bonus >= threshold) return true;
    if (node_of(c, i)->tag != GUMBO_TAG_P) return false;
    const float share = link_share(s);
    if (s->text_len > 80) return share < 0.25f;
    return share == 0 && ends_a_sentence(c, i);
}

static void choose_around(struct choice *c, uint32_t best)
{
    const uint32_t parent = node_of(c, best)->parent;
    c->stats[best].is_chosen = true;
    if (best == c->body || best == 0) return;
    for (uint32_t i = parent + 1; i < node_of(c, parent)->end;
         i = node_of(c, i)->end)
        if (i != best && belongs(c, best, i)) c->stats[i].is_chosen = true;
}

/* ---- inside the text ---- */

static bool is_cleaned(uint16_t tag)
{
    return tag == GUMBO_TAG_FORM || tag == GUMBO_TAG_FIELDSET ||
           tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_UL ||
           tag == GUMBO_TAG_OL || tag == GUMBO_TAG_DIV ||
           tag == GUMBO_TAG_SECTION;
}

/* A box inside the text that has more links, lists or fields than text. */
static bool is_clutter(const struct choice *c, uint32_t i)
{
    const struct og_page_stat *const s = &c->stats[i];
    const uint16_t tag = node_of(c, i)->tag;
    const float weight = class_weight(c, i);
    if (weight < 0 && !has(c, i, OG_PAGE_BODY) &&
        s->prose_len <= c->prose_len / 5)
        return true;
    if (s->n_commas >= 10) return false;
    const bool is_list = tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL;
    const float share = link_share(s);
    if (!is_list && s->n_li > s->n_p + 100) return true;
    if (s->n_input * 3 > s->n_p) return true;
    if (weight < 25 && share > (is_list ? 0.5f : 0.3f)) return true;
    return weight >= 25 && share > 0.5f;
}

static bool is_aside(const struct choice *c, uint32_t i)
{
    const struct og_page_stat *const s = &c->stats[i];
    const uint16_t tag = node_of(c, i)->tag;
    if (tag == OG_PAGE_TEXT || tag == GUMBO_TAG_BODY) return false;
    if (is_hollow(tag) || tag == GUMBO_TAG_H1) return true;
    if (tag == GUMBO_TAG_FIGCAPTION || tag == GUMBO_TAG_FORM) return true;
    if (has(c, i, OG_PAGE_COMMENT)) return true;
    if (has(c, i, OG_PAGE_ASIDE) && s->text_len < 500) return true;
    if (has(c, i, OG_PAGE_BYLINE | OG_PAGE_CAPTION) && s->text_len < 200)
        return true;
    return false;
}

static uint32_t chosen_prose(const struct choice *c)
{
    uint32_t len = 0;
    for (uint32_t i = 0; i < c->page->n_nodes; i++)
        if (c->stats[i].is_chosen) {
            len += c->stats[i].prose_len;
            i = node_of(c, i)->end - 1;
        }
    return len;
}

static void clean(struct choice *c)
{
    const struct og_page *const page = c->page;
    c->prose_len = chosen_prose(c);
    for (uint32_t root = 1; root < page->n_nodes; root++) {
        if (!c->stats[root].is_chosen) continue;
        for (uint32_t i = root + 1; i < node_of(c, root)->end; i++) {
            if (c->stats[i].is_gone) {
                i = node_of(c, i)->end - 1;
                continue;
            }
            if (is_aside(c, i) ||
                (is_cleaned(node_of(c, i)->tag) && is_clutter(c, i)))
                c->stats[i].is_gone = true;
        }
        root = node_of(c, root)->end - 1;
    }
    spread_gone(c);
    count(c);
}

/* ---- the whole ---- */

static uint32_t chosen_len(const struct choice *c)
{
    uint32_t len = 0;
    for (uint32_t i = 0; i < c->page->n_nodes; i++)
        if (c->stats[i].is_chosen) {
            len += c->stats[i].text_len;
            i = node_of(c, i)->end - 1;
        }
    return len;
}

static uint32_t find_body(const struct og_page *page)
{
    for (uint32_t i = 0; i < page->n_nodes; i++)
        if (page->nodes[i].tag == GUMBO_TAG_BODY) return i;
    return 0;
}

static uint32_t try_to_choose(struct choice *c)
{
    drop_unlikely(c);
    for (uint32_t i = 0; i < c->page->n_nodes; i++)
        c->stats[i].is_unlikely = c->stats[i].is_gone;
    count(c);
    take_votes(c);
    uint32_t best = best_candidate(c);
    if (best == 0) best = c->body;
    if (best != c->body) {
        best = common_ancestor(c, best);
        best = climb(c, best);
        for (uint32_t i = 0; i < c->page->n_nodes; i++)
            c->stats[i].is_best = i >= best && i < node_of(c, best)->end;
        best = widen(c, best);
    }
    choose_around(c, best);
    if (c->cleans) clean(c);
    return chosen_len(c);
}

void og_page_choose(const struct og_page *page, struct og_page_stat *stats)
{
    struct choice c = {.page = page,
                       .stats = stats,
                       .trusts_names = true,
                       .cleans = true,
                       .body = find_body(page)};
    if (page->n_nodes == 0) return;
    const uint32_t len = try_to_choose(&c);
    if (len >= ENOUGH_TEXT) return;
    c.trusts_names = false;
    const uint32_t doubting_len = try_to_choose(&c);
    if (doubting_len >= ENOUGH_TEXT && doubting_len / MUCH_MORE >= len) return;
    c.cleans = false;
    if (try_to_choose(&c) / MUCH_MORE >= len) return;
    c.trusts_names = c.cleans = true;
    try_to_choose(&c);
}
