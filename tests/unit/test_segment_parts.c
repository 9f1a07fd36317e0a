/* The tables of signatures against their definition, in memory and in a
 * file. */

#include "tests/unit/store_support.h"

#include "lib/base/bits.h"
#include "lib/sentence/index/segment_parts.h"

enum { N = 20000 };

static uint8_t signatures[N * 16];

/* Equal ones, too. */
static void make_signatures(void)
{
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 16; k++)
            signatures[16 * i + k] = (uint8_t)og_mix64(i % 5000 * 16 + k);
}

static void check_table(const uint32_t *table, uint32_t bits, unsigned t)
{
    const uint32_t *starts = table, *wordsets = table + 65537;
    const size_t len = bits / 8;
    assert_int_equal(starts[0], 0);
    assert_int_equal(starts[65536], N);
    for (uint32_t key = 0; key < 65536; key++)
        for (uint32_t i = starts[key]; i < starts[key + 1]; i++) {
            const uint8_t *s = signatures + wordsets[i] * len + 2 * t;
            assert_true(wordsets[i] < N);
            assert_int_equal(s[0] | s[1] << 8, key);
            /* Once each, in order. */
            assert_true(i == starts[key] || wordsets[i - 1] < wordsets[i]);
        }
}

static void check_bits(uint32_t bits, const char *path)
{
    const struct og_sentence_totals totals = {.n_wordsets = N,
                                              .signature_bits = bits};
    const size_t table_len = (65537 + N) * sizeof(uint32_t);
    uint64_t lens[OG_N_PARTS] = {0};
    struct og_placed_segment placed;
    struct og_segment_file file;
    lens[OG_PART_SIGNATURES] = N * bits / 8;
    lens[OG_PART_PARTS] = bits / 16 * table_len;
    ASSERT_OK(og_placed_segment_init(&placed, path, &og_sentence_segment_kind,
                                     lens, OG_N_PARTS, NULL, &story));
    ASSERT_OK(og_placed_segment_write(&placed, OG_PART_SIGNATURES, 0,
                                      signatures, N * bits / 8, &story));
    for (unsigned t = 0; t < bits / 16; t++)
        ASSERT_OK(og_signature_table_write(&placed, &totals, t, &story));
    for (unsigned i = 0; i < OG_N_PARTS; i++)
        ASSERT_OK(og_placed_segment_seal(&placed, i, &story));
    ASSERT_OK(og_placed_segment_end(&placed, &file, &story));
    const uint8_t *tables = og_segment_section(&file, OG_PART_PARTS);
    for (unsigned t = 0; t < bits / 16; t++)
        check_table((const uint32_t *)(tables + t * table_len), bits, t);
    og_segment_file_release(&file);
}

static void every_16_bits_have_a_table(void **state)
{
    (void)state;
    make_signatures();
    for (uint32_t bits = 16; bits <= 128; bits *= 2) {
        check_bits(bits, NULL);
        check_bits(bits, in("tables"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_16_bits_have_a_table),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
