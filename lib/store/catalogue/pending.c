/* Readers copy what they need under a lock that only the clearing takes alone:
 * entries go away when they are on disk, and nobody may look at them then. */

#include "lib/store/catalogue/pending.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/token/tokens.h"

/* Arenas that held more release it when they are cleared. */
#define KEEP_LEN ((size_t)1 << 20)

void og_pending_init(struct og_pending *pending, uint32_t first,
                     const og_allocator *allocator)
{
    *pending = (struct og_pending){.allocator = allocator};
    pthread_rwlock_init(&pending->lock, NULL);
    for (int i = 0; i < 2; i++) {
        og_arena_init(&pending->lots[i].arena, allocator);
        og_hash_table_init(&pending->lots[i].ids, allocator);
        og_hash_table_init(&pending->lots[i].origins, allocator);
    }
    pending->lots[0].first = first;
}

void og_pending_begin(struct og_pending *pending, uint32_t first)
{
    pending->lots[pending->young].first = first;
}

void og_pending_release(struct og_pending *pending)
{
    const og_allocator *a = pending->allocator;
    for (int i = 0; i < 2; i++) {
        struct og_pending_batch *lot = &pending->lots[i];
        OG_UNGROW(a, lot->entries, lot->cap);
        og_hash_table_release(&lot->ids);
        og_hash_table_release(&lot->origins);
        OG_UNGROW(a, lot->copies, lot->copies_cap);
        OG_UNGROW(a, lot->removed, lot->removed_cap);
        og_arena_release(&lot->arena);
    }
    pthread_rwlock_destroy(&pending->lock);
}

/* ---- lots ---- */

static struct og_pending_batch *young_of(struct og_pending *pending)
{
    return &pending->lots[pending->young];
}

static bool is_empty(const struct og_pending_batch *lot)
{
    return lot->n == 0 && lot->n_removed == 0;
}

const struct og_pending_batch *
og_pending_active(const struct og_pending *pending)
{
    return &pending->lots[pending->young];
}

const struct og_pending_batch *
og_pending_frozen(const struct og_pending *pending)
{
    const struct og_pending_batch *old = &pending->lots[1 - pending->young];
    return is_empty(old) ? NULL : old;
}

void og_pending_freeze(struct og_pending *pending)
{
    pthread_rwlock_wrlock(&pending->lock);
    const struct og_pending_batch *old = young_of(pending);
    pending->young = 1 - pending->young;
    young_of(pending)->first = old->first + (uint32_t)old->n;
    pthread_rwlock_unlock(&pending->lock);
}

void og_pending_discard(struct og_pending *pending)
{
    struct og_pending_batch *old = &pending->lots[1 - pending->young];
    pthread_rwlock_wrlock(&pending->lock);
    old->n = 0;
    old->bytes = 0;
    old->n_removed = 0;
    old->n_copies = 0;
    og_hash_table_empty(&old->ids);
    og_hash_table_empty(&old->origins);
    og_arena_clear(&old->arena, KEEP_LEN);
    pthread_rwlock_unlock(&pending->lock);
}

/* ---- ids ---- */

static uint64_t hash_of(og_bytes id)
{
    return og_mix64(og_token_hash(id.data, id.len, 0));
}

static bool has_id(const struct og_pending_batch *lot, uint32_t number,
                   og_bytes id)
{
    struct og_entry entry;
    return og_entry_unpack(lot->entries[number - lot->first], &entry) &&
           entry.id.len == id.len &&
           (id.len == 0 || memcmp(entry.id.data, id.data, id.len) == 0);
}

/* Ids are distinguished by their hash; two that share one are taken for
 * different documents, since the entry is compared. */
static bool find_latest(const struct og_pending_batch *lot, og_bytes id,
                        uint64_t hash, uint32_t *out)
{
    if (lot->ids.n == 0) return false;
    const struct og_hash_slot *slot = og_hash_table_next(&lot->ids, hash, hash);
    if (slot->number == 0 || !has_id(lot, (uint32_t)slot->number - 1, id))
        return false;
    *out = (uint32_t)slot->number - 1;
    return true;
}

bool og_pending_latest(struct og_pending *pending, og_bytes id, uint32_t *out)
{
    const uint64_t hash = hash_of(id);
    pthread_rwlock_rdlock(&pending->lock);
    const unsigned young = pending->young;
    const bool found = find_latest(&pending->lots[young], id, hash, out) ||
                       find_latest(&pending->lots[1 - young], id, hash, out);
    pthread_rwlock_unlock(&pending->lock);
    return found;
}

/* ---- copies ---- */

/* Different origins have different hashes. */
static uint64_t origin_hash(uint32_t origin)
{
    return og_mix64(origin);
}

/* Copy number i becomes the last one of its origin. */
static void link_copy(struct og_pending_batch *lot, uint32_t i)
{
    const uint64_t hash = origin_hash(lot->copies[i].origin);
    struct og_hash_slot *slot = og_hash_table_next(&lot->origins, hash, hash);
    lot->copies[i].next = i;
    if (slot->number == 0) {
        og_hash_table_put(&lot->origins, slot, hash, (uint64_t)i + 1);
        return;
    }
    struct og_pending_copy *last = &lot->copies[slot->number - 1];
    lot->copies[i].next = last->next;
    last->next = i;
    slot->number = (uint64_t)i + 1;
}

/* Room for those of one more document. The table has 64 slots at least and is
 * at most half full, so there are free ones for all of them. */
