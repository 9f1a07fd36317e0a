/* Hash families: the kernels of every level against the definition, the Rabin
 * permutation against the product in GF(2^64). */

#include "tests/unit/stage_support.h"

#include "lib/fingerprint/rabin.h"
#include "lib/sketch/family.h"

#define N_FEATURES 301
#define N_LANES    144

static void fill(uint64_t *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = og_random_next(&seed);
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < OG_FAMILY_END; i++) {
        const char *name = og_family_name((og_hash_family)i);
        og_hash_family parsed = OG_FAMILY_END;
        assert_true(og_family_parse((og_bytes){name, strlen(name)}, &parsed));
        assert_int_equal(parsed, i);
    }
    og_hash_family kept = OG_FAMILY_RABIN;
    assert_false(og_family_parse((og_bytes){"mixx", 4}, &kept));
    assert_int_equal(kept, OG_FAMILY_RABIN);
}

static void test_levels_agree(void **state)
{
    (void)state;
    static uint64_t x[N_FEATURES], base[N_FEATURES], seen[N_FEATURES];
    uint32_t expected[N_LANES], least[N_LANES];
    fill(x, N_FEATURES, 1);
    for (int kind = 0; kind < OG_FAMILY_END; kind++) {
        struct og_family f;
        assert_int_equal(
            og_family_init(&f, (og_hash_family)kind, 7, N_LANES, NULL, NULL),
            OG_OK);
        for (size_t i = 0; i < N_FEATURES; i++)
            base[i] = og_family_hash(&f, x[i]);
        base[3] = 0xabcdef0000000000u; /* a low half of 0 */
        for (size_t end = OG_LANES; end <= N_LANES; end += OG_LANES) {
            memset(expected, 0xff, sizeof(expected));
            og_family_least_plain(&f, x, base, N_FEATURES, 0, end, expected);
            FOR_EACH_LEVEL(level)
            {
                memset(least, 0xff, sizeof(least));
                og_family_least(&f, x, base, N_FEATURES, 0, end, least);
                assert_memory_equal(least, expected, sizeof(least));
                og_family_hash_many(&f, x, N_FEATURES, seen);
                for (size_t i = 0; i < N_FEATURES; i++)
                    assert_int_equal(seen[i], og_family_hash(&f, x[i]));
            }
            og_cpu_force(OG_CPU_AVX512);
        }
        og_family_release(&f);
    }
}

/* Rounds of bins: every level, numbers of bins on both sides of a vector's,
 * marks from none to all, also of a feature whose short hash is 0. */
static void test_bins_agree(void **state)
{
    (void)state;
    enum { BINS = 700 };
    static uint64_t x[N_FEATURES], base[N_FEATURES];
    static uint64_t expected[N_FEATURES + 8], seen[N_FEATURES + 8];
    uint32_t bin[BINS], marks[BINS / 32 + 1], seen_marks[BINS / 32 + 1];
    uint64_t seed = 5;
    struct og_family f;
    assert_int_equal(og_family_init(&f, OG_FAMILY_MIX, 9, N_LANES, NULL, NULL),
                     OG_OK);
    fill(x, N_FEATURES, 2);
    for (size_t i = 0; i < N_FEATURES; i++)
        base[i] = og_family_hash(&f, x[i]);
    base[7] &= ~(uint64_t)UINT32_MAX;
    for (uint32_t n_bins = 1; n_bins <= BINS; n_bins += 13)
        for (unsigned share = 0; share <= 4; share++) {
            const size_t n = (n_bins * 7 + share) % (N_FEATURES + 1);
            for (size_t i = 0; i < n_bins; i++)
                bin[i] = og_random_next(&seed) % 4 < share ? UINT32_MAX
                                                           : (uint32_t)i;
            const size_t n_empty = og_bins_empty_plain(bin, n_bins, marks);
            const size_t n_placed = og_bins_round_plain(
                &f, x, base, n, share, n_bins, marks, expected);
            FOR_EACH_LEVEL(level)
            {
                assert_int_equal(og_bins_empty(bin, n_bins, seen_marks),
                                 n_empty);
                assert_memory_equal(seen_marks, marks, (n_bins + 31) / 32 * 4);
                assert_int_equal(
                    og_bins_round(&f, x, base, n, share, n_bins, marks, seen),
                    n_placed);
                assert_memory_equal(seen, expected, n_placed * 8);
            }
            og_bins_place_plain(base, n, n_bins, expected);
            FOR_EACH_LEVEL(level)
            {
                og_bins_place(base, n, n_bins, seen);
                assert_memory_equal(seen, expected, n * 8);
            }
            const uint32_t limit = share * 0x3fffffffu;
            const size_t n_below =
                og_bins_place_below_plain(&f, x, n, n_bins, limit, expected);
            FOR_EACH_LEVEL(level)
            {
                assert_int_equal(
                    og_bins_place_below(&f, x, n, n_bins, limit, seen),
                    n_below);
                assert_memory_equal(seen, expected, n_below * 8);
            }
        }
    og_family_release(&f);
}

/* h(x) + h(y) = h(x + y) + h(0), and x -> h(x) + h(0) is a product with a
 * fixed factor, which h(1) tells. */
static void test_rabin_is_product(void **state)
{
    (void)state;
    const struct og_field *field = &og_rabin_default()->field;
    struct og_family f;
    uint64_t seed = 5;
    assert_int_equal(og_family_init(&f, OG_FAMILY_RABIN, 9, 16, NULL, NULL),
                     OG_OK);
    const uint64_t start = og_family_hash(&f, 0);
    const uint64_t factor = og_family_hash(&f, og_field_one(field)) ^ start;
    assert_int_not_equal(factor, 0);
    for (int i = 0; i < 1000; i++) {
        const uint64_t x = og_random_next(&seed);
        assert_int_equal(og_family_hash(&f, x) ^ start,
                         og_field_mul(field, factor, x));
    }
    og_family_release(&f);
}

/* A bijection has no two equal values. */
static void test_lanes_are_permutations(void **state)
{
    (void)state;
    struct og_family f;
    assert_int_equal(og_family_init(&f, OG_FAMILY_MIX, 9, 16, NULL, NULL),
                     OG_OK);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(f.lane_mul[i] & 1, 1);
    assert_int_not_equal(og_mix_short(0), 0);
    og_family_release(&f);
}

static void test_seeds_differ(void **state)
{
    (void)state;
    for (int kind = 0; kind < OG_FAMILY_END; kind++) {
        struct og_family f, g;
        og_family_init(&f, (og_hash_family)kind, 1, 16, NULL, NULL);
        og_family_init(&g, (og_hash_family)kind, 2, 16, NULL, NULL);
        assert_int_not_equal(og_family_hash(&f, 12345),
                             og_family_hash(&g, 12345));
        og_family_release(&f);
        og_family_release(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_levels_agree),
        cmocka_unit_test(test_bins_agree),
        cmocka_unit_test(test_rabin_is_product),
        cmocka_unit_test(test_lanes_are_permutations),
        cmocka_unit_test(test_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
