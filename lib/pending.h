#ifndef OG_PENDING_H
#define OG_PENDING_H

/* Entries of documents that are not yet in the catalogue on disk; of a store in
 * memory, all. One thread writes, any number read meanwhile. */

#include <pthread.h>

#include "lib/arena.h"
#include "lib/store/entry.h"

struct og_pending_id {
    uint64_t hash;   /* of the id; 0: an empty place */
    uint32_t number; /* the latest document with it */
};

/* A document that copied from another. */
struct og_pending_copy {
    uint32_t origin, copier, n_tokens;
};

struct og_pending {
    const og_allocator *allocator;
    pthread_rwlock_t lock;
    uint32_t first;    /* the number of entries[0] */
    og_bytes *entries; /* packed, in the arena */
    size_t n, cap;
    struct og_arena arena;
    size_t bytes; /* of all entries */
    struct og_pending_id *ids;
    size_t n_ids, ids_cap;
    struct og_pending_copy *copies;
    size_t n_copies, copies_cap;
    uint32_t *removed; /* documents that were removed, any numbers */
    size_t n_removed, removed_cap;
};

void og_pending_init(struct og_pending *pending, uint32_t first,
                     const og_allocator *allocator);
void og_pending_release(struct og_pending *pending);

/* Room for one more of so many bytes. Changes nothing that is seen. */
og_status og_pending_reserve(struct og_pending *pending, og_error *err);

/* The next one, in its packed form `bytes`; only its copy can fail
 * (OG_ERR_MEMORY). */
og_status og_pending_append(struct og_pending *pending, og_bytes bytes,
                            const struct og_entry *entry, og_error *err);

/* The number of the first entry here, or of the next to come. Any thread. */
uint32_t og_pending_first(struct og_pending *pending);

/* Who named `origin` among its origins, the first first, at most `max` of them.
 * Returns how many. Any thread. */
size_t og_pending_copiers(struct og_pending *pending, uint32_t origin,
                          size_t max, struct og_pending_copy *out);
og_status og_pending_remove(struct og_pending *pending, uint32_t number,
                            og_error *err);

/* A copy of the packed entry in `arena`. False: it is not here (but on disk).
 * *out has data NULL when there was no memory. Any thread. */
bool og_pending_get(struct og_pending *pending, uint32_t number,
                    struct og_arena *arena, og_bytes *out);

/* The latest document here with this id; false: none. Any thread. */
bool og_pending_latest(struct og_pending *pending, og_bytes id, uint32_t *out);

/* All of it is on disk now; what comes next has the number `first`. */
void og_pending_clear(struct og_pending *pending, uint32_t first);

#endif
