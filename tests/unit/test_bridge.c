/* NB, E, B and BE (section 2.3): the example of Figure 1, the edges of each
 * condition, and linear time. The definition as a whole:
 * tests/property/test_estimate_definition.c. */

#include "tests/unit/estimate_support.h"

#include "lib/os/clock.h"

enum { A = 7 }; /* a document */

/* Figure 1: B has 14 shingles and copies B7 .. B13 from A5 .. A11. Only B7 and
 * B11 are found, as copies of A5 and A9. Numbers in the figure count from 1,
 * offsets from 0. The first bytes of fingerprints are those of A where B
 * copies. */
static void figure_1(struct hits *h)
{
    uint8_t byte_a[13], byte_b[15];
    for (uint8_t i = 1; i <= 12; i++)
        byte_a[i] = 100 + i;
    for (uint8_t i = 1; i <= 14; i++)
        byte_b[i] = i >= 7 && i <= 13 ? byte_a[i - 2] : 200 + i;
    hits_init(h, 14, 1, 8);
    for (size_t i = 0; i < 14; i++)
        h->sel.fp[i] = (uint64_t)byte_b[i + 1] << 56;
    og_selection_add_context(&h->sel, NULL, OG_CONTEXT_ORDER);
    for (unsigned found = 7; found <= 11; found += 4) {
        const unsigned there = found - 2;
        h->labels.hits[found - 1] = (struct og_hit){
            .doc = A,
            .offset = (uint16_t)(there - 1),
            .near = (uint16_t)(byte_a[there - 1] | byte_a[there + 1] << 8)};
    }
}

static void check_figure(og_estimate_kind kind, const char *picture)
{
    struct hits h;
    figure_1(&h);
    hits_estimate(&h, kind, 30);
    assert_string_equal(hits_picture(&h), picture);
    for (size_t i = 0; i < h.labels.n; i++)
        assert_true(h.labels.data[i].doc == A ||
                    h.labels.data[i].doc == OG_NO_DOC);
    hits_release(&h);
}

static void the_example_of_figure_1(void **state)
{
    (void)state;
    check_figure(OG_ESTIMATE_NONE, "......h...h...");
    check_figure(OG_ESTIMATE_EXPAND, "......hx.xhx..");
    check_figure(OG_ESTIMATE_BRIDGE, "......hbbbh...");
    check_figure(OG_ESTIMATE_BOTH, "......hbbbhx..");
}

/* ---- conditions ---- */

static void hit(struct hits *h, size_t i, uint32_t doc, unsigned offset)
{
    h->labels.hits[i] =
        (struct og_hit){.doc = doc, .offset = (uint16_t)(offset & 0xff)};
}

static void check_pair(size_t from, size_t to, uint32_t doc_to,
                       unsigned offset_to, uint32_t limit, const char *picture)
{
    struct hits h;
    hits_init(&h, strlen(picture), 1, 8);
    hit(&h, from, A, 40);
    hit(&h, to, doc_to, offset_to);
    hits_estimate(&h, OG_ESTIMATE_BRIDGE, limit);
    assert_string_equal(hits_picture(&h), picture);
    hits_release(&h);
}

static void each_condition_of_a_bridge(void **state)
{
    (void)state;
    check_pair(1, 5, A, 44, 30, ".hbbbh..");
    check_pair(1, 5, A + 1, 44, 30, ".h...h.."); /* (b) another origin */
    check_pair(1, 5, A, 45, 30, ".h...h..");     /* (c) not as far */
    check_pair(1, 5, A, 36, 30, ".h...h..");     /* backwards */
    check_pair(1, 5, A, 44, 5, ".hbbbh..");      /* smaller than T: 4 < 5 */
    check_pair(1, 5, A, 44, 4, ".h...h..");
    check_pair(1, 2, A, 41, 1, ".hh..");
}

/* "we compute its value modulo 2^8" */
static void offsets_wrap(void **state)
{
    (void)state;
    struct hits h;
    hits_init(&h, 12, 1, 8);
    hit(&h, 2, A, 254);
    hit(&h, 6, A, 258);
    hits_estimate(&h, OG_ESTIMATE_BRIDGE, 30);
    assert_string_equal(hits_picture(&h), "..hbbbh.....");
    hits_release(&h);

    hits_init(&h, 250, 1, 8);
    for (size_t i = 0; i < h.sel.n; i++)
        h.sel.offset[i] = (uint8_t)(i + 200); /* wraps here too */
    hit(&h, 50, A, 10);
    hit(&h, 60, A, 20);
    hits_estimate(&h, OG_ESTIMATE_BRIDGE, 30);
    for (size_t i = 50; i <= 60; i++)
        assert_int_equal(h.labels.data[i].doc, A);
    hits_release(&h);
}

static void bridges_chain(void **state)
{
    (void)state;
    struct hits h;
    hits_init(&h, 12, 1, 8);
    hit(&h, 0, A, 0);
    hit(&h, 5, A, 5);
    hit(&h, 10, A, 10);
    hits_estimate(&h, OG_ESTIMATE_BRIDGE, 6);
    assert_string_equal(hits_picture(&h), "hbbbbhbbbbh.");
    hits_release(&h);
}

