/* The token hash: frozen values, one definition, good mixing. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"
#include "lib/token/token_hash.h"
#include "lib/token/tokens.h"

/* The format of stores hangs on these: they never change. */
static void values_are_frozen(void **state)
{
    (void)state;
    static const struct {
        const char *token;
        uint64_t key, hash;
    } golden[] = {
        {"", 0, 0x6ad1b306a5b7af7c},
        {"a", 0, 0xb2d4d3659f984aa5},
        {"the", 0, 0xa423aa20b145765f},
        {"origin", 0, 0x8a2773d27f8f2bc9},
        {"document", 0, 0xe6ab9b20db9072ef},
        {"fingerprint", 0, 0x9697789977a8f330},
        {"incomprehensible", 0, 0xaa2f5c05e1530c51},
        {"incomprehensibles", 0, 0xcd8aef4ff7ae49a8},
        {"a line of text that is longer than two pieces", 0,
         0x62dcc1d38c39b8f4},
        {"\xe0\xb9\x84\xe0\xb8\x97\xe0\xb8\xa2", 0, 0xf1118a831e6ddbe9},
        {"origin", 1, 0x4d828c7d94e85f56},
        {"origin", 0x0123456789abcdef, 0xdc01196226645d31},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        const uint64_t hash = og_token_hash(
            golden[i].token, strlen(golden[i].token), golden[i].key);
        if (hash != golden[i].hash)
            print_error("'%s' is 0x%016llx\n", golden[i].token,
                        (unsigned long long)hash);
        assert_true(hash == golden[i].hash);
    }
}

/* ---- words that lose a factor ---- */

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd; /* right in 3 bits, then in twice as many each time */
    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

/* Words of 16 or 32 bytes that all had one hash when nothing was done about
 * a factor of 0: the first one, the second one, those of the last step, that of
 * a piece before the last. */
enum { FIRST, SECOND, LAST, BEFORE, N_WEAK };

static size_t weak_word(int kind, uint64_t free, uint64_t key, char out[32])
{
    uint64_t k[4], piece[4] = {0};
    for (int i = 0; i < 4; i++)
        k[i] = og_random_next(&key);
    k[1] |= 1;
    const size_t len = kind == BEFORE ? 32 : 16;
    if (kind == FIRST) {
        piece[0] = k[0];
        piece[1] = free;
    } else if (kind == SECOND) {
        piece[0] = free;
        piece[1] = k[1];
    } else if (kind == LAST) {
        piece[0] = (free | 1) ^ k[0];
        piece[1] = (k[2] ^ len) * inverse(free | 1) ^ k[1];
    } else {
        piece[0] = k[2];
        piece[1] = free;
    }
    memcpy(out, piece, len);
    return len;
}

static void no_word_loses_a_factor(void **state)
{
    (void)state;
    enum { N = 200 };
    static char text[32 * N + OG_TEXT_PADDING];
    static uint32_t begin[N], end[N];
    static uint64_t hash[N];
    for (int kind = 0; kind < N_WEAK; kind++) {
        uint64_t seed = 3;
        for (size_t i = 0; i < N; i++) {
            begin[i] = (uint32_t)(32 * i);
            end[i] = begin[i] + (uint32_t)weak_word(kind, og_random_next(&seed),
                                                    7, text + begin[i]);
        }
        for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
            og_cpu_force(level);
            og_token_hash_choose()(text, begin, end, N, 7, hash);
            for (size_t i = 0; i < N; i++) {
                assert_true(hash[i] == og_token_hash(text + begin[i],
                                                     end[i] - begin[i], 7));
                for (size_t j = 0; j < i; j++)
                    assert_true(hash[i] != hash[j]);
            }
        }
    }
}

/* The definition once more, as in the comment of token_hash.c. */
static uint64_t hash_by_the_book(const char *data, size_t len, uint64_t key)
{
    uint64_t k[4], state, a = 0, b = 0;
    for (int i = 0; i < 4; i++)
        k[i] = og_random_next(&key);
    k[1] |= 1;
    state = k[1];
    for (size_t i = 0, left = len;; i++, left--) {
        if (i > 0 && i % 16 == 0 && left > 0) {
            state = og_mul_fold(a ^ k[2], b ^ state);
            a = b = 0;
        }
        if (left == 0) break;
        const uint64_t byte = (unsigned char)data[i];
        if (i % 16 < 8)
            a |= byte << 8 * (i % 8);
        else
            b |= byte << 8 * (i % 8);
    }
    const unsigned __int128 p = (unsigned __int128)(a ^ k[0]) * (b ^ state);
    return og_mul_fold((uint64_t)p ^ k[2] ^ len, (uint64_t)(p >> 64) ^ k[3]);
}

