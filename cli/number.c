/* Sizes with units. Fractions are kept as digits over a power of ten and
 * multiplied in 128 bits: no floating point, so 0.1G is exactly 100M. */

#include "number.h"

#include <stdio.h>
#include <string.h>

static const char units[] = "kMGT";

/* k, Ki, M ... or nothing. 0 if it is not a unit. */
static uint64_t unit_factor(const char *s)
{
    if (s[0] == '\0') return 1;
    const char *unit = strchr(units, s[0] == 'K' ? 'k' : s[0]);
    const bool binary = s[1] == 'i';
    if (unit == NULL || s[1 + binary] != '\0') return 0;
    uint64_t factor = 1;
    for (const char *u = units; u <= unit; u++)
        factor *= binary ? 1024 : 1000;
    return factor;
}

bool number_parse(const char *s, uint64_t *out)
{
    uint64_t digits = 0, scale = 1;
    bool point = false, any = false;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        if (digits > (UINT64_MAX - 9) / 10) return false;
        if (point && scale > UINT64_MAX / 10) return false;
        digits = digits * 10 + (uint64_t)(*s - '0');
        scale *= point ? 10 : 1;
        any = true;
    }
    const uint64_t factor = unit_factor(s);
    if (!any || factor == 0) return false;
    const unsigned __int128 n = (unsigned __int128)digits * factor / scale;
    if (n > UINT64_MAX) return false;
    *out = (uint64_t)n;
    return true;
}

void number_show(uint64_t n, char *out, size_t out_cap)
{
    uint64_t best = n;
    char unit[3] = "";
    uint64_t decimal = 1, binary = 1;
    for (size_t i = 0; units[i] != '\0' && n != 0; i++) {
        decimal *= 1000;
        binary *= 1024;
        if (n % decimal == 0)
            best = n / decimal, unit[0] = units[i], unit[1] = '\0';
        if (n % binary == 0)
            best = n / binary, unit[0] = units[i], unit[1] = 'i';
    }
    if (unit[0] == 'k' && unit[1] == 'i') unit[0] = 'K';
    snprintf(out, out_cap, "%llu%s", (unsigned long long)best, unit);
}
