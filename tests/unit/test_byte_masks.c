/* The mask kernels: each level equals the plain twin, bit for bit. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"
#include "lib/token/byte_masks.h"

#define MAX_BLOCKS 6

static void plain_classes_are_right(void **state)
{
    (void)state;
    char block[64];
    for (int first = 0; first < 256; first += 64) {
        uint64_t bases;
        struct og_masks words;
        for (int i = 0; i < 64; i++)
            block[i] = (char)(first + i);
        og_mask_kernels_plain.bases(block, 1, &bases);
        og_mask_kernels_plain.words(block, 1, &words);
        for (int i = 0; i < 64; i++) {
            const int c = first + i;
            const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            const bool base = c > 0 && c < 128 && strchr("acgtu", c) != NULL;
            assert_int_equal(words.member >> i & 1, word);
            assert_int_equal(bases >> i & 1, base);
            assert_int_equal(words.lead >> i & 1, c >= 0xc0);
            assert_int_equal(words.tail >> i & 1, c >= 0x80 && c < 0xc0);
        }
    }
}

static void check_classes(const char *data, size_t n)
{
    const struct og_mask_kernels *k = og_mask_kernels_choose();
    const struct og_mask_kernels *plain = &og_mask_kernels_plain;
    struct og_masks words[MAX_BLOCKS], plain_words[MAX_BLOCKS];
    uint64_t bases[MAX_BLOCKS], plain_bases[MAX_BLOCKS];
    k->words(data, n, words);
    plain->words(data, n, plain_words);
    assert_memory_equal(words, plain_words, n * sizeof(words[0]));
    k->bases(data, n, bases);
    plain->bases(data, n, plain_bases);
    assert_memory_equal(bases, plain_bases, n * sizeof(bases[0]));
}

static void check_positions(const uint64_t *masks, size_t n_blocks)
{
    uint32_t expected[MAX_BLOCKS * 64];
    uint32_t found[MAX_BLOCKS * 64 + OG_MASK_POSITIONS_SLACK];
    size_t n = 0;
    for (size_t i = 0; i < 64 * n_blocks; i++)
        if (masks[i / 64] >> i % 64 & 1) expected[n++] = 1000 + (uint32_t)i;
    const size_t n_found =
        og_mask_kernels_choose()->positions(masks, n_blocks, 1000, found);
    assert_int_equal(n_found, n);
    if (n > 0) assert_memory_equal(found, expected, n * sizeof(*found));
}

static void check_level(void)
{
    char data[MAX_BLOCKS * 64 + 64];
    uint64_t seed = 17, masks[MAX_BLOCKS];
    for (int round = 0; round < 500; round++) {
        for (size_t i = 0; i < sizeof(data); i++)
            data[i] = (char)og_random_next(&seed);
        for (size_t n = 0; n < MAX_BLOCKS; n++)
            check_classes(data + round % 64, n);
        for (size_t i = 0; i < MAX_BLOCKS; i++) { /* sparse to full */
            masks[i] = og_random_next(&seed);
            if (round % 4 == 0) masks[i] &= og_random_next(&seed);
            if (round % 4 == 1) masks[i] |= og_random_next(&seed);
            if (round % 4 == 2) masks[i] = i % 2 ? UINT64_MAX : 0;
        }
        check_positions(masks, (size_t)round % (MAX_BLOCKS + 1));
    }
}

static void every_level_equals_plain(void **state)
{
    (void)state;
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
        og_cpu_force(level);
        check_level();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_classes_are_right),
        cmocka_unit_test(every_level_equals_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
