/* The directory of words and the tables of signatures against their
 * definitions. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/sentence/index/segment_parts.h"

static const struct og_segment_kind kind = {.name = "parts", .version = 1};

static void a_directory_counts_words_below(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 5, 1000};
    (void)state;
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        struct og_segment_writer *w;
        struct og_segment_file f;
        struct og_directory d;
        uint64_t random = k, words[1000];
        assert_int_equal(og_segment_writer_new(NULL, &kind, NULL, &w, NULL),
                         OG_OK);
        assert_int_equal(og_directory_init(&d, sizes[k], NULL, NULL), OG_OK);
        assert_true(((size_t)1 << d.n_bits) >= sizes[k]);
        for (size_t i = 0; i < sizes[k]; i++)
            og_directory_add(&d, words[i] = og_random_next(&random));
        og_directory_write(&d, w);
        const unsigned n_bits = d.n_bits;
        og_directory_release(&d);
        assert_int_equal(og_segment_writer_end(w, &f, NULL), OG_OK);
        const uint32_t *counts = og_segment_section(&f, 0);
        assert_int_equal(f.section[0].len, ((4 << n_bits) + 4));
        for (size_t p = 0; p <= (size_t)1 << n_bits; p++) {
            uint32_t n = 0;
            for (size_t i = 0; i < sizes[k]; i++)
                n += (n_bits == 0 ? 0 : words[i] >> (64 - n_bits)) < p;
            assert_int_equal(counts[p], n);
        }
        og_segment_file_release(&f);
    }
}

static struct og_signature signature_of(const void *ctx, size_t form)
{
    const uint64_t *seeds = ctx;
    return (struct og_signature){
        {og_mix64(seeds[form]), og_mix64(~seeds[form])}};
}

static void every_16_bits_have_a_table(void **state)
{
    enum { N = 300 };
    uint64_t seeds[N];
    (void)state;
    for (size_t i = 0; i < N; i++)
        seeds[i] = i % 50; /* equal ones too */
    for (uint32_t bits = 0; bits <= 128; bits = bits == 0 ? 16 : 2 * bits) {
        struct og_segment_writer *w;
        struct og_segment_file f;
        assert_int_equal(og_segment_writer_new(NULL, &kind, NULL, &w, NULL),
                         OG_OK);
        assert_int_equal(
            og_write_signatures(w, bits, N, seeds, signature_of, NULL, NULL),
            OG_OK);
        assert_int_equal(og_segment_writer_end(w, &f, NULL), OG_OK);
        assert_int_equal(f.n_sections, 2);
        assert_int_equal(f.section[0].len, N * bits / 8);
        assert_int_equal(f.section[1].len, bits / 16 * (65537 + N) * 4);
        const uint32_t *parts = og_segment_section(&f, 1);
        for (unsigned p = 0; p < bits / 16; p++) {
            const uint32_t *starts = parts + (size_t)p * (65537 + N);
            const uint32_t *forms = starts + 65537;
            for (size_t i = 0; i < N; i++) {
                const struct og_signature s = signature_of(seeds, i);
                const uint32_t key = og_signature_part(&s, p);
                bool found = false;
                for (uint32_t at = starts[key]; at < starts[key + 1]; at++)
                    found |= forms[at] == i;
                assert_true(found);
            }
            assert_int_equal(starts[65536], N);
        }
        og_segment_file_release(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_counts_words_below),
        cmocka_unit_test(every_16_bits_have_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
