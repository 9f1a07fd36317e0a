#define _GNU_SOURCE /* memmem */
/* Pages tell their title, address and time of publication in many ways. Each
 * way has a rank, and of two the higher one counts; of equal ones the first,
 * since what comes later on a page is as a rule about other pages. */

#include "lib/source/web/page_about.h"

#include <string.h>
#include <strings.h>

#include "lib/source/mail/date.h"
#include "lib/source/spaces.h"
#include "lib/source/web/page_dates.h"

struct name_rank {
    const char *name;
    int rank;
};

/* Of <meta name= or property= or itemprop=>. */
static const struct name_rank time_names[] = {
    {"article:published_time", 19},
    {"og:article:published_time", 19},
    {"datepublished", 18},
    {"og:published_time", 18},
    {"parsely-pub-date", 17},
    {"cxenseparse:recs:publishtime", 17},
    {"sailthru.date", 16},
    {"dcterms.created", 16},
    {"dc.date.issued", 16},
    {"dc.date.created", 16},
    {"dcterms.issued", 16},
    {"citation_publication_date", 16},
    {"citation_online_date", 16},
    {"dc.date", 15},
    {"dcterms.date", 15},
    {"pubdate", 15},
    {"publishdate", 15},
    {"publish_date", 15},
    {"publish-date", 15},
    {"published_at", 15},
    {"publication_date", 15},
    {"article.published", 15},
    {"article.created", 15},
    {"datecreated", 14},
    {"date", 14},
    {"created", 14},
    {"article:modified_time", 2},
    {"datemodified", 2},
    {"og:updated_time", 2},
    {"last-modified", 1},
};

static const struct name_rank title_names[] = {
    {"og:title", 9}, {"dc.title", 7}, {"twitter:title", 6}};

enum {
    RANK_DATA = 18, /* datePublished in a script */
    RANK_DATA_CREATED = 11,
    RANK_ADDRESS = 13,        /* a day in the address of the page */
    RANK_TIME_PUBLISHED = 12, /* <time> that says so */
    RANK_TIME_TAG = 9,
    RANK_NAMED_TEXT = 8, /* in an element that is called date */
    RANK_NEAR_TITLE = 7,
    RANK_TIME_LATER = 6, /* <time> of a comment, a side bar */
    RANK_TEXT = 5,
    RANK_LONG_LINE = 4, /* at the beginning of a paragraph */
    RANK_MARGIN = 3,
    RANK_DATA_MODIFIED = 2,
};

/* A date of 60 letters is in a line of its own; in a paragraph it is of
 * something else. */
enum { LONGEST_DATE_LINE = 120, NEAR_TITLE = 40 };

static int rank_of(const struct name_rank *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(names[i].name, name) == 0) return names[i].rank;
    return 0;
}

#define RANK_OF(names, name)                                                   \
    rank_of(names, sizeof(names) / sizeof(names[0]), name)

static const char *attribute(const GumboElement *e, const char *name)
{
    const GumboAttribute *const a = gumbo_get_attribute(&e->attributes, name);
    return a == NULL ? NULL : a->value;
}

static og_bytes trim_bytes(og_bytes s)
{
    while (s.len > 0 && og_is_space(s.data[0]))
        s = (og_bytes){s.data + 1, s.len - 1};
    while (s.len > 0 && og_is_space(s.data[s.len - 1]))
        s.len--;
    return s;
}

static og_bytes trim(const char *s)
{
    return trim_bytes((og_bytes){s, strlen(s)});
}

static void offer(og_bytes *field, int *field_rank, int rank, const char *s)
{
    if (s == NULL || rank <= *field_rank) return;
    const og_bytes value = trim(s);
    if (value.len == 0) return;
    *field = value;
    *field_rank = rank;
}

/* ---- times ---- */

/* Zero seconds, and the years 0 and 1, are what programs write that do not
 * know. */
static bool is_believable(int64_t time)
{
    static const int64_t day = (int64_t)86400 * 1000000;
    return !(time > -2 * day && time < 2 * day) && time > -day * 365 * 1900;
}

/* Midnight in some zone is a day, and stays the same day in UTC. */
static og_bytes without_midnight(og_bytes s)
{
    const bool is_midnight = s.len > 19 &&
                             (s.data[10] == 'T' || s.data[10] == ' ') &&
                             memcmp(s.data + 11, "00:00:00", 8) == 0;
    return is_midnight ? (og_bytes){s.data, 10} : s;
}

static bool parse_time(const struct og_page_about *about, og_bytes s,
                       int64_t *out)
{
    if (og_date_parse(without_midnight(s), out)) return is_believable(*out);
    return s.len <= LONGEST_DATE_LINE &&
           og_page_date_in_text(s, about->month_first, out);
}

static void offer_time(struct og_page_about *about, int rank,
                       og_time_source source, og_bytes s)
{
    int64_t time;
    if (rank <= about->time_rank || !parse_time(about, s, &time)) return;
    about->time = time;
    about->time_rank = rank;
    about->time_source = source;
}

