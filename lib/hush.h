#ifndef OG_HUSH_H
#define OG_HUSH_H

/*   in:  what a question does not want to hear of          (og_asking)
 *   out: the tokens and origins that do not count           (lib/answer.c)  */

#include "lib/store.h"

void og_hush_init(struct og_hush *hush, const og_allocator *allocator);
void og_hush_release(struct og_hush *hush);

/* The filter for one document; a view of `hush`. */
og_status og_hush_filter(struct og_hush *hush, const og_store *store,
                         const struct og_guest *guest, struct og_filter *out,
                         og_error *err);

/* The hash of what og_params.same names in a document; 0: it has none. */
uint32_t og_same_of(const char *field, const og_document *doc);

#endif
