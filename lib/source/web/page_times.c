#define _GNU_SOURCE /* memmem */
/* When was a page published? It says so in many ways, which do not always
 * agree. Each way has a rank, and the highest counts; of equal ones the first,
 * since what comes later on a page is usually about other pages. The ranks
 * follow how often each way is right where they disagree: metadata made for the
 * purpose (article:published_time, datePublished), then what readers see near
 * the title, then the data that content management systems write in any case
 * (dc.date, dateCreated), which is often the day of an import or of the last
 * change; the rest of the text comes last.
 *
 * A bare day does not replace a time on that day. */

#include "lib/source/web/page_times.h"

#include <string.h>
#include <strings.h>

#include "lib/source/mail/date.h"
#include "lib/source/spaces.h"
#include "lib/source/web/page_dates.h"

enum {
    RANK_ADDRESS = 30, /* a day in the address of the page */
    RANK_DATA = 28,    /* datePublished in a script */
    RANK_NEAR_TITLE = 24,
    RANK_NAMED_TEXT = 23,     /* in an element that is named date */
    RANK_TIME_PUBLISHED = 22, /* <time> marked as such */
    RANK_TIME_NEAR_TITLE = 21,
    RANK_SAID_TEXT = 20, /* "published on ..." */
    RANK_TIME_TAG = 19,
    RANK_DATA_CREATED = 16,
    RANK_TIME_LATER = 15, /* <time> of a comment or a sidebar */
    RANK_UPDATED = 14,
    RANK_TEXT = 13,
    RANK_LONG_LINE = 12, /* at the beginning of a paragraph */
    RANK_MARGIN = 11,
};

/* Of <meta name= or property= or itemprop=>. */
static const struct {
    const char *name;
    int rank;
} time_names[] = {
    {"article:published_time", 29},
    {"og:article:published_time", 29},
    {"datepublished", 28},
    {"og:published_time", 28},
    {"parsely-pub-date", 27},
    {"cxenseparse:recs:publishtime", 27},
    {"sailthru.date", 26},
    {"dcterms.created", 26},
    {"dc.date.issued", 26},
    {"dc.date.created", 26},
    {"dcterms.issued", 26},
    {"citation_publication_date", 26},
    {"citation_online_date", 26},
    {"dc.date", 18},
    {"dcterms.date", 18},
    {"pubdate", 18},
    {"publishdate", 18},
    {"publish_date", 18},
    {"publish-date", 18},
    {"published_at", 18},
    {"publication_date", 18},
    {"article.published", 18},
    {"article.created", 18},
    {"datecreated", 17},
    {"date", 17},
    {"created", 17},
    {"article:modified_time", RANK_UPDATED},
    {"datemodified", RANK_UPDATED},
    {"dateupdate", RANK_UPDATED},
    {"og:updated_time", RANK_UPDATED},
    {"last-modified", 10},
};

/* A date within 60 bytes is on a line of its own; in a paragraph it is about
 * something else. */
enum { LONGEST_DATE_LINE = 120, NEAR_TITLE = 40 };

static int rank_of(const char *name)
{
    for (size_t i = 0; i < sizeof(time_names) / sizeof(time_names[0]); i++)
        if (strcasecmp(time_names[i].name, name) == 0)
            return time_names[i].rank;
    return 0;
}

const char *og_page_attribute(const GumboElement *e, const char *name)
{
    const GumboAttribute *const a = gumbo_get_attribute(&e->attributes, name);
    return a == NULL ? NULL : a->value;
}

const char *og_page_only_text(const GumboElement *e)
{
    if (e->children.length != 1) return NULL;
    const GumboNode *const child = e->children.data[0];
    const bool is_text =
        child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_CDATA;
    return is_text ? child->v.text.text : NULL;
}

og_bytes og_page_trim(og_bytes s)
{
    while (s.len > 0 && og_is_space(s.data[0]))
        s = (og_bytes){s.data + 1, s.len - 1};
    while (s.len > 0 && og_is_space(s.data[s.len - 1]))
        s.len--;
    return s;
}

static og_bytes trim(const char *s)
{
    return og_page_trim((og_bytes){s, strlen(s)});
}

/* ---- candidates ---- */

#define DAY ((int64_t)86400 * 1000000)

/* Zero seconds, and the years 0 and 1, are what programs write for an unknown
 * time. */
static bool is_believable(int64_t time)
{
    return !(time > -2 * DAY && time < 2 * DAY) && time > -DAY * 365 * 1900;
}

