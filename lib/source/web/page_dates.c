#include "lib/source/web/page_dates.h"

#include <origo/document.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/os/clock.h"

/* Beginnings of the months' names, in lower case: English, German, French,
 * Spanish, Italian, Portuguese, Dutch, Polish, Russian. */
static const struct {
    const char *front;
    int month;
} months[] = {
    {"jan", 1},
    {"j\xc3\xa4n", 1},
    {"ene", 1},
    {"gen", 1},
    {"sty", 1},
    {"\xd1\x8f\xd0\xbd\xd0\xb2", 1},
    {"feb", 2},
    {"f\xc3\xa9v", 2},
    {"fev", 2},
    {"lut", 2},
    {"\xd1\x84\xd0\xb5\xd0\xb2", 2},
    {"mar", 3},
    {"m\xc3\xa4r", 3},
    {"mrz", 3},
    {"maa", 3},
    {"mrt", 3},
    {"\xd0\xbc\xd0\xb0\xd1\x80", 3},
    {"apr", 4},
    {"avr", 4},
    {"abr", 4},
    {"kwi", 4},
    {"\xd0\xb0\xd0\xbf\xd1\x80", 4},
    {"may", 5},
    {"mai", 5},
    {"mag", 5},
    {"mei", 5},
    {"maj", 5},
    {"\xd0\xbc\xd0\xb0\xd1\x8f", 5},
    {"juin", 6},
    {"jun", 6},
    {"giu", 6},
    {"cze", 6},
    {"\xd0\xb8\xd1\x8e\xd0\xbd", 6},
    {"jul", 7},
    {"juil", 7},
    {"lug", 7},
    {"lip", 7},
    {"\xd0\xb8\xd1\x8e\xd0\xbb", 7},
    {"aug", 8},
    {"ao\xc3\xbb", 8},
    {"ago", 8},
    {"sie", 8},
    {"\xd0\xb0\xd0\xb2\xd0\xb3", 8},
    {"sep", 9},
    {"set", 9},
    {"wrz", 9},
    {"\xd1\x81\xd0\xb5\xd0\xbd", 9},
    {"oct", 10},
    {"okt", 10},
    {"ott", 10},
    {"out", 10},
    {"pa\xc5\xba", 10},
    {"\xd0\xbe\xd0\xba\xd1\x82", 10},
    {"nov", 11},
    {"lis", 11},
    {"\xd0\xbd\xd0\xbe\xd1\x8f", 11},
    {"dec", 12},
    {"dez", 12},
    {"d\xc3\xa9"
     "c",
     12},
    {"dic", 12},
    {"gru", 12},
    {"\xd0\xb4\xd0\xb5\xd0\xba", 12},
};

