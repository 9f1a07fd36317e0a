/* The names of the parts of a text. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/citations.h"
#include "lib/text/han.h"

static og_bytes view(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void check_found(const char *extra, uint64_t begin, uint64_t end,
                        const char *from, const char *to, const char *id)
{
    struct og_cited cited;
    assert_true(og_citations_find(view(extra), begin, end, &cited));
    assert_int_equal(cited.from.len, strlen(from));
    assert_memory_equal(cited.from.data, from, cited.from.len);
    assert_int_equal(cited.to.len, strlen(to));
    assert_memory_equal(cited.to.data, to, cited.to.len);
    assert_int_equal(cited.id.len, strlen(id));
}

static void test_found_again(void **state)
{
    (void)state;
    struct og_citations c = {0};
    const og_bytes none = {NULL, 0};
    og_citations_clear(&c);
    og_citations_add(&c, 0, view("1.1"), view("a"));
    og_citations_add(&c, 50, view("1.2"), none);
    og_citations_add(&c, 90, view("2\"1"), view("b"));
    const og_bytes field = og_citations_end(&c);
    char extra[200] = "\"x\":[1],";
    strncat(extra, field.data, field.len);
    check_found(extra, 0, 10, "1.1", "1.1", "a");
    check_found(extra, 10, 50, "1.1", "1.1", "a");
    check_found(extra, 10, 51, "1.1", "1.2", "a");
    check_found(extra, 50, 95, "1.2", "2\\\"1", "");
    check_found(extra, 95, 99, "2\\\"1", "2\\\"1", "b");
    og_pack_release(&c.json);
}

/* A field of that name may be anybody's. */
static void test_other_fields(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "\"citations\":[",
        "\"citations\":[]",
        "\"citations\":[1,2]",
        "\"citations\":[[\"a\",1]]",
        "\"citations\":[[1",
        "\"citations\":[[1,\"a",
        "\"citations\":[[1,\"a\\",
        "\"citations\":{\"a\":1}",
        "\"quotations\":[[0,\"a\"]]",
    };
    struct og_cited cited;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        /* Exact to the byte, so that a read past it is detected. */
        const size_t len = strlen(others[i]);
        char *copy = malloc(len + 1);
        memcpy(copy, others[i], len + 1);
        assert_false(og_citations_find((og_bytes){copy, len}, 0, 9, &cited));
        free(copy);
    }
}

static void test_han(void **state)
{
    (void)state;
    char text[] = "中國學者說: Ａ發 (髮)\xe5\x9c"; /* and one that is cut */
    og_fold_han(text, sizeof(text) - 1);
    assert_string_equal(text, "中国学者说: Ａ发 (发)\xe5\x9c");
    assert_int_equal(og_han_simplified('a'), 'a');
    /* No form leads to another: folding twice is folding once. */
    for (uint32_t c = 0x4e00; c <= 0x9fff; c++)
        assert_int_equal(og_han_simplified(og_han_simplified(c)),
                         og_han_simplified(c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again),
        cmocka_unit_test(test_other_fields),
        cmocka_unit_test(test_han),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
