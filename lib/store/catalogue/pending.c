/* Readers copy what they need under a read lock; clearing takes the lock for
 * writing: entries are freed when they are on disk, and no reader may use them
 * then. */

#include "lib/store/catalogue/pending.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/checksum.h"
#include "lib/base/hash_table.h"
#include "lib/os/secret.h"

/* Arenas that grew larger are shrunk when they are cleared. */
#define KEEP_LEN ((size_t)1 << 20)

/* ---- slots ---- */

#define FEWEST_SLOTS 64

/* Room for n more. False: no memory, and nothing has changed. */
static bool reserve_slots(struct og_pending_slots *s, size_t n,
                          const og_allocator *allocator)
{
    struct og_pending_slots wider = *s;
    if (2 * (s->n + n) <= s->n_slots) return true;
    wider.n_slots = og_hash_slots_for(s->n + n, FEWEST_SLOTS);
    wider.slots =
        og_allocate_zero(allocator, wider.n_slots * sizeof(*wider.slots));
    if (wider.slots == NULL) return false;
    for (size_t i = 0; i < s->n_slots; i++) {
        size_t at;
        if (s->slots[i].member == 0) continue;
        OG_PROBE(at, s->slots[i].hash, wider.n_slots,
                 wider.slots[at].member == 0)
        wider.slots[at] = s->slots[i];
    }
    OG_UNGROW(allocator, s->slots, s->n_slots);
    *s = wider;
    return true;
}

static void empty_slots(struct og_pending_slots *s)
{
    if (s->n != 0) memset(s->slots, 0, s->n_slots * sizeof(*s->slots));
    s->n = 0;
}

typedef bool is_member_fn(const struct og_pending_batch *lot, uint32_t member,
                          const void *key);

/* The slot of the member with the key, or the free one for it. */
static struct og_pending_slot *find_slot(const struct og_pending_batch *lot,
                                         const struct og_pending_slots *s,
                                         uint32_t hash, is_member_fn *is_member,
                                         const void *key)
{
    size_t at;
    OG_PROBE(at, hash, s->n_slots,
             s->slots[at].member == 0 ||
                 (s->slots[at].hash == hash &&
                  is_member(lot, s->slots[at].member - 1, key)))
    return &s->slots[at];
}

static void set_slot(struct og_pending_slots *s, struct og_pending_slot *slot,
                     uint32_t hash, size_t member)
{
    s->n += slot->member == 0;
    *slot = (struct og_pending_slot){hash, (uint32_t)member + 1};
}

/* ---- init, release ---- */

void og_pending_init(struct og_pending *pending, uint32_t first,
                     const og_allocator *allocator)
{
    *pending = (struct og_pending){.allocator = allocator};
    pthread_rwlock_init(&pending->lock, NULL);
    for (int i = 0; i < 2; i++)
        og_arena_init(&pending->lots[i].arena, allocator);
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
        OG_UNGROW(a, lot->ids.slots, lot->ids.n_slots);
        OG_UNGROW(a, lot->origins.slots, lot->origins.n_slots);
        OG_UNGROW(a, lot->lists, lot->lists_cap);
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
    old->n_lists = old->n_copies = 0;
    empty_slots(&old->ids);
    empty_slots(&old->origins);
    og_arena_clear(&old->arena, KEEP_LEN);
    pthread_rwlock_unlock(&pending->lock);
}

/* ---- ids ---- */

/* Hashed with a key of this process: nobody can choose ids that share slots. */
static uint32_t hash_of(og_bytes id)
{
    return (uint32_t)og_checksum_after(og_secret(), id.data, id.len);
}

static bool has_id(const struct og_pending_batch *lot, uint32_t member,
                   const void *key)
{
    const og_bytes *id = key;
    struct og_entry entry;
    return og_entry_unpack(lot->entries[member], &entry) &&
           entry.id.len == id->len &&
           (id->len == 0 || memcmp(entry.id.data, id->data, id->len) == 0);
}