/* What the table said itself is never replaced, be it by another origin. */
static void a_guess_never_replaces_a_hit(void **state)
{
    (void)state;
    struct hits h;
    hits_init(&h, 8, 1, 8);
    hit(&h, 1, A, 1);
    hit(&h, 3, A + 1, 77);
    hit(&h, 5, A, 5);
    hits_estimate(&h, OG_ESTIMATE_BRIDGE, 30);
    assert_string_equal(hits_picture(&h), ".hbhbh..");
    assert_int_equal(h.labels.data[2].doc, A);
    assert_int_equal(h.labels.data[3].doc, A + 1);
    assert_int_equal(h.labels.data[4].doc, A);
    hits_release(&h);
}

/* (e), (f): a byte that does not agree leaves the bridge unbuilt. */
static void bridges_of_be_ask_the_neighbours(void **state)
{
    (void)state;
    for (unsigned wrong = 0; wrong < 4; wrong++) {
        struct hits h;
        hits_init(&h, 8, 1, 8);
        for (size_t i = 0; i < 8; i++)
            h.sel.near[i] = 0x2211; /* before 0x11, after 0x22 */
        hit(&h, 1, A, 1);
        hit(&h, 5, A, 5);
        h.labels.hits[1].near = wrong & 1 ? 0x9999 : 0x2299;
        h.labels.hits[5].near = wrong & 2 ? 0x9999 : 0x9911;
        hits_estimate(&h, OG_ESTIMATE_BOTH, 30);
        static const char *const picture[] = {".hbbbh..", ".h..xh..",
                                              ".hx..h..", ".h...h.."};
        assert_string_equal(hits_picture(&h), picture[wrong]);
        hits_release(&h);
    }
}

static void expansion_stays_inside_the_document(void **state)
{
    (void)state;
    struct hits h;
    hits_init(&h, 1, 1, 8); /* near is 0 here and there: nobody beside */
    hit(&h, 0, A, 0);
    hits_estimate(&h, OG_ESTIMATE_EXPAND, 30);
    assert_string_equal(hits_picture(&h), "h");
    hits_release(&h);
    hits_init(&h, 0, 1, 8);
    for (og_estimate_kind kind = OG_ESTIMATE_NONE; kind <= OG_ESTIMATE_CONTEXT;
         kind++)
        hits_estimate(&h, kind, 30);
    assert_int_equal(h.labels.n, 0);
    hits_release(&h);
}

static void tables_keep_what_each_estimation_needs(void **state)
{
    (void)state;
    const struct {
        og_estimate_kind kind;
        uint8_t offset_len, near_len;
        og_context_kind note;
    } needs[] = {
        {OG_ESTIMATE_NONE, 0, 0, OG_CONTEXT_NONE},
        {OG_ESTIMATE_EXPAND, 0, 2, OG_CONTEXT_ORDER},
        {OG_ESTIMATE_BRIDGE, 1, 0, OG_CONTEXT_ORDER},
        {OG_ESTIMATE_BOTH, 1, 2, OG_CONTEXT_ORDER},
    };
    for (size_t i = 0; i < LENGTH(needs); i++) {
        const struct og_table_fields f = og_estimate_fields(needs[i].kind);
        assert_int_equal(f.offset_len, needs[i].offset_len);
        assert_int_equal(f.near_len, needs[i].near_len);
        assert_int_equal(og_estimate_context_kind(needs[i].kind),
                         needs[i].note);
    }
    assert_int_equal(og_estimate_context_kind(OG_ESTIMATE_CONTEXT),
                     OG_CONTEXT_BITS);
}

/* ---- linear time ---- */

/* n / 4 bridges, each around the one before, over n / 2 shingles that only the
 * innermost has to label. */
static void nest(struct hits *h, size_t n)
{
    hits_init(h, n, 1, 8);
    for (size_t i = 0; i < n / 4; i++) {
        hit(h, i, (uint32_t)i, (unsigned)i);
        hit(h, n - 1 - i, (uint32_t)i, (unsigned)(n - 1 - i));
    }
}

static double seconds_for(size_t n)
{
    struct hits h;
    double best = 1e9;
    nest(&h, n);
    for (int round = 0; round < 9; round++) {
        const double begin = og_clock_thread();
        hits_estimate(&h, OG_ESTIMATE_BRIDGE, UINT32_MAX);
        const double end = og_clock_thread();
        if (end - begin < best) best = end - begin;
    }
    for (size_t i = n / 4; i < n - n / 4; i++)
        assert_int_equal(h.labels.data[i].how, OG_HOW_BRIDGED);
    hits_release(&h);
    return best;
}

/* Sixty-four times as many take about sixty-four times as long; 4,096 times if
 * every bridge walked over what lies inside it. The bound is eight times from
 * either: caches that others fill, and an emulated processor, cost more. */
static void nested_bridges_take_linear_time(void **state)
{
    (void)state;
    const double small = seconds_for(10000);
    const double large = seconds_for(640000);
    assert_true(large < 512 * small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_figure_1),
        cmocka_unit_test(each_condition_of_a_bridge),
        cmocka_unit_test(offsets_wrap),
        cmocka_unit_test(bridges_chain),
        cmocka_unit_test(a_guess_never_replaces_a_hit),
        cmocka_unit_test(bridges_of_be_ask_the_neighbours),
        cmocka_unit_test(expansion_stays_inside_the_document),
        cmocka_unit_test(tables_keep_what_each_estimation_needs),
        cmocka_unit_test(nested_bridges_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