/* Midnight in some zone is a day, and remains the same day in UTC. */
static og_bytes without_midnight(og_bytes s)
{
    const bool is_midnight = s.len > 19 &&
                             (s.data[10] == 'T' || s.data[10] == ' ') &&
                             memcmp(s.data + 11, "00:00:00", 8) == 0;
    return is_midnight ? (og_bytes){s.data, 10} : s;
}

struct candidate {
    int64_t time;
    int zone;
    bool has_zone;
};

static bool parse_time(const struct og_page_about *about, og_bytes s,
                       struct candidate *out)
{
    *out = (struct candidate){.time = 0};
    s = without_midnight(s);
    if (og_date_parse(s, &out->time)) {
        out->has_zone = og_date_zone(s, &out->zone);
        return is_believable(out->time);
    }
    return s.len <= LONGEST_DATE_LINE &&
           og_page_date_in_text(s, about->month_first, &out->time);
}

static bool is_day(int64_t time)
{
    return time % DAY == 0;
}

/* Whether the time falls on that day somewhere on earth, or on the next:
 * addresses are made before an article appears. */
static bool is_on_day(int64_t moment, int64_t day)
{
    return moment >= day - DAY && moment < day + 2 * DAY;
}

static void take_candidate(struct og_page_about *about, int rank,
                           og_time_source source, const struct candidate *c)
{
    const bool is_same = about->time_rank > 0 && c->time == about->time;
    /* The same time again may add the zone in which it was written. */
    if (is_same && c->has_zone && about->time_zone == 0)
        about->time_zone = c->zone;
    if (rank <= about->time_rank) return;
    const bool is_known =
        is_same || (about->time_rank > 0 && !is_day(about->time) &&
                    is_day(c->time) && is_on_day(about->time, c->time));
    about->time_rank = rank;
    if (is_known) return;
    about->time = c->time;
    about->time_zone = c->zone;
    about->time_source = source;
}

