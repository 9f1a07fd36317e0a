/* Days, months and years, of times in any order. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/phrases/phrase_periods.h"

#include <origo/trace.h>

static int64_t time_of(const char *s)
{
    int64_t time = 0;
    assert_true(og_time_parse((og_bytes){s, strlen(s)}, &time));
    return time;
}

static void test_days_become_months_and_years(void **state)
{
    (void)state;
    static const char *const times[] = {"2001-05-06T23:59:59Z", "2001-05-07",
                                        "2001-05-31",           "2001-06-01",
                                        "2002-01-01",           "-0043-03-15"};
    static const struct {
        size_t most, n;
        og_period kind;
    } cases[] = {{10, 6, OG_PERIOD_DAY},
                 {5, 4, OG_PERIOD_MONTH},
                 {3, 3, OG_PERIOD_YEAR}};
    og_error err;
    for (size_t c = 0; c < 3; c++) {
        struct og_phrase_periods p;
        og_phrase_periods_init(&p, OG_PERIOD_DAY, cases[c].most);
        for (int again = 0; again < 2; again++)
            for (size_t i = 0; i < 6; i++)
                assert_int_equal(
                    og_phrase_periods_add(&p, time_of(times[i]), &err), OG_OK);
        og_phrase_periods_finish(&p);
        assert_int_equal(p.kind, cases[c].kind);
        assert_int_equal(p.n, cases[c].n);
        assert_int_equal(og_phrase_periods_find(&p, time_of("-0043-03-15")), 0);
        assert_int_equal(og_phrase_periods_find(&p, time_of("2002-01-01")),
                         cases[c].n - 1);
        og_phrase_periods_release(&p);
    }
}

/* A time is in the last period that began by then. */
static void test_every_time_has_a_period(void **state)
{
    (void)state;
    struct og_phrase_periods p;
    const int64_t second = 1000000, day = 86400 * second;
    og_phrase_periods_init(&p, OG_PERIOD_DAY, 100);
    for (int64_t i = 9; i >= 0; i--)
        assert_int_equal(og_phrase_periods_add(
                             &p, time_of("2000-02-25") + 2 * i * day + 5, NULL),
                         OG_OK);
    og_phrase_periods_finish(&p);
    assert_int_equal(p.n, 10);
    for (int64_t i = 0; i < 10; i++) {
        const int64_t begin = time_of("2000-02-25") + 2 * i * day;
        assert_true(p.begins[i] == begin);
        assert_int_equal(og_phrase_periods_find(&p, begin), i);
        assert_int_equal(og_phrase_periods_find(&p, begin + 2 * day - second),
                         i);
        assert_int_equal(og_phrase_periods_find(&p, begin - second),
                         i > 0 ? i - 1 : 0);
    }
    og_phrase_periods_release(&p);
}

/* The begin of a period is that of its day, month or year. */
static void test_begins(void **state)
{
    (void)state;
    static const struct {
        og_period kind;
        const char *begins[3];
        size_t n;
    } cases[] = {
        {OG_PERIOD_DAY, {"2001-05-06", "2001-05-31", "2001-06-30"}, 3},
        {OG_PERIOD_MONTH, {"2001-05-01", "2001-06-01"}, 2},
        {OG_PERIOD_YEAR, {"2001-01-01"}, 1},
    };
    for (size_t c = 0; c < 3; c++) {
        struct og_phrase_periods p;
        og_phrase_periods_init(&p, cases[c].kind, 10);
        og_phrase_periods_add(&p, time_of("2001-06-30T23:59:59Z"), NULL);
        og_phrase_periods_add(&p, time_of("2001-05-06T00:00:00Z"), NULL);
        og_phrase_periods_add(&p, time_of("2001-05-31T12:00:00Z"), NULL);
        og_phrase_periods_finish(&p);
        assert_int_equal(p.n, cases[c].n);
        for (size_t i = 0; i < p.n; i++)
            assert_true(p.begins[i] == time_of(cases[c].begins[i]));
        og_phrase_periods_release(&p);
    }
}

/* More years than asked for: the last one has the rest. Parts have no periods.
 */
static void test_too_many_years(void **state)
{
    (void)state;
    struct og_phrase_periods p;
    char year[16];
    og_phrase_periods_init(&p, OG_PERIOD_MONTH, 3);
    for (int i = 0; i < 10; i++) {
        snprintf(year, sizeof(year), "%d-07-01", 1990 + i);
        assert_int_equal(og_phrase_periods_add(&p, time_of(year), NULL), OG_OK);
    }
    og_phrase_periods_finish(&p);
    assert_int_equal(p.kind, OG_PERIOD_YEAR);
    assert_int_equal(p.n, 3);
    assert_int_equal(og_phrase_periods_find(&p, time_of("1999-07-01")), 2);
    og_phrase_periods_release(&p);
    og_phrase_periods_init(&p, OG_PERIOD_PARTS, 3);
    assert_int_equal(og_phrase_periods_add(&p, time_of("1999-07-01"), NULL),
                     OG_OK);
    og_phrase_periods_finish(&p);
    assert_int_equal(p.n, 0);
    og_phrase_periods_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days_become_months_and_years),
        cmocka_unit_test(test_every_time_has_a_period),
        cmocka_unit_test(test_begins),
        cmocka_unit_test(test_too_many_years),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
