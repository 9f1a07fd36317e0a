/* Every form is parsed into numbers and a zone, written as RFC 3339 and passed
 * to og_time_parse(), so that the calendar is known in one place. */

#include "lib/source/mail/date.h"

#include <origo/document.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A year of two digits below this one belongs to this century (RFC 5322,
 * 4.3). */
enum { CENTURY_TURN = 50, LONGEST = 64 };

struct moment {
    int year, month, day, hour, minute, second;
    int zone; /* minutes east of Greenwich */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* 1 to 12; 0: none. */
static int month_of(const char *s)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (int i = 0; i < 12; i++)
        if (strncasecmp(s, names + (size_t)i * 3, 3) == 0) return i + 1;
    return 0;
}

static bool to_time(const struct moment *m, int64_t *out)
{
    char s[80];
    const int zone = m->zone < 0 ? -m->zone : m->zone;
    const int len = snprintf(
        s, sizeof(s), "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d", m->year,
        m->month, m->day, m->hour, m->minute, m->second == 60 ? 59 : m->second,
        m->zone < 0 ? '-' : '+', zone / 60, zone % 60);
    return len > 0 && (size_t)len < sizeof(s) &&
           og_time_parse((og_bytes){s, (size_t)len}, out);
}

/* ---- words: RFC 5322, HTTP, asctime ---- */

static bool take_clock(const char *s, struct moment *m)
{
    m->second = 0;
    return sscanf(s, "%2d:%2d:%2d", &m->hour, &m->minute, &m->second) >= 2;
}

/* "+0100", "EST"; an unknown zone is UTC. */
static int zone_of(const char *s)
{
    static const struct {
        const char *name;
        int hours;
    } names[] = {{"EDT", -4}, {"EST", -5}, {"CDT", -5}, {"CST", -6},
                 {"MDT", -6}, {"MST", -7}, {"PDT", -7}, {"PST", -8},
                 {"CET", 1},  {"CEST", 2}, {"MET", 1},  {"BST", 1}};
    int value;
    if ((*s == '+' || *s == '-') && strlen(s) == 5 &&
        sscanf(s + 1, "%4d", &value) == 1) {
        const int minutes = value / 100 * 60 + value % 100;
        return *s == '-' ? -minutes : minutes;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(s, names[i].name) == 0) return names[i].hours * 60;
    return 0;
}

struct words {
    bool has_day, has_month, has_year, has_clock;
    struct moment moment;
};

static void take_number(struct words *w, const char *s)
{
    int value;
    if (sscanf(s, "%5d", &value) != 1) return;
    if (!w->has_day && strlen(s) <= 2) {
        w->moment.day = value;
        w->has_day = true;
    } else if (!w->has_year) {
        if (strlen(s) == 2) value += value < CENTURY_TURN ? 2000 : 1900;
        if (strlen(s) == 3) value += 1900;
        w->moment.year = value;
        w->has_year = true;
    }
}

static void take_word(struct words *w, const char *s)
{
    if (strchr(s, ':') != NULL && !w->has_clock)
        w->has_clock = take_clock(s, &w->moment);
    else if (is_digit(s[0]))
        take_number(w, s);
    else if (!w->has_month && is_letter(s[0]) && month_of(s) != 0)
        w->has_month = (w->moment.month = month_of(s)) != 0;
    else if (w->has_clock && w->moment.zone == 0)
        w->moment.zone = zone_of(s);
}

static bool parse_words(const char *s, int64_t *out)
{
    struct words w = {.has_day = false};
    char word[LONGEST + 1];
    while (*s != 0 && *s != '(') {
        s += strspn(s, " \t,\r\n");
        const size_t len = strcspn(s, " \t,\r\n(");
        memcpy(word, s, len);
        word[len] = 0;
        /* "19-Nov-94" is three words, "-0500" is one. */
        char *rest = word;
        for (char *p = word + 1; len > 0 && *p != 0; p++)
            if (*p == '-' && is_digit(word[0])) {
                *p = 0;
                take_word(&w, rest);
                rest = p + 1;
            }
        if (*rest != 0) take_word(&w, rest);
        s += len;
    }
    return w.has_day && w.has_month && w.has_year && to_time(&w.moment, out);
}

/* YYYYMMDDhhmmss and its prefixes from the day on. */

/* "+0100" for "+01:00", and seconds that are missing. */
static bool parse_digits(const char *s, int64_t *out)
{
    struct moment m = {.day = 1};
    const size_t len = strlen(s);
    if ((len != 8 && len != 10 && len != 12 && len != 14) ||
        strspn(s, "0123456789") != len)
        return false;
    const int n = sscanf(s, "%4d%2d%2d%2d%2d%2d", &m.year, &m.month, &m.day,
                         &m.hour, &m.minute, &m.second);
    return n >= 3 && to_time(&m, out);
}

/* Bare numbers are not dates here, though they are seconds elsewhere. */
static bool parse_iso(const char *s, int64_t *out)
{
    struct moment m = {.day = 1};
    int used = 0;
    if (sscanf(s, "%4d-%2d-%2d%*1[T ]%2d:%2d%n", &m.year, &m.month, &m.day,
               &m.hour, &m.minute, &used) != 5 ||
        used == 0)
        return false;
    s += used;
    int more = 0;
    if (sscanf(s, ":%2d%n", &m.second, &more) == 1) s += more;
    if (*s == '.') s += 1 + strspn(s + 1, "0123456789");
    s += strspn(s, " ");
    int hours, minutes = 0;
    if ((*s == '+' || *s == '-') &&
        (sscanf(s + 1, "%2d:%2d", &hours, &minutes) == 2 ||
         sscanf(s + 1, "%2d%2d", &hours, &minutes) >= 1))
        m.zone = (*s == '-' ? -1 : 1) * (hours * 60 + minutes);
    return to_time(&m, out);
}

bool og_date_parse(og_bytes s, int64_t *out)
{
    char copy[LONGEST + 1];
    if (s.len == 0 || s.len > LONGEST || memchr(s.data, 0, s.len) != NULL)
        return false;
    memcpy(copy, s.data, s.len);
    copy[s.len] = 0;
    if (parse_digits(copy, out)) return true;
    /* A year after a hyphen is not a zone. */
    if (strspn(copy, "0123456789.") == s.len) return false;
    return og_time_parse(s, out) || parse_iso(copy, out) ||
           parse_words(copy, out);
}

bool og_date_zone(og_bytes s, int *out)
{
    int hours, minutes;
    char back[7] = {0};
    if (s.len < sizeof(back)) return false;
    memcpy(back, s.data + s.len - 6, 6);
    const bool has_colon = back[3] == ':';
    const char *const p = has_colon ? back : back + 1;
    if ((*p != '+' && *p != '-') ||
        strspn(p + 1, "0123456789") != (has_colon ? 2 : 4) ||
        sscanf(p + 1, has_colon ? "%2d:%2d" : "%2d%2d", &hours, &minutes) != 2)
        return false;
    /* A year after a hyphen is none. */
    if (hours > 14 || minutes > 59 || memchr(s.data, ':', s.len - 6) == NULL)
        return false;
    *out = (*p == '-' ? -1 : 1) * (hours * 60 + minutes);
    return true;
}

bool og_date_of_field(og_bytes s, bool is_number, int64_t *out)
{
    if (is_number) return og_time_parse_seconds(s, out);
    return og_time_parse(s, out) || og_date_parse(s, out);
}
