/* The scans, by the definition, at every level of the machine. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_scan.h"
#include "lib/hamming/code_slices.h"

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

struct places {
    struct matches matches;
    const uint64_t *codes;
    size_t n_before_stop;
};

static bool on_place(void *ctx, size_t question, size_t place)
{
    struct places *p = ctx;
    if (p->n_before_stop != 0 && --p->n_before_stop == 0) return false;
    return add_match(&p->matches, question, p->codes[place]);
}

static void slices_find_what_the_definition_does(void **state)
{
    (void)state;
    uint64_t seed = 9, questions[70];
    static uint64_t codes[2000];
    FOR_EACH_LEVEL(level)
    {
        for (size_t n = 0; n <= 2000; n = n * 2 + 255) {
            for (unsigned k = 0; k <= OG_CODE_SLICES_MOST; k += 3) {
                struct og_code_slices slices;
                const size_t here = lot_of_codes(codes, n, false, &seed);
                for (size_t i = 0; i < 70; i++)
                    questions[i] = n == 0 ? i
                                          : flip_lots(codes[i % here],
                                                      (unsigned)i % 20, &seed);
                assert_int_equal(
                    og_code_slices_init(&slices, codes, here, NULL, NULL),
                    OG_OK);
                struct places seen = {.codes = codes};
                assert_true(og_code_slices_ask(&slices, questions, 70, k, &seen,
                                               on_place));
                const struct matches truth =
                    true_matches(codes, here, questions, 70, k);
                assert_int_equal(seen.matches.n, truth.n);
                assert_true(seen.matches.sum == truth.sum);
                if (truth.n > 2) {
                    seen = (struct places){.codes = codes, .n_before_stop = 2};
                    assert_false(og_code_slices_ask(&slices, questions, 70, k,
                                                    &seen, on_place));
                    assert_int_equal(seen.matches.n, 1);
                }
                og_code_slices_release(&slices);
            }
        }
    }
    og_cpu_force(OG_CPU_AVX512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_finds_what_the_definition_does),
        cmocka_unit_test(slices_find_what_the_definition_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
