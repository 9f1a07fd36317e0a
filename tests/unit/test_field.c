/* GF(2^degree): the frozen polynomials, the proof of primitivity against
 * stepping through all powers of x, the book's example, the laws. */

#include "tests/unit/stage_support.h"

#include "lib/fingerprint/field.h"

/* Polynomials are written here as in books, x^0 in bit 0; field.h stores them
 * backwards. The same function leads back. */
static uint64_t turned(uint64_t bits, uint32_t degree)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < degree; i++)
        out |= (bits >> i & 1) << (degree - 1 - i);
    return out;
}

static struct og_field field_of(uint32_t degree, uint64_t natural)
{
    return (struct og_field){.degree = degree, .poly = turned(natural, degree)};
}

static void the_frozen_polynomials_are_the_generated_ones(void **state)
{
    (void)state;
    assert_true(og_field_generate(64, OG_RABIN_SEED) == OG_RABIN_POLY);
    assert_true(og_field_generate(62, OG_RABIN_SEED) == OG_RABIN_POLY_62);
}

static void the_frozen_polynomials_are_primitive(void **state)
{
    (void)state;
    const struct og_field f64 = {.degree = 64, .poly = OG_RABIN_POLY};
    const struct og_field f62 = {.degree = 62, .poly = OG_RABIN_POLY_62};
    assert_true(og_field_is_primitive(&f64));
    assert_true(og_field_is_primitive(&f62));
    /* Without the term 1 x divides it: no power of x is 1. */
    const struct og_field even = {.degree = 64,
                                  .poly = OG_RABIN_POLY & ~(1ull << 63)};
    assert_false(og_field_is_primitive(&even));
}

/* The least n > 0 with x^n = 1, in natural order and by a step a power; 0 when
 * 1 never comes back. */
static uint32_t order_of_x(uint32_t degree, uint32_t natural)
{
    const uint32_t most = (1u << degree) - 1;
    uint32_t power = 1;
    for (uint32_t n = 1; n <= most; n++) {
        power <<= 1;
        if (power >> degree != 0) power ^= 1u << degree | natural;
        if (power == 1) return n;
    }
    return 0;
}

static bool is_primitive_by_steps(uint32_t degree, uint32_t natural)
{
    return order_of_x(degree, natural) == (1u << degree) - 1;
}

static void all_polynomials_of_degree_8(void **state)
{
    (void)state;
    uint32_t n_primitive = 0;
    for (uint32_t natural = 0; natural < 256; natural++) {
        const struct og_field field = field_of(8, natural);
        const bool primitive = og_field_is_primitive(&field);
        assert_int_equal(primitive, is_primitive_by_steps(8, natural));
        n_primitive += primitive;
    }
    assert_int_equal(n_primitive, 16); /* phi(255) / 8 */
}

static void all_polynomials_of_degree_16(void **state)
{
    (void)state;
    uint32_t n_primitive = 0;
    for (uint32_t natural = 0; natural < 65536; natural++) {
        const struct og_field field = field_of(16, natural);
        const bool primitive = og_field_is_primitive(&field);
        n_primitive += primitive;
        /* Stepping takes 65535 steps: a few hundred of them will do. */
        if (natural % 199 == 0 || (primitive && natural % 16 == 1))
            assert_int_equal(primitive, is_primitive_by_steps(16, natural));
    }
    assert_int_equal(n_primitive, 2048); /* phi(65535) / 16 */
}

static void known_polynomials_are_classified(void **state)
{
    (void)state;
    const struct {
        uint32_t degree, natural;
        bool primitive;
    } known[] = {
        {8, 0x1d, true},     /* the book's */
        {8, 0x1b, false},    /* AES: irreducible, x has order 51 */
        {8, 0x01, false},    /* (x + 1)^8 */
        {8, 0x1c, false},    /* divisible by x */
        {16, 0x100b, true},  /* x^16 + x^12 + x^3 + x + 1 */
        {16, 0x002d, true},  /* x^16 + x^5 + x^3 + x^2 + 1 */
        {16, 0x002b, false}, /* x^16 + x^5 + x^3 + x + 1: irreducible */
        {16, 0x0001, false}, /* (x + 1)^16 */
        {16, 0x1021, false}, /* CRC-16/CCITT: divisible by x + 1 */
    };
    for (size_t i = 0; i < LENGTH(known); i++) {
        const struct og_field f = field_of(known[i].degree, known[i].natural);
        assert_int_equal(og_field_is_primitive(&f), known[i].primitive);
        assert_int_equal(is_primitive_by_steps(f.degree, known[i].natural),
                         known[i].primitive);
    }
    assert_int_equal(order_of_x(8, 0x1b), 51);
}

