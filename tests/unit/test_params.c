/* Names and ranges of parameters. */

#include <origo/origo.h>
#include <stdio.h>

#include "tests/unit/stage_support.h"

static og_bytes bytes_of(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void check_select(const char *name, og_select_kind kind, uint32_t param,
                         bool no_overlap, bool sparse)
{
    og_select_options options;
    char printed[16];
    assert_true(og_select_parse(bytes_of(name), &options));
    assert_int_equal(options.kind, kind);
    assert_int_equal(options.param, param);
    assert_int_equal(options.no_overlap, no_overlap);
    assert_int_equal(options.sparse, sparse);
    og_select_name(&options, printed);
    assert_string_equal(printed, name);
    /* The usual other parameters go with it. */
    og_params params = og_params_default();
    params.select = options;
    assert_int_equal(og_params_check(&params, NULL), OG_OK);
}

static void check_numbered(const char *word, og_select_kind kind,
                           uint32_t first, uint32_t last)
{
    for (uint32_t param = first; param <= last; param++) {
        char name[16];
        snprintf(name, sizeof(name), "%s%u", word, param);
        check_select(name, kind, param, word[0] == 'N', word[0] == 'S');
    }
}

/* The 33 of Table 3, and All. */
static void the_selections_of_the_paper(void **state)
{
    (void)state;
    check_select("All", OG_SELECT_ALL, 0, false, false);
    check_select("4th", OG_SELECT_EVERY, 4, false, false);
    check_select("6th", OG_SELECT_EVERY, 6, false, false);
    check_select("8th", OG_SELECT_EVERY, 8, false, false);
    check_numbered("M", OG_SELECT_MODULO, 4, 8);
    check_numbered("NM", OG_SELECT_MODULO, 2, 8);
    check_numbered("W", OG_SELECT_WINNOW, 8, 9);
    check_numbered("NW", OG_SELECT_WINNOW, 5, 9);
    check_numbered("Hb", OG_SELECT_HASH_BREAK, 3, 6);
    check_numbered("Hb", OG_SELECT_HASH_BREAK, 8, 8);
    check_numbered("Dct", OG_SELECT_DCT, 3, 6);
    check_numbered("Dct", OG_SELECT_DCT, 8, 8);
    check_select("NHs", OG_SELECT_HAILSTORM, 0, true, false);
}

static void selections_beyond_the_paper(void **state)
{
    (void)state;
    check_select("Hs", OG_SELECT_HAILSTORM, 0, false, false);
    check_select("1st", OG_SELECT_EVERY, 1, false, false);
    check_select("2nd", OG_SELECT_EVERY, 2, false, false);
    check_select("3rd", OG_SELECT_EVERY, 3, false, false);
    check_select("11th", OG_SELECT_EVERY, 11, false, false);
    check_select("21st", OG_SELECT_EVERY, 21, false, false);
    check_select("112th", OG_SELECT_EVERY, 112, false, false);
    check_numbered("Os", OG_SELECT_SYNCMER, 0, 7);
    check_numbered("NOs", OG_SELECT_SYNCMER, 0, 7);
    check_numbered("W", OG_SELECT_WINNOW, 1020, 1024);
}

static void wrong_selections_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",     "N",    "all",    "ALL",  "All4", "NAll",   "M",      "M0",
        "M04",  "M-4",  "M+4",    "M 4",  " M4",  "M4 ",    "M4x",    "NM",
        "NNM4", "W0",   "Hb0",    "Dct0", "Dct",  "NDct8",  "NHb3",   "Hs8",
        "NHs8", "hs",   "Os",     "0th",  "th",   "4",      "4t",     "N4th",
        "-4th", "04th", "M12345", "Mx",   "4 th", "M99999", "12345th"};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        og_select_options options = {
            .kind = OG_SELECT_DCT, .param = 77, .no_overlap = true};
        assert_false(og_select_parse(bytes_of(wrong[i]), &options));
        assert_int_equal(options.kind, OG_SELECT_DCT); /* left alone */
        assert_int_equal(options.param, 77);
        assert_true(options.no_overlap);
    }
}