static void offer_time(struct og_page_about *about, int rank,
                       og_time_source source, og_bytes s)
{
    struct candidate c;
    if (rank > 0 && parse_time(about, s, &c))
        take_candidate(about, rank, source, &c);
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

void og_page_time_of_meta(struct og_page_about *about, const char *name,
                          og_bytes content)
{
    offer_time(about, rank_of(name), OG_TIME_METADATA, content);
}

static bool says_published(const GumboElement *e)
{
    const char *const name = og_page_attribute(e, "class");
    return og_page_attribute(e, "pubdate") != NULL ||
           (name != NULL && (strstr(name, "published") != NULL ||
                             strstr(name, "entry-date") != NULL ||
                             strstr(name, "post-date") != NULL));
}

static bool says_updated(const GumboElement *e)
{
    const char *const name = og_page_attribute(e, "class");
    return name != NULL && strstr(name, "published") == NULL &&
           (strstr(name, "updated") != NULL ||
            strstr(name, "modified") != NULL);
}

static bool is_near_heading(const struct og_page *page)
{
    const size_t heading = page->about.heading;
    return heading != 0 && page->n_nodes - heading < NEAR_TITLE;
}

static void read_time_tag(struct og_page *page, uint32_t parent,
                          const GumboElement *e)
{
    struct og_page_about *const about = &page->about;
    const char *const datetime = og_page_attribute(e, "datetime");
    const char *const itemprop = og_page_attribute(e, "itemprop");
    const char *const s =
        datetime != NULL && *datetime != 0 ? datetime : og_page_only_text(e);
    if (s == NULL) return;
    int rank = says_published(e)            ? RANK_TIME_PUBLISHED
               : says_updated(e)            ? RANK_UPDATED
               : is_near_heading(page)      ? RANK_TIME_NEAR_TITLE
               : is_in_margin(page, parent) ? RANK_TIME_LATER
                                            : RANK_TIME_TAG;
    if (itemprop != NULL && rank_of(itemprop) > 0) rank = rank_of(itemprop);
    offer_time(about, rank, OG_TIME_METADATA, trim(s));
}

/* <span itemprop=datePublished content=...>, <abbr class=published title=...>
 */
static void read_other(struct og_page_about *about, const GumboElement *e)
{
    const char *const itemprop = og_page_attribute(e, "itemprop");
    const char *const content = og_page_attribute(e, "content");
    const char *const title = og_page_attribute(e, "title");
    if (itemprop != NULL) {
        const char *const s = content != NULL ? content : og_page_only_text(e);
        if (s != NULL)
            offer_time(about, rank_of(itemprop), OG_TIME_METADATA, trim(s));
    }
    if (title != NULL && says_published(e))
        offer_time(about, RANK_TIME_PUBLISHED, OG_TIME_METADATA, trim(title));
    else if (title != NULL && says_updated(e))
        offer_time(about, RANK_UPDATED, OG_TIME_METADATA, trim(title));
}

void og_page_time_of_element(struct og_page *page, uint32_t parent,
                             const GumboElement *e)
{
    if (e->tag == GUMBO_TAG_TIME)
        read_time_tag(page, parent, e);
    else if (e->attributes.length > 0)
        read_other(&page->about, e);
    if (e->tag == GUMBO_TAG_H1 && page->about.heading == 0)
        page->about.heading = page->n_nodes;
}

/* ---- the text ---- */

/* The element or one of the two around it is named date. */
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

/* "Published on", as it precedes a date. */
static bool says_when(og_bytes s)
{
    static const char *const words[] = {
        "ublished",   "osted on",    "rstellt am", "rschienen am",
        "ffentlicht", "\xc3\xa9 le", "ublicado",   "ubblicato"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (memmem(s.data, s.len, words[i], strlen(words[i])) != NULL)
            return true;
    return false;
}

/* A line of text: what runs on within one block, or its beginning. */
struct line {
    char text[LONGEST_DATE_LINE];
    size_t len;
    bool is_long, is_called_date;
    uint32_t block, first; /* nodes */
};

static uint32_t block_of(const struct og_page *page, uint32_t i)
{
    while (i != 0 && !og_page_is_block(page->nodes[i].tag))
        i = page->nodes[i].parent;
    return i;
}

/* Space is collapsed, since pages may be indented. */
static void add_to_line(struct line *line, og_bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        const bool space = og_is_space(text.data[i]);
        if (space && (line->len == 0 || line->text[line->len - 1] == ' '))
            continue;
        if (line->len == sizeof(line->text)) {
            line->is_long = true;
            return;
        }
        line->text[line->len++] = space ? ' ' : text.data[i];
    }
}

static void offer_line(struct og_page *page, const struct line *line,
                       uint32_t title)
{
    struct og_page_about *const about = &page->about;
    const og_bytes text = {line->text, line->len};
    const bool is_near = title != 0 && line->first >= title &&
                         line->first - page->nodes[title].end < NEAR_TITLE;
    if (line->len < 6 || !has_year(text)) return;
    int rank = line->is_long          ? RANK_LONG_LINE
               : is_near              ? RANK_NEAR_TITLE
               : line->is_called_date ? RANK_NAMED_TEXT
               : says_when(text)      ? RANK_SAID_TEXT
                                      : RANK_TEXT;
    if (rank <= about->time_rank) return;
    if (rank != RANK_SAID_TEXT && is_in_margin(page, line->block))
        rank = RANK_MARGIN;
    /* Not a bare year, nor "2021/22", which are dates in data only. */
    struct candidate c = {.zone = 0};
    if (og_page_date_in_text(text, about->month_first, &c.time))
        take_candidate(about, rank, OG_TIME_TEXT, &c);
}

static void look_in_text(struct og_page *page)
{
    struct line line = {.len = 0};
    uint32_t title = 0;
    for (uint32_t i = 1; i < page->n_nodes; i++) {
        const struct og_page_node *const node = &page->nodes[i];
        if (node->tag == GUMBO_TAG_H1 && title == 0) title = i;
        const bool is_break = node->tag == GUMBO_TAG_BR;
        if (node->tag != OG_PAGE_TEXT && !is_break) continue;
        const uint32_t block = block_of(page, node->parent);
        if (block != line.block || line.len == 0 || is_break) {
            offer_line(page, &line, title);
            line = (struct line){.block = block,
                                 .first = i,
                                 .is_called_date =
                                     is_called_date(page, node->parent)};
        }
        /* <span>4</span><span>April</span> is separated by style alone. */
        if (page->nodes[i - 1].tag != OG_PAGE_TEXT)
            add_to_line(&line, (og_bytes){" ", 1});
        add_to_line(&line, node->text);
    }
    offer_line(page, &line, title);
}

static void look_in_address(struct og_page_about *about)
{
    struct candidate c = {.zone = 0};
    if (og_page_date_in_address(about->url, &c.time))
        take_candidate(about, RANK_ADDRESS, OG_TIME_ADDRESS, &c);
}

void og_page_time_finish(struct og_page *page)
{
    struct og_page_about *const about = &page->about;
    const struct og_page_data *const data = &about->data;
    offer_time(about, RANK_DATA, OG_TIME_METADATA, data->published);
    offer_time(about, RANK_DATA_CREATED, OG_TIME_METADATA, data->created);
    offer_time(about, RANK_UPDATED, OG_TIME_METADATA, data->modified);
    look_in_address(about);
    if (about->time_rank < RANK_NEAR_TITLE) look_in_text(page);
}
