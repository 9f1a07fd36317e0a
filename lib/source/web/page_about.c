#define _GNU_SOURCE /* memmem */
/* Pages give their title and address in many ways. Each way has a rank, and the
 * highest counts; of equal ones the first, since what comes later on a page is
 * usually about other pages. */

#include "lib/source/web/page_about.h"

#include <string.h>
#include <strings.h>

#include "lib/source/spaces.h"
#include "lib/source/web/page_times.h"

struct name_rank {
    const char *name;
    int rank;
};

static const struct name_rank title_names[] = {
    {"og:title", 9}, {"dc.title", 7}, {"twitter:title", 6}};

static int rank_of(const struct name_rank *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(names[i].name, name) == 0) return names[i].rank;
    return 0;
}

#define RANK_OF(names, name)                                                   \
    rank_of(names, sizeof(names) / sizeof(names[0]), name)

static og_bytes trim(const char *s)
{
    return og_page_trim((og_bytes){s, strlen(s)});
}

static void offer(og_bytes *field, int *field_rank, int rank, const char *s)
{
    if (s == NULL || rank <= *field_rank) return;
    const og_bytes value = trim(s);
    if (value.len == 0) return;
    *field = value;
    *field_rank = rank;
}

/* ---- elements ---- */

static void read_meta(struct og_page_about *about, const GumboElement *e)
{
    static const char *const keys[] = {"property", "name", "itemprop"};
    const char *const content = og_page_attribute(e, "content");
    if (content == NULL) return;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *const name = og_page_attribute(e, keys[i]);
        if (name == NULL) continue;
        og_page_time_of_meta(about, name, trim(content));
        offer(&about->title, &about->title_rank, RANK_OF(title_names, name),
              content);
        if (strcasecmp(name, "og:url") == 0)
            offer(&about->shared_url, &about->shared_url_rank, 1, content);
    }
}

static void read_link(struct og_page_about *about, const GumboElement *e)
{
    const char *const rel = og_page_attribute(e, "rel");
    if (rel != NULL && strcasecmp(rel, "canonical") == 0)
        offer(&about->url, &about->url_rank, 2, og_page_attribute(e, "href"));
}

static void read_language(struct og_page_about *about, const GumboElement *e)
{
    const char *const lang = og_page_attribute(e, "lang");
    int rank = 0;
    offer(&about->language, &rank, 1, lang);
    about->month_first = lang != NULL && (strcasecmp(lang, "en") == 0 ||
                                          strcasecmp(lang, "en-US") == 0);
}

void og_page_about_element(struct og_page *page, uint32_t parent,
                           const GumboNode *n)
{
    struct og_page_about *const about = &page->about;
    const GumboElement *const e = &n->v.element;
    if (e->tag_namespace != GUMBO_NAMESPACE_HTML) return;
    switch (e->tag) {
    case GUMBO_TAG_HTML: read_language(about, e); break;
    case GUMBO_TAG_META: read_meta(about, e); break;
    case GUMBO_TAG_LINK: read_link(about, e); break;
    case GUMBO_TAG_BASE:
        if (about->base.len == 0 && og_page_attribute(e, "href") != NULL)
            about->base = trim(og_page_attribute(e, "href"));
        break;
    case GUMBO_TAG_TITLE:
        if (about->tag_title.len == 0 && og_page_only_text(e) != NULL)
            about->tag_title = trim(og_page_only_text(e));
        break;
    default: og_page_time_of_element(page, parent, e); break;
    }
}

/* ---- the title ---- */

/* The text of a node, with space collapsed; len 0: none, or too long for a
 * title. */