static bool find_latest(const struct og_pending_batch *lot, og_bytes id,
                        uint32_t hash, uint32_t *out)
{
    if (lot->ids.n == 0) return false;
    const struct og_pending_slot *slot =
        find_slot(lot, &lot->ids, hash, has_id, &id);
    if (slot->member == 0) return false;
    *out = lot->first + slot->member - 1;
    return true;
}

bool og_pending_latest(struct og_pending *pending, og_bytes id, uint32_t *out)
{
    const uint32_t hash = hash_of(id);
    pthread_rwlock_rdlock(&pending->lock);
    const unsigned young = pending->young;
    const bool found = find_latest(&pending->lots[young], id, hash, out) ||
                       find_latest(&pending->lots[1 - young], id, hash, out);
    pthread_rwlock_unlock(&pending->lock);
    return found;
}

/* ---- copies ---- */

static uint32_t origin_hash(uint32_t origin)
{
    return (uint32_t)og_mix64(origin);
}

static bool has_origin(const struct og_pending_batch *lot, uint32_t member,
                       const void *key)
{
    return lot->lists[member].origin == *(const uint32_t *)key;
}

/* Appends an empty list for the origin, after `last` if there is one. */
static struct og_pending_copies *add_list(struct og_pending_batch *lot,
                                          uint32_t origin,
                                          struct og_pending_copies *last)
{
    const uint32_t number = (uint32_t)lot->n_lists++;
    struct og_pending_copies *list = &lot->lists[number];
    *list = (struct og_pending_copies){.origin = origin, .next = number};
    if (last == NULL) return list;
    list->next = last->next;
    last->next = number;
    return list;
}

static void add_copy(struct og_pending_batch *lot, uint32_t origin,
                     uint32_t copier)
{
    const uint32_t hash = origin_hash(origin);
    struct og_pending_slot *slot =
        find_slot(lot, &lot->origins, hash, has_origin, &origin);
    struct og_pending_copies *list =
        slot->member != 0 ? &lot->lists[slot->member - 1] : NULL;
    if (list == NULL || list->n == OG_PENDING_COPIERS)
        list = add_list(lot, origin, list);
    list->copiers[list->n++] = copier;
    lot->n_copies++;
    set_slot(&lot->origins, slot, hash, (size_t)(list - lot->lists));
}

/* Room for so many more copies. */
static bool reserve_copies(struct og_pending_batch *lot, size_t n,
                           const og_allocator *allocator)
{
    return OG_GROW(allocator, lot->lists, lot->lists_cap, lot->n_lists + n) &&
           reserve_slots(&lot->origins, n, allocator);
}

static size_t find_copiers(const struct og_pending_batch *lot, uint32_t origin,
                           size_t max, uint32_t *out)
{
    size_t n = 0;
    if (lot->origins.n == 0) return 0;
    const struct og_pending_slot *slot =
        find_slot(lot, &lot->origins, origin_hash(origin), has_origin, &origin);
    if (slot->member == 0) return 0;
    const uint32_t last = slot->member - 1;
    uint32_t at = last;
    do {
        at = lot->lists[at].next;
        const struct og_pending_copies *list = &lot->lists[at];
        for (uint32_t i = 0; i < list->n && n < max; i++)
            out[n++] = list->copiers[i];
    } while (at != last && n < max);
    return n;
}

size_t og_pending_copiers(struct og_pending *pending, uint32_t origin,
                          size_t max, uint32_t *out)
{
    pthread_rwlock_rdlock(&pending->lock);
    const unsigned young = pending->young;
    size_t n = find_copiers(&pending->lots[1 - young], origin, max, out);
    n += find_copiers(&pending->lots[young], origin, max - n, out + n);
    pthread_rwlock_unlock(&pending->lock);
    return n;
}

/* ---- entries ---- */

