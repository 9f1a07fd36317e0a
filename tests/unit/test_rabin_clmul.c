/* Fingerprints by the carry-less multiply instruction equal those of the
 * tables. */

#include "tests/unit/stage_support.h"

#include "lib/fingerprint/clmul.h"
#include "lib/fingerprint/rabin.h"

#define MAX_LEN 300
#define LINE    64

static void fill(uint8_t *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)og_random_next(&seed);
}

/* Every level that og_rabin_extend() may choose, on any machine. */
static void check_extend(const struct og_rabin *r, const uint8_t *data,
                         size_t len, uint64_t fp)
{
    const uint64_t expected = og_rabin_extend_tables(r, fp, data, len);
    FOR_EACH_LEVEL(level)
    assert_true(og_rabin_extend(r, fp, data, len) == expected);
}

static void every_level_gives_the_same_fingerprint(void **state)
{
    (void)state;
    uint8_t data[MAX_LEN];
    fill(data, MAX_LEN, 1);
    for (size_t len = 0; len <= MAX_LEN; len++)
        check_extend(og_rabin_default(), data, len, len * 0x9e3779b97f4a7c15);
}

#if defined(OG_TARGET_CLMUL)
static bool machine_has_clmul(void)
{
    return og_cpu_force(OG_CPU_AVX512) >= OG_CPU_CLMUL;
}

static void clmul_equals_plain_and_tables(void **state)
{
    (void)state;
    if (!machine_has_clmul()) skip();
    const struct og_rabin *r = og_rabin_default();
    uint8_t data[MAX_LEN + LINE];
    fill(data, sizeof(data), 2);
    for (size_t len = 0; len <= MAX_LEN; len++) {
        /* All alignments; the slow definition at one of them. */
        const uint64_t fp = og_mix64(len);
        for (size_t at = 0; at < LINE; at++)
            assert_true(og_rabin_extend_clmul(r, fp, data + at, len) ==
                        og_rabin_extend_tables(r, fp, data + at, len));
        assert_true(og_rabin_extend_clmul(r, fp, data + len % LINE, len) ==
                    og_rabin_extend_plain(r, fp, data + len % LINE, len));
    }
}

/* Blocks of exactly the right size: a memory checker sees any byte too far. */
static void clmul_reads_no_further(void **state)
{
    (void)state;
    if (!machine_has_clmul()) skip();
    const struct og_rabin *r = og_rabin_default();
    for (size_t len = 1; len <= MAX_LEN; len++) {
        uint8_t *data = malloc(len);
        assert_non_null(data);
        fill(data, len, len);
        assert_true(og_rabin_extend_clmul(r, r->empty, data, len) ==
                    og_rabin_extend_tables(r, r->empty, data, len));
        free(data);
    }
}

/* The reduction works for every modulus with the term 1, not only for ours. */
static void clmul_takes_any_polynomial(void **state)
{
    (void)state;
    if (!machine_has_clmul()) skip();
    static struct og_rabin r;
    uint8_t data[100];
    fill(data, sizeof(data), 3);
    for (uint64_t seed = 0; seed < 20; seed++) {
        og_rabin_init(&r, og_field_generate(64, seed));
        assert_true(og_rabin_extend_clmul(&r, r.empty, data, sizeof(data)) ==
                    og_rabin_extend_plain(&r, r.empty, data, sizeof(data)));
    }
}

/* a * b stored backwards is a * b * x: so one factor has an x less. */
OG_TARGET_CLMUL static void check_product(uint64_t a, uint64_t b)
{
    const struct og_rabin *r = og_rabin_default();
    const uint64_t product = og_clmul_reduce(r, og_clmul(a, b));
    assert_true(product ==
                og_field_mul_x(&r->field, og_field_mul(&r->field, a, b)));
}

static void reduced_products_are_those_of_the_field(void **state)
{
    (void)state;
    if (!machine_has_clmul()) skip();
    const uint64_t edges[] = {0, 1, 2, 1ull << 63, UINT64_MAX, OG_RABIN_POLY};
    for (size_t i = 0; i < LENGTH(edges); i++)
        for (size_t j = 0; j < LENGTH(edges); j++)
            check_product(edges[i], edges[j]);
    uint64_t seed = 4;
    for (int round = 0; round < 10000; round++)
        check_product(og_random_next(&seed), og_random_next(&seed));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_gives_the_same_fingerprint),
#if defined(OG_TARGET_CLMUL)
        cmocka_unit_test(clmul_equals_plain_and_tables),
        cmocka_unit_test(clmul_reads_no_further),
        cmocka_unit_test(clmul_takes_any_polynomial),
        cmocka_unit_test(reduced_products_are_those_of_the_field),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