static og_bytes text_of(struct og_page *page, uint32_t at)
{
    enum { LONGEST_TITLE = 400 };
    char *const copy = og_bump_take(&page->bump, LONGEST_TITLE);
    size_t len = 0;
    bool in_space = true;
    if (copy == NULL) return (og_bytes){"", 0};
    for (uint32_t i = at; i < page->nodes[at].end; i++) {
        const og_bytes text = page->nodes[i].text;
        if (og_page_is_block(page->nodes[i].tag) ||
            page->nodes[i].tag == GUMBO_TAG_BR) {
            if (!in_space && len < LONGEST_TITLE) copy[len++] = ' ';
            in_space = true;
        }
        for (size_t k = 0; k < text.len; k++) {
            const bool space = og_is_space(text.data[k]);
            if (space && in_space) continue;
            if (len == LONGEST_TITLE) return (og_bytes){"", 0};
            copy[len++] = space ? ' ' : text.data[k];
            in_space = space;
        }
    }
    return og_page_trim((og_bytes){copy, len});
}

static bool holds(og_bytes outer, og_bytes inner)
{
    return inner.len > 0 && inner.len <= outer.len &&
           memmem(outer.data, outer.len, inner.data, inner.len) != NULL;
}

static bool is_heading(const struct og_page_node *node)
{
    return node->tag == GUMBO_TAG_H1 ||
           ((node->tag == GUMBO_TAG_H2 || node->tag == GUMBO_TAG_H3) &&
            (node->traits & OG_PAGE_TITLE) != 0);
}

struct headings {
    og_bytes only;  /* the only <h1> */
    og_bytes alike; /* the first that resembles another title of the page */
    og_bytes named; /* the first that is named a title */
    int n_h1;
};

static bool mentions(const struct og_page_about *about, og_bytes s)
{
    return holds(about->title, s) || holds(about->data.headline, s) ||
           (s.len >= 8 && holds(about->tag_title, s));
}

/* An <h1> that the other titles do not mention, or that is at the end of
 * <title>, is the name of the site. */
static bool is_site_name(const struct og_page_about *about, og_bytes h1)
{
    const og_bytes tag = about->tag_title;
    const og_bytes other =
        about->title.len > 0 ? about->title : about->data.headline;
    if (other.len > 0)
        return !holds(other, h1) && !holds(h1, other) && holds(tag, h1) &&
               (tag.len < h1.len ||
                memcmp(tag.data + tag.len - h1.len, h1.data, h1.len) == 0);
    return tag.len > h1.len &&
           memcmp(tag.data + tag.len - h1.len, h1.data, h1.len) == 0;
}

static void find_headings(struct og_page *page, struct headings *out)
{
    enum { ENOUGH = 50 };
    int n = 0;
    *out = (struct headings){.only = {"", 0}};
    for (uint32_t i = 0; i < page->n_nodes && n < ENOUGH; i++) {
        const struct og_page_node *const node = &page->nodes[i];
        if (!is_heading(node) || (node->traits & OG_PAGE_HIDDEN) != 0) continue;
        const og_bytes s = text_of(page, i);
        if (s.len == 0) continue;
        n++;
        if (node->tag == GUMBO_TAG_H1 && out->n_h1++ == 0) out->only = s;
        if (out->alike.len == 0 && mentions(&page->about, s) &&
            !is_site_name(&page->about, s))
            out->alike = s;
        if (out->named.len == 0 && (node->traits & OG_PAGE_TITLE) != 0)
            out->named = s;
    }
    if (out->n_h1 != 1) out->only.len = 0;
}

/* "Salt and ships - The Gazette" without the name of the site. */
static og_bytes without_site(og_bytes title)
{
    static const char *const signs[] = {" | ", " - ", " \xe2\x80\x93 ",
                                        " \xe2\x80\x94 ", " \xc2\xbb "};
    for (size_t i = title.len; i-- > 0;)
        for (size_t k = 0; k < sizeof(signs) / sizeof(signs[0]); k++) {
            const size_t len = strlen(signs[k]);
            if (title.len - i >= len && i * 2 > title.len &&
                memcmp(title.data + i, signs[k], len) == 0)
                return (og_bytes){title.data, i};
        }
    return title;
}

