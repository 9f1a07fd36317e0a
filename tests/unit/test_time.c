#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include <origo/origo.h>

static bool parse(const char *s, int64_t *out)
{
    return og_time_parse((og_bytes){s, strlen(s)}, out);
}

static void check_time(const char *s, int64_t expected)
{
    int64_t time = 1;
    if (!parse(s, &time)) fail_msg("'%s' was refused", s);
    if (time != expected)
        fail_msg("'%s' is %lld, not %lld", s, (long long)time,
                 (long long)expected);
}

static void check_none(const char *s)
{
    int64_t time = 4711;
    if (parse(s, &time)) fail_msg("'%s' was taken", s);
    assert_int_equal(time, 4711);
}

static void test_rfc3339(void **state)
{
    (void)state;
    check_time("1970-01-01T00:00:00Z", 0);
    check_time("1999-06-01T00:00:00Z", 928195200000000);
    check_time("1999-06-01", 928195200000000);
    check_time("1999-06-01 00:00:00", 928195200000000);
    check_time("1999-06-01t00:00:00z", 928195200000000);
    check_time("1999-06-01T02:00:00+02:00", 928195200000000);
    check_time("1999-05-31T16:30:00-07:30", 928195200000000);
    check_time("1999-06-01T00:00:00-00:00", 928195200000000);
    check_time("2000-02-29", 951782400000000);
    check_time("1969-12-31T23:59:59.5Z", -500000);
}

static void test_examples_of_the_standard(void **state)
{
    (void)state;
    /* RFC 3339, section 5.8. */
    check_time("1985-04-12T23:20:50.52Z", 482196050520000);
    check_time("1996-12-19T16:39:57-08:00", 851042397000000);
    check_time("1990-12-31T23:59:60Z", 662688000000000);
    check_time("1990-12-31T15:59:60-08:00", 662688000000000);
    check_time("1937-01-01T12:00:27.87+00:20", -1041337172130000);
}

static void test_ends_of_the_range(void **state)
{
    (void)state;
    check_time("0000-01-01T00:00:00Z", -62167219200000000);
    check_time("9999-12-31T23:59:59.999999Z", 253402300799999999);
    check_time("-9999-01-01", -377705116800000000);
    check_none("9999-12-31T23:59:60Z");
    check_none("9999-12-31T23:59:59-00:01");
    check_none("-9999-01-01T00:00:00+00:01");
}

static void test_fractions(void **state)
{
    (void)state;
    check_time("1970-01-01T00:00:00.1Z", 100000);
    check_time("1970-01-01T00:00:00.000001Z", 1);
    check_time("1970-01-01T00:00:00.1234567890123456789012345Z", 123456);
    check_none("1970-01-01T00:00:00.Z");
    check_none("1970-01-01T00:00:00,5Z");
}

static void check_seconds(const char *s, int64_t expected)
{
    int64_t time = 1;
    assert_true(og_time_parse_seconds((og_bytes){s, strlen(s)}, &time));
    assert_int_equal(time, expected);
}

static void check_no_seconds(const char *s)
{
    int64_t time = 4711;
    assert_false(og_time_parse_seconds((og_bytes){s, strlen(s)}, &time));
    assert_int_equal(time, 4711);
}

static void test_seconds(void **state)
{
    (void)state;
    check_seconds("0", 0);
    check_seconds("-0", 0);
    check_seconds("1", 1000000);
    check_seconds("928195200", 928195200000000);
    check_seconds("928195200.25", 928195200250000);
    check_seconds("-1.5", -1500000);
    check_seconds("0.0000009", 0);
    check_seconds("253402300799", 253402300799000000);
    check_seconds("-62167219200", -62167219200000000);
    check_no_seconds("253402300800");
    check_seconds("-377705116800", -377705116800000000);
    check_no_seconds("-377705116801");
    check_no_seconds("-377705116800.000001");
    check_no_seconds("1700000000000"); /* milliseconds are not guessed */
    check_no_seconds("99999999999999999999999999");
    check_no_seconds("1.");
    check_no_seconds(".5");
    check_no_seconds("+5");
    check_no_seconds("-");
    check_no_seconds("1e9");
    check_no_seconds("12 ");
}

/* What people write: the date that it is the beginning of. */
static void check_as(const char *s, const char *date)
{
    int64_t wanted;
    assert_true(parse(date, &wanted));
    check_time(s, wanted);
}

