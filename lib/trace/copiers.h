#ifndef OG_TRACE_COPIERS_H
#define OG_TRACE_COPIERS_H

/*   in:  the spans of an answer, and the store's lists of copies (lib/store)
 *   out: its origins, their copiers in the order of time,
 *        and the best match when it is not an origin        (lib/report)   */

#include "lib/store/store.h"

#include <origo/trace.h>

void og_copiers_init(struct og_copiers *chain, const og_allocator *allocator);
void og_copiers_release(struct og_copiers *chain);

/* Fills answer->origins and answer->best_*; views of `chain`, of the names and
 * of the texts that were compared. `confirmed`: og_confirm() has compared the
 * texts of the origins; otherwise no copiers are reported. */
og_status og_copiers_fill(struct og_copiers *chain, og_answer *answer,
                          const struct og_subject *subject, og_store *store,
                          og_trace *trace, bool confirmed, og_error *err);

#endif
