/* Pages tell their title, address and time of publication in many ways. Each
 * way has a rank, and of two the higher one counts; of equal ones the first,
 * since what comes later on a page is as a rule about other pages. */

#include "lib/source/web/page_about.h"

#include <string.h>
#include <strings.h>

#include "lib/source/mail/date.h"

struct name_rank {
    const char *name;
    int rank;
};

/* Of <meta name= or property= or itemprop=>; moments of publication alone. */
static const struct name_rank time_names[] = {
    {"article:published_time", 9},
    {"datepublished", 8},
    {"og:published_time", 8},
    {"parsely-pub-date", 7},
    {"sailthru.date", 6},
    {"dcterms.created", 6},
    {"dc.date.issued", 6},
    {"dcterms.issued", 6},
    {"dc.date", 5},
    {"dcterms.date", 5},
    {"pubdate", 5},
    {"publishdate", 5},
    {"publish_date", 5},
    {"publish-date", 5},
    {"date", 4},
    {"article:modified_time", 1},
};

static const struct name_rank title_names[] = {
    {"og:title", 9}, {"dc.title", 7}, {"twitter:title", 6}};

enum { RANK_TITLE_TAG = 8, RANK_H1 = 1, RANK_JSON = 7, RANK_TIME_TAG = 2 };

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

static og_bytes trim(const char *s)
{
    static const char space[] = " \t\r\n\f";
    s += strspn(s, space);
    size_t len = strlen(s);
    while (len > 0 && strchr(space, s[len - 1]) != NULL)
        len--;
    return (og_bytes){s, len};
}

static void offer(og_bytes *field, int *field_rank, int rank, const char *s)
{
    if (s == NULL || rank <= *field_rank) return;
    const og_bytes value = trim(s);
    if (value.len == 0) return;
    *field = value;
    *field_rank = rank;
}

static void offer_time(struct og_page_about *about, int rank, og_bytes s)
{
    int64_t time;
    if (rank <= about->time_rank || !og_date_parse(s, &time)) return;
    about->time = time;
    about->time_rank = rank;
}

static void read_meta(struct og_page_about *about, const GumboElement *e)
{
    static const char *const keys[] = {"property", "name", "itemprop"};
    const char *const content = attribute(e, "content");
    if (content == NULL) return;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *const name = attribute(e, keys[i]);
        if (name == NULL) continue;
        offer_time(about, RANK_OF(time_names, name), trim(content));
        offer(&about->title, &about->title_rank, RANK_OF(title_names, name),
              content);
        if (strcasecmp(name, "og:url") == 0)
            offer(&about->url, &about->url_rank, 1, content);
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

static void read_time_tag(struct og_page_about *about, const GumboElement *e)
{
    const char *const datetime = attribute(e, "datetime");
    const char *const itemprop = attribute(e, "itemprop");
    const char *const s = datetime != NULL ? datetime : only_text(e);
    if (s == NULL) return;
    int rank = RANK_TIME_TAG;
    if (attribute(e, "pubdate") != NULL) rank = RANK_TIME_TAG + 1;
    if (itemprop != NULL) rank = RANK_OF(time_names, itemprop);
    offer_time(about, rank, trim(s));
}

/* "datePublished": "2019-11-19T13:03:00Z", wherever it stands in JSON-LD. */
static void read_json(struct og_page_about *about, const GumboElement *e)
{
    static const char key[] = "\"datePublished\"";
    const char *const type = attribute(e, "type");
    if (type == NULL || strcasecmp(type, "application/ld+json") != 0) return;
    const char *at = only_text(e);
    if (at == NULL || (at = strstr(at, key)) == NULL) return;
    at += strlen(key);
    at += strspn(at, " \t\r\n:");
    if (*at != '"') return;
    offer_time(about, RANK_JSON, (og_bytes){at + 1, strcspn(at + 1, "\"")});
}

static void read_link(struct og_page_about *about, const GumboElement *e)
{
    const char *const rel = attribute(e, "rel");
    if (rel != NULL && strcasecmp(rel, "canonical") == 0)
        offer(&about->url, &about->url_rank, 2, attribute(e, "href"));
}

void og_page_about_element(struct og_page_about *about, const GumboNode *n)
{
    const GumboElement *const e = &n->v.element;
    if (e->tag_namespace != GUMBO_NAMESPACE_HTML) return;
    switch (e->tag) {
    case GUMBO_TAG_META: read_meta(about, e); break;
    case GUMBO_TAG_LINK: read_link(about, e); break;
    case GUMBO_TAG_TIME: read_time_tag(about, e); break;
    case GUMBO_TAG_SCRIPT: read_json(about, e); break;
    case GUMBO_TAG_TITLE:
        offer(&about->title, &about->title_rank, RANK_TITLE_TAG, only_text(e));
        break;
    case GUMBO_TAG_H1:
        offer(&about->title, &about->title_rank, RANK_H1, only_text(e));
        break;
    default: break;
    }
}