static bool reserve_copies(struct og_pending_batch *lot,
                           const og_allocator *allocator)
{
    _Static_assert(OG_ENTRY_ORIGINS <= 32, "more than half of 64 slots");
    return OG_GROW(allocator, lot->copies, lot->copies_cap,
                   lot->n_copies + OG_ENTRY_ORIGINS) &&
           og_hash_table_reserve(&lot->origins);
}

static size_t find_copiers(const struct og_pending_batch *lot, uint32_t origin,
                           size_t max, struct og_pending_copy *out)
{
    const uint64_t hash = origin_hash(origin);
    size_t n = 0;
    if (lot->origins.n == 0) return 0;
    const struct og_hash_slot *slot =
        og_hash_table_next(&lot->origins, hash, hash);
    if (slot->number == 0) return 0;
    const uint32_t last = (uint32_t)slot->number - 1;
    uint32_t at = last;
    do {
        at = lot->copies[at].next;
        if (n < max) out[n++] = lot->copies[at];
    } while (at != last && n < max);
    return n;
}

size_t og_pending_copiers(struct og_pending *pending, uint32_t origin,
                          size_t max, struct og_pending_copy *out)
{
    pthread_rwlock_rdlock(&pending->lock);
    const unsigned young = pending->young;
    size_t n = find_copiers(&pending->lots[1 - young], origin, max, out);
    n += find_copiers(&pending->lots[young], origin, max - n, out + n);
    pthread_rwlock_unlock(&pending->lock);
    return n;
}

/* ---- entries ---- */

og_status og_pending_reserve(struct og_pending *pending, og_error *err)
{
    const og_allocator *allocator = pending->allocator;
    struct og_pending_batch *lot = young_of(pending);
    og_status status = OG_OK;
    pthread_rwlock_wrlock(&pending->lock);
    if (!OG_GROW(allocator, lot->entries, lot->cap, lot->n + 1) ||
        !reserve_copies(lot, allocator) || !og_hash_table_reserve(&lot->ids))
        status = og_error_memory(err, lot->n * sizeof(*lot->entries),
                                 "the catalogue");
    pthread_rwlock_unlock(&pending->lock);
    return status;
}

og_status og_pending_append(struct og_pending *pending, og_bytes bytes,
                            const struct og_entry *entry, og_error *err)
{
    struct og_pending_batch *lot = young_of(pending);
    const char *copy = og_arena_copy(&lot->arena, bytes.data, bytes.len, 1);
    if (copy == NULL) return og_error_memory(err, bytes.len, "an entry");
    const uint64_t hash = hash_of(entry->id);
    const uint32_t number = lot->first + (uint32_t)lot->n;
    pthread_rwlock_wrlock(&pending->lock);
    for (uint32_t i = 0; i < entry->n_origins; i++) {
        lot->copies[lot->n_copies] = (struct og_pending_copy){
            entry->origins[i].doc, number, entry->origins[i].n_tokens, 0};
        link_copy(lot, (uint32_t)lot->n_copies++);
    }
    struct og_hash_slot *slot = og_hash_table_next(&lot->ids, hash, hash);
    if (slot->number == 0)
        og_hash_table_put(&lot->ids, slot, hash, (uint64_t)number + 1);
    slot->number = (uint64_t)number + 1; /* the latest */
    lot->entries[lot->n++] = (og_bytes){copy, bytes.len};
    pthread_rwlock_unlock(&pending->lock);
    lot->bytes += bytes.len;
    return OG_OK;
}

og_status og_pending_remove(struct og_pending *pending, uint32_t number,
                            og_error *err)
{
    struct og_pending_batch *lot = young_of(pending);
    if (!OG_GROW(pending->allocator, lot->removed, lot->removed_cap,
                 lot->n_removed + 1))
        return og_error_memory(err, sizeof(number), "the catalogue");
    lot->removed[lot->n_removed++] = number;
    return OG_OK;
}

bool og_pending_get(struct og_pending *pending, uint32_t number,
                    struct og_arena *arena, og_bytes *out)
{
    bool is_here = false;
    *out = (og_bytes){NULL, 0};
    pthread_rwlock_rdlock(&pending->lock);
    for (int i = 0; i < 2 && !is_here; i++) {
        const struct og_pending_batch *lot = &pending->lots[i];
        is_here = number >= lot->first && number - lot->first < lot->n;
        if (!is_here) continue;
        const og_bytes entry = lot->entries[number - lot->first];
        out->data = og_arena_copy(arena, entry.data, entry.len, 1);
        out->len = entry.len;
    }
    pthread_rwlock_unlock(&pending->lock);
    return is_here;
}

size_t og_pending_memory(const struct og_pending *pending)
{
    size_t bytes = 0;
    for (int i = 0; i < 2; i++) {
        const struct og_pending_batch *lot = &pending->lots[i];
        bytes += lot->bytes + lot->cap * sizeof(*lot->entries) +
                 lot->copies_cap * sizeof(*lot->copies) +
                 (lot->ids.cap + lot->origins.cap) * sizeof(*lot->ids.slots);
    }
    return bytes;
}

uint32_t og_pending_first(struct og_pending *pending)
{
    pthread_rwlock_rdlock(&pending->lock);
    const struct og_pending_batch *old = og_pending_frozen(pending);
    const uint32_t first =
        old != NULL ? old->first : og_pending_active(pending)->first;
    pthread_rwlock_unlock(&pending->lock);
    return first;
}
