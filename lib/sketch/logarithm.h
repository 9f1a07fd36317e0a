#ifndef OG_SKETCH_LOGARITHM_H
#define OG_SKETCH_LOGARITHM_H

/* log2 with the same bits on every machine. The C library's may differ in the
 * last bit between versions, and a stored sketch must equal one that is made
 * years later. */

#include <math.h>

/* x is finite and more than 0. The error is below 1e-15 of the result or of
 * 1, whichever is larger. Only sums, products and quotients, whose rounding
 * IEEE 754 defines: log2(x) = e + 2 atanh((m - 1) / (m + 1)) / ln 2 for
 * x = m * 2^e with m between sqrt(1/2) and sqrt(2), so that the argument of
 * atanh is below 0.1716 and eleven terms suffice. */
static inline double og_log2(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        exponent--;
    }
    const double s = (m - 1) / (m + 1);
    const double square = s * s;
    double sum = 0;
    for (int term = 21; term >= 1; term -= 2)
        sum = sum * square + 1.0 / term;
    return exponent + 2.88539008177792681472 * s * sum;
}

#endif