/* The ending is the one that goes with the number in English. */
static void wrong_endings_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"4st",  "1th",   "2th",   "3nd", "11st",
                                        "12nd", "113rd", "21th",  "4TH", "22rd",
                                        "23th", "111st", "101th", "8rd"};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        og_select_options options;
        assert_false(og_select_parse(bytes_of(wrong[i]), &options));
    }
    check_select("22nd", OG_SELECT_EVERY, 22, false, false);
    check_select("113th", OG_SELECT_EVERY, 113, false, false);
    check_select("101st", OG_SELECT_EVERY, 101, false, false);
}

/* The S forms exist where the N forms do. */
static void sparse_selections(void **state)
{
    (void)state;
    check_select("SHs", OG_SELECT_HAILSTORM, 0, false, true);
    check_numbered("SM", OG_SELECT_MODULO, 2, 8);
    check_numbered("SW", OG_SELECT_WINNOW, 5, 9);
    check_numbered("SOs", OG_SELECT_SYNCMER, 0, 7);
    static const char *const wrong[] = {"S",    "SAll", "SHb3", "SDct8",
                                        "S4th", "SNHs", "NSHs", "SSHs",
                                        "SM",   "sHs",  "SHs8", "SM0"};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        og_select_options options;
        assert_false(og_select_parse(bytes_of(wrong[i]), &options));
    }
}

/* Names are views: bytes after them do not count. */
static void names_end_where_they_end(void **state)
{
    (void)state;
    og_select_options options;
    assert_true(og_select_parse((og_bytes){"W89", 2}, &options));
    assert_int_equal(options.param, 8);
    og_evict_kind evict;
    assert_true(og_evict_parse((og_bytes){"LRUCC", 3}, &evict));
    assert_int_equal(evict, OG_EVICT_LRU);
    assert_false(og_evict_parse((og_bytes){NULL, 0}, &evict));
    assert_false(og_select_parse((og_bytes){NULL, 0}, &options));
}

static void the_longest_name_fits(void **state)
{
    (void)state;
    char name[16];
    const og_select_options long_ones[] = {
        {.kind = OG_SELECT_DCT, .param = UINT32_MAX, .no_overlap = true},
        {.kind = OG_SELECT_EVERY, .param = UINT32_MAX}};
    og_select_name(&long_ones[0], name);
    assert_string_equal(name, "NDct4294967295");
    og_select_name(&long_ones[1], name);
    assert_string_equal(name, "4294967295th");
    og_select_name(&(og_select_options){.kind = (og_select_kind)99}, name);
    assert_string_equal(name, "unknown");
}

/* ---- the other names ---- */