/* ---- elements ---- */

static bool is_margin(const struct og_page_node *node)
{
    return node->tag == GUMBO_TAG_ASIDE || node->tag == GUMBO_TAG_FOOTER ||
           node->tag == GUMBO_TAG_NAV ||
           (node->traits & (OG_PAGE_COMMENT | OG_PAGE_HIDDEN)) != 0 ||
           ((node->traits & OG_PAGE_UNLIKELY) != 0 &&
            (node->traits & OG_PAGE_LIKELY) == 0);
}

static bool is_in_margin(const struct og_page *page, uint32_t i)
{
    enum { MAX_LEVELS = 64 };
    for (int level = 0; level < MAX_LEVELS && i != 0;
         level++, i = page->nodes[i].parent)
        if (is_margin(&page->nodes[i])) return true;
    return false;
}

static void read_meta(struct og_page_about *about, const GumboElement *e)
{
    static const char *const keys[] = {"property", "name", "itemprop"};
    const char *const content = attribute(e, "content");
    if (content == NULL) return;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *const name = attribute(e, keys[i]);
        if (name == NULL) continue;
        offer_time(about, RANK_OF(time_names, name), OG_TIME_METADATA,
                   trim(content));
        offer(&about->title, &about->title_rank, RANK_OF(title_names, name),
              content);
        if (strcasecmp(name, "og:url") == 0)
            offer(&about->shared_url, &about->shared_url_rank, 1, content);
    }
}

static const char *only_text(const GumboElement *e)
{
    if (e->children.length != 1) return NULL;
    const GumboNode *const child = e->children.data[0];
    const bool is_text =
        child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_CDATA;
    return is_text ? child->v.text.text : NULL;
}

static bool says_published(const GumboElement *e)
{
    const char *const name = attribute(e, "class");
    return attribute(e, "pubdate") != NULL ||
           (name != NULL && (strstr(name, "published") != NULL ||
                             strstr(name, "entry-date") != NULL ||
                             strstr(name, "post-date") != NULL));
}

static bool says_updated(const GumboElement *e)
{
    const char *const name = attribute(e, "class");
    return name != NULL && strstr(name, "published") == NULL &&
           (strstr(name, "updated") != NULL ||
            strstr(name, "modified") != NULL);
}

static void read_time_tag(struct og_page *page, uint32_t parent,
                          const GumboElement *e)
{
    struct og_page_about *const about = &page->about;
    const char *const datetime = attribute(e, "datetime");
    const char *const itemprop = attribute(e, "itemprop");
    const char *const s =
        datetime != NULL && *datetime != 0 ? datetime : only_text(e);
    if (s == NULL) return;
    int rank = says_published(e)            ? RANK_TIME_PUBLISHED
               : says_updated(e)            ? RANK_DATA_MODIFIED
               : is_in_margin(page, parent) ? RANK_TIME_LATER
                                            : RANK_TIME_TAG;
    if (itemprop != NULL && RANK_OF(time_names, itemprop) > 0)
        rank = RANK_OF(time_names, itemprop);
    offer_time(about, rank, OG_TIME_METADATA, trim(s));
}

/* <span itemprop=datePublished content=...>, <abbr class=published title=...>
 */
static void read_other(struct og_page_about *about, const GumboElement *e)
{
    const char *const itemprop = attribute(e, "itemprop");
    const char *const content = attribute(e, "content");
    const char *const title = attribute(e, "title");
    if (itemprop != NULL) {
        const int rank = RANK_OF(time_names, itemprop);
        const char *const s = content != NULL ? content : only_text(e);
        if (s != NULL) offer_time(about, rank, OG_TIME_METADATA, trim(s));
    }
    if (title != NULL && says_published(e))
        offer_time(about, RANK_TIME_PUBLISHED, OG_TIME_METADATA, trim(title));
}

static void read_link(struct og_page_about *about, const GumboElement *e)
{
    const char *const rel = attribute(e, "rel");
    if (rel != NULL && strcasecmp(rel, "canonical") == 0)
        offer(&about->url, &about->url_rank, 2, attribute(e, "href"));
}

static void read_language(struct og_page_about *about, const GumboElement *e)
{
    const char *const lang = attribute(e, "lang");
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
        if (about->base.len == 0 && attribute(e, "href") != NULL)
            about->base = trim(attribute(e, "href"));
        break;
    case GUMBO_TAG_TIME: read_time_tag(page, parent, e); break;
    case GUMBO_TAG_TITLE:
        if (about->tag_title.len == 0 && only_text(e) != NULL)
            about->tag_title = trim(only_text(e));
        break;
    default:
        if (e->attributes.length > 0) read_other(about, e);
        break;
    }
}

/* ---- the title ---- */

/* The text of a node, space folded; len 0: none, or too long for a title. */
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
    return trim_bytes((og_bytes){copy, len});
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
    og_bytes only;  /* the one and only <h1> */
    og_bytes alike; /* the first that the page's other titles speak of */
    og_bytes named; /* the first that is called a title */
    int n_h1;
};

