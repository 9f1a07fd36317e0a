#ifndef OG_TRACE_FORMULAE_H
#define OG_TRACE_FORMULAE_H

/*   in:  the tokens of a document                              (lib/token)
 *   out: which of them are in phrases that it repeats          (answer.c)
 *
 * Some texts repeat themselves: chains of transmitters, page headers, openings
 * of letters, rows of a table. Two of them that share such a phrase need not
 * have copied it, however rare it is elsewhere. So words of a phrase that
 * occurs in the document over and over are weak evidence, and weigh a quarter
 * of other words. */

#include "lib/align/align.h"

/* Repeated tokens that weigh as much as one that is not repeated. */
#define OG_FORMULA_WEIGHT 4u

struct og_formulae {
    const og_allocator *allocator;
    struct og_formula_slot *slots;
    size_t slots_cap;
    uint8_t *is_repeated; /* per token, after og_formulae_find() */
    size_t is_repeated_cap;
};

void og_formulae_init(struct og_formulae *formulae,
                      const og_allocator *allocator);
void og_formulae_release(struct og_formulae *formulae);

og_status og_formulae_find(struct og_formulae *formulae,
                           struct og_align_side document, og_error *err);

/* The weight of the tokens begin .. end of that document, in tokens. */
uint32_t og_formulae_weight(const struct og_formulae *formulae, uint32_t begin,
                            uint32_t end);

#endif
