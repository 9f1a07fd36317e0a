/* Classes and ids are split into words ("relatedPosts__list" is related, posts,
 * list) and each word is looked up: a table of some hundred, by first letter. A
 * word of the table also matches longer ones that begin with it
 * ("sidebarright"), unless it is short or misleading: then it must match whole.
 * The words are those of the usual extractors (Readability, trafilatura and the
 * like) and specific to no site. */

#include "lib/source/web/page_words.h"

#include <string.h>

struct word {
    const char *text;
    uint16_t traits;
    bool is_whole;
};

#define U  OG_PAGE_UNLIKELY
#define L  OG_PAGE_LIKELY
#define G  OG_PAGE_GOOD
#define B  OG_PAGE_BAD
#define A  OG_PAGE_ASIDE
#define C  OG_PAGE_COMMENT
#define CA OG_PAGE_CAPTION
#define BY OG_PAGE_BYLINE
#define T  OG_PAGE_TITLE
#define D  OG_PAGE_DATE

/* Alphabetical. */
static const struct word words[] = {
    {"ad", U | B | A, true},
    {"adbox", U | B | A, false},
    {"ads", U | B | A, true},
    {"adsbygoogle", U | B | A, false},
    {"advert", U | B | A, false},
    {"adwrap", U | B | A, false},
    {"agegate", U | A, false},
    {"alsoread", U | B | A, false},
    {"article", L | G, false},
    {"articlebody", L | G | OG_PAGE_BODY, false},
    {"author", BY, false},
    {"banner", U | B, false},
    {"bio", BY | B, true},
    {"blog", G, false},
    {"body", L | G, false},
    {"breadcrumb", U | B | A, false},
    {"byline", BY | B, false},
    {"caption", CA, false},
    {"category", B, true},
    {"column", L, false},
    {"com", B, true},
    {"combx", U | B, false},
    {"comment", U | B | C, true},
    {"commentlist", U | B | C, false},
    {"comments", U | B | C, false},
    {"communit", U, false},
    {"complementary", U, true},
    {"contact", B, false},
    {"content", L | G, false},
    {"contentinfo", U, true},
    {"cookie", U | B | A, false},
    {"copyright", B | A, false},
    {"created", D, true},
    {"credit", CA, false},
    {"credits", CA, false},
    {"cta", U | B | A, true},
    {"date", D, true},
    {"dateline", BY | D, false},
    {"datetime", D, false},
    {"datum", D, true},
    {"dialog", U | A, true},
    {"disclaimer", B | A, false},
    {"discuss", C | U, false},
    {"disqus", U | B | C, false},
    {"donat", A | B, false},
    {"emailform", A | B, false},
    {"embed", B, true},
    {"entry", L | G, false},
    {"extra", U, true},
    {"facebook", B | A, true},
    {"fecha", D, true},
    {"figcaption", CA, false},
    {"follow", B | A, true},
    {"foot", U | B, true},
    {"footer", U | B, false},
    {"footnote", G, false},
    {"gallery", B, true},
    {"gdpr", U | B | A, false},
    {"header", U, false},
    {"headline", T, false},
    {"hentry", L | G, false},
    {"hidden", B, true},
    {"infobox", 0, false},
    {"jumbotron", U, false},
    {"keywords", B | A, false},
    {"legends", U, false},
    {"login", U | B | A, false},
    {"mailchimp", A | B, false},
    {"main", L | G, false},
    {"masthead", U | B, false},
    {"media", B, true},
    {"menu", U | B, false},
    {"meta", B, false},
    {"metadata", B | BY | D, false},
    {"modal", U | B | A, true},
    {"more", B, true},
    {"mostpopular", A | U | B, false},
    {"mostread", A | U | B, false},
    {"nav", U | B | A, true},
    {"navbar", U | B | A, false},
    {"navigation", U | B | A, false},
    {"newsletter", U | B | A, false},
    {"noprint", B, false},
    {"optin", A | B, false},
    {"outbrain", U | B | A, false},
    {"overlay", U | B, true},
    {"page", G, true},
    {"pager", U | A, true},
    {"pagination", U | A, false},
    {"paywall", B | A, false},
    {"photocredit", CA, false},
    {"popular", A | U | B, false},
    {"popup", U | B | A, false},
    {"post", L | G, true},
    {"postcontent", L | G, false},
    {"posted", BY | D, true},
    {"posttext", L | G, false},
    {"print", B, true},
    {"profile", BY | B, true},
    {"promo", U | B | A, false},
    {"promoted", U | B | A, false},
    {"pubdate", BY | D, false},
    {"published", BY | D, true},
    {"rating", B | A, true},
    {"readmore", B | A, false},
    {"recirc", U | B | A, false},
    {"recommend", U | B | A, false},
    {"related", U | B | A, false},
    {"remark", U, true},
    {"replies", U | C, true},
    {"respond", U | C, true},
    {"rss", U, true},
    {"scroll", B, true},
    {"share", B | A, true},
    {"sharebar", B | A, false},
    {"sharedaddy", B | A, false},
    {"sharing", B | A, false},
    {"shopping", B, false},
    {"shoutbox", U | B | C, false},
    {"sidebar", U | B, false},
    {"sidemenu", U | B, false},
    {"signin", U | B | A, false},
    {"signup", U | B | A, false},
    {"skip", A, true},
    {"skyscraper", U | B, false},
    {"slideshow", B, false},
    {"social", U | B | A, false},
    {"sponsor", U | B | A, false},
    {"story", L | G, false},
    {"subscri", U | B | A, false},
    {"supplemental", U, false},
    {"taboola", U | B | A, false},
    {"tag", B, true},
    {"taglist", B | A, false},
    {"tags", B | A, true},
    {"teaser", B, false},
    {"text", G, true},
    {"time", D, true},
    {"timestamp", BY | D, false},
    {"title", T, true},
    {"toolbar", U | B | A, false},
    {"tools", B | A, true},
    {"topbar", U | B, false},
    {"topics", B, true},
    {"trending", U | B | A, false},
    {"twitter", B, true},
    {"upsell", U | B | A, false},
    {"video", B, true},
    {"yom", U, true},
};

