/* Packed values come back, in every range. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_packed.h"

enum { MOST = 2500 };
static uint64_t codes[MOST];

/* Values near and far apart: every range is walked, and nothing else. */
static bool next_value(void *ctx, uint64_t value)
{
    const uint64_t **at = ctx;
    assert_true(*(*at)++ == value);
    return true;
}

static void packed_values_come_back(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (unsigned kind = 0; kind < 5; kind++) {
        size_t n = kind == 4 ? 64 : MOST;
        struct og_code_packed packed;
        for (size_t i = 0; i < n; i++) {
            codes[i] = kind == 0   ? og_random_next(&seed)
                       : kind == 1 ? i
                       : kind == 2 ? i << 40 | i % 3
                       : kind == 3 ? og_random_next(&seed) >> i % 60
                                   : UINT64_C(1) << i;
        }
        uint64_t *spare = malloc(n * 8);
        n = og_code_sort(codes, spare, n);
        free(spare);
        assert_int_equal(og_code_packed_init(&packed, codes, n, NULL, NULL),
                         OG_OK);
        if (kind == 1) assert_true(packed.n_bits < 8 * n);
        for (int i = 0; i < 300; i++) {
            size_t a = og_random_next(&seed) % n;
            size_t b = a + og_random_next(&seed) % (n - a);
            if (i == 0) a = 0, b = n - 1;
            const uint64_t *at = codes + a;
            assert_true(og_code_packed_walk(&packed, codes[a], codes[b], &at,
                                            next_value));
            assert_ptr_equal(at, codes + b + 1);
            assert_int_equal(og_code_search(codes, n, codes[a]), a);
        }
        og_code_packed_release(&packed);
    }
}

/* None, one, the ends of 64 bits; and ranges with nothing in them. */
static bool count_value(void *ctx, uint64_t value)
{
    (void)value;
    ++*(size_t *)ctx;
    return true;
}

static size_t count_in(const struct og_code_packed *p, uint64_t first,
                       uint64_t last)
{
    size_t n = 0;
    assert_true(og_code_packed_walk(p, first, last, &n, count_value));
    return n;
}

static void edges(void **state)
{
    (void)state;
    static const uint64_t few[] = {0, 1, 1000, UINT64_MAX};
    for (size_t n = 0; n <= LENGTH(few); n++) {
        struct og_code_packed p;
        assert_int_equal(og_code_packed_init(&p, few, n, NULL, NULL), OG_OK);
        assert_int_equal(count_in(&p, 0, UINT64_MAX), n);
        assert_int_equal(count_in(&p, 0, 0), n > 0);
        assert_int_equal(count_in(&p, 2, 999), 0);
        assert_int_equal(count_in(&p, 1001, UINT64_MAX), n > 3);
        assert_int_equal(count_in(&p, UINT64_MAX, UINT64_MAX), n > 3);
        og_code_packed_release(&p);
    }
}

/* Differences that are all alike have a code of one bit. */
static void one_kind_of_difference(void **state)
{
    (void)state;
    static const uint64_t two[] = {8, 12};
    struct og_code_packed p;
    assert_int_equal(og_code_packed_init(&p, two, 2, NULL, NULL), OG_OK);
    const uint64_t *at = two;
    assert_true(og_code_packed_walk(&p, 0, UINT64_MAX, &at, next_value));
    assert_ptr_equal(at, two + 2);
    assert_int_equal(p.code_len[2], 1);
    og_code_packed_release(&p);
}

static bool stop_at_three(void *ctx, uint64_t value)
{
    (void)value;
    return ++*(size_t *)ctx < 3;
}

static void a_walk_stops_when_told(void **state)
{
    (void)state;
    struct og_code_packed p;
    size_t n = 0;
    for (size_t i = 0; i < 1000; i++)
        codes[i] = i * i;
    assert_int_equal(og_code_packed_init(&p, codes, 1000, NULL, NULL), OG_OK);
    assert_false(og_code_packed_walk(&p, 0, UINT64_MAX, &n, stop_at_three));
    assert_int_equal(n, 3);
    assert_true(og_code_packed_bytes(&p) >= p.n_blocks * OG_PACKED_BLOCK);
    og_code_packed_release(&p);
}

/* The rarest differences would have codes of 40 bits and more; all are cut at
 * 12, and a code is the beginning of no other. */
static void codes_are_short_and_free_of_prefixes(void **state)
{
    (void)state;
    static uint64_t values[1 << 16];
    size_t n = 0;
    /* h = 63 - i comes half as often as the one before. */
    for (uint64_t i = 0; i < 1 << 15; i++)
        values[n++] = i;
    for (unsigned i = 16; i < 64; i++)
        values[n++] = UINT64_C(1) << i;
    struct og_code_packed p;
    assert_int_equal(og_code_packed_init(&p, values, n, NULL, NULL), OG_OK);
    double space = 0; /* Kraft: what is decodable is at most 1 */
    for (unsigned h = 0; h < 64; h++) {
        if (p.code_len[h] == 0) continue;
        assert_true(p.code_len[h] <= OG_PACKED_CODE_BITS);
        space += 1.0 / (double)(1 << p.code_len[h]);
        for (unsigned g = 0; g < h; g++) {
            if (p.code_len[g] == 0) continue;
            const unsigned len =
                p.code_len[g] < p.code_len[h] ? p.code_len[g] : p.code_len[h];
            assert_true(p.code[g] >> (p.code_len[g] - len) !=
                        p.code[h] >> (p.code_len[h] - len));
        }
    }
    assert_true(space <= 1);
    assert_true(p.code_len[0] <= 2); /* half of all differences */
    assert_int_equal(count_in(&p, 0, UINT64_MAX), n);
    og_code_packed_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_values_come_back),
        cmocka_unit_test(edges),
        cmocka_unit_test(one_kind_of_difference),
        cmocka_unit_test(a_walk_stops_when_told),
        cmocka_unit_test(codes_are_short_and_free_of_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