static void every_length_agrees_with_the_book(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t len = 0; len <= 300; len++) {
        char *token = malloc(len + 1); /* len 0 must not read token[0] */
        for (size_t i = 0; i < len; i++)
            token[i] = (char)og_random_next(&seed);
        assert_true(og_token_hash(token, len, len) ==
                    hash_by_the_book(token, len, len));
        free(token);
    }
}

static void check_batch(uint64_t seed)
{
    enum { N = 2000, TEXT = 4096 };
    static char text[TEXT + OG_TEXT_PADDING];
    static uint32_t begin[N], end[N];
    static uint64_t hash[N];
    for (size_t i = 0; i < TEXT; i++)
        text[i] = (char)og_random_next(&seed);
    for (size_t i = 0; i < N; i++) {
        const uint32_t len = (uint32_t)(i < 301 ? i : i % 20);
        begin[i] = (uint32_t)(og_random_next(&seed) % (TEXT - len + 1));
        if (i % 5 == 0) begin[i] = TEXT - len;
        end[i] = begin[i] + len;
    }
    og_token_hash_choose()(text, begin, end, N, 42, hash);
    for (size_t i = 0; i < N; i++)
        assert_true(hash[i] ==
                    og_token_hash(text + begin[i], end[i] - begin[i], 42));
}

static void batches_equal_the_definition(void **state)
{
    (void)state;
    for (og_cpu level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
        og_cpu_force(level);
        check_batch(level);
    }
}

/* Each bit of the token turns each bit of the hash in half of all cases. With
 * 4,000 tokens a fair coin stays within 5 sigma = 4 %. */
static void every_bit_turns_half_of_the_hash(void **state)
{
    (void)state;
    enum { N = 4000 };
    static const size_t lengths[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33};
    uint64_t seed = 11;
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        const size_t len = lengths[l];
        for (size_t bit = 0; bit < 8 * len; bit++) {
            unsigned turned[64] = {0};
            for (int round = 0; round < N; round++) {
                char token[40];
                for (size_t i = 0; i < len; i++)
                    token[i] = (char)og_random_next(&seed);
                const uint64_t key = og_random_next(&seed);
                const uint64_t before = og_token_hash(token, len, key);
                token[bit / 8] ^= (char)(1 << bit % 8);
                uint64_t change = before ^ og_token_hash(token, len, key);
                for (int i = 0; i < 64; i++)
                    turned[i] += change >> i & 1;
            }
            for (int i = 0; i < 64; i++)
                assert_in_range(turned[i], N / 2 - N / 24, N / 2 + N / 24);
        }
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All tokens of up to four letters, key 0: no two hashes share their upper or
 * their lower half more often than chance makes them. */
static void short_tokens_spread(void **state)
{
    (void)state;
    const size_t n = 26 + 26 * 26 + 26 * 26 * 26 + 26 * 26 * 26 * 26;
    uint64_t *hash = malloc(n * sizeof(*hash));
    size_t i = 0;
    for (size_t len = 1, count = 26; len <= 4; len++, count *= 26)
        for (size_t word = 0; word < count; word++) {
            char token[4];
            size_t rest = word;
            for (size_t k = 0; k < len; k++, rest /= 26)
                token[k] = (char)('a' + rest % 26);
            hash[i++] = og_token_hash(token, len, 0);
        }
    for (int half = 0; half < 2; half++) {
        size_t n_same = 0;
        for (i = 0; i < n; i++)
            hash[i] = hash[i] << 32 | hash[i] >> 32;
        qsort(hash, n, sizeof(*hash), compare);
        for (i = 1; i < n; i++) {
            assert_true(hash[i] != hash[i - 1]);
            n_same += hash[i] >> 32 == hash[i - 1] >> 32;
        }
        assert_in_range(n_same, 0, 60); /* n^2 / 2^33 = 26 are expected */
    }
    free(hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_frozen),
        cmocka_unit_test(every_length_agrees_with_the_book),
        cmocka_unit_test(batches_equal_the_definition),
        cmocka_unit_test(every_bit_turns_half_of_the_hash),
        cmocka_unit_test(short_tokens_spread),
        cmocka_unit_test(no_word_loses_a_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
