#ifndef OG_STORE_CATALOGUE_PENDING_H
#define OG_STORE_CATALOGUE_PENDING_H

/* Entries of documents that are not yet in the catalogue on disk; in a store in
 * memory, all entries. One thread writes, any number of threads read meanwhile.
 *
 * They are in two lots: the active one receives new entries, while the frozen
 * one is being written to disk and does not change until that is done. */

#include <pthread.h>

#include "lib/base/arena.h"
#include "lib/store/catalogue/entry.h"

/* Documents that copied from another, a few of them: those of one origin lie
 * together, so that a list of hundreds causes fewer cache misses. */
#define OG_PENDING_COPIERS 5

struct og_pending_copies {
    uint32_t origin;
    uint32_t next; /* number of the next list of the origin; the last one refers
                      to the first */
    uint32_t n;
    uint32_t copiers[OG_PENDING_COPIERS];
};

/* Finds the members of an array by a hash of their key, of which 32 bits are
 * kept: a store in memory has a slot or two for each document, so they are half
 * as long as those of struct og_hash_table. */
struct og_pending_slot {
    uint32_t hash;
    uint32_t member; /* from 1; 0: free */
};

struct og_pending_slots {
    struct og_pending_slot *slots;
    size_t n_slots; /* a power of two, or 0; at most half of them are in use */
    size_t n;
};

struct og_pending_batch {
    uint32_t first;    /* the number of entries[0] */
    og_bytes *entries; /* packed, in the arena */
    size_t n, cap;
    struct og_arena arena;
    size_t bytes;                /* of all entries */
    struct og_pending_slots ids; /* the latest entry with each */
    struct og_pending_copies *lists;
    size_t n_lists, lists_cap;
    size_t n_copies;                 /* in all of them */
    struct og_pending_slots origins; /* the last list of each */
    uint32_t *removed; /* documents that were removed, any numbers */
    size_t n_removed, removed_cap;
};

struct og_pending {
    const og_allocator *allocator;
    pthread_rwlock_t lock;
    struct og_pending_batch lots[2];
    unsigned young; /* index of the active lot; the writer's */
};

void og_pending_init(struct og_pending *pending, uint32_t first,
                     const og_allocator *allocator);
void og_pending_release(struct og_pending *pending);

/* Sets `first` as og_pending_init() does; before the first entry. */
void og_pending_begin(struct og_pending *pending, uint32_t first);

/* Makes room for one more entry, or for so many that name so many origins. No
 * visible change. */
og_status og_pending_reserve(struct og_pending *pending, og_error *err);
og_status og_pending_reserve_all(struct og_pending *pending, size_t n,
                                 size_t n_origins, og_error *err);

/* Appends the next one, in its packed form `bytes`; only copying it can fail
 * (OG_ERR_MEMORY). */
og_status og_pending_append(struct og_pending *pending, og_bytes bytes,
                            const struct og_entry *entry, og_error *err);

/* The same in two steps: the first makes it known by its number, the second, in
 * the same order, by its id and its origins. Another thread may do the second
 * one for the writing thread. */
og_status og_pending_append_bytes(struct og_pending *pending, og_bytes bytes,
                                  og_error *err);
void og_pending_index(struct og_pending *pending, uint32_t number,
                      const struct og_entry *entry);

/* An id will be asked for soon, an entry will be appended soon: what that will
 * touch is fetched into the cache; _expect_lists some time after _expect.
 * Writing thread only. */
void og_pending_expect_id(const struct og_pending *pending, og_bytes id);
void og_pending_expect(const struct og_pending *pending,
                       const struct og_entry *entry);
void og_pending_expect_lists(const struct og_pending *pending,
                             const struct og_entry *entry);

/* The number of the first entry here, or of the next one to come. Any
 * thread. */
uint32_t og_pending_first(struct og_pending *pending);

/* The documents that name `origin` among their origins, in ascending order, at
 * most `max` of them. Returns how many. Any thread. */
size_t og_pending_copiers(struct og_pending *pending, uint32_t origin,
                          size_t max, uint32_t *out);
og_status og_pending_remove(struct og_pending *pending, uint32_t number,
                            og_error *err);

/* A copy of the packed entry in `arena`. False: it is not here (but on disk).
 * *out has data NULL when there was no memory. Any thread. */
bool og_pending_get(struct og_pending *pending, uint32_t number,
                    struct og_arena *arena, og_bytes *out);

/* The latest document here with this id; false: none. Any thread. */
bool og_pending_latest(struct og_pending *pending, og_bytes id, uint32_t *out);

/* Bytes that all of it uses. Writing thread only. */
size_t og_pending_memory(const struct og_pending *pending);

/* The active lot. Writing thread only. */
const struct og_pending_batch *
og_pending_active(const struct og_pending *pending);

/* The lot that is being written to disk, NULL: none. For the writer and the
 * thread that writes the lot. */
const struct og_pending_batch *
og_pending_frozen(const struct og_pending *pending);

/* The active lot becomes the frozen one; there must be no frozen one. */
void og_pending_freeze(struct og_pending *pending);

/* The frozen lot is on disk: clears it. Any thread, one at a time. */
void og_pending_discard(struct og_pending *pending);

#endif