/* Numbers, words and the characters between them. */
struct piece {
    const char *begin;
    size_t len;
    int value; /* of a number; -1: a word */
    char sign; /* the first character after it */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

static const char *next_piece(const char *p, const char *end, struct piece *out)
{
    while (p < end && !is_digit(*p) && !is_letter(*p))
        p++;
    if (p == end) return NULL;
    const bool number = is_digit(*p);
    *out = (struct piece){.begin = p, .value = number ? 0 : -1};
    while (p < end && (number ? is_digit(*p) : is_letter(*p))) {
        if (number && out->value < 100000)
            out->value = out->value * 10 + *p - '0';
        p++;
    }
    out->len = (size_t)(p - out->begin);
    out->sign = p < end ? *p : 0;
    return p;
}

static int month_of(const struct piece *w)
{
    char low[12] = {0};
    if (w->value >= 0 || w->len < 3) return 0;
    for (size_t i = 0; i < w->len && i < sizeof(low) - 1; i++) {
        const char c = w->begin[i];
        low[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    for (size_t i = 0; i < sizeof(months) / sizeof(months[0]); i++)
        if (strncmp(low, months[i].front, strlen(months[i].front)) == 0)
            return months[i].month;
    return 0;
}

static bool to_time(int year, int month, int day, int64_t *out)
{
    char s[40];
    /* The web dates from 1991; an earlier date on a page is not its own. */
    if (year < 1991 || year > 2100 || month < 1 || month > 12 || day < 1 ||
        day > 31)
        return false;
    const int len =
        snprintf(s, sizeof(s), "%04d-%02d-%02dT00:00:00Z", year, month, day);
    return og_time_parse((og_bytes){s, (size_t)len}, out);
}

static bool is_day(const struct piece *w)
{
    return w->value >= 1 && w->value <= 31 && w->len <= 2;
}

static bool is_year(const struct piece *w)
{
    return w->len == 4 && w->value >= 1991 && w->value <= 2100;
}

/* "de", "st", "th": words between the parts of a date. */
static bool is_filler(const struct piece *w)
{
    static const char *const fillers[] = {"de", "del", "st", "nd",
                                          "rd", "th",  "er", "of"};
    if (w->value >= 0) return false;
    for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++)
        if (w->len == strlen(fillers[i]) &&
            strncasecmp(w->begin, fillers[i], w->len) == 0)
            return true;
    return false;
}

/* From three consecutive pieces. */
static bool try_date(const struct piece *w, bool month_first, int64_t *out)
{
    if (is_day(&w[0]) && month_of(&w[1]) != 0 && is_year(&w[2]))
        return to_time(w[2].value, month_of(&w[1]), w[0].value, out);
    if (month_of(&w[0]) != 0 && is_day(&w[1]) && is_year(&w[2]))
        return to_time(w[2].value, month_of(&w[0]), w[1].value, out);
    if (w[0].value < 0 || w[1].value < 0 || w[2].value < 0) return false;
    const char sign = w[0].sign;
    if (is_year(&w[0]) && is_day(&w[1]) && is_day(&w[2]) && w[1].sign == sign &&
        strchr("-/.", sign) != NULL)
        return to_time(w[0].value, w[1].value, w[2].value, out);
    const bool has_year = is_year(&w[2]) || (w[2].len == 2 && sign == '.');
    const int year = w[2].len == 2 ? 2000 + w[2].value : w[2].value;
    if (!is_day(&w[0]) || !is_day(&w[1]) || !has_year || w[1].sign != sign ||
        sign == 0 || strchr("-/.", sign) == NULL)
        return false;
    const bool swaps =
        w[1].value > 12 || (month_first && sign == '/' && w[0].value <= 12);
    return swaps ? to_time(year, w[0].value, w[1].value, out)
                 : to_time(year, w[1].value, w[0].value, out);
}

/* 2019年3月12日: the signs are letters here. */
static bool try_cjk(const char *p, const char *end, int64_t *out)
{
    int year, month, day;
    char copy[40];
    const size_t len = (size_t)(end - p) < sizeof(copy) - 1 ? (size_t)(end - p)
                                                            : sizeof(copy) - 1;
    memcpy(copy, p, len);
    copy[len] = 0;
    return sscanf(copy, "%4d\xe5\xb9\xb4%2d\xe6\x9c\x88%2d\xe6\x97\xa5", &year,
                  &month, &day) == 3 &&
           to_time(year, month, day, out);
}

bool og_page_date_in_text(og_bytes text, bool month_first, int64_t *out)
{
    struct piece window[3] = {{0}};
    struct piece next;
    int n = 0;
    if (text.len == 0) return false;
    const char *const end = text.data + text.len;
    for (const char *p = text.data; (p = next_piece(p, end, &next)) != NULL;) {
        if (is_filler(&next) && n > 0) continue;
        if (is_year(&next) && next.sign == '\xe5' &&
            try_cjk(next.begin, end, out))
            return true;
        memmove(window, window + 1, 2 * sizeof(window[0]));
        window[2] = next;
        if (++n >= 3 && try_date(window, month_first, out)) return true;
    }
    return false;
}

bool og_page_date_in_address(og_bytes url, int64_t *out)
{
    if (url.len == 0) return false;
    const char *const end = url.data + url.len;
    struct piece w[3] = {{0}};
    struct piece next;
    int n = 0;
    for (const char *p = url.data; (p = next_piece(p, end, &next)) != NULL;) {
        memmove(w, w + 1, 2 * sizeof(w[0]));
        w[2] = next;
        if (next.value >= 0 && next.len == 8) {
            int year, month, day;
            char digits[9] = {0};
            memcpy(digits, next.begin, 8);
            if (sscanf(digits, "%4d%2d%2d", &year, &month, &day) == 3 &&
                to_time(year, month, day, out))
                return true;
        }
        if (++n < 3 || !is_year(&w[0])) continue;
        const bool is_apart =
            w[0].begin > url.data && !is_letter(w[0].begin[-1]);
        const int month = w[1].value > 0 ? w[1].value : month_of(&w[1]);
        if (is_apart && month >= 1 && month <= 12 && w[1].len <= 3 &&
            is_day(&w[2]) && w[0].sign == w[1].sign &&
            (w[0].sign == '/' || w[0].sign == '-' || w[0].sign == '_') &&
            to_time(w[0].value, month, w[2].value, out))
            return true;
    }
    return false;
}
