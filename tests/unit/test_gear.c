/* The gear hash: its frozen table, and scans that agree at every length. */

#include "tests/property/plain_cut.h"

static void the_table_is_what_it_says(void **state)
{
    (void)state;
    for (unsigned b = 0; b < 256; b++)
        assert_int_equal(og_gear_table[b],
                         og_mix64((uint64_t)OG_GEAR_SEED * 256 + b) >> 32);
}

static void no_run_of_equal_bytes_has_a_zero_lead(void **state)
{
    (void)state;
    for (int b = 0; b < 256; b++) {
        uint8_t run[OG_GEAR_WINDOW];
        memset(run, b, sizeof(run));
        assert_true(og_gear_hash(run + sizeof(run)) >> 24 != 0);
    }
}

typedef size_t scan(const uint8_t *data, size_t len, uint32_t below,
                    uint32_t *places);

/* Against the sum that the header defines; exact lengths, for checkers. */
static void check_scan(scan *run, size_t len, uint32_t below,
                       enum data_kind kind)
{
    uint8_t *data = malloc(OG_GEAR_WINDOW + len);
    uint32_t *places = malloc((len + 1) * sizeof(*places));
    assert_true(data != NULL && places != NULL);
    plain_fill(data, OG_GEAR_WINDOW + len, kind, len + 1);
    const size_t n = run(data + OG_GEAR_WINDOW, len, below, places);
    size_t next = 0;
    for (size_t e = 1; e <= len; e++) {
        if (plain_gear(data, OG_GEAR_WINDOW + e) >= below) continue;
        assert_true(next < n);
        assert_int_equal(places[next++], e);
    }
    assert_int_equal(next, n);
    free(places);
    free(data);
}

static void check_scans(scan *run)
{
    static const uint32_t limits[] = {0, 1u << 22, 1u << 24, 1u << 31,
                                      UINT32_MAX};
    static const size_t lens[] = {
        0,    1,    2,    31,   127,  128,          2047,
        2048, 2049, 2064, 4097, 9999, OG_GEAR_BLOCK};
    for (int kind = 0; kind < N_DATA_KINDS; kind++)
        for (size_t i = 0; i < LENGTH(lens); i++)
            for (size_t j = 0; j < LENGTH(limits); j++)
                check_scan(run, lens[i], limits[j], (enum data_kind)kind);
}

static void plain_scan_finds_all(void **state)
{
    (void)state;
    check_scans(og_gear_scan_plain);
}

static void scan_in_lanes_finds_all(void **state)
{
    (void)state;
    check_scans(og_gear_scan_lanes);
}

static void vector_scan_finds_all(void **state)
{
    (void)state;
#if defined(OG_X86)
    if (og_cpu_force(OG_CPU_AVX512) != OG_CPU_AVX512) skip();
    check_scans(og_gear_scan_avx512);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_what_it_says),
        cmocka_unit_test(no_run_of_equal_bytes_has_a_zero_lead),
        cmocka_unit_test(plain_scan_finds_all),
        cmocka_unit_test(scan_in_lanes_finds_all),
        cmocka_unit_test(vector_scan_finds_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
