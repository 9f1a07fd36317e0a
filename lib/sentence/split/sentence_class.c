/* The class of a character: generated ranges and a binary search. ASCII, most
 * of most texts, has a table of its own. */

#include "lib/sentence/split/sentence_class.h"

#include <stddef.h>

#include "lib/sentence/split/sentence_ranges.h"

enum {
    N_RANGES = sizeof(sentence_ranges) / sizeof(sentence_ranges[0]),
    ALTERNATE = 15,
};

#define O OG_SB_OTHER
#define S OG_SB_SP
#define U OG_SB_UPPER
#define L OG_SB_LOWER
#define N OG_SB_NUMERIC
#define C OG_SB_CLOSE
#define E OG_SB_SCONTINUE
#define T OG_SB_STERM
#define A OG_SB_ATERM
static const uint8_t ascii[128] = {
    O, O, O, O, O, O, O, O, O, S, OG_SB_LF, S, S, OG_SB_CR, O, O, /* 0 */
    O, O, O, O, O, O, O, O, O, O, O,        O, O, O,        O, O, /* 10 */
    S, T, C, O, O, O, O, C, C, C, O,        O, E, E,        A, O, /* 20 */
    N, N, N, N, N, N, N, N, N, N, E,        O, O, O,        O, T, /* 30 */
    O, U, U, U, U, U, U, U, U, U, U,        U, U, U,        U, U, /* 40 */
    U, U, U, U, U, U, U, U, U, U, U,        C, O, C,        O, O, /* 50 */
    O, L, L, L, L, L, L, L, L, L, L,        L, L, L,        L, L, /* 60 */
    L, L, L, L, L, L, L, L, L, L, L,        C, O, C,        O, O, /* 70 */
};
#undef O
#undef S
#undef U
#undef L
#undef N
#undef C
#undef E
#undef T
#undef A

static enum og_sentence_class find(uint32_t code_point)
{
    size_t low = 0, high = N_RANGES; /* the range is in [low, high) */
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (sentence_ranges[middle] >> 4 <= code_point)
            low = middle;
        else
            high = middle;
    }
    const uint32_t class = sentence_ranges[low] & 15;
    if (class != ALTERNATE) return (enum og_sentence_class) class;
    const uint32_t place = code_point - (sentence_ranges[low] >> 4);
    return place % 2 == 0 ? OG_SB_UPPER : OG_SB_LOWER;
}

enum og_sentence_class og_sentence_class_of(uint32_t code_point)
{
    if (code_point < 128) return (enum og_sentence_class)ascii[code_point];
    return code_point < 0x110000 ? find(code_point) : OG_SB_OTHER;
}
