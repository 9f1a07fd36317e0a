#ifndef OG_STORE_CATALOGUE_LOOKUP_H
#define OG_STORE_CATALOGUE_LOOKUP_H

/*   in:  the number of a document                           (lib/table)
 *   out: its entry: id, title, address, where its text is   (lib/report)
 *
 * One for each thread. What it returns stays valid until it is cleared, so an
 * answer clears it first and can then pass the names on. */

#include "lib/store/catalogue/documents.h"
#include "lib/store/catalogue/pending.h"

struct og_shared;

struct og_lookup {
    struct og_pending *pending;
    struct og_documents *documents; /* NULL: a store in memory */
    struct og_shared
        *shared; /* instead of both, set after _init; must outlive the lookup */
    struct og_documents_view view;
    struct og_arena arena;
    uint32_t last_number; /* the last one looked up, if has_last */
    bool has_last;
    struct og_entry last;
};

/* Both must outlive it. */
void og_lookup_init(struct og_lookup *lookup, struct og_pending *pending,
                    struct og_documents *documents,
                    const og_allocator *allocator);
void og_lookup_release(struct og_lookup *lookup);
void og_lookup_clear(struct og_lookup *lookup);

/* OG_ERR_STORE: the catalogue has no such document, or its entry is damaged. */
og_status og_lookup_get(struct og_lookup *lookup, uint32_t number,
                        struct og_entry *out, og_error *err);

/* The latest document with this id whose number is less than `below`, even if
 * removed; OG_NO_DOC: there is none. The catalogue on disk may contain more
 * documents than this store knows when another process writes. */
og_status og_lookup_latest(struct og_lookup *lookup, og_bytes id,
                           uint32_t below, uint32_t *out, og_error *err);

#endif
