/* Points in time: RFC 3339 or seconds in, microseconds since 1970 inside, RFC
 * 3339 out.
 *
 * Documents come from centuries of print, so the calendar is the proleptic
 * Gregorian one, worked out by arithmetic: the C library's time_t functions
 * depend on the zone of the machine and are not safe from several threads.
 * A year is counted from March, so that the leap day is the last of it and
 * the lengths of the months follow one straight line, (153 * m + 2) / 5; an
 * era is 400 years, after which the calendar repeats (146,097 days). */

#include <origo/origo.h>

#include <string.h>

#define MICRO           1000000
#define DAY_SECONDS     86400
#define DAYS_TO_1970    719468 /* from 0000-03-01 */
#define DAYS_PER_ERA    146097
#define FRACTION_DIGITS 6

/* 0000-01-01T00:00:00Z and the last second of 9999: what four digits can say.
 * Milliseconds since 1970 fall behind it as soon as they mean 1978 or later,
 * so a stream that has them is noticed instead of dated wrongly. */
#define MIN_SECONDS (-62167219200)
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

/* The digits behind a point; those past the microseconds are dropped. */
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

static bool take_date(struct cursor *c, int64_t *out_days)
{
    int year, month, day;
    if (!take_number(c, 4, 0, 9999, &year) || !take(c, '-') ||
        !take_number(c, 2, 1, 12, &month) || !take(c, '-') ||
        !take_number(c, 2, 1, days_in_month(year, month), &day))
        return false;
    *out_days = days_since_1970(year, month, day);
    return true;
}

/* Second 60 is a leap second. The count since 1970 has none, so it is the
 * same as the first second of the next minute. */
static bool take_clock(struct cursor *c, int64_t *out_seconds,
                       int64_t *out_fraction)
{
    int hour, minute, second;
    if (!take_number(c, 2, 0, 23, &hour) || !take(c, ':') ||
        !take_number(c, 2, 0, 59, &minute) || !take(c, ':') ||
        !take_number(c, 2, 0, 60, &second))
        return false;
    *out_seconds = hour * 3600 + minute * 60 + second;
    *out_fraction = 0;
    return !take(c, '.') || take_fraction(c, out_fraction);
}

static bool take_zone(struct cursor *c, int64_t *out_seconds)
{
    *out_seconds = 0;
    if (c->at == c->end || take(c, 'Z') || take(c, 'z')) return true;
    const int64_t sign = take(c, '-') ? -1 : 1;
    int hour, minute;
    if (sign > 0 && !take(c, '+')) return false;
    if (!take_number(c, 2, 0, 23, &hour) || !take(c, ':') ||
        !take_number(c, 2, 0, 59, &minute))
        return false;
    *out_seconds = sign * (hour * 3600 + minute * 60);
    return true;
}

static bool is_in_range(int64_t seconds)
{
    return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

static bool parse_calendar(struct cursor c, int64_t *out)
{
    int64_t days, clock = 0, fraction = 0, zone = 0;
    if (!take_date(&c, &days)) return false;
    if (take(&c, 'T') || take(&c, 't') || take(&c, ' '))
        if (!take_clock(&c, &clock, &fraction) || !take_zone(&c, &zone))
            return false;
    const int64_t seconds = days * DAY_SECONDS + clock - zone;
    if (c.at != c.end || !is_in_range(seconds)) return false;
    *out = seconds * MICRO + fraction;
    return true;
}

static bool parse_seconds(struct cursor c, int64_t *out)
{
    const int64_t sign = take(&c, '-') ? -1 : 1;
    int64_t seconds = 0, fraction = 0;
    if (c.at == c.end || !is_digit(*c.at)) return false;
    for (; c.at < c.end && is_digit(*c.at); c.at++) {
        seconds = seconds * 10 + (*c.at - '0');
        if (seconds > MAX_SECONDS) return false;
    }
    if (take(&c, '.') && !take_fraction(&c, &fraction)) return false;
    const int64_t time = sign * (seconds * MICRO + fraction);
    if (c.at != c.end || time < (int64_t)MIN_SECONDS * MICRO) return false;
    *out = time;
    return true;
}

bool og_time_parse(og_bytes s, int64_t *out)
{
    const struct cursor c = {s.data, s.data + s.len};
    const bool has_date = s.len >= 5 && s.data[4] == '-';
    return has_date ? parse_calendar(c, out) : parse_seconds(c, out);
}

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

static size_t format_fraction(int fraction, char *out)
{
    if (fraction == 0) return 0;
    size_t len = (size_t)snprintf(out, 8, ".%06d", fraction);
    while (out[len - 1] == '0')
        len--;
    return len;
}

size_t og_time_format(int64_t time, char out[40])
{
    const int64_t seconds = divide_down(time, MICRO);
    const int64_t fraction = time % MICRO + (time % MICRO < 0 ? MICRO : 0);
    const int64_t days = divide_down(seconds, DAY_SECONDS);
    const int clock = (int)(seconds - days * DAY_SECONDS);
    int64_t year;
    int month, day;
    civil_from_days(days, &year, &month, &day);
    /* A year that four digits cannot say keeps its sign and all its digits. */
    size_t len = (size_t)snprintf(out, 30, "%04lld-%02d-%02dT%02d:%02d:%02d",
                                  (long long)year, month, day, clock / 3600,
                                  clock / 60 % 60, clock % 60);
    len += format_fraction((int)fraction, out + len);
    memcpy(out + len, "Z", 2);
    return len + 1;
}