static void test_years(void **state)
{
    static const struct {
        const char *s, *date;
    } cases[] = {
        {"1611", "1611-01-01"},
        {"843", "0843-01-01"},
        {"1611-05", "1611-05-01"},
        {"16110502", "1611-05-02"},
        {"1611/05/02", "1611-05-02"},
        {"19990601T120000Z", "1999-06-01T12:00:00Z"},
        {"1999-06-01T12:00", "1999-06-01T12:00:00Z"},
        {"1999-06-01T12:00:00+0200", "1999-06-01T10:00:00Z"},
        {"1999-06-01T12:00:00+02", "1999-06-01T10:00:00Z"},
        {"-0043", "-0043-01-01"},
        {"44 BC", "-0043-01-01"},
        {"44 BCE", "-0043-01-01"},
        {"1 B.C.", "0000-01-01"},
        {"50-44 BC", "-0049-01-01"},
        {"79 AD", "0079-01-01"},
        {"1611 CE", "1611-01-01"},
        {"c. 1611", "1611-01-01"},
        {"ca. 1611", "1611-01-01"},
        {"circa 1611", "1611-01-01"},
        {"[1611?]", "1611-01-01"},
        {"1611/1623", "1611-01-01"},
        {"1611-1623", "1611-01-01"},
        {"1611 - 1623", "1611-01-01"},
        {"1611\xe2\x80\x93"
         "1623",
         "1611-01-01"},
        {"1611..", "1611-01-01"},
        {"1914-18", "1914-01-01"},
        {"1611-05/1611-07", "1611-05-01"},
        {"1611-05-02/1611-07-04", "1611-05-02"},
        {" 1611 ", "1611-01-01"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_as(cases[i].s, cases[i].date);
}

static void test_sources(void **state)
{
    og_time_source source = OG_TIME_UNKNOWN;
    (void)state;
    for (int i = 1; i <= OG_TIME_FILE; i++) {
        const char *const name = og_time_source_name((og_time_source)i);
        assert_true(
            og_time_source_parse((og_bytes){name, strlen(name)}, &source));
        assert_int_equal(source, i);
    }
    assert_false(og_time_source_parse((og_bytes){"guess", 5}, &source));
    assert_string_equal(og_time_source_name(OG_TIME_UNKNOWN), "");
}

static void test_nonsense(void **state)
{
    static const char *const cases[] = {
        "",
        " ",
        "yesterday",
        "99",
        "928195200",
        "1999.5",
        "1999-13-01",
        "1999-00-01",
        "1999-06-00",
        "1999-06-31",
        "1999-02-29",
        "1900-02-29",
        "2000-02-30",
        "1999-6-1",
        "99-06-01",
        "1999-06-01T",
        "1999-06-01T24:00:00Z",
        "1999-06-01T00:60:00Z",
        "1999-06-01T00:00:61Z",
        "1999-06-01T00:00:00ZZ",
        "1999-06-01T00:00:00+2:00",
        "1999-06-01T00:00:00+24:00",
        "1999-06-01T00:00:00+02:60",
        "1999-06-01T00:00:00+",
        "1999-06-01Z",
        "1999-06-01T-1:00:00Z",
        "-999-06-01",
        "1611/x",
        "1611 and more",
        "19991332",
        "0 BC",
        "BC",
        "c.",
        "-",
        "1611-06-31/1612",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check_none(cases[i]);
}

static void test_zeros_inside(void **state)
{
    int64_t time;
    (void)state;
    assert_false(og_time_parse((og_bytes)OG_LITERAL("1999-06-01\0"), &time));
    assert_false(og_time_parse((og_bytes)OG_LITERAL("12\0"), &time));
}

static void check_format(int64_t time, const char *expected)
{
    char out[40];
    const size_t len = og_time_format(time, out);
    assert_string_equal(out, expected);
    assert_int_equal(len, strlen(expected));
}

static void test_format(void **state)
{
    (void)state;
    check_format(0, "1970-01-01T00:00:00Z");
    check_format(928195200000000, "1999-06-01T00:00:00Z");
    check_format(-1, "1969-12-31T23:59:59.999999Z");
    check_format(-500000, "1969-12-31T23:59:59.5Z");
    check_format(120000, "1970-01-01T00:00:00.12Z");
    check_format(-62167219200000000, "0000-01-01T00:00:00Z");
    check_format(253402300799999999, "9999-12-31T23:59:59.999999Z");
    check_format(951782400000000, "2000-02-29T00:00:00Z");
    check_format(INT64_MAX, "294247-01-10T04:00:54.775807Z");
    check_format(INT64_MIN, "-290308-12-21T19:59:05.224192Z");
}

/* Every day of the range against a calendar that only adds one. */
static void test_every_day(void **state)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30,
                                  31, 31, 30, 31, 30, 31};
    int64_t time = -62167219200000000;
    (void)state;
    for (int year = 0; year <= 9999; year++) {
        const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for (int month = 1; month <= 12; month++) {
            const int days = lengths[month - 1] + (month == 2 && leap);
            for (int day = 1; day <= days; day++) {
                char expected[40], got[40];
                int64_t parsed;
                snprintf(expected, sizeof(expected), "%04d-%02d-%02dT00:00:00Z",
                         year, month, day);
                og_time_format(time, got);
                if (strcmp(got, expected) != 0 || !parse(got, &parsed) ||
                    parsed != time)
                    fail_msg("%s, not %s", got, expected);
                time += 86400000000;
            }
        }
    }
}

static void test_there_and_back(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const uint64_t span = 315569520000000000u;
        const int64_t time =
            (int64_t)(og_random_next(&random) % span) - 62167219200000000;
        char text[40];
        int64_t back;
        og_time_format(time, text);
        assert_true(parse(text, &back));
        assert_int_equal(back, time);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc3339),
        cmocka_unit_test(test_examples_of_the_standard),
        cmocka_unit_test(test_ends_of_the_range),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_years),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_zeros_inside),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_every_day),
        cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
