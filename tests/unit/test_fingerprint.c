/* The fingerprints of all shingles of a document. The kernels are compared with
 * each other in tests/property/test_fingerprint_kernels.c. */

#include "tests/unit/stage_support.h"

static void every_shingle_has_the_fingerprint_of_its_words(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t k = 2; k <= OG_SHINGLE_MAX; k += 3) {
        struct stage s;
        stage_init(&s, k);
        stage_fill(&s, 100, 0, &seed);
        assert_int_equal(s.fps.n, 100 - k + 1);
        for (size_t i = 0; i < s.fps.n; i++)
            assert_true(s.fps.data[i] ==
                        og_rabin_words(s.key.rabin, s.tokens.hash + i, k));
        stage_release(&s);
    }
}

static void a_document_shorter_than_a_shingle_has_none(void **state)
{
    (void)state;
    uint64_t seed = 2;
    struct stage s;
    stage_init(&s, 8);
    for (size_t n = 0; n < 8; n++) {
        stage_fill(&s, n, 0, &seed);
        assert_int_equal(s.fps.n, 0);
    }
    stage_fill(&s, 8, 0, &seed);
    assert_int_equal(s.fps.n, 1);
    stage_release(&s);
}

static void memory_is_kept_for_the_next_document(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 1000, 0, &seed);
    const uint64_t *data = s.fps.data;
    stage_fill(&s, 500, 0, &seed);
    assert_ptr_equal(s.fps.data, data);
    og_fps_release(&s.fps);
    assert_null(s.fps.data);
    assert_int_equal(s.fps.n, 0);
    stage_release(&s);
}

static void *no_memory(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)ctx, (void)ptr, (void)old_len, (void)new_len;
    return NULL;
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    const og_allocator none = {.resize = no_memory};
    uint64_t seed = 4;
    og_error err;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 100, 0, &seed);
    struct og_fps fps;
    og_fps_init(&fps, &none);
    assert_int_equal(og_tokens_fingerprint(&s.tokens, &s.key, &fps, &err),
                     OG_ERR_MEMORY);
    assert_int_equal(fps.n, 0);
    og_fps_release(&fps);
    stage_release(&s);
}

static void factors_behind_the_shingle_are_0(void **state)
{
    (void)state;
    static struct og_shingle_factors key;
    for (uint32_t k = 1; k <= OG_SHINGLE_MAX; k++) {
        og_shingle_factors_init(&key, og_rabin_default(), k);
        for (uint32_t j = 0; j <= OG_SHINGLE_MAX; j++)
            assert_true((key.factor[j] == 0) == (j >= k));
    }
}

/* Tokens 1, 2, 3 .. as their hashes. Stores depend on these: they never
 * change. */
static void golden_fps(void **state)
{
    (void)state;
    const struct {
        uint32_t shingle_len;
        uint64_t first, last;
    } golden[] = {
        {2, 0x12a2c4d48ac8cc87, 0x1e1ce7032d8cd386},
        {8, 0x3f23a654b743964a, 0x2705a27a67321da6},
        {32, 0xdd13cc2219087957, 0xb9f36ab35b03c425},
    };
    for (size_t g = 0; g < LENGTH(golden); g++) {
        struct stage s;
        stage_init(&s, golden[g].shingle_len);
        stage_resize(&s, 50);
        for (size_t i = 0; i < 50; i++)
            s.tokens.hash[i] = i + 1;
        stage_print(&s);
        assert_int_equal(s.fps.data[0], golden[g].first);
        assert_int_equal(s.fps.data[s.fps.n - 1], golden[g].last);
        stage_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shingle_has_the_fingerprint_of_its_words),
        cmocka_unit_test(a_document_shorter_than_a_shingle_has_none),
        cmocka_unit_test(memory_is_kept_for_the_next_document),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(factors_behind_the_shingle_are_0),
        cmocka_unit_test(golden_fps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