#define CHECK_NAMES(what, type, ...)                                           \
    do {                                                                       \
        static const char *const names[] = {__VA_ARGS__};                      \
        type value = (type)0;                                                  \
        for (size_t i = 0; i < LENGTH(names); i++) {                           \
            assert_true(og_##what##_parse(bytes_of(names[i]), &value));        \
            assert_int_equal(value, i);                                        \
            assert_string_equal(og_##what##_name(value), names[i]);            \
        }                                                                      \
        assert_false(og_##what##_parse(bytes_of(""), &value));                 \
        assert_false(og_##what##_parse(bytes_of("nonsense"), &value));         \
        assert_int_equal(value, LENGTH(names) - 1);                            \
        assert_string_equal(og_##what##_name((type)99), "unknown");            \
    } while (0)

static void names_and_values_go_both_ways(void **state)
{
    (void)state;
    CHECK_NAMES(evict, og_evict_kind, "R", "LRU", "CC", "LS", "S3", "thin",
                "learn");
    CHECK_NAMES(estimate, og_estimate_kind, "NB", "E", "B", "BE", "CX");
    CHECK_NAMES(layout, og_layout_kind, "packed", "paper");
    CHECK_NAMES(token, og_token_kind, "words", "chars", "lines", "dna");
    assert_string_equal(og_how_name(OG_HOW_HIT), "hit");
    assert_string_equal(og_how_name(OG_HOW_BRIDGED), "bridged");
    assert_string_equal(og_how_name(OG_HOW_EXPANDED), "expanded");
    assert_string_equal(og_how_name(OG_HOW_VERIFIED), "verified");
    assert_string_equal(og_how_name((og_how)99), "unknown");
}

/* ---- ranges ---- */

static void check_refused(const og_params *params, const char *message)
{
    og_error err;
    assert_int_equal(og_params_check(params, &err), OG_ERR_USAGE);
    assert_int_equal(err.status, OG_ERR_USAGE);
    assert_string_equal(err.message, message);
    assert_int_equal(og_params_check(params, NULL), OG_ERR_USAGE);
}

static void the_defaults_are_good(void **state)
{
    (void)state;
    const og_params params = og_params_default();
    og_error err;
    assert_int_equal(og_params_check(&params, &err), OG_OK);
    assert_true(strlen(og_version()) > 0);
}

static void shingle_lengths(void **state)
{
    (void)state;
    og_params p = og_params_default();
    for (p.shingle_len = 2; p.shingle_len <= 32; p.shingle_len++)
        assert_int_equal(og_params_check(&p, NULL), OG_OK);
    check_refused(&p, "the shingle length is 33, but must be 2 to 32");
    p.shingle_len = 1;
    check_refused(&p, "the shingle length is 1, but must be 2 to 32");
}

static void bucket_sizes(void **state)
{
    (void)state;
    og_params p = og_params_default();
    for (p.bucket_slots = 0; p.bucket_slots <= 600; p.bucket_slots++) {
        const bool power = (p.bucket_slots & (p.bucket_slots - 1)) == 0;
        const bool good = power && p.bucket_slots >= 4 && p.bucket_slots <= 256;
        assert_int_equal(og_params_check(&p, NULL),
                         good ? OG_OK : OG_ERR_USAGE);
    }
    p.bucket_slots = 2;
    check_refused(&p, "the number of slots in a bucket is 2, but must be 4 to "
                      "256");
    p.bucket_slots = 65;
    check_refused(&p, "the number of slots in a bucket is 65, but must be a "
                      "power of two");
}

static void bridge_limits(void **state)
{
    (void)state;
    og_params p = og_params_default();
    p.bridge_limit = UINT32_MAX;
    assert_int_equal(og_params_check(&p, NULL), OG_OK);
    p.bridge_limit = 0;
    check_refused(&p, "the bridge limit is 0, but must be 1 to 4294967295");
}

static void numbers_of_selections(void **state)
{
    (void)state;
    og_params p = og_params_default();
    p.select = (og_select_options){.kind = OG_SELECT_SYNCMER, .param = 7};
    assert_int_equal(og_params_check(&p, NULL), OG_OK);
    p.select.param = 8;
    check_refused(&p, "selection Os8 names a token outside a shingle of 8");
    p.select = (og_select_options){
        .kind = OG_SELECT_WINNOW, .param = 1025, .no_overlap = true};
    check_refused(&p, "the number of selection NW1025 must be at most 1024");
}

/* Every l-th with l = 0 would never end, and modulo 0 would divide by it. */
static void a_selection_by_0_is_refused(void **state)
{
    (void)state;
    const og_select_kind counting[] = {OG_SELECT_EVERY, OG_SELECT_MODULO,
                                       OG_SELECT_WINNOW, OG_SELECT_HASH_BREAK,
                                       OG_SELECT_DCT};
    og_params p = og_params_default();
    for (size_t i = 0; i < LENGTH(counting); i++) {
        p.select = (og_select_options){.kind = counting[i]};
        assert_int_equal(og_params_check(&p, NULL), OG_ERR_USAGE);
    }
    p.select = (og_select_options){.kind = OG_SELECT_MODULO};
    check_refused(&p, "the number of selection M0 must be at least 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_selections_of_the_paper),
        cmocka_unit_test(selections_beyond_the_paper),
        cmocka_unit_test(wrong_selections_are_refused),
        cmocka_unit_test(wrong_endings_are_refused),
        cmocka_unit_test(sparse_selections),
        cmocka_unit_test(names_end_where_they_end),
        cmocka_unit_test(the_longest_name_fits),
        cmocka_unit_test(names_and_values_go_both_ways),
        cmocka_unit_test(the_defaults_are_good),
        cmocka_unit_test(shingle_lengths),
        cmocka_unit_test(bucket_sizes),
        cmocka_unit_test(bridge_limits),
        cmocka_unit_test(numbers_of_selections),
        cmocka_unit_test(a_selection_by_0_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
