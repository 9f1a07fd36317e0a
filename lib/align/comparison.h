#ifndef OG_ALIGN_COMPARISON_H
#define OG_ALIGN_COMPARISON_H

/*   in:  two texts
 *   out: the passages of one in the other                (<origo/compare.h>)
 *
 * For a store, whose origins have numbers. */

#include "lib/align/thresholds.h"
#include "lib/base/status.h"

#include <origo/compare.h>

/* Sets the number of the origin of the last answer. */
void og_comparison_number(og_comparison *comparison, uint64_t number);

/* Thresholds other than the defaults, to measure them. */
void og_comparison_set_thresholds(og_comparison *comparison,
                                  const struct og_align_thresholds *thresholds);

#endif