#undef U
#undef L
#undef G
#undef B
#undef A
#undef C
#undef CA
#undef BY
#undef T
#undef D

#define N_WORDS      (sizeof(words) / sizeof(words[0]))
#define MAX_WORD_LEN ((size_t)24)

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_same(const struct word *word, const char *s, size_t len)
{
    const size_t word_len = strlen(word->text);
    return word_len <= len && memcmp(word->text, s, word_len) == 0 &&
           (!word->is_whole || word_len == len);
}

/* The first word that begins with `letter` or a later one. */
static size_t first_of(char letter)
{
    size_t from = 0, to = N_WORDS;
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (words[middle].text[0] < letter)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static uint16_t look_up(const char *s, size_t len)
{
    uint16_t traits = 0;
    for (size_t i = first_of(s[0]); i < N_WORDS && words[i].text[0] == s[0];
         i++)
        if (is_same(&words[i], s, len)) traits |= words[i].traits;
    return traits;
}

/* The state of an element, or a plugin or content system, rather than its role:
 * "has-ads", "is-sticky", "elementor-widget", "node-promoted",
 * "category-social". */
static bool is_state(const char *s, size_t len)
{
    static const char *const fronts[] = {
        "has-",      "is-",  "no-",   "with-",   "node-",   "elementor-",
        "category-", "tag-", "type-", "status-", "format-", "not-"};
    for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++)
        if (len > strlen(fronts[i]) &&
            memcmp(s, fronts[i], strlen(fronts[i])) == 0)
            return true;
    return false;
}

static uint16_t words_of(const char *name, size_t name_len);

uint16_t og_page_words(const char *name)
{
    uint16_t traits = 0;
    while (*name != 0) {
        name += strspn(name, " \t\r\n\f");
        const size_t len = strcspn(name, " \t\r\n\f");
        if (len > 0 && !is_state(name, len)) traits |= words_of(name, len);
        name += len;
    }
    return traits;
}

static uint16_t words_of(const char *name, size_t name_len)
{
    uint16_t traits = 0;
    char word[24];
    size_t len = 0;
    for (const char *p = name;; p++) {
        const bool is_end = p == name + name_len;
        const bool is_letter = !is_end && (is_lower(*p) || is_upper(*p));
        const bool is_hump =
            len > 0 && !is_end && is_upper(*p) && is_lower(p[-1]);
        if ((!is_letter || is_hump) && len > 0) {
            traits |= look_up(word, len);
            len = 0;
        }
        if (is_letter && len < MAX_WORD_LEN)
            word[len++] = (char)(is_upper(*p) ? *p - 'A' + 'a' : *p);
        if (is_end) return traits;
    }
}
