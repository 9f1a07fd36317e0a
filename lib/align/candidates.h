#ifndef OG_ALIGN_CANDIDATES_H
#define OG_ALIGN_CANDIDATES_H

/*   in:  the hits of a document                             (lib/table)
 *   out: the documents whose texts are worth comparing         (confirm.c) */

#include "lib/estimate/estimate.h"

struct og_candidate {
    uint32_t doc, n_hits;
};

/* Whether document a comes before b. Numbers say when a document arrived, which
 * must not matter. */
struct og_time_order {
    bool (*earlier)(const void *order, uint32_t a, uint32_t b);
    const void *order;
};

/* The documents with the most hits, at most `max` of them, those with more
 * first, and of equal ones the earlier; returns their number. Counts in fixed
 * memory, so among very many documents with few hits each some are missed. */
uint32_t og_candidates_choose(const struct og_labels *labels,
                              struct og_time_order order,
                              struct og_candidate *out, uint32_t max);

#endif
