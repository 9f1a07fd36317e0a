/* Which documents are of one group: by id, by host, by a field. */

#include "tests/unit/stage_support.h"

#include "lib/trace/filter.h"
#include <string.h>

static uint32_t host(const char *url)
{
    const og_document doc = {.url = {url, strlen(url)}};
    return og_same_of("host", &doc);
}

static void hosts(void **state)
{
    (void)state;
    const uint32_t one = host("https://a.org/x");
    assert_true(one != 0);
    assert_true(host("http://a.org?q") == one);
    assert_true(host("ftp://me@a.org/y") == one);
    assert_true(host("https://you:secret@a.org#z") == one);
    assert_true(host("a.org/x") == one);
    assert_true(host("https://b.org/a.org") != one);
    assert_true(host("https://a.org:80/") != one);
    assert_true(host("https://b.org/@a.org") != one); /* behind the host */
}

static uint32_t field(const char *extra, const char *name)
{
    const og_document doc = {.extra = {extra, strlen(extra)}};
    return og_same_of(name, &doc);
}

static void fields(void **state)
{
    (void)state;
    const uint32_t x = field("\"author\":\"x\"", "author");
    assert_true(x != 0);
    assert_true(
        field("\"n\":[1,{\"author\":\"y\"}],\"author\":\"x\"", "author") == x);
    assert_true(field("\"note\":\"\\\",\\\"author\\\":1\",\"author\":\"x\"",
                      "author") == x);
    assert_true(field("\"author\":\"y\"", "author") != x);
    assert_int_equal(field("\"authors\":\"x\"", "author"), 0);
    assert_int_equal(field("", "author"), 0);
}

static void ids_and_none(void **state)
{
    const og_document a = {.id = OG_LITERAL("a")}, b = {.id = OG_LITERAL("b")};
    (void)state;
    assert_true(og_same_of("id", &a) != og_same_of("id", &b));
    assert_true(og_same_of("id", &a) == og_same_of("id", &a));
    assert_int_equal(og_same_of("", &a), 0);
    assert_int_equal(og_same_of("host", &a), 0); /* no address */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts),
        cmocka_unit_test(fields),
        cmocka_unit_test(ids_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
