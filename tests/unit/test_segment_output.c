/* Shares of a segment's parts, in memory and in a file: each number at its
 * place; too few or too many are noticed. And the directory of words. */

#include "tests/unit/store_support.h"

#include "lib/base/bits.h"
#include "lib/sentence/index/segment_output.h"

static struct og_phases alone;

static int set_up(void **state)
{
    alone = og_phases_alone(NULL);
    return make_folder(state);
}

static void init(struct og_segment_output *out, const char *path,
                 uint64_t n_words, uint64_t n_keys)
{
    const struct og_sentence_totals totals = {.n_words = n_words,
                                              .n_keys = n_keys};
    ASSERT_OK(
        og_segment_output_init(out, path, &totals, 0, 0, &alone, NULL, &story));
}

/* A part of 100,000 numbers, in shares of which some are empty. */
static void check_shares(const char *path)
{
    enum { N_NUMBERS = 100000 };
    static const uint64_t ends[] = {1, 1, 9000, 70001, N_NUMBERS, N_NUMBERS};
    struct og_segment_output out;
    struct og_sentence_segment m;
    uint64_t begin = 0;
    init(&out, path, 0, N_NUMBERS);
    for (size_t i = 0; i < LENGTH(ends); i++) {
        struct og_part_list list;
        og_part_list_init(&list, &out, OG_PART_KEYS, 4 * begin, 4 * ends[i]);
        for (; begin < ends[i]; begin++) {
            assert_int_equal(og_part_list_off(&list), 4 * begin);
            og_part_put32(&list, (uint32_t)begin);
        }
        ASSERT_OK(og_part_list_finish(&list, OG_OK, &story));
    }
    ASSERT_OK(og_segment_output_end(&out, OG_OK, &m, &story));
    for (uint32_t i = 0; i < N_NUMBERS; i++)
        assert_int_equal(m.keys[i], i);
    og_sentence_segment_release(&m);
}

static void numbers_are_at_their_places(void **state)
{
    (void)state;
    check_shares(NULL);
    check_shares(in("shares"));
}

static void check_count(const char *path, uint64_t n, og_status expected)
{
    struct og_segment_output out;
    struct og_sentence_segment m;
    struct og_part_list list;
    init(&out, path, 0, 20000);
    og_part_list_init(&list, &out, OG_PART_KEYS, 40, 40 + 4 * 12000);
    for (uint64_t i = 0; i < n; i++)
        og_part_put32(&list, 7);
    assert_int_equal(og_part_list_finish(&list, OG_OK, &story), expected);
    assert_int_equal(og_segment_output_end(&out, OG_ERR_STOPPED, &m, &story),
                     OG_ERR_STOPPED);
}

static void too_few_or_many_are_noticed(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *path = i == 0 ? NULL : in("counted");
        check_count(path, 12000, OG_OK);
        check_count(path, 11999, OG_ERR_STORE);
        check_count(path, 12001, OG_ERR_STORE);
        check_count(path, 12100, OG_ERR_STORE);
        check_count(path, 0, OG_ERR_STORE);
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* Cut anywhere, it counts the words below each prefix. */
static void check_directory(size_t n, uint64_t at)
{
    struct og_segment_output out;
    struct og_sentence_segment m;
    uint64_t words[1000], random = n + at;
    for (size_t i = 0; i < n; i++)
        words[i] = og_random_next(&random);
    if (n > 1) qsort(words, n, sizeof(*words), compare);
    init(&out, NULL, n, 0);
    const unsigned bits = out.totals.directory_bits;
    const uint64_t end = ((uint64_t)1 << bits) + 1;
    assert_true((size_t)1 << bits >= n);
    if (at > end) at = end;
    size_t word = 0;
    for (uint64_t begin = 0; begin < end; begin = at, at = end) {
        struct og_directory_share share;
        og_directory_share_init(&share, &out, begin, at);
        while (word < n && (bits == 0 ? 0 : words[word] >> (64 - bits)) < at) {
            og_directory_share_put(&share, words[word], word);
            word++;
        }
        ASSERT_OK(og_directory_share_finish(&share, word, OG_OK, &story));
    }
    ASSERT_OK(og_segment_output_end(&out, OG_OK, &m, &story));
    for (uint64_t p = 0; p < end; p++) {
        uint32_t below = 0;
        for (size_t i = 0; i < n; i++)
            below += (bits == 0 ? 0 : words[i] >> (64 - bits)) < p;
        assert_int_equal(m.directory[p], below);
    }
    og_sentence_segment_release(&m);
}

static void a_directory_counts_words_below(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 5, 1000};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (uint64_t at = 1; at < 1024; at = 3 * at + 1)
            check_directory(sizes[i], at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_at_their_places),
        cmocka_unit_test(too_few_or_many_are_noticed),
        cmocka_unit_test(a_directory_counts_words_below),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
