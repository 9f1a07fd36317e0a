/* A page without what says nothing of its text. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/html_reduce.h"
#include <stdlib.h>
#include <string.h>

static void reduce(const char *page, struct og_html_reduced *r)
{
    assert_int_equal(og_html_reduce(r, (og_bytes){page, strlen(page)}, NULL),
                     OG_OK);
    og_pack_fixed(&r->html, 0, 1);
    assert_false(r->html.failed);
}

static bool has(const struct og_html_reduced *r, const char *s)
{
    return strstr((const char *)r->html.data, s) != NULL;
}

static void what_goes_and_what_stays(void **state)
{
    struct og_html_reduced r = {0};
    (void)state;
    reduce("<html><head><style>p{}</style><script>var x='<p>no</p>'</script>"
           "</head><body><!-- hidden --><svg><path d='M0'/></svg>"
           "<p class=\"lead\" onclick=\"go()\">Text &amp; more</p></body>",
           &r);
    assert_true(has(&r, "Text &amp; more"));
    assert_true(has(&r, "lead"));
    assert_false(has(&r, "onclick"));
    assert_false(has(&r, "var x"));
    assert_false(has(&r, "p{}"));
    assert_false(has(&r, "hidden"));
    assert_false(has(&r, "M0"));
    og_pack_release(&r.html);
}

/* Data about the page is a script that is kept aside. */
static void scripts_with_data(void **state)
{
    struct og_html_reduced r = {0};
    (void)state;
    reduce("<script type=\"application/ld+json\">{\"a\":1}</script><p>x", &r);
    assert_int_equal(r.n_scripts, 1);
    assert_int_equal(r.scripts[0].len, 7);
    assert_memory_equal(r.scripts[0].data, "{\"a\":1}", 7);
    og_pack_release(&r.html);
}

/* Nested a hundred thousand deep, the elements below the limit are left out,
 * and the text stays. */
static void depth_is_bounded(void **state)
{
    enum { N = 100000 };
    struct og_html_reduced r = {0};
    char *page = malloc(5 * N + 10);
    (void)state;
    assert_non_null(page);
    for (size_t i = 0; i < N; i++)
        memcpy(page + 5 * i, "<div>", 5);
    memcpy(page + 5 * N, "deep", 5);
    reduce(page, &r);
    assert_true(has(&r, "deep"));
    assert_true(r.html.len < 10000);
    og_pack_release(&r.html);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_and_what_stays),
        cmocka_unit_test(scripts_with_data),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
