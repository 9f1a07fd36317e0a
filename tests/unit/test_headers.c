/* Headers of mails and of HTTP: their end, their values, their parameters. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/headers.h"
#include <string.h>

static og_bytes bytes(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void expect(og_bytes found, const char *expected)
{
    assert_int_equal(found.len, strlen(expected));
    assert_memory_equal(found.data, expected, found.len);
}

static const char mail[] =
    "From: a@b\r\nSubject:  Hello\r\n  again \r\n"
    "CONTENT-Type: text/plain; Charset=\"utf-8\"; x=1\r\n"
    "\r\nbody";

static void lengths(void **state)
{
    (void)state;
    assert_int_equal(og_headers_len(bytes(mail)), sizeof(mail) - 5);
    assert_int_equal(og_headers_len(bytes("a: b\n\nbody")), 6);
    assert_int_equal(og_headers_len(bytes("a: b\nno end")), 0);
}

static void values(void **state)
{
    const og_bytes headers = {mail, sizeof(mail) - 5};
    (void)state;
    expect(og_headers_find(headers, "from"), "a@b");
    expect(og_headers_find(headers, "subject"), "Hello\r\n  again");
    expect(og_headers_find(headers, "Sub"), "");
    const og_bytes type = og_headers_find(headers, "Content-type");
    expect(og_header_parameter(type, "charset"), "utf-8");
    expect(og_header_parameter(type, "x"), "1");
    expect(og_header_parameter(type, "y"), "");
    assert_true(og_begins_with(type, "TEXT/"));
    assert_false(og_begins_with(type, "text/html"));
}

static void small_things(void **state)
{
    uint64_t n = 5;
    size_t pos = 0;
    og_bytes line;
    (void)state;
    expect(og_trim(bytes(" \t a b\r\n")), "a b");
    assert_true(og_parse_length(bytes("042"), &n));
    assert_int_equal(n, 42);
    assert_false(og_parse_length(bytes(""), &n));
    assert_false(og_parse_length(bytes("4 2"), &n));
    assert_false(og_parse_length(bytes("99999999999999999999999"), &n));
    assert_true(og_next_line(bytes("a\nb"), &pos, &line));
    expect(line, "a");
    assert_true(og_next_line(bytes("a\nb"), &pos, &line));
    expect(line, "b");
    assert_false(og_next_line(bytes("a\nb"), &pos, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(values),
        cmocka_unit_test(small_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