/* If neither a heading nor the data of the page gives a title. */
static og_bytes last_title(const struct og_page_about *about,
                           const struct headings *h)
{
    if (h->named.len > 0) return h->named;
    if (about->tag_title.len > 0) return without_site(about->tag_title);
    return h->only;
}

static void choose_title(struct og_page *page)
{
    struct og_page_about *const about = &page->about;
    struct headings h;
    find_headings(page, &h);
    if (h.only.len > 0 && !is_site_name(about, h.only))
        about->title = h.only;
    else if (h.alike.len > 0)
        about->title = h.alike;
    else if (about->data.headline.len > 0)
        about->title = og_page_trim(about->data.headline);
    else if (about->title.len == 0)
        about->title = last_title(about, &h);
}

/* ---- addresses ---- */

static bool has_scheme(og_bytes url)
{
    return (url.len > 7 && strncasecmp(url.data, "http://", 7) == 0) ||
           (url.len > 8 && strncasecmp(url.data, "https://", 8) == 0);
}

static og_bytes join(struct og_bump *bump, og_bytes front, og_bytes back)
{
    char *const copy = og_bump_take(bump, front.len + back.len + 1);
    if (copy == NULL) return (og_bytes){"", 0};
    memcpy(copy, front.data, front.len);
    memcpy(copy + front.len, back.data, back.len);
    copy[front.len + back.len] = 0;
    return (og_bytes){copy, front.len + back.len};
}

/* Up to the path, or with `whole` up to its last slash. */
static og_bytes front_of(og_bytes base, bool whole)
{
    size_t at = (base.data[4] | 0x20) == 's' ? 8 : 7;
    while (at < base.len && strchr("/?#", base.data[at]) == NULL)
        at++;
    size_t len = at;
    for (; whole && at < base.len && strchr("?#", base.data[at]) == NULL; at++)
        if (base.data[at] == '/') len = at + 1;
    return (og_bytes){base.data, len};
}

og_bytes og_page_resolve(struct og_bump *bump, og_bytes base, og_bytes url)
{
    url = og_page_trim(url);
    if (has_scheme(url)) return url;
    if (url.len > 2 && memcmp(url.data, "//", 2) == 0) {
        const bool is_plain = has_scheme(base) && base.data[4] == ':';
        return join(bump,
                    is_plain ? (og_bytes){"http:", 5} : (og_bytes){"https:", 6},
                    url);
    }
    if (!has_scheme(base) || url.len == 0 ||
        memchr(url.data, ':', url.len) != NULL)
        return (og_bytes){"", 0};
    while (url.len > 1 && memcmp(url.data, "./", 2) == 0)
        url = (og_bytes){url.data + 2, url.len - 2};
    const og_bytes front = front_of(base, url.data[0] != '/');
    const bool needs_slash =
        url.len > 0 && url.data[0] != '/' && front.data[front.len - 1] != '/';
    return join(
        bump, needs_slash ? join(bump, front, (og_bytes){"/", 1}) : front, url);
}

static void choose_address(struct og_page *page)
{
    struct og_page_about *const about = &page->about;
    const og_bytes base =
        has_scheme(about->base) ? about->base : about->shared_url;
    if (about->url.len > 0)
        about->url = og_page_resolve(&page->bump, base, about->url);
    if (about->url.len == 0 && about->shared_url.len > 0)
        about->url =
            og_page_resolve(&page->bump, about->base, about->shared_url);
}

/* ---- the whole ---- */

bool og_page_about_finish(struct og_page *page, const og_bytes *scripts,
                          size_t n_scripts)
{
    for (size_t i = 0; i < n_scripts; i++)
        if (!og_page_data_read(&page->about.data, scripts[i], &page->bump))
            return false;
    choose_address(page);
    choose_title(page);
    og_page_time_finish(page);
    return true;
}
