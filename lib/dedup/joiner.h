#ifndef OG_DEDUP_JOINER_H
#define OG_DEDUP_JOINER_H

/*   in:  pairs of similar documents                  (lib/dedup/dedup_decide.c)
 *   out: the first of the component of each        (lib/dedup/level_document.c)
 *
 * "First" is by preference: the order in which they are recorded. */

#include "lib/dedup/components.h"
#include "lib/dedup/dedup_decide.h"

struct og_joiner {
    struct og_forest forest; /* over the order of recording */
    uint32_t *order_of;      /* by number; UINT32_MAX: not recorded */
    uint32_t *number_of;     /* by order */
    size_t order_cap, number_cap, n_numbers;
    uint32_t n;
    int places_fd;
    const char *folder;
};

/* Sets the callbacks of the decider. */
og_status og_joiner_start(struct og_joiner *joined, struct og_decider *decider,
                          const char *folder, og_error *err);
void og_joiner_release(struct og_joiner *joined);

/* Records a document, before it is decided on; repeated calls have no
 * effect. */
og_status og_joiner_note(struct og_joiner *joined, uint64_t number,
                         const struct og_dedup_place *place, og_error *err);

/* The document itself, and the first of its component. */
og_status og_joined_first(struct og_joiner *joined, uint64_t number,
                          struct og_dedup_entry *out_self,
                          struct og_dedup_entry *out_first, og_error *err);

#endif
