#ifndef OG_TEXT_HAN_H
#define OG_TEXT_HAN_H

/*   in:  folded text                                      (lib/text/fold.c)
 *   out: the same with simplified forms of Chinese characters for traditional
 *
 * Some 800 pairs, the most frequent ones, compiled for this file: everyday
 * texts have hardly any others. Where several traditional characters have
 * become one (發 and 髮), they count as one. */

#include <stddef.h>
#include <stdint.h>

/* In place: both forms have three bytes of UTF-8. */
void og_fold_han(char *data, size_t len);

/* The simplified form of a character; the character itself if it has none
 * here. */
uint32_t og_han_simplified(uint32_t character);

#endif
