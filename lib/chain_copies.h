#ifndef OG_CHAIN_COPIES_H
#define OG_CHAIN_COPIES_H

/*   in:  the spans of an answer, and who copied from whom   (lib/store)
 *   out: its origins, their copiers in the order of time,
 *        and the best match when it is no origin            (lib/report)   */

#include "lib/store.h"

void og_chain_init(struct og_chain *chain, const og_allocator *allocator);
void og_chain_release(struct og_chain *chain);

/* Fills answer->origins and answer->best_*; views of `chain`, of the names and
 * of the texts that were compared. */
og_status og_chain_fill(struct og_chain *chain, og_answer *answer,
                        const struct og_guest *guest, og_store *store,
                        og_trace *trace, og_error *err);

#endif
