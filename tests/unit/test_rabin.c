/* Rabin fingerprints: the tables and the windows against the definition, which
 * is written here once more as a division of polynomials in natural order. */

#include "tests/unit/stage_support.h"

#include "lib/fingerprint/rabin.h"

#define MAX_LEN 300

static void fill(uint8_t *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)og_random_next(&seed);
}

static uint64_t turned(uint64_t bits, uint32_t degree)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < degree; i++)
        out |= (bits >> i & 1) << (degree - 1 - i);
    return out;
}

/* The remainder grows by one coefficient at a time, the highest first. */
struct division {
    uint32_t degree;
    uint64_t poly; /* natural order, without x^degree */
    uint64_t remainder;
};

static void divide_bit(struct division *d, unsigned bit)
{
    const uint64_t top = (uint64_t)1 << (d->degree - 1);
    const bool overflows = (d->remainder & top) != 0;
    d->remainder = (d->remainder & ~top) << 1 | bit;
    if (overflows) d->remainder ^= d->poly;
}

/* A leading 1, the bits of the string (the low bit of a byte is the higher
 * power), as many zeros as the degree; then the remainder, turned. */
static uint64_t fp_by_division(uint32_t degree, uint64_t poly,
                               const uint8_t *data, size_t len)
{
    struct division d = {.degree = degree, .poly = turned(poly, degree)};
    divide_bit(&d, 1);
    for (size_t i = 0; i < len; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            divide_bit(&d, data[i] >> bit & 1);
    for (uint32_t i = 0; i < degree; i++)
        divide_bit(&d, 0);
    return turned(d.remainder, degree);
}

static uint64_t fp_of(const void *data, size_t len)
{
    const struct og_rabin *r = og_rabin_default();
    return og_rabin_extend(r, r->empty, data, len);
}

static void plain_is_the_remainder_of_a_division(void **state)
{
    (void)state;
    const struct og_rabin *r = og_rabin_default();
    uint8_t data[MAX_LEN];
    fill(data, MAX_LEN, 1);
    for (size_t len = 0; len <= MAX_LEN; len++)
        assert_true(og_rabin_extend_plain(r, r->empty, data, len) ==
                    fp_by_division(64, OG_RABIN_POLY, data, len));
}

static void tables_equal_plain(void **state)
{
    (void)state;
    const struct og_rabin *r = og_rabin_default();
    uint8_t data[MAX_LEN + 8];
    fill(data, sizeof(data), 2);
    uint64_t seed = 2;
    for (size_t len = 0; len <= MAX_LEN; len++)
        for (size_t at = 0; at < 8; at++) {
            const uint64_t fp = og_random_next(&seed);
            assert_true(og_rabin_extend_tables(r, fp, data + at, len) ==
                        og_rabin_extend_plain(r, fp, data + at, len));
        }
}

static void by_byte_is_what_the_book_says(void **state)
{
    (void)state;
    const struct og_rabin *r = og_rabin_default();
    assert_true(r->by_byte[0][0x80] == OG_RABIN_POLY);
    for (unsigned a = 0; a < 8; a++)
        for (unsigned n = 0; n < 256; n++)
            assert_true(r->by_byte[a][n] ==
                        og_field_mul(&r->field, n,
                                     og_field_pow_x(&r->field, 8 * a + 8)));
}

static void extending_continues_where_it_stopped(void **state)
{
    (void)state;
    const struct og_rabin *r = og_rabin_default();
    uint8_t data[MAX_LEN];
    fill(data, MAX_LEN, 3);
    const uint64_t whole = fp_of(data, MAX_LEN);
    for (size_t cut = 0; cut <= MAX_LEN; cut++)
        assert_true(og_rabin_extend(r, fp_of(data, cut), data + cut,
                                    MAX_LEN - cut) == whole);
}

static void concat_joins_prints(void **state)
{
    (void)state;
    const struct og_rabin *r = og_rabin_default();
    uint8_t data[MAX_LEN];
    fill(data, MAX_LEN, 4);
    for (size_t len = 0; len <= MAX_LEN; len += 50)
        for (size_t cut = 0; cut <= len; cut++)
            assert_true(og_rabin_concat(r, fp_of(data, cut),
                                        fp_of(data + cut, len - cut),
                                        len - cut) == fp_of(data, len));
}

/* Zeros are the only long string whose fingerprint can be had without writing
 * it down: x^(8 n + 64). */
static void concat_takes_any_length(void **state)
{
    (void)state;
    const struct og_rabin *r = og_rabin_default();
    const uint64_t len = (uint64_t)1 << 59 | 12345;
    const uint64_t zeros = og_field_pow_x(&r->field, 8 * len);
    const uint64_t lead = og_field_mul(&r->field, zeros, r->empty);
    const uint64_t a = fp_of("a", 1);
    assert_true(og_rabin_concat(r, a, lead, len) ==
                og_field_mul(&r->field, a, zeros));
}

static void bytes_slide(void **state)
{
    (void)state;
    static struct og_rabin_window window;
    const size_t units[] = {1, 2, 7, 8, 9, 32, 100};
    uint8_t data[MAX_LEN];
    fill(data, MAX_LEN, 5);
    for (size_t u = 0; u < LENGTH(units); u++) {
        const size_t n = units[u];
        og_rabin_window_bytes(&window, og_rabin_default(), n);
        uint64_t fp = fp_of(data, n);
        for (size_t at = 1; at + n <= MAX_LEN; at++) {
            fp = og_rabin_slide_byte(&window, fp, data[at - 1],
                                     data[at + n - 1]);
            assert_true(fp == fp_of(data + at, n));
        }
    }
}

static void words_slide(void **state)
{
    (void)state;
    static struct og_rabin_window window;
    const struct og_rabin *r = og_rabin_default();
    uint64_t words[MAX_LEN];
    fill((uint8_t *)words, sizeof(words), 6);
    for (size_t n = 1; n <= 33; n++) {
        og_rabin_window_words(&window, r, n);
        uint64_t fp = og_rabin_words(r, words, n);
        for (size_t at = 1; at + n <= MAX_LEN; at++) {
            fp = og_rabin_slide_word(&window, fp, words[at - 1],
                                     words[at + n - 1]);
            assert_true(fp == og_rabin_words(r, words + at, n));
        }
    }
}

static void words_are_their_bytes_low_byte_first(void **state)
{
    (void)state;
    const struct og_rabin *r = og_rabin_default();
    uint64_t words[40];
    uint8_t bytes[sizeof(words)];
    fill((uint8_t *)words, sizeof(words), 7);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
    for (size_t n = 0; n <= 40; n++) {
        assert_true(og_rabin_words(r, words, n) == fp_of(bytes, 8 * n));
        assert_true(n == 0 || og_rabin_extend_word(
                                  r, og_rabin_words(r, words, n - 1),
                                  words[n - 1]) == og_rabin_words(r, words, n));
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void leading_zeros_count(void **state)
{
    (void)state;
    static const uint8_t zeros[2000];
    static uint64_t fps[2000];
    for (size_t len = 0; len < 2000; len++)
        fps[len] = fp_of(zeros, len);
    qsort(fps, 2000, sizeof(fps[0]), by_value);
    for (size_t i = 1; i < 2000; i++)
        assert_true(fps[i - 1] != fps[i]);
    assert_true(fp_of("\0a", 2) != fp_of("a", 1));
    assert_true(fp_of("a\0", 2) != fp_of("a", 1));
}

/* The book, 2.2, warning 2. */
static void prints_are_linear(void **state)
{
    (void)state;
    uint8_t a[64], b[64], c[64], d[64];
    for (uint64_t round = 0; round < 200; round++) {
        const size_t len = round % 65;
        fill(a, len, 3 * round);
        fill(b, len, 3 * round + 1);
        fill(c, len, 3 * round + 2);
        for (size_t i = 0; i < len; i++)
            d[i] = a[i] ^ b[i] ^ c[i];
        assert_true((fp_of(a, len) ^ fp_of(b, len)) ==
                    (fp_of(c, len) ^ fp_of(d, len)));
    }
}

/* The book, 2.2, property 1: a difference within 64 consecutive bits is
 * detected. */
static void short_differences_always_show(void **state)
{
    (void)state;
    uint64_t seed = 8;
    uint8_t data[100];
    fill(data, sizeof(data), 9);
    const uint64_t fp = fp_of(data, sizeof(data));
    for (int round = 0; round < 20000; round++) {
        const size_t at = lot_below(&seed, sizeof(data) - 7);
        const uint64_t change = og_random_next(&seed) >> lot_below(&seed, 64);
        uint8_t other[sizeof(data)];
        memcpy(other, data, sizeof(data));
        for (size_t i = 0; i < 8; i++)
            other[at + i] ^= (uint8_t)(change >> 8 * i);
        assert_true((fp_of(other, sizeof(data)) == fp) == (change == 0));
    }
}

static void fingerprints_of_62_bits(void **state)
{
    (void)state;
    uint64_t words[40];
    uint8_t bytes[sizeof(words)];
    fill((uint8_t *)words, sizeof(words), 10);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
    for (size_t n = 0; n <= 40; n++) {
        const uint64_t fp = og_rabin_words_62(words, n);
        assert_true(fp >> 62 == 0);
        assert_true(fp == fp_by_division(62, OG_RABIN_POLY_62, bytes, 8 * n));
    }
}

/* Stores depend on them: they never change. */
static void golden_fps(void **state)
{
    (void)state;
    static const char fox[] = "The quick brown fox jumps over the lazy dog";
    const uint64_t words[] = {1, 2, 3, 0xfedcba9876543210};
    assert_true(fp_of("", 0) == OG_RABIN_POLY);
    assert_int_equal(fp_of("a", 1), 0x76b43c57064261ee);
    assert_int_equal(fp_of(fox, sizeof(fox) - 1), 0x15fee713c1efd559);
    assert_int_equal(og_rabin_words(og_rabin_default(), words, 4),
                     0x664177ae227dcdc0);
    assert_int_equal(og_rabin_words_62(words, 4), 0x118d4128bc3164ad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_is_the_remainder_of_a_division),
        cmocka_unit_test(tables_equal_plain),
        cmocka_unit_test(by_byte_is_what_the_book_says),
        cmocka_unit_test(extending_continues_where_it_stopped),
        cmocka_unit_test(concat_joins_prints),
        cmocka_unit_test(concat_takes_any_length),
        cmocka_unit_test(bytes_slide),
        cmocka_unit_test(words_slide),
        cmocka_unit_test(words_are_their_bytes_low_byte_first),
        cmocka_unit_test(leading_zeros_count),
        cmocka_unit_test(prints_are_linear),
        cmocka_unit_test(short_differences_always_show),
        cmocka_unit_test(fingerprints_of_62_bits),
        cmocka_unit_test(golden_fps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
