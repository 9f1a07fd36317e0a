#ifndef OG_SENTENCE_SPLIT_SENTENCE_CLASS_H
#define OG_SENTENCE_SPLIT_SENTENCE_CLASS_H

/* The class of a character in the rules of sentence breaks: the property
 * Sentence_Break of Unicode (UAX 29, table 4). */

#include <stdint.h>

enum og_sentence_class { /* the order is that of tools/make_sentence_ranges */
                         OG_SB_OTHER = 0,
                         OG_SB_SEP,
                         OG_SB_CR,
                         OG_SB_LF,
                         OG_SB_FORMAT,
                         OG_SB_EXTEND,
                         OG_SB_SP,
                         OG_SB_LOWER,
                         OG_SB_UPPER,
                         OG_SB_OLETTER,
                         OG_SB_NUMERIC,
                         OG_SB_ATERM,
                         OG_SB_SCONTINUE,
                         OG_SB_STERM,
                         OG_SB_CLOSE,
};

/* Anything that is not a code point is OG_SB_OTHER. */
enum og_sentence_class og_sentence_class_of(uint32_t code_point);

#endif
