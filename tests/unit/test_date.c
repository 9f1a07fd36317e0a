#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <origo/document.h>

#include "lib/source/mail/date.h"

/* What it means, in RFC 3339; "" for no date. */
static void check(const char *date, const char *expected)
{
    int64_t time = 0;
    char seen[40] = "";
    if (og_date_parse((og_bytes){date, strlen(date)}, &time))
        og_time_format(time, seen);
    assert_string_equal(seen, expected);
}

static void test_mails(void **state)
{
    (void)state;
    check("Tue, 19 Nov 2019 13:03:00 +0100", "2019-11-19T12:03:00Z");
    check("Tue, 19 Nov 2019 13:03:00 +0100 (CET)", "2019-11-19T12:03:00Z");
    check("19 Nov 2019 13:03 -0530", "2019-11-19T18:33:00Z");
    check("Tue, 19 Nov 2019 13:03:00 GMT", "2019-11-19T13:03:00Z");
    check("Tue, 19 Nov 2019 13:03:00 EST", "2019-11-19T18:03:00Z");
    check("1 Jan 98 00:00:00 +0000", "1998-01-01T00:00:00Z");
    check("1 Jan 01 00:00:00 +0000", "2001-01-01T00:00:00Z");
    check("1 Jan 100 00:00:00 +0000", "2000-01-01T00:00:00Z");
    check("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z");
}

static void test_from_lines(void **state)
{
    (void)state;
    check("Tue Nov 19 13:03:00 2019", "2019-11-19T13:03:00Z");
    check("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z");
}

static void test_digits(void **state)
{
    (void)state;
    check("20191119130300", "2019-11-19T13:03:00Z");
    check("20191119", "2019-11-19T00:00:00Z");
    check("20191399130300", "");
    check("1574168580", "");
    check("2019", "");
}

static void test_iso(void **state)
{
    (void)state;
    check("2019-11-19T13:03:00Z", "2019-11-19T13:03:00Z");
    check("2019-11-19T13:03:00+0100", "2019-11-19T12:03:00Z");
    check("2019-11-19T13:03", "2019-11-19T13:03:00Z");
    check("2019-11-19 13:03:05.25 -05:00", "2019-11-19T18:03:05Z");
    check("2019-11-19", "2019-11-19T00:00:00Z");
}

static void test_none(void **state)
{
    (void)state;
    check("", "");
    check("yesterday", "");
    check("Nov 2019", "");
    check("32 Nov 2019 00:00:00", "");
    check("19 Nov 2019 25:03:00", "");
    check("------------", "");
    check("((((", "");
    check("99999999999999999999999999999999999999999999 Nov 9999999999", "");
    check(
        "Tue, 19 Nov 2019 13:03:00 +0100                                     ",
        "");
}

static int zone_of(const char *s)
{
    int zone = 9999;
    return og_date_zone((og_bytes){s, strlen(s)}, &zone) ? zone : 9999;
}

static void test_zones(void **state)
{
    (void)state;
    assert_int_equal(zone_of("2019-11-19T13:03:00+01:00"), 60);
    assert_int_equal(zone_of("2019-11-19T13:03:00-0530"), -330);
    assert_int_equal(zone_of("Tue, 19 Nov 2019 13:03:00 +0000"), 0);
    assert_int_equal(zone_of("2019-11-19T13:03:00Z"), 9999);
    assert_int_equal(zone_of("2019-11-19"), 9999);
    assert_int_equal(zone_of("12-05-2019"), 9999);
    assert_int_equal(zone_of("13:03:00+99:00"), 9999);
    assert_int_equal(zone_of(""), 9999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mails),  cmocka_unit_test(test_from_lines),
        cmocka_unit_test(test_digits), cmocka_unit_test(test_iso),
        cmocka_unit_test(test_none),   cmocka_unit_test(test_zones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
