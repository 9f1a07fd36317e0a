/* Fingerprints of shingles under a secret key. */

#include "tests/unit/stage_support.h"

#include "lib/fingerprint/shingle_key.h"

enum { MOST = 3 * OG_SHINGLE_KEY_WORDS + 1 };

static uint64_t hashes[MOST];

static int fill(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        hashes[i] = og_random_next(&seed);
    return 0;
}

static void test_secret(void **state)
{
    struct og_shingle_key a, same, other;
    (void)state;
    og_shingle_key_init(&a, 1);
    og_shingle_key_init(&same, 1);
    og_shingle_key_init(&other, 2);
    assert_memory_equal(&a, &same, sizeof(a));
    for (size_t n = 1; n <= MOST; n++) {
        assert_true(og_shingle_keyed(&a, hashes, n) ==
                    og_shingle_keyed(&same, hashes, n));
        assert_true(og_shingle_keyed(&a, hashes, n) !=
                    og_shingle_keyed(&other, hashes, n));
    }
}

/* By the definition: sums of products of pairs, mixed by two more words. */
static void test_definition(void **state)
{
    struct og_shingle_key key;
    (void)state;
    og_shingle_key_init(&key, 3);
    const uint64_t *k = key.words, *f = key.finish;
    unsigned __int128 sum =
        (unsigned __int128)(hashes[0] + k[0]) * (hashes[1] + k[1]);
    assert_true(
        og_shingle_keyed(&key, hashes, 2) ==
        og_mul_fold((uint64_t)sum ^ 2 ^ f[0], (uint64_t)(sum >> 64) ^ f[1]));
    /* One that has no other is multiplied by the key alone. */
    sum += (unsigned __int128)(hashes[2] + k[2]) * k[3];
    assert_true(
        og_shingle_keyed(&key, hashes, 3) ==
        og_mul_fold((uint64_t)sum ^ 3 ^ f[0], (uint64_t)(sum >> 64) ^ f[1]));
}

/* Every token counts, also those beyond the words of the key; so does their
 * order, and their number. */
static void test_every_token_counts(void **state)
{
    struct og_shingle_key key;
    uint64_t seen[MOST + 1];
    (void)state;
    og_shingle_key_init(&key, 4);
    for (size_t n = 1; n <= MOST; n++) {
        seen[n] = og_shingle_keyed(&key, hashes, n);
        for (size_t i = 0; i < n; i++) {
            hashes[i] ^= 1;
            assert_true(og_shingle_keyed(&key, hashes, n) != seen[n]);
            hashes[i] ^= 1;
        }
        for (size_t i = 1; i < n; i++)
            assert_true(seen[i] != seen[n]);
    }
    for (size_t i = 0; i + 1 < MOST; i++) {
        const uint64_t first = hashes[i];
        hashes[i] = hashes[i + 1];
        hashes[i + 1] = first;
        assert_true(og_shingle_keyed(&key, hashes, MOST) != seen[MOST]);
        hashes[i + 1] = hashes[i];
        hashes[i] = first;
    }
    assert_true(og_shingle_keyed(&key, hashes, MOST) == seen[MOST]);
}

/* Unlike Rabin's: the difference of two fingerprints does not depend on the
 * difference of the tokens alone. */
static void test_is_not_linear(void **state)
{
    struct og_shingle_key key;
    uint64_t first = 0;
    (void)state;
    og_shingle_key_init(&key, 5);
    for (size_t at = 0; at + 8 <= MOST; at++) {
        const uint64_t before = og_shingle_keyed(&key, hashes + at, 8);
        hashes[at + 7] ^= 1;
        const uint64_t change = before ^ og_shingle_keyed(&key, hashes + at, 8);
        hashes[at + 7] ^= 1;
        if (at == 0)
            first = change;
        else
            assert_true(change != first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_secret),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_every_token_counts),
        cmocka_unit_test(test_is_not_linear),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