static bool is_spoken_of(const struct og_page_about *about, og_bytes s)
{
    return holds(about->title, s) || holds(about->data.headline, s) ||
           (s.len >= 8 && holds(about->tag_title, s));
}

/* An <h1> that the other titles do not speak of, or that stands at the end of
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
        if (out->alike.len == 0 && is_spoken_of(&page->about, s) &&
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

/* When neither a heading nor the data of the page gives a title. */
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
        about->title = trim_bytes(about->data.headline);
    else if (about->title.len == 0)
        about->title = last_title(about, &h);
}

/* ---- dates in the text ---- */

/* Called date by the element or one of the two around it. */
static bool is_called_date(const struct og_page *page, uint32_t i)
{
    for (int level = 0; level < 3 && i != 0; level++, i = page->nodes[i].parent)
        if ((page->nodes[i].traits & OG_PAGE_DATE) != 0) return true;
    return false;
}

static bool has_year(og_bytes s)
{
    for (size_t i = 0; i + 1 < s.len; i++)
        if (s.data[i] >= '0' && s.data[i] <= '9' && s.data[i + 1] >= '0' &&
            s.data[i + 1] <= '9')
            return true;
    return false;
}

/* A line of text: what runs on in one block, or its beginning. */
struct line {
    char text[LONGEST_DATE_LINE];
    size_t len;
    bool is_long;
    uint32_t block, first; /* nodes */
};

static uint32_t block_of(const struct og_page *page, uint32_t i)
{
    while (i != 0 && !og_page_is_block(page->nodes[i].tag))
        i = page->nodes[i].parent;
    return i;
}

static void add_to_line(struct line *line, og_bytes text)
{
    const size_t left = sizeof(line->text) - line->len;
    const size_t len = text.len < left ? text.len : left;
    memcpy(line->text + line->len, text.data, len);
    line->len += len;
    if (len < text.len) line->is_long = true;
}

static void offer_line(struct og_page *page, const struct line *line,
                       uint32_t title)
{
    struct og_page_about *const about = &page->about;
    const bool is_near = title != 0 && line->first >= title &&
                         line->first - page->nodes[title].end < NEAR_TITLE;
    if (line->len < 6 || !has_year((og_bytes){line->text, line->len})) return;
    int rank = line->is_long ? RANK_LONG_LINE
               : is_called_date(page, page->nodes[line->first].parent)
                   ? RANK_NAMED_TEXT
               : is_near ? RANK_NEAR_TITLE
                         : RANK_TEXT;
    if (rank <= about->time_rank) return;
    if (is_in_margin(page, line->block)) rank = RANK_MARGIN;
    offer_time(about, rank, OG_TIME_TEXT, (og_bytes){line->text, line->len});
}

static void look_for_date(struct og_page *page)
{
    struct line line = {.len = 0};
    uint32_t title = 0;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const struct og_page_node *const node = &page->nodes[i];
        if (node->tag == GUMBO_TAG_H1 && title == 0) title = i;
        if (node->tag != OG_PAGE_TEXT) continue;
        const uint32_t block = block_of(page, node->parent);
        if (block != line.block || line.len == 0) {
            offer_line(page, &line, title);
            line = (struct line){.block = block, .first = i};
        }
        add_to_line(&line, node->text);
    }
    offer_line(page, &line, title);
}

static void look_in_address(struct og_page_about *about)
{
    int64_t time;
    static const int64_t day = (int64_t)86400 * 1000000;
    if (!og_page_date_in_address(about->url, &time)) return;
    /* A moment of that day, in whatever zone, is the better answer. */
    if (about->time_rank > 0 && about->time >= time - day &&
        about->time < time + 2 * day)
        return;
    about->time = time;
    about->time_rank = RANK_ADDRESS;
    about->time_source = OG_TIME_ADDRESS;
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
    url = trim_bytes(url);
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

static bool read_scripts(struct og_page *page, const og_bytes *scripts,
                         size_t n_scripts)
{
    struct og_page_about *const about = &page->about;
    struct og_page_data *const data = &about->data;
    for (size_t i = 0; i < n_scripts; i++)
        if (!og_page_data_read(data, scripts[i], &page->bump)) return false;
    offer_time(about, RANK_DATA, OG_TIME_METADATA, data->published);
    offer_time(about, RANK_DATA_CREATED, OG_TIME_METADATA, data->created);
    offer_time(about, RANK_DATA_MODIFIED, OG_TIME_METADATA, data->modified);
    return true;
}

bool og_page_about_finish(struct og_page *page, const og_bytes *scripts,
                          size_t n_scripts)
{
    if (!read_scripts(page, scripts, n_scripts)) return false;
    choose_address(page);
    choose_title(page);
    look_in_address(&page->about);
    if (page->about.time_rank <= RANK_NAMED_TEXT) look_for_date(page);
    return true;
}
