/* The scan by bits, against the definition, at every level of the machine. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_slices.h"

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

/* Plane i has the bits i: code c is bit c of it, and zeros follow. */
static void a_block_is_turned(void **state)
{
    (void)state;
    uint64_t seed = 5, codes[OG_CODE_BLOCK];
    static uint64_t block[OG_CODE_SLICE_WORDS];
    static const size_t sizes[] = {0, 1, 63, 64, 65, 300, OG_CODE_BLOCK};
    for (size_t i = 0; i < OG_CODE_BLOCK; i++)
        codes[i] = og_random_next(&seed);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        memset(block, 0xee, sizeof(block));
        og_code_slice_block(codes, sizes[i], block);
        for (unsigned bit = 0; bit < 64; bit++)
            for (size_t c = 0; c < OG_CODE_BLOCK; c++) {
                const uint64_t expected =
                    c < sizes[i] ? codes[c] >> bit & 1 : 0;
                assert_int_equal(block[bit * 8 + c / 64] >> c % 64 & 1,
                                 expected);
            }
    }
}

/* The places after the last code are no codes of zeros. */
static void there_is_nothing_after_the_last(void **state)
{
    (void)state;
    struct og_code_slices slices;
    const uint64_t code = UINT64_MAX, question = 0;
    struct places seen = {.codes = &code};
    assert_int_equal(og_code_slices_init(&slices, &code, 1, NULL, NULL), OG_OK);
    assert_true(og_code_slices_ask(&slices, &question, 1, OG_CODE_SLICES_MOST,
                                   &seen, on_place));
    assert_int_equal(seen.matches.n, 0);
    assert_true(og_code_slices_ask(&slices, &code, 1, 0, &seen, on_place));
    assert_int_equal(seen.matches.n, 1);
    og_code_slices_release(&slices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_find_what_the_definition_does),
        cmocka_unit_test(a_block_is_turned),
        cmocka_unit_test(there_is_nothing_after_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
