/* The class of a character for the tokenisers.
 *
 * Unicode's general category decides between token and gap: letters, marks
 * and numbers make tokens. Scripts that write words without spaces between them
 * would give one endless token per sentence, and segmenting words there takes a
 * dictionary that all machines would have to share. So each of their characters
 * is a token, with its marks; a shingle of eight such tokens is then a window
 * of eight characters, which is what the literature uses for Chinese and Thai.
 * Hangul and Bopomofo have spaces: words.
 *
 * Looking up the category costs two dependent loads and a call, so results are
 * cached in a byte each. Threads may fill the same byte at once: they write the
 * same value, and relaxed atomic accesses make that well defined. */

#include "lib/text/char_class.h"

#include <utf8proc.h>

struct range {
    uint32_t first, last;
};

/* By script, ascending. Punctuation and digits of a script are in its ranges;
 * the category tells first whether a code point is a letter at all. */
static const struct range alone[] = {
    {0x0e00, 0x0e7f},   /* Thai */
    {0x0e80, 0x0eff},   /* Lao */
    {0x1000, 0x109f},   /* Myanmar */
    {0x1780, 0x17ff},   /* Khmer */
    {0x2e80, 0x2fdf},   /* Han: radicals */
    {0x3005, 0x3007},   /* Han: iteration mark, closing mark, zero */
    {0x3021, 0x3029},   /* Han: Hangzhou numerals */
    {0x3031, 0x3035},   /* kana repeat marks */
    {0x3038, 0x303c},   /* Han: Hangzhou numerals, iteration; masu */
    {0x3041, 0x309f},   /* Hiragana */
    {0x30a0, 0x30ff},   /* Katakana, and the sound mark of both */
    {0x31f0, 0x31ff},   /* Katakana: phonetic extensions */
    {0x3400, 0x4dbf},   /* Han: extension A */
    {0x4e00, 0x9fff},   /* Han */
    {0xa9e0, 0xa9ff},   /* Myanmar: extended B */
    {0xaa60, 0xaa7f},   /* Myanmar: extended A */
    {0xf900, 0xfaff},   /* Han: compatibility (a few do not fold) */
    {0xff66, 0xff9f},   /* Katakana: half width (folded away, but for tests) */
    {0x16ff0, 0x16fff}, /* Han: Vietnamese reading marks */
    {0x116d0, 0x116ff}, /* Myanmar: extended C */
    {0x1aff0, 0x1b16f}, /* kana: extended, supplement, small */
    {0x20000, 0x3fffd}, /* Han: extensions B and on */
};

static bool is_own_token(uint32_t c)
{
    for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
        if (c - alone[i].first <= alone[i].last - alone[i].first) return true;
    return false;
}

static enum og_char_class class_by_category(uint32_t c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return OG_CHAR_MARK;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return is_own_token(c) ? OG_CHAR_ALONE : OG_CHAR_WORD;
    default: return OG_CHAR_OTHER;
    }
}

_Atomic uint8_t og_char_classes[OG_CHAR_CLASSES];

enum og_char_class og_char_class_learn(uint32_t code_point)
{
    const enum og_char_class class = class_by_category(code_point);
    if (code_point < OG_CHAR_CLASSES)
        atomic_store_explicit(&og_char_classes[code_point],
                              (uint8_t)(class | OG_CHAR_LEARNT),
                              memory_order_relaxed);
    return class;
}

enum og_char_class og_char_class_of(uint32_t code_point)
{
    return og_char_class_find(code_point);
}
