/* Readers copy what they need under a lock that only the clearing takes alone:
 * entries go away when they are on disk, and nobody may look at them then. */

#include "lib/pending.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/token/tokens.h"

/* Arenas that held more give it back when they are cleared. */
#define KEEP_LEN ((size_t)1 << 20)

void og_pending_init(struct og_pending *pending, uint32_t first,
                     const og_allocator *allocator)
{
    *pending = (struct og_pending){.allocator = allocator, .first = first};
    pthread_rwlock_init(&pending->lock, NULL);
    og_arena_init(&pending->arena, allocator);
}

void og_pending_release(struct og_pending *pending)
{
    const og_allocator *a = pending->allocator;
    OG_UNGROW(a, pending->entries, pending->cap);
    OG_UNGROW(a, pending->ids, pending->ids_cap);
    OG_UNGROW(a, pending->copies, pending->copies_cap);
    OG_UNGROW(a, pending->removed, pending->removed_cap);
    og_arena_release(&pending->arena);
    pthread_rwlock_destroy(&pending->lock);
}

/* ---- ids ---- */

static uint64_t hash_of(og_bytes id)
{
    const uint64_t hash = og_token_hash(id.data, id.len, 0);
    return hash != 0 ? hash : 1;
}

/* Where a hash is, or the empty place where it belongs. */
static size_t id_place(const struct og_pending_id *ids, size_t cap,
                       uint64_t hash)
{
    size_t i = og_mul_high(og_mix64(hash), cap);
    while (ids[i].hash != 0 && ids[i].hash != hash)
        i = i + 1 < cap ? i + 1 : 0;
    return i;
}

/* Room for one more, at most three quarters full. */
static bool reserve_id(struct og_pending *p)
{
    if (p->n_ids + 1 <= p->ids_cap / 4 * 3) return true;
    const size_t cap = p->ids_cap == 0 ? 1024 : 2 * p->ids_cap;
    struct og_pending_id *ids =
        og_allocate_zero(p->allocator, cap * sizeof(*ids));
    if (ids == NULL) return false;
    for (size_t i = 0; i < p->ids_cap; i++)
        if (p->ids[i].hash != 0)
            ids[id_place(ids, cap, p->ids[i].hash)] = p->ids[i];
    OG_UNGROW(p->allocator, p->ids, p->ids_cap);
    p->ids = ids;
    p->ids_cap = cap;
    return true;
}

static bool has_id(const struct og_pending *p, uint32_t number, og_bytes id)
{
    struct og_entry entry;
    return og_entry_unpack(p->entries[number - p->first], &entry) &&
           entry.id.len == id.len &&
           (id.len == 0 || memcmp(entry.id.data, id.data, id.len) == 0);
}

/* Ids are told apart by their hash; two that share one are taken for different
 * documents, since the entry is compared. */
static bool find_latest(const struct og_pending *pending, og_bytes id,
                        uint32_t *out)
{
    if (pending->n_ids == 0) return false;
    const struct og_pending_id *place =
        &pending->ids[id_place(pending->ids, pending->ids_cap, hash_of(id))];
    if (place->hash == 0 || !has_id(pending, place->number, id)) return false;
    *out = place->number;
    return true;
}

bool og_pending_latest(struct og_pending *pending, og_bytes id, uint32_t *out)
{
    pthread_rwlock_rdlock(&pending->lock);
    const bool found = find_latest(pending, id, out);
    pthread_rwlock_unlock(&pending->lock);
    return found;
}

/* ---- entries ---- */

og_status og_pending_reserve(struct og_pending *pending, og_error *err)
{
    og_status status = OG_OK;
    pthread_rwlock_wrlock(&pending->lock);
    if (!OG_GROW(pending->allocator, pending->entries, pending->cap,
                 pending->n + 1) ||
        !OG_GROW(pending->allocator, pending->copies, pending->copies_cap,
                 pending->n_copies + OG_ENTRY_ORIGINS) ||
        !reserve_id(pending))
        status = og_error_memory(err, pending->n * sizeof(*pending->entries),
                                 "the catalogue");
    pthread_rwlock_unlock(&pending->lock);
    return status;
}

og_status og_pending_append(struct og_pending *pending, og_bytes bytes,
                            const struct og_entry *entry, og_error *err)
{
    struct og_pending *p = pending;
    const char *copy = og_arena_copy(&p->arena, bytes.data, bytes.len, 1);
    if (copy == NULL) return og_error_memory(err, bytes.len, "an entry");
    const uint64_t hash = hash_of(entry->id);
    const uint32_t number = p->first + (uint32_t)p->n;
    pthread_rwlock_wrlock(&p->lock);
    for (uint32_t i = 0; i < entry->n_origins; i++)
        p->copies[p->n_copies++] = (struct og_pending_copy){
            entry->origins[i].doc, number, entry->origins[i].n_tokens};
    struct og_pending_id *place = &p->ids[id_place(p->ids, p->ids_cap, hash)];
    p->n_ids += place->hash == 0;
    *place = (struct og_pending_id){hash, number};
    p->entries[p->n++] = (og_bytes){copy, bytes.len};
    pthread_rwlock_unlock(&p->lock);
    p->bytes += bytes.len;
    return OG_OK;
}

og_status og_pending_remove(struct og_pending *pending, uint32_t number,
                            og_error *err)
{
    if (!OG_GROW(pending->allocator, pending->removed, pending->removed_cap,
                 pending->n_removed + 1))
        return og_error_memory(err, sizeof(number), "the catalogue");
    pending->removed[pending->n_removed++] = number;
    return OG_OK;
}

bool og_pending_get(struct og_pending *pending, uint32_t number,
                    struct og_arena *arena, og_bytes *out)
{
    *out = (og_bytes){NULL, 0};
    pthread_rwlock_rdlock(&pending->lock);
    const bool is_here =
        number >= pending->first && number - pending->first < pending->n;
    if (is_here) {
        const og_bytes entry = pending->entries[number - pending->first];
        out->data = og_arena_copy(arena, entry.data, entry.len, 1);
        out->len = entry.len;
    }
    pthread_rwlock_unlock(&pending->lock);
    return is_here;
}

uint32_t og_pending_first(struct og_pending *pending)
{
    pthread_rwlock_rdlock(&pending->lock);
    const uint32_t first = pending->first;
    pthread_rwlock_unlock(&pending->lock);
    return first;
}

size_t og_pending_copiers(struct og_pending *pending, uint32_t origin,
                          size_t max, struct og_pending_copy *out)
{
    size_t n = 0;
    pthread_rwlock_rdlock(&pending->lock);
    for (size_t i = 0; i < pending->n_copies && n < max; i++)
        if (pending->copies[i].origin == origin) out[n++] = pending->copies[i];
    pthread_rwlock_unlock(&pending->lock);
    return n;
}

void og_pending_clear(struct og_pending *pending, uint32_t first)
{
    pthread_rwlock_wrlock(&pending->lock);
    pending->first = first;
    pending->n = 0;
    pending->bytes = 0;
    pending->n_removed = 0;
    pending->n_copies = 0;
    pending->n_ids = 0;
    if (pending->ids != NULL)
        memset(pending->ids, 0, pending->ids_cap * sizeof(*pending->ids));
    og_arena_clear(&pending->arena, KEEP_LEN);
    pthread_rwlock_unlock(&pending->lock);
}
