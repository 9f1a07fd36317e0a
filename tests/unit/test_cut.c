/* Options of cutting, and the promises of a cutter that need no definition. */

#include "tests/property/plain_cut.h"

#include "lib/chunk/cut_kinds.h"

static void names_go_there_and_back(void **state)
{
    (void)state;
    static const char *const names[] = {"gear", "winnow", "winnow-fast"};
    og_cut_kind kind = OG_CUT_GEAR;
    for (int i = 0; i < 3; i++) {
        assert_string_equal(og_cut_kind_name((og_cut_kind)i), names[i]);
        const og_bytes name = {names[i], strlen(names[i])};
        assert_true(og_cut_kind_parse(name, &kind));
        assert_int_equal(kind, i);
    }
    assert_false(og_cut_kind_parse((og_bytes){"winno", 5}, &kind));
    assert_int_equal(kind, 2);
}

static void every_default_is_sound(void **state)
{
    (void)state;
    static const uint32_t averages[] = {0,         1,          128,
                                        129,       1000,       8192,
                                        1u << 20,  128u << 20, (128u << 20) + 1,
                                        UINT32_MAX};
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < LENGTH(averages); i++) {
            og_error err;
            const og_cut_options o =
                og_cut_options_default((og_cut_kind)kind, averages[i]);
            assert_int_equal(og_cut_options_check(&o, &err), OG_OK);
            assert_true(og_cut_need(&o) <= o.max_len);
        }
}

static void the_default_is_documented(void **state)
{
    (void)state;
    const og_cut_options gear = og_cut_options_default(OG_CUT_GEAR, 0);
    assert_int_equal(gear.min_len, 2048);
    assert_int_equal(gear.average_len, 8192);
    assert_int_equal(gear.max_len, 32768);
    const og_cut_options winnow = og_cut_options_default(OG_CUT_WINNOW, 0);
    assert_int_equal(winnow.max_len, 13127);
}

static void wrong_options_are_named(void **state)
{
    (void)state;
    static const struct {
        og_cut_options options;
        const char *word;
    } wrong[] = {
        {{(og_cut_kind)3, 64, 128, 256}, "kind"},
        {{OG_CUT_GEAR, 63, 128, 256}, "minimum"},
        {{OG_CUT_GEAR, UINT32_MAX, 128, 256}, "minimum"},
        {{OG_CUT_GEAR, 64, 79, 256}, "average"},
        {{OG_CUT_GEAR, 64, UINT32_MAX, UINT32_MAX}, "average"},
        {{OG_CUT_GEAR, 64, 128, 255}, "maximum"},
        {{OG_CUT_GEAR, 64, 128, UINT32_MAX}, "maximum"},
        {{OG_CUT_WINNOW, 64, 128, 150}, "winnow"},
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        og_error err;
        struct og_cutter cutter;
        assert_int_equal(og_cut_options_check(&wrong[i].options, &err),
                         OG_ERR_USAGE);
        assert_non_null(strstr(err.message, wrong[i].word));
        assert_int_equal(og_cutter_init(&cutter, &wrong[i].options, NULL, &err),
                         OG_ERR_USAGE);
    }
}

static void nothing_has_no_chunks(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        const og_cut_options o = og_cut_options_default((og_cut_kind)kind, 0);
        struct og_cutter cutter;
        struct og_cuts cuts;
        og_error err;
        og_cuts_init(&cuts, NULL);
        assert_int_equal(og_cut_all("", 0, &o, &cuts, &err), OG_OK);
        assert_int_equal(cuts.n, 0);
        assert_int_equal(og_cutter_init(&cutter, &o, NULL, &err), OG_OK);
        assert_int_equal(og_cutter_feed(&cutter, "", 0, &err), OG_OK);
        assert_int_equal(og_cutter_end(&cutter, &err), OG_OK);
        assert_int_equal(cutter.n_ends, 0);
        og_cutter_release(&cutter);
        og_cuts_release(&cuts);
    }
}

static void zeros_are_cut_at_the_largest_length(void **state)
{
    (void)state;
    enum { LEN = 500000 };
    static const uint8_t zeros[LEN];
    for (int kind = 0; kind < 3; kind++) {
        const og_cut_options o =
            og_cut_options_default((og_cut_kind)kind, 1024);
        struct og_cuts cuts;
        og_error err;
        og_cuts_init(&cuts, NULL);
        assert_int_equal(og_cut_all(zeros, LEN, &o, &cuts, &err), OG_OK);
        for (size_t i = 0; i + 1 < cuts.n; i++)
            assert_int_equal(cuts.end[i], (i + 1) * o.max_len);
        assert_int_equal(cuts.end[cuts.n - 1], LEN);
        og_cuts_release(&cuts);
    }
}

/* The cuts of one fixed stream: part of the format, never to change. */
/* The form that runs, not the book's: fingerprints that are compared, in
 * groups, at the edges of windows and in the ring, for each byte. */
static void winnowing_compares_little(void **state)
{
    (void)state;
    enum { LEN = 1 << 20 };
    static uint8_t data[LEN];
    for (int kind = 0; kind < 4; kind++) {
        const og_cut_options o = og_cut_options_default(OG_CUT_WINNOW, 8192);
        struct og_cutter cutter;
        uint64_t random = 3;
        og_error err;
        for (size_t i = 0; i < LEN; i++)
            data[i] = kind == 0   ? (uint8_t)og_random_next(&random)
                      : kind == 1 ? 0
                      : kind == 2 ? (uint8_t)(i >> 12)
                                  : (uint8_t)(i * i >> 7);
        assert_int_equal(og_cutter_init(&cutter, &o, NULL, &err), OG_OK);
        assert_int_equal(og_cutter_feed(&cutter, data, LEN, &err), OG_OK);
        assert_int_equal(og_cutter_end(&cutter, &err), OG_OK);
        const uint64_t n =
            cutter.work->n_compared + cutter.work->ring.n_compared;
        assert_true(n > LEN / 2 && n < LEN + LEN / 5);
        og_cutter_release(&cutter);
    }
}

static void cuts_are_frozen(void **state)
{
    (void)state;
    enum { LEN = 1 << 20 };
    static uint8_t data[LEN];
    static const uint64_t expected[3] = {
        0x1c3bd3831637d9e6u, 0x875edc078fc68723u, 0x651fd6101957cb81u};
    plain_fill(data, LEN, DATA_RANDOM, 1);
    for (int kind = 0; kind < 3; kind++) {
        const og_cut_options o = og_cut_options_default((og_cut_kind)kind, 0);
        struct og_cuts cuts;
        og_error err;
        uint64_t sum = 0;
        og_cuts_init(&cuts, NULL);
        assert_int_equal(og_cut_all(data, LEN, &o, &cuts, &err), OG_OK);
        for (size_t i = 0; i < cuts.n; i++)
            sum = og_mix64(sum ^ cuts.end[i]);
        assert_int_equal(sum, expected[kind]);
        og_cuts_release(&cuts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_there_and_back),
        cmocka_unit_test(every_default_is_sound),
        cmocka_unit_test(the_default_is_documented),
        cmocka_unit_test(wrong_options_are_named),
        cmocka_unit_test(nothing_has_no_chunks),
        cmocka_unit_test(zeros_are_cut_at_the_largest_length),
        cmocka_unit_test(winnowing_compares_little),
        cmocka_unit_test(cuts_are_frozen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