static void degrees_without_known_factors_are_refused(void **state)
{
    (void)state;
    const struct og_field f = field_of(7, 0x03); /* x^7 + x + 1 is primitive */
    assert_false(og_field_is_primitive(&f));
    assert_true(og_field_generate(7, 1) == 0);
    assert_true(og_field_generate(63, 1) == 0);
}

static void generated_polynomials_are_primitive(void **state)
{
    (void)state;
    const uint32_t degrees[] = {8, 16, 32, 62, 64};
    for (size_t i = 0; i < LENGTH(degrees); i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            const struct og_field f = {.degree = degrees[i],
                                       .poly =
                                           og_field_generate(degrees[i], seed)};
            assert_true(og_field_is_primitive(&f));
            assert_true(og_field_generate(degrees[i], seed) == f.poly);
        }
}

/* Section 2.2: modulo p = x^8 + x^4 + x^3 + x^2 + 1 the string "A" (0x41) has
 * the fingerprint 0x42. There the high bit of the byte is its highest power,
 * x^7; field.h keeps the highest power in the lowest bit. So the byte goes in
 * turned, and the fingerprint that comes out is turned back. */
static void the_example_of_the_book(void **state)
{
    (void)state;
    const struct og_field f = field_of(8, 0x1d);
    uint64_t fp = f.poly; /* a leading 1, moved by 8 places: x^8 mod p */
    fp ^= turned('A', 8);
    for (int bit = 0; bit < 8; bit++)
        fp = og_field_mul_x(&f, fp);
    assert_int_equal(turned(fp, 8), 0x42);
}

static void check_laws(const struct og_field *f, uint64_t *seed)
{
    const uint64_t mask = UINT64_MAX >> (64 - f->degree);
    const uint64_t a = og_random_next(seed) & mask;
    const uint64_t b = og_random_next(seed) & mask;
    const uint64_t c = og_random_next(seed) & mask;
    const uint64_t ab = og_field_mul(f, a, b);
    assert_true((ab & ~mask) == 0);
    assert_true(ab == og_field_mul(f, b, a));
    assert_true(og_field_mul(f, ab, c) ==
                og_field_mul(f, a, og_field_mul(f, b, c)));
    assert_true(og_field_mul(f, a, b ^ c) == (ab ^ og_field_mul(f, a, c)));
    assert_true(og_field_mul(f, a, og_field_one(f)) == a);
    assert_true(og_field_mul(f, a, 0) == 0);
    assert_true(og_field_mul(f, a, og_field_x(f)) == og_field_mul_x(f, a));
    assert_true((ab == 0) == (a == 0 || b == 0));
}

static void multiplication_obeys_the_laws(void **state)
{
    (void)state;
    uint64_t seed = 64;
    const struct og_field fields[] = {
        field_of(8, 0x1d),
        field_of(16, 0x100b),
        {.degree = 62, .poly = OG_RABIN_POLY_62},
        {.degree = 64, .poly = OG_RABIN_POLY},
    };
    for (size_t i = 0; i < LENGTH(fields); i++)
        for (int round = 0; round < 1000; round++)
            check_laws(&fields[i], &seed);
}

static void powers_are_repeated_products(void **state)
{
    (void)state;
    const struct og_field f = {.degree = 64, .poly = OG_RABIN_POLY};
    const uint64_t a = 0x0123456789abcdef;
    uint64_t product = og_field_one(&f);
    uint64_t power_of_x = og_field_one(&f);
    for (uint64_t n = 0; n < 300; n++) {
        assert_true(og_field_pow(&f, a, n) == product);
        assert_true(og_field_pow_x(&f, n) == power_of_x);
        product = og_field_mul(&f, product, a);
        power_of_x = og_field_mul_x(&f, power_of_x);
    }
    assert_true(og_field_pow_x(&f, 64) == f.poly);
    assert_true(og_field_pow(&f, a, UINT64_MAX) == og_field_one(&f));
    assert_true(og_field_mul(&f, og_field_pow(&f, a, 1u << 30),
                             og_field_pow(&f, a, 12345)) ==
                og_field_pow(&f, a, (1u << 30) + 12345));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frozen_polynomials_are_the_generated_ones),
        cmocka_unit_test(the_frozen_polynomials_are_primitive),
        cmocka_unit_test(all_polynomials_of_degree_8),
        cmocka_unit_test(all_polynomials_of_degree_16),
        cmocka_unit_test(known_polynomials_are_classified),
        cmocka_unit_test(degrees_without_known_factors_are_refused),
        cmocka_unit_test(generated_polynomials_are_primitive),
        cmocka_unit_test(the_example_of_the_book),
        cmocka_unit_test(multiplication_obeys_the_laws),
        cmocka_unit_test(powers_are_repeated_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
