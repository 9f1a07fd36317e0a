/* The scan, by the definition, at every level of the machine. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_scan.h"

static void scan_finds_what_the_definition_does(void **state)
{
    (void)state;
    uint64_t seed = 7, codes[400];
    FOR_EACH_LEVEL(level)
    {
        for (size_t n = 0; n <= 400; n += n < 70 ? 1 : 33) {
            for (unsigned k = 0; k <= 64; k += k < 4 ? 1 : 12) {
                const uint64_t code = og_random_next(&seed);
                for (size_t i = 0; i < n; i++)
                    codes[i] = flip_lots(code, (unsigned)(i % 9), &seed);
                uint32_t places[64];
                size_t from = 0, next = 0;
                while (from < n) {
                    const size_t found =
                        og_code_scan(codes, n, code, k, &from, places, 64);
                    for (size_t i = 0; i < found; i++) {
                        while (distance_of(codes[next], code) > k)
                            next++;
                        assert_int_equal(places[i], next++);
                    }
                }
                for (; next < n; next++)
                    assert_true(distance_of(codes[next], code) > k);
            }
        }
    }
    og_cpu_force(OG_CPU_AVX512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_finds_what_the_definition_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
