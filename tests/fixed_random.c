/* In place of the system's random numbers: a test draws the same keys in every
 * run, and the stores of two machines can be compared byte by byte. With one
 * key in a hundred two of 100,000 fingerprints are equal by chance, and the
 * assertions of a test fail. ORIGO_TEST_SEED=N draws others. */

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "lib/base/bits.h"

ssize_t getrandom(void *out, size_t len, unsigned flags);

static uint64_t seed(void)
{
    const char *text = getenv("ORIGO_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

ssize_t getrandom(void *out, size_t len, unsigned flags)
{
    static atomic_uint_fast64_t n_drawn;
    char *at = out;
    (void)flags;
    for (size_t i = 0; i < len; i += 8) {
        uint64_t state = og_mix64(seed()) + atomic_fetch_add(&n_drawn, 1);
        uint8_t word[8]; /* the same on every machine */
        og_store64(word, og_random_next(&state));
        memcpy(at + i, word, len - i < 8 ? len - i : 8);
    }
    return (ssize_t)len;
}