og_status og_pending_reserve_all(struct og_pending *pending, size_t n,
                                 size_t n_origins, og_error *err)
{
    const og_allocator *allocator = pending->allocator;
    struct og_pending_batch *lot = young_of(pending);
    og_status status = OG_OK;
    pthread_rwlock_wrlock(&pending->lock);
    if (!OG_GROW(allocator, lot->entries, lot->cap, lot->n + n) ||
        !reserve_copies(lot, n_origins, allocator) ||
        !reserve_slots(&lot->ids, n, allocator))
        status = og_error_memory(err, lot->n * sizeof(*lot->entries),
                                 "the catalogue");
    pthread_rwlock_unlock(&pending->lock);
    return status;
}

og_status og_pending_reserve(struct og_pending *pending, og_error *err)
{
    return og_pending_reserve_all(pending, 1, OG_ENTRY_ORIGINS, err);
}

og_status og_pending_append_bytes(struct og_pending *pending, og_bytes bytes,
                                  og_error *err)
{
    struct og_pending_batch *lot = young_of(pending);
    const char *copy = og_arena_copy(&lot->arena, bytes.data, bytes.len, 1);
    if (copy == NULL) return og_error_memory(err, bytes.len, "an entry");
    pthread_rwlock_wrlock(&pending->lock);
    lot->entries[lot->n++] = (og_bytes){copy, bytes.len};
    pthread_rwlock_unlock(&pending->lock);
    lot->bytes += bytes.len;
    return OG_OK;
}

void og_pending_index(struct og_pending *pending, uint32_t number,
                      const struct og_entry *entry)
{
    struct og_pending_batch *lot = young_of(pending);
    const uint32_t hash = hash_of(entry->id);
    pthread_rwlock_wrlock(&pending->lock);
    for (uint32_t i = 0; i < entry->n_origins; i++)
        add_copy(lot, entry->origins[i].doc, number);
    set_slot(&lot->ids, find_slot(lot, &lot->ids, hash, has_id, &entry->id),
             hash, number - lot->first); /* the latest */
    pthread_rwlock_unlock(&pending->lock);
}

og_status og_pending_append(struct og_pending *pending, og_bytes bytes,
                            const struct og_entry *entry, og_error *err)
{
    const struct og_pending_batch *lot = young_of(pending);
    TRY(og_pending_append_bytes(pending, bytes, err));
    og_pending_index(pending, lot->first + (uint32_t)lot->n - 1, entry);
    return OG_OK;
}

static void fetch_slot(const struct og_pending_slots *s, uint32_t hash)
{
    if (s->n_slots != 0) __builtin_prefetch(&s->slots[hash & (s->n_slots - 1)]);
}

void og_pending_expect_id(const struct og_pending *pending, og_bytes id)
{
    fetch_slot(&og_pending_active(pending)->ids, hash_of(id));
}

void og_pending_expect(const struct og_pending *pending,
                       const struct og_entry *entry)
{
    const struct og_pending_batch *lot = og_pending_active(pending);
    fetch_slot(&lot->ids, hash_of(entry->id));
    for (uint32_t i = 0; i < entry->n_origins; i++)
        fetch_slot(&lot->origins, origin_hash(entry->origins[i].doc));
}

void og_pending_expect_lists(const struct og_pending *pending,
                             const struct og_entry *entry)
{
    const struct og_pending_batch *lot = og_pending_active(pending);
    const struct og_pending_slots *s = &lot->origins;
    for (uint32_t i = 0; s->n_slots != 0 && i < entry->n_origins; i++) {
        const uint32_t hash = origin_hash(entry->origins[i].doc);
        const struct og_pending_slot *slot = &s->slots[hash & (s->n_slots - 1)];
        if (slot->member != 0 && slot->hash == hash)
            __builtin_prefetch(&lot->lists[slot->member - 1], 1);
    }
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
        bytes +=
            lot->bytes + lot->cap * sizeof(*lot->entries) +
            lot->lists_cap * sizeof(*lot->lists) +
            (lot->ids.n_slots + lot->origins.n_slots) * sizeof(*lot->ids.slots);
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
