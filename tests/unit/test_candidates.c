/* The documents with the most hits, counted in fixed memory. */

#include "tests/unit/stage_support.h"

#include "lib/align/candidates.h"

/* Documents of larger numbers are earlier here: numbers must not matter. */
static bool larger_is_earlier(const void *order, uint32_t a, uint32_t b)
{
    (void)order;
    return a > b;
}

static const struct og_time_order order = {.earlier = larger_is_earlier};

static uint32_t choose(struct og_hit *hits, size_t n, struct og_candidate *out,
                       uint32_t max)
{
    const struct og_labels labels = {.hits = hits, .n = n};
    return og_candidates_choose(&labels, order, out, max);
}

static void most_hits_first_then_the_earlier(void **state)
{
    (void)state;
    struct og_hit hits[] = {{.doc = 7}, {.doc = OG_NO_DOC}, {.doc = 3},
                            {.doc = 9}, {.doc = 3},         {.doc = 5}};
    struct og_candidate found[8];
    assert_int_equal(choose(hits, LENGTH(hits), found, 8), 4);
    assert_int_equal(found[0].doc, 3);
    assert_int_equal(found[0].n_hits, 2);
    assert_int_equal(found[1].doc, 9);
    assert_int_equal(found[2].doc, 7);
    assert_int_equal(found[3].doc, 5);
}

static void no_more_than_were_asked_for(void **state)
{
    (void)state;
    struct og_hit hits[] = {{.doc = 1}, {.doc = 2}, {.doc = 2}};
    struct og_candidate found[1];
    assert_int_equal(choose(hits, LENGTH(hits), found, 1), 1);
    assert_int_equal(found[0].doc, 2);
    assert_int_equal(choose(hits, 0, found, 1), 0);
}

/* Among thousands of documents with a hit each, one that comes again and again
 * is found, wherever it begins. */
static void many_hits_find_their_way_in(void **state)
{
    (void)state;
    enum { N = 20000, FREQUENT = 1000000 };
    static struct og_hit hits[N];
    struct og_candidate found[4];
    for (uint32_t i = 0; i < N; i++)
        hits[i].doc = i > N / 2 && i % 20 == 0 ? FREQUENT : i;
    assert_int_equal(choose(hits, N, found, 4), 4);
    assert_int_equal(found[0].doc, FREQUENT);
    assert_true(found[0].n_hits > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_hits_first_then_the_earlier),
        cmocka_unit_test(no_more_than_were_asked_for),
        cmocka_unit_test(many_hits_find_their_way_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
