/* Tables for Rabin fingerprints, and the forms that use them.
 *
 * Everything here follows from one line: appending the unit u to a string with
 * fingerprint f gives (f + u) * x^(bits of u). Multiplying by x^8 shifts the
 * word by a byte and what falls out comes back through by_byte[0]; multiplying
 * by x^64 moves all eight bytes out, each through a table of its own, so the
 * eight look-ups do not wait for each other. */

#include "lib/fingerprint/rabin.h"

#include <pthread.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

/* table[n] = n * factor for every byte n: the eight single bits by repeated
 * multiplication by x (bit 7 is the lowest power), the rest by linearity. */
static void fill_byte_table(const struct og_field *field, uint64_t factor,
                            uint64_t table[256])
{
    table[0] = 0;
    for (unsigned bit = 0x80; bit != 0; bit >>= 1) {
        table[bit] = factor;
        factor = og_field_mul_x(field, factor);
    }
    for (unsigned bit = 2; bit < 256; bit <<= 1)
        for (unsigned low = 1; low < bit; low++)
            table[bit ^ low] = table[bit] ^ table[low];
}

static uint64_t carryless_mul_low(uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    for (; b != 0; b >>= 1, a <<= 1)
        if ((b & 1) != 0) sum ^= a;
    return sum;
}

/* The inverse of an odd number in carry-less arithmetic modulo 2^64: each
 * round of Newton's rule, y = y (2 - y odd) = y^2 odd, doubles the number of
 * right bits. */
static uint64_t carryless_inverse(uint64_t odd)
{
    uint64_t inverse = 1;
    for (int right_bits = 1; right_bits < 64; right_bits *= 2)
        inverse = carryless_mul_low(carryless_mul_low(inverse, inverse), odd);
    return inverse;
}

void og_rabin_init(struct og_rabin *rabin, uint64_t poly)
{
    rabin->field = (struct og_field){.degree = 64, .poly = poly};
    rabin->empty = poly;
    for (unsigned a = 0; a < 8; a++) {
        /* Bit 7 of a byte in the lowest position of the word is x^56. */
        const uint64_t bit7 = og_field_pow_x(&rabin->field, 56 + 8 * (a + 1));
        fill_byte_table(&rabin->field, bit7, rabin->by_byte[a]);
    }
    rabin->power[0] = og_field_pow_x(&rabin->field, 8);
    for (unsigned i = 1; i < 64; i++)
        rabin->power[i] = og_field_mul(&rabin->field, rabin->power[i - 1],
                                       rabin->power[i - 1]);
    rabin->odd = poly << 1 | 1;
    rabin->inverse = carryless_inverse(rabin->odd);
}

static struct og_rabin default_rabin;

static void make_default(void)
{
    og_rabin_init(&default_rabin, OG_RABIN_POLY);
}

const struct og_rabin *og_rabin_default(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_default);
    return &default_rabin;
}

uint64_t og_rabin_extend_plain(const struct og_rabin *rabin, uint64_t fp,
                               const void *data, size_t len)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < len; i++) {
        fp ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            fp = og_field_mul_x(&rabin->field, fp);
    }
    return fp;
}

/* fingerprint * x^64 by eight independent look-ups; byte 0 travels farthest. */
static uint64_t shift_word(const uint64_t by_byte[8][256], uint64_t v)
{
    return by_byte[7][v & 0xff] ^ by_byte[6][v >> 8 & 0xff] ^
           by_byte[5][v >> 16 & 0xff] ^ by_byte[4][v >> 24 & 0xff] ^
           by_byte[3][v >> 32 & 0xff] ^ by_byte[2][v >> 40 & 0xff] ^
           by_byte[1][v >> 48 & 0xff] ^ by_byte[0][v >> 56];
}

static uint64_t extend_byte(const struct og_rabin *rabin, uint64_t fp,
                            uint8_t byte)
{
    return fp >> 8 ^ rabin->by_byte[0][(fp ^ byte) & 0xff];
}

uint64_t og_rabin_extend_tables(const struct og_rabin *rabin, uint64_t fp,
                                const void *data, size_t len)
{
    const uint8_t *bytes = data;
    for (; len >= 8; bytes += 8, len -= 8)
        fp = shift_word(rabin->by_byte, fp ^ og_load64(bytes));
    for (; len > 0; bytes++, len--)
        fp = extend_byte(rabin, fp, *bytes);
    return fp;
}

