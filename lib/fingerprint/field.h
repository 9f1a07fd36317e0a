#ifndef OG_FINGERPRINT_FIELD_H
#define OG_FINGERPRINT_FIELD_H

/* Arithmetic in GF(2^degree), slow and plain: the definition that every fast
 * form is tested against, and the tool that builds their tables.
 *
 * An element is a polynomial of degree < `degree` with coefficients 0 and 1,
 * stored backwards as in the book (3.3): bit 0 holds the highest power
 * x^(degree-1), bit degree-1 holds 1. So a byte read from a little-endian
 * stream needs no shifting, and multiplying by x is a shift to the right.
 *
 * `poly` is the modulus without its leading x^degree, stored the same way. */

#include <stdbool.h>
#include <stdint.h>

struct og_field {
    uint32_t degree; /* 2 to 64 */
    uint64_t poly;
};

/* The polynomial 1, and the polynomial x. */
uint64_t og_field_one(const struct og_field *field);
uint64_t og_field_x(const struct og_field *field);

uint64_t og_field_mul_x(const struct og_field *field, uint64_t a);
uint64_t og_field_mul(const struct og_field *field, uint64_t a, uint64_t b);
uint64_t og_field_pow(const struct og_field *field, uint64_t a, uint64_t power);

/* x^power */
uint64_t og_field_pow_x(const struct og_field *field, uint64_t power);

/* Proves that x generates all 2^degree - 1 elements that are not 0: x to the
 * power 2^degree - 1 is 1, and to none of its maximal proper divisors. That
 * makes the modulus primitive, hence irreducible. False as well for a degree
 * whose factors are not known here (known: 8, 16, 32, 62, 64). */
bool og_field_is_primitive(const struct og_field *field);

/* The first primitive polynomial in the random order that `seed` gives; about
 * one in `degree` candidates is. 0 for a degree whose factors are unknown. */
uint64_t og_field_generate(uint32_t degree, uint64_t seed);

#endif
