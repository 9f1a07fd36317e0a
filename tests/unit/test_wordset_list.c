/* Lists of wordsets that are worth a closer look. */

#include "tests/unit/stage_support.h"

#include "lib/sentence/index/wordset_list.h"

static struct og_wordset_list list;

static int begin(void **state)
{
    (void)state;
    list =
        (struct og_wordset_list){.limit = UINT64_MAX, .most_kept = UINT64_MAX};
    return 0;
}

static int end(void **state)
{
    (void)state;
    OG_UNGROW(list.allocator, list.wordsets, list.cap);
    return 0;
}

static void set(const uint32_t *wordsets, size_t n)
{
    assert_true(OG_GROW(list.allocator, list.wordsets, list.cap, n + 1));
    memcpy(list.wordsets, wordsets, n * sizeof(*wordsets));
    list.n = n;
}

static void test_sort(void **state)
{
    const uint32_t cases[][6] = {{5, 4, 3, 2, 1, 0}, {1, 3, 5, 0, 3, 7},
                                 {9, 9, 9, 9, 9, 9}, {1, 2, 3, 4, 5, 6},
                                 {0, 1, 0, 1, 0, 1}, {7, 0, 8, 0, 9, 0}};
    const uint32_t sorted[][6] = {
        {0, 1, 2, 3, 4, 5}, {0, 1, 3, 5, 7}, {9},
        {1, 2, 3, 4, 5, 6}, {0, 1},          {0, 7, 8, 9}};
    const size_t lengths[] = {6, 5, 1, 6, 2, 4};
    (void)state;
    og_wordset_list_sort(&list);
    assert_int_equal(list.n, 0);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        set(cases[i], 6);
        og_wordset_list_sort(&list);
        assert_int_equal(list.n, lengths[i]);
        assert_memory_equal(list.wordsets, sorted[i],
                            lengths[i] * sizeof(uint32_t));
    }
}

/* Any list, against a table of what is in it. */
static void test_sort_lots(void **state)
{
    enum { MOST = 300, BELOW = 200 };
    uint64_t seed = 1;
    (void)state;
    for (uint32_t round = 0; round < 500; round++) {
        uint32_t wordsets[MOST];
        bool is_in[BELOW] = {false};
        const size_t n = lot_below(&seed, MOST);
        size_t at = 0;
        for (size_t i = 0; i < n; i++) {
            wordsets[i] = lot_below(&seed, BELOW);
            is_in[wordsets[i]] = true;
        }
        set(wordsets, n);
        og_wordset_list_sort(&list);
        for (uint32_t i = 0; i < BELOW; i++) {
            if (!is_in[i]) continue;
            assert_true(at < list.n);
            assert_int_equal(list.wordsets[at++], i);
        }
        assert_int_equal(list.n, at);
    }
}

static void test_cut(void **state)
{
    const uint32_t wordsets[5] = {1, 2, 3, 4, 5};
    (void)state;
    list.most_kept = 7;
    set(wordsets, 5);
    og_wordset_list_cut(&list);
    assert_int_equal(list.n, 5);
    assert_int_equal(list.n_kept, 5);
    assert_int_equal(list.n_skipped, 0);
    set(wordsets, 5); /* the next segment: two are left */
    og_wordset_list_cut(&list);
    assert_int_equal(list.n, 2);
    assert_int_equal(list.wordsets[1], 2);
    assert_int_equal(list.n_kept, 7);
    assert_int_equal(list.n_skipped, 3);
    set(wordsets, 5);
    og_wordset_list_cut(&list);
    assert_int_equal(list.n, 0);
    assert_int_equal(list.n_kept, 7);
    assert_int_equal(list.n_skipped, 8);
}

static void test_scan_bitmaps(void **state)
{
    static struct og_question q;
    const struct og_word_bitmap bitmaps[] = {
        {{7, 1}},         /* all */
        {{6, 1}},         /* one is missing */
        {{6, 0}},         /* two are missing */
        {{0, 0}},         /* four are missing */
        {{~0ull, ~0ull}}, /* more than all */
    };
    const size_t found[] = {2, 3, 4, 4, 5};
    (void)state;
    q.bitmap = (struct og_word_bitmap){{7, 1}};
    FOR_EACH_LEVEL(level)
    {
        for (unsigned missing = 0; missing < LENGTH(found); missing++) {
            q.max_missing = missing;
            list.n = 0;
            og_scan_bitmaps(bitmaps, LENGTH(bitmaps), &q, &list);
            assert_int_equal(list.n, found[missing]);
            assert_int_equal(list.wordsets[0], 0);
            assert_int_equal(list.wordsets[list.n - 1], 4);
        }
    }
    og_cpu_force(OG_CPU_AVX512);
    og_scan_bitmaps(bitmaps, 1, &q, &list); /* behind what is there */
    assert_int_equal(list.n, 6);
    assert_int_equal(list.wordsets[5], 0);
    assert_int_equal(list.wordsets[4], 4);
}

static void test_scan_signatures(void **state)
{
    enum { N = 100 };
    struct og_signature signatures[N];
    const struct og_signature wanted = {{0x123456789abcdefull, 0xfedcba987ull}};
    (void)state;
    /* Number i differs in i bits. */
    for (unsigned i = 0; i < N; i++) {
        signatures[i] = wanted;
        for (unsigned bit = 0; bit < i; bit++)
            signatures[i].half[bit % 2] ^= 1ull << bit / 2;
    }
    FOR_EACH_LEVEL(level)
    {
        for (unsigned most = 0; most < N; most++) {
            list.n = 0;
            og_scan_signatures(signatures, N, &wanted, most, &list);
            assert_int_equal(list.n, most + 1);
            for (unsigned i = 0; i <= most; i++)
                assert_int_equal(list.wordsets[i], i);
        }
    }
    og_cpu_force(OG_CPU_AVX512);
    assert_int_equal(list.n_seen, 0); /* whatever the limit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sort, begin, end),
        cmocka_unit_test_setup_teardown(test_sort_lots, begin, end),
        cmocka_unit_test_setup_teardown(test_cut, begin, end),
        cmocka_unit_test_setup_teardown(test_scan_bitmaps, begin, end),
        cmocka_unit_test_setup_teardown(test_scan_signatures, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
