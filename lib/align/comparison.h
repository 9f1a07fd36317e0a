#ifndef OG_ALIGN_COMPARISON_H
#define OG_ALIGN_COMPARISON_H

/*   in:  two texts
 *   out: what one has of the other                       (<origo/compare.h>)
 *
 * For a store, whose origins have numbers. */

#include "lib/base/status.h"

#include <origo/compare.h>

/* The origin of the last answer has this number. */
void og_comparison_number(og_comparison *comparison, uint64_t number);

#endif