uint64_t og_rabin_extend(const struct og_rabin *rabin, uint64_t fp,
                         const void *data, size_t len)
{
#if defined(OG_TARGET_CLMUL)
    if (og_cpu_level() >= OG_CPU_CLMUL)
        return og_rabin_extend_clmul(rabin, fp, data, len);
#endif
    return og_rabin_extend_tables(rabin, fp, data, len);
}

uint64_t og_rabin_extend_word(const struct og_rabin *rabin, uint64_t fp,
                              uint64_t word)
{
    return shift_word(rabin->by_byte, fp ^ word);
}

uint64_t og_rabin_words(const struct og_rabin *rabin, const uint64_t *words,
                        size_t n)
{
    uint64_t fp = rabin->empty;
    for (size_t i = 0; i < n; i++)
        fp = og_rabin_extend_word(rabin, fp, words[i]);
    return fp;
}

/* With its leading 1 a string a has the fingerprint (x^|a| + a) x^64. So
 * print(ab) = (print(a) + x^64) x^|b| + print(b): the x^64 cancels the leading
 * 1 that print(b) brings along. */
uint64_t og_rabin_concat(const struct og_rabin *rabin, uint64_t fp_a,
                         uint64_t fp_b, uint64_t len_b)
{
    uint64_t shifted = fp_a ^ rabin->empty;
    for (unsigned i = 0; len_b != 0; i++, len_b >>= 1)
        if ((len_b & 1) != 0)
            shifted = og_field_mul(&rabin->field, shifted, rabin->power[i]);
    return shifted ^ fp_b;
}

/* A unit that has w units after it when it leaves contributes u * x^(w bits)
 * where w counts itself. The leading 1 moves from before the leaving unit to
 * after it: both places are in out[0], which every unit looks up once. */
static void window_init(struct og_rabin_window *window,
                        const struct og_rabin *rabin, size_t n_units,
                        unsigned unit_bytes)
{
    const struct og_field *field = &rabin->field;
    const uint64_t unit_bits = 8 * unit_bytes;
    window->rabin = rabin;
    for (unsigned a = 0; a < unit_bytes; a++) {
        /* Byte a of a unit lies 8 a places lower than byte 0, whose bit 7
         * is x^56. */
        const uint64_t bit7 =
            og_field_pow_x(field, 56 - 8 * a + unit_bits * n_units);
        fill_byte_table(field, bit7, window->out[a]);
    }
    const uint64_t leads =
        og_field_pow_x(field, 64 + unit_bits * n_units) ^
        og_field_pow_x(field, 64 + unit_bits * (n_units - 1));
    for (unsigned n = 0; n < 256; n++)
        window->out[0][n] ^= leads;
}

void og_rabin_window_bytes(struct og_rabin_window *window,
                           const struct og_rabin *rabin, size_t n_units)
{
    window_init(window, rabin, n_units, 1);
}

void og_rabin_window_words(struct og_rabin_window *window,
                           const struct og_rabin *rabin, size_t n_units)
{
    window_init(window, rabin, n_units, 8);
}

uint64_t og_rabin_slide_byte(const struct og_rabin_window *window, uint64_t fp,
                             uint8_t leaves, uint8_t comes)
{
    return extend_byte(window->rabin, fp ^ window->out[0][leaves], comes);
}

uint64_t og_rabin_slide_word(const struct og_rabin_window *window, uint64_t fp,
                             uint64_t leaves, uint64_t comes)
{
    for (unsigned a = 0; a < 8; a++)
        fp ^= window->out[a][leaves >> 8 * a & 0xff];
    return og_rabin_extend_word(window->rabin, fp, comes);
}

uint64_t og_rabin_words_62(const uint64_t *words, size_t n)
{
    const struct og_field field = {.degree = 62, .poly = OG_RABIN_POLY_62};
    uint64_t fp = field.poly; /* x^62: a leading 1, shifted */
    for (size_t i = 0; i < n; i++)
        for (unsigned bit = 0; bit < 64; bit++) {
            fp ^= words[i] >> bit & 1;
            fp = og_field_mul_x(&field, fp);
        }
    return fp;
}
