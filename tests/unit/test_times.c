/* Times from lists and from names of files. */

#include "tests/unit/source_folder.h"

#include <stdio.h>

#include "lib/source/times.h"

static void test_patterns(void **state)
{
    static const struct {
        const char *pattern, *name, *date; /* NULL: none */
    } cases[] = {
        {"%Y-%m-%d", "in/letter-1843-05-02.txt", "1843-05-02"},
        {"%Y%m%d", "x18430502y", "1843-05-02"},
        {"%Y", "a/1843/b.txt", "1843"},
        {"vol*_%Y.txt", "vol_12_1843.txt", "1843"},
        {"vol*_%Y.txt", "vol_1843.xml", NULL},
        {"%Y-%m-%d", "1843-13-02 and 1843-05-03", "1843-05-03"},
        {"%Y%m%dT%H%M%S", "18430502T112233", "1843-05-02T11:22:33Z"},
        {"?%Y", "1843", NULL},
        {"?%Y", "x1843", "1843"},
        {"100%%%Y", "100%1843", "1843"},
        {"a*b*%Y", "aXbYb1843", "1843"},
        {"%Y", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int64_t time = 0, wanted = 0;
        const bool is_found =
            og_times_match(cases[i].pattern, cases[i].name, &time);
        assert_int_equal(is_found, cases[i].date != NULL);
        if (!is_found) continue;
        assert_true(og_time_parse(
            (og_bytes){cases[i].date, strlen(cases[i].date)}, &wanted));
        assert_int_equal(time, wanted);
    }
}

static void check(const char *list, const char *name, const char *wanted)
{
    char list_path[200];
    struct run run;
    snprintf(list_path, sizeof(list_path), "%s",
             folder_put(&folder, name, list));
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT,
        .reading = {.times = list_path, .time_from_name = "-%Y."}};
    const char *const path = folder_put(
        &folder, "in.jsonl",
        "{\"id\":\"a\",\"time\":\"2001\",\"text\":\"x\"}\n"
        "{\"id\":\"b\",\"text\":\"y\"}\n{\"id\":\"c\",\"text\":\"z\"}\n");
    run_path(path, &options, &run);
    assert_string_equal(run.documents.data, wanted);
    run_release(&run);
}

static void test_lists(void **state)
{
    (void)state;
    check("id,time,title\na,1970-01-01T00:00:01Z,T\nb,1970-01-01T00:00:02Z,\n",
          "list.csv", "a|T||1000000|x|1|0\nb|||2000000|y|2|36\nc|||-|z|3|58\n");
    check("{\"id\":\"c\",\"time\":\"1970\",\"url\":\"u\"}\n", "list.jsonl",
          "a|||978307200000000|x|1|0\nb|||-|y|2|36\nc||u|0|z|3|58\n");
    check("path,time\nin.jsonl,1970\n", "paths.csv",
          "a|||0|x|1|0\nb|||0|y|2|36\nc|||0|z|3|58\n");
}

static void test_names(void **state)
{
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT, .reading = {.time_from_name = "-%Y."}};
    struct run run;
    (void)state;
    run_path(folder_put(&folder, "letter-1970.txt", "x"), &options, &run);
    assert_non_null(strstr(run.documents.data, "|letter-1970.txt||0|x|"));
    run_release(&run);
}

static void expect_failure(const og_reading *reading, og_status status,
                           const char *story)
{
    struct og_times *times;
    og_error err;
    assert_int_equal(og_times_new(reading, NULL, &times, &err), status);
    assert_non_null(strstr(err.message, story));
}

static void test_failures(void **state)
{
    og_reading reading = {.time_from_name = "%m"};
    (void)state;
    expect_failure(&reading, OG_ERR_USAGE, "has no year");
    reading = (og_reading){
        .times = folder_put(&folder, "bad.csv", "id,time\na,soon\n")};
    expect_failure(&reading, OG_ERR_INPUT,
                   "line 2: 'soon' is not a known date");
    reading.times = folder_put(&folder, "none.csv", "id,when\na,1970\n");
    expect_failure(&reading, OG_ERR_INPUT, "no column is named 'time'");
    reading.times = folder_path(&folder, "missing");
    expect_failure(&reading, OG_ERR_IO, "missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
