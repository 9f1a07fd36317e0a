/* SHA-256 by the vectors of FIPS 180-4, in pieces of any length. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/chunk/sha256.h"

static void expect(const struct og_sha256 *begun, const char *hex)
{
    struct og_sha256 s = *begun;
    uint8_t hash[OG_HASH_LEN];
    char text[2 * OG_HASH_LEN + 1];
    og_sha256_end(&s, hash);
    for (size_t i = 0; i < OG_HASH_LEN; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(text, hex);
}

static void vectors(void **state)
{
    static const char text[] =
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    struct og_sha256 s;
    (void)state;
    og_sha256_init(&s);
    expect(&s, "e3b0c44298fc1c149afbf4c8996fb924"
               "27ae41e4649b934ca495991b7852b855");
    og_sha256_add(&s, "abc", 3);
    expect(&s, "ba7816bf8f01cfea414140de5dae2223"
               "b00361a396177a9cb410ff61f20015ad");
    for (size_t cut = 0; cut < sizeof(text); cut++) {
        og_sha256_init(&s);
        og_sha256_add(&s, text, cut);
        og_sha256_add(&s, text + cut, sizeof(text) - 1 - cut);
        expect(&s, "248d6a61d20638b8e5c026930c3e6039"
                   "a33ce45964ff2167f6ecedd419db06c1");
        if (cut == sizeof(text) - 1) break;
    }
}

/* A number is eight bytes, the little end first. */
static void numbers(void **state)
{
    struct og_sha256 a, b;
    uint8_t x[OG_HASH_LEN], y[OG_HASH_LEN];
    (void)state;
    og_sha256_init(&a);
    og_sha256_init(&b);
    og_sha256_add_u64(&a, UINT64_C(0x0807060504030201));
    og_sha256_add(&b, "\1\2\3\4\5\6\7\10", 8);
    og_sha256_end(&a, x);
    og_sha256_end(&b, y);
    assert_memory_equal(x, y, OG_HASH_LEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
