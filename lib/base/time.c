/* Points in time: ISO 8601, common notations of years, or seconds as input;
 * microseconds since 1970 internally; RFC 3339 as output.
 *
 * Documents come from centuries of print, so the calendar is the proleptic
 * Gregorian one, computed by arithmetic: the C library's time_t functions
 * depend on the zone of the machine and are not safe from several threads.
 * A year is counted from March, so that the leap day is the last of it and
 * the lengths of the months follow one straight line, (153 * m + 2) / 5; an era
 * is 400 years, after which the calendar repeats (146,097 days). */

#include <origo/document.h>

#include <stddef.h>
#include <string.h>

#define MICRO           1000000
#define DAY_SECONDS     86400
#define DAYS_TO_1970    719468 /* from 0000-03-01 */
#define DAYS_PER_ERA    146097
#define FRACTION_DIGITS 6

/* The first second of -9999 and the last of 9999: the range of four digits and
 * a sign. Milliseconds since 1970 exceed it from 1978 on, so a stream that has
 * them is noticed instead of dated wrongly. */
#define MIN_SECONDS (-377705116800)
#define MAX_SECONDS 253402300799

struct cursor {
    const char *at, *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take(struct cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

/* Exactly n_digits digits, the value in min .. max. */
static bool take_number(struct cursor *c, int n_digits, int min, int max,
                        int *out)
{
    int value = 0;
    for (int i = 0; i < n_digits; i++) {
        if (c->at == c->end || !is_digit(*c->at)) return false;
        value = value * 10 + (*c->at++ - '0');
    }
    if (value < min || value > max) return false;
    *out = value;
    return true;
}

/* The digits after a point; those past the microseconds are dropped. */
static bool take_fraction(struct cursor *c, int64_t *out)
{
    const char *const first = c->at;
    int64_t value = 0;
    int n_digits = 0;
    for (; c->at < c->end && is_digit(*c->at); c->at++) {
        if (n_digits == FRACTION_DIGITS) continue;
        value = value * 10 + (*c->at - '0');
        n_digits++;
    }
    if (c->at == first) return false;
    for (; n_digits < FRACTION_DIGITS; n_digits++)
        value *= 10;
    *out = value;
    return true;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month)
{
    static const signed char days[] = {31, 28, 31, 30, 31, 30,
                                       31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

static int64_t days_since_1970(int64_t year, int month, int day)
{
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const int64_t year_of_era = year - era * 400;
    const int64_t month_from_march = (month + 9) % 12;
    const int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

/* ---- dates ---- */

static size_t n_digits(struct cursor c)
{
    size_t n = 0;
    while (c.at + n < c.end && is_digit(c.at[n]))
        n++;
    return n;
}

/* '-' or '/' and exactly two digits within the bounds. */
static bool take_part(struct cursor *c, char mark, int max, int *out)
{
    struct cursor part = *c;
    if (!take(&part, mark) || n_digits(part) != 2 ||
        !take_number(&part, 2, 1, max, out))
        return false;
    *c = part;
    return true;
}

struct date {
    int year, month, day;
    bool is_day; /* a clock may follow */
};

/* "-0043", "1611"; with an era also "44". */
static bool take_year(struct cursor *c, int era, int *out)
{
    const int sign = era == 0 && take(c, '-') ? -1 : 1;
    const size_t n = n_digits(*c);
    if (n > 4 || n < (size_t)(era != 0 ? 1 : sign < 0 ? 4 : 3)) return false;
    if (!take_number(c, (int)n, era != 0, 9999, out)) return false;
    *out = era < 0 ? 1 - *out : sign * *out;
    return true;
}

/* YYYYMMDD */
static bool take_packed_date(struct cursor *c, struct date *out)
{
    struct cursor d = *c;
    if (n_digits(d) != 8 || !take_number(&d, 4, 1, 9999, &out->year) ||
        !take_number(&d, 2, 1, 12, &out->month) ||
        !take_number(&d, 2, 1, days_in_month(out->year, out->month), &out->day))
        return false;
    *c = d;
    out->is_day = true;
    return true;
}

/* `era`: -1 before the common era, 1 in it, 0: not said. */
static bool take_date(struct cursor *c, int era, struct date *out)
{
    *out = (struct date){.month = 1, .day = 1};
    if (era == 0 && take_packed_date(c, out)) return true;
    if (!take_year(c, era, &out->year)) return false;
    const char mark = c->at < c->end && *c->at == '/' ? '/' : '-';
    struct cursor parts = *c;
    int month, day;
    if (!take_part(&parts, mark, 12, &month)) return true;
    if (take_part(&parts, mark, days_in_month(out->year, month), &day)) {
        out->day = day;
        out->is_day = true;
    } else if (mark == '/') {
        return true; /* "1611/12" is a range */
    } else if (parts.at < parts.end && *parts.at == '-' &&
               parts.end - parts.at > 1 && is_digit(parts.at[1]) &&
               n_digits((struct cursor){parts.at + 1, parts.end}) <= 2) {
        return false; /* the 31st of June */
    }
    out->month = month;
    *c = parts;
    return true;
}

/* ---- the clock ---- */

/* "12:30", "12:30:59.5", "123059". Second 60 is a leap second. The count since
 * 1970 has none, so it is the same as the first second of the next minute. */
static bool take_clock(struct cursor *c, int64_t *out_seconds,
                       int64_t *out_fraction)
{
    int hour, minute, second = 0;
    *out_fraction = 0;
    if (!take_number(c, 2, 0, 23, &hour)) return false;
    const bool has_colons = take(c, ':');
    if (!take_number(c, 2, 0, 59, &minute)) return false;
    const bool has_seconds = has_colons ? take(c, ':') : n_digits(*c) >= 2;
    if (has_seconds && !take_number(c, 2, 0, 60, &second)) return false;
    *out_seconds = hour * 3600 + minute * 60 + second;
    return !has_seconds || !take(c, '.') || take_fraction(c, out_fraction);
}

/* "Z", "+02:00", "+0200", "+02", or nothing. */
static bool take_zone(struct cursor *c, int64_t *out_seconds)
{
    *out_seconds = 0;
    if (c->at == c->end || take(c, 'Z') || take(c, 'z')) return true;
    const int64_t sign = take(c, '-') ? -1 : 1;
    int hour, minute = 0;
    if (sign > 0 && !take(c, '+')) return false;
    if (!take_number(c, 2, 0, 23, &hour)) return false;
    const bool has_minutes = take(c, ':') || c->at < c->end;
    if (has_minutes && !take_number(c, 2, 0, 59, &minute)) return false;
    *out_seconds = sign * (hour * 3600 + minute * 60);
    return true;
}

static bool is_in_range(int64_t seconds)
{
    return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

/* ---- words around a date ---- */

static bool ends_with(struct cursor c, const char *ending, size_t *out_len)
{
    const size_t len = strlen(ending);
    *out_len = len;
    if ((size_t)(c.end - c.at) <= len) return false;
    for (size_t i = 0; i < len; i++) {
        const char a = c.end[(ptrdiff_t)i - (ptrdiff_t)len];
        if ((a >= 'a' && a <= 'z' ? a - 32 : a) != ending[i]) return false;
    }
    return true;
}

static void trim(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '[' || *c->at == '('))
        c->at++;
    while (c->at < c->end &&
           (c->end[-1] == ' ' || c->end[-1] == ']' || c->end[-1] == ')' ||
            c->end[-1] == '?' || c->end[-1] == '~'))
        c->end--;
}

/* "44 BC", "1611 CE": -1, 1; 0: not given. */
static int take_era(struct cursor *c)
{
    static const struct {
        const char *name;
        int era;
    } eras[] = {{"BCE", -1},     {"BC", -1},    {"B.C.E.", -1}, {"B.C.", -1},
                {"V. CHR.", -1}, {"AD", 1},     {"CE", 1},      {"A.D.", 1},
                {"C.E.", 1},     {"N. CHR.", 1}};
    for (size_t i = 0; i < sizeof(eras) / sizeof(eras[0]); i++) {
        size_t len;
        if (!ends_with(*c, eras[i].name, &len)) continue;
        c->end -= len;
        trim(c);
        return eras[i].era;
    }
    return 0;
}

/* "c. 1611", "ca 1611", "circa 1611", "~1611": the year is used. */
static void skip_circa(struct cursor *c)
{
    static const char *const words[] = {"circa ", "ca. ", "ca ",
                                        "c. ",    "c.",   "~"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t len = strlen(words[i]);
        if ((size_t)(c->end - c->at) <= len ||
            memcmp(c->at, words[i], len) != 0)
            continue;
        c->at += len;
        return;
    }
}

/* What separates the two ends of a range. */
static bool take_dash(struct cursor *c)
{
    static const char *const dashes[] = {
        "/", "..", "-", "\xe2\x80\x93", "\xe2\x80\x94", "to "};
    while (take(c, ' ')) {
    }
    for (size_t i = 0; i < sizeof(dashes) / sizeof(dashes[0]); i++) {
        const size_t len = strlen(dashes[i]);
        if ((size_t)(c->end - c->at) < len ||
            memcmp(c->at, dashes[i], len) != 0)
            continue;
        c->at += len;
        while (take(c, ' ')) {
        }
        return true;
    }
    return false;
}

static bool take_moment(struct cursor *c, int era, bool is_end, int64_t *out)
{
    struct date date;
    int64_t clock = 0, fraction = 0, zone = 0;
    if (!take_date(c, era, &date)) return false;
    struct cursor rest = *c;
    if (!is_end && date.is_day &&
        (take(&rest, 'T') || take(&rest, 't') || take(&rest, ' ')) &&
        rest.at < rest.end && is_digit(*rest.at)) {
        if (!take_clock(&rest, &clock, &fraction) || !take_zone(&rest, &zone))
            return false;
        *c = rest;
    }
    const int64_t seconds =
        days_since_1970(date.year, date.month, date.day) * DAY_SECONDS + clock -
        zone;
    *out = seconds * MICRO + fraction;
    return is_in_range(seconds);
}

/* After the beginning of a range: nothing, its end, or the last digits of
 * one. */
static bool is_rest_of_range(struct cursor c, int era)
{
    int64_t end;
    if (!take_dash(&c)) return false;
    if (c.at == c.end) return true;
    skip_circa(&c);
    const size_t n = n_digits(c);
    if (n > 0 && n <= 2 && c.at + n == c.end) return true;
    return take_moment(&c, era, true, &end) && c.at == c.end;
}

bool og_time_parse(og_bytes s, int64_t *out)
{
    struct cursor c = {s.data, s.data + s.len};
    int64_t time;
    trim(&c);
    const int era = take_era(&c);
    skip_circa(&c);
    if (!take_moment(&c, era, false, &time)) return false;
    trim(&c);
    if (c.at != c.end && !is_rest_of_range(c, era)) return false;
    *out = time;
    return true;
}

bool og_time_parse_seconds(og_bytes s, int64_t *out)
{
    struct cursor c = {s.data, s.data + s.len};
    const int64_t sign = take(&c, '-') ? -1 : 1;
    int64_t seconds = 0, fraction = 0;
    if (c.at == c.end || !is_digit(*c.at)) return false;
    for (; c.at < c.end && is_digit(*c.at); c.at++) {
        seconds = seconds * 10 + (*c.at - '0');
        if (seconds > -MIN_SECONDS) return false;
    }
    if (take(&c, '.') && !take_fraction(&c, &fraction)) return false;
    const int64_t time = sign * (seconds * MICRO + fraction);
    if (c.at != c.end || time < MIN_SECONDS * MICRO ||
        time >= (MAX_SECONDS + 1) * MICRO)
        return false;
    *out = time;
    return true;
}

/* ---- out ---- */

static void civil_from_days(int64_t days, int64_t *out_year, int *out_month,
                            int *out_day)
{
    days += DAYS_TO_1970;
    const int64_t era =
        (days >= 0 ? days : days - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
    const int64_t day_of_era = days - era * DAYS_PER_ERA;
    const int64_t year_of_era = (day_of_era - day_of_era / 1460 +
                                 day_of_era / 36524 - day_of_era / 146096) /
                                365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *out_day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    *out_month = (int)((month_from_march + 2) % 12 + 1);
    *out_year = era * 400 + year_of_era + (*out_month <= 2);
}

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* A report has two times per passage: snprintf() would take a tenth of the time
 * of an answer. Padded with zeros, or longer if necessary. */
static char *put_digits(char *out, uint64_t value, unsigned at_least)
{
    char digits[20];
    unsigned n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (; at_least > n; at_least--)
        *out++ = '0';
    while (n > 0)
        *out++ = digits[--n];
    return out;
}

static char *put_after(char *out, char before, unsigned value)
{
    *out++ = before;
    return put_digits(out, value, 2);
}

static char *put_fraction(char *out, unsigned fraction)
{
    if (fraction == 0) return out;
    *out++ = '.';
    out = put_digits(out, fraction, 6);
    while (out[-1] == '0')
        out--;
    return out;
}

/* A year outside four digits keeps its sign and all its digits. */
static char *put_year(char *out, int64_t year)
{
    if (year < 0) *out++ = '-';
    return put_digits(out, (uint64_t)(year < 0 ? -year : year), 4);
}

size_t og_time_format(int64_t time, char out[40])
{
    const int64_t seconds = divide_down(time, MICRO);
    const int64_t fraction = time % MICRO + (time % MICRO < 0 ? MICRO : 0);
    const int64_t days = divide_down(seconds, DAY_SECONDS);
    const unsigned clock = (unsigned)(seconds - days * DAY_SECONDS);
    int64_t year;
    int month, day;
    civil_from_days(days, &year, &month, &day);
    char *at = put_year(out, year);
    at = put_after(at, '-', (unsigned)month);
    at = put_after(at, '-', (unsigned)day);
    at = put_after(at, 'T', clock / 3600);
    at = put_after(at, ':', clock / 60 % 60);
    at = put_after(at, ':', clock % 60);
    at = put_fraction(at, (unsigned)fraction);
    memcpy(at, "Z", 2);
    return (size_t)(at + 1 - out);
}

size_t og_time_format_in(int64_t time, int zone, char out[40])
{
    const unsigned minutes = (unsigned)(zone < 0 ? -zone : zone);
    const size_t len = og_time_format(time + (int64_t)zone * 60 * MICRO, out);
    if (zone == 0) return len;
    char *at = out + len - 1;
    at = put_after(at, zone < 0 ? '-' : '+', minutes / 60 % 24);
    at = put_after(at, ':', minutes % 60);
    *at = '\0';
    return (size_t)(at - out);
}

/* ---- where it comes from ---- */

static const char *const source_names[] = {
    "", "record", "header", "metadata", "text", "address", "file"};
enum { N_SOURCES = sizeof(source_names) / sizeof(source_names[0]) };

const char *og_time_source_name(og_time_source source)
{
    return (size_t)source < N_SOURCES ? source_names[source] : "";
}

bool og_time_source_parse(og_bytes name, og_time_source *out)
{
    for (size_t i = 1; i < N_SOURCES; i++)
        if (strlen(source_names[i]) == name.len &&
            memcmp(source_names[i], name.data, name.len) == 0) {
            *out = (og_time_source)i;
            return true;
        }
    return false;
}
