/* All kernels that fingerprint shingles, at every level of the machine, for
 * every shingle length and every number of shingles up to some vectors' worth:
 * equal, bit for bit, to the fingerprint of the words. */

#include "tests/unit/stage_support.h"

#define MAX_N 400

typedef void kernel(const uint64_t *hash, size_t n,
                    const struct og_shingle_factors *key, uint64_t *out);

struct input {
    struct og_shingle_factors key;
    uint64_t hash[MAX_N + OG_SHINGLE_MAX];
    uint64_t expected[MAX_N];
};

static void input_fill(struct input *in, uint32_t shingle_len, uint64_t seed)
{
    og_shingle_factors_init(&in->key, og_rabin_default(), shingle_len);
    for (size_t i = 0; i < LENGTH(in->hash); i++)
        /* Some words of a kind, so that nothing cancels by luck. */
        in->hash[i] = i % 11 == 0 ? i % 2 * UINT64_MAX : og_random_next(&seed);
    for (size_t i = 0; i < MAX_N; i++)
        in->expected[i] =
            og_rabin_words(in->key.rabin, in->hash + i, shingle_len);
}

/* Arrays of exactly the right size, for memory checkers. */
static void check_kernel(kernel *fp, const struct input *in, size_t n)
{
    const size_t n_tokens = n == 0 ? 0 : n + in->key.shingle_len - 1;
    uint64_t *hash = malloc(n_tokens * sizeof(*hash) + 1);
    uint64_t *out = malloc(n * sizeof(*out) + 1);
    assert_true(hash != NULL && out != NULL);
    memcpy(hash, in->hash, n_tokens * sizeof(*hash));
    fp(hash, n, &in->key, out);
    assert_memory_equal(out, in->expected, n * sizeof(*out));
    free(hash);
    free(out);
}

static void check_for_all(kernel *fp)
{
    static struct input in;
    for (uint32_t k = 2; k <= OG_SHINGLE_MAX; k++) {
        input_fill(&in, k, k);
        for (size_t n = 0; n <= MAX_N; n++)
            check_kernel(fp, &in, n);
    }
}

static void plain_slides_right(void **state)
{
    (void)state;
    check_for_all(og_fingerprint_plain);
}

#if defined(OG_TARGET_CLMUL)
static void clmul_equals_the_words(void **state)
{
    (void)state;
    if (og_cpu_force(OG_CPU_AVX512) < OG_CPU_CLMUL) skip();
    check_for_all(og_fingerprint_clmul);
}
#endif

#if defined(OG_X86)
static void avx512_equals_the_words(void **state)
{
    (void)state;
    if (og_cpu_force(OG_CPU_AVX512) < OG_CPU_AVX512) skip();
    check_for_all(og_fingerprint_avx512);
}
#endif

/* The stage itself, whichever kernel it takes. */
static void print_by_stage(const uint64_t *hash, size_t n,
                           const struct og_shingle_factors *key, uint64_t *out)
{
    const struct og_tokens tokens = {
        .hash = (uint64_t *)hash, .n = n == 0 ? 0 : n + key->shingle_len - 1};
    struct og_fps fps;
    og_fps_init(&fps, NULL);
    assert_int_equal(og_tokens_fingerprint(&tokens, key, &fps, NULL), OG_OK);
    assert_int_equal(fps.n, n);
    if (n > 0) memcpy(out, fps.data, n * sizeof(*out));
    og_fps_release(&fps);
}

static void every_level_equals_the_words(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(level)
    check_for_all(print_by_stage);
    og_cpu_force(OG_CPU_AVX512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_slides_right),
#if defined(OG_TARGET_CLMUL)
        cmocka_unit_test(clmul_equals_the_words),
#endif
#if defined(OG_X86)
        cmocka_unit_test(avx512_equals_the_words),
#endif
        cmocka_unit_test(every_level_equals_the_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
