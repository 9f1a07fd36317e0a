#include "lib/fingerprint/field.h"

#include <stddef.h>

#include "lib/base/bits.h"

/* The prime factors of 2^degree - 1, each once: none of these numbers is
 * divisible by a square, so leaving one out gives the maximal divisors. */
struct factors {
    uint32_t degree;
    uint32_t n;
    uint64_t prime[8];
};

static const struct factors known_factors[] = {
    {8, 3, {3, 5, 17}},
    {16, 4, {3, 5, 17, 257}},
    {32, 5, {3, 5, 17, 257, 65537}},
    {62, 3, {3, 715827883, 2147483647}},
    {64, 7, {3, 5, 17, 257, 641, 65537, 6700417}},
};

static const struct factors *factors_of(uint32_t degree)
{
    const size_t n = sizeof(known_factors) / sizeof(known_factors[0]);
    for (size_t i = 0; i < n; i++)
        if (known_factors[i].degree == degree) return &known_factors[i];
    return NULL;
}

/* 2^degree - 1: the number of elements that are not 0, and their mask. */
static uint64_t order_of(uint32_t degree)
{
    return UINT64_MAX >> (64 - degree);
}

uint64_t og_field_one(const struct og_field *field)
{
    return (uint64_t)1 << (field->degree - 1);
}

uint64_t og_field_x(const struct og_field *field)
{
    return (uint64_t)1 << (field->degree - 2);
}

uint64_t og_field_mul_x(const struct og_field *field, uint64_t a)
{
    return (a >> 1) ^ ((a & 1) != 0 ? field->poly : 0);
}

uint64_t og_field_mul(const struct og_field *field, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    for (uint64_t bit = og_field_one(field); bit != 0; bit >>= 1) {
        if ((b & bit) != 0) sum ^= a;
        a = og_field_mul_x(field, a);
    }
    return sum;
}

uint64_t og_field_pow(const struct og_field *field, uint64_t a, uint64_t power)
{
    uint64_t product = og_field_one(field);
    for (; power != 0; power >>= 1) {
        if ((power & 1) != 0) product = og_field_mul(field, product, a);
        a = og_field_mul(field, a, a);
    }
    return product;
}

uint64_t og_field_pow_x(const struct og_field *field, uint64_t power)
{
    return og_field_pow(field, og_field_x(field), power);
}

bool og_field_is_primitive(const struct og_field *field)
{
    const struct factors *factors = factors_of(field->degree);
    if (factors == NULL) return false;
    const uint64_t one = og_field_one(field);
    const uint64_t order = order_of(field->degree);
    const bool has_unit_term = (field->poly & one) != 0;
    if (!has_unit_term || og_field_pow_x(field, order) != one) return false;
    for (uint32_t i = 0; i < factors->n; i++)
        if (og_field_pow_x(field, order / factors->prime[i]) == one)
            return false;
    return true;
}

uint64_t og_field_generate(uint32_t degree, uint64_t seed)
{
    if (factors_of(degree) == NULL) return 0;
    struct og_field field = {.degree = degree};
    do {
        field.poly = og_random_next(&seed) & order_of(degree);
        field.poly |= og_field_one(&field);
    } while (!og_field_is_primitive(&field));
    return field.poly;
}
