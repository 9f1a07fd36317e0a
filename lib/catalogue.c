/* Ids, times and order.
 *
 * Readers follow a number they found in the table. The writer wrote the entry
 * before it put the number there, and the table's stripes hand that order on,
 * so an entry needs no lock: it is enough that it never moves. Hence levels
 * that double in size, instead of one array that is copied when it grows.
 *
 * A reader must also know where its question stands in the order. It takes the
 * latest time and the number of documents that were *published*, that is, are
 * in the table whole. A document that is being added right now comes behind
 * that place, so its prints are passed over, and the answer is that of the
 * moment before; unless the document is an older one that takes origins over,
 * in which case it comes before the question and is the better answer.
 *
 * Ids are compared by a 64-bit hash. Two different ids with one hash would only
 * lead to a message too many. */

#include "lib/catalogue.h"

#include <assert.h>
#include <stdatomic.h>

#include "lib/base/bits.h"
#include "lib/table/table.h"
#include "lib/token/tokens.h"

void og_catalogue_init(struct og_catalogue *catalogue,
                       const og_allocator *allocator)
{
    *catalogue = (struct og_catalogue){.allocator = allocator,
                                       .latest = INT64_MIN,
                                       .latest_published = INT64_MIN};
    og_arena_init(&catalogue->ids, allocator);
}

static size_t level_len(unsigned level)
{
    return ((size_t)OG_CATALOGUE_FIRST << level) *
           sizeof(struct og_catalogue_entry);
}

void og_catalogue_release(struct og_catalogue *catalogue)
{
    const og_allocator *a = catalogue->allocator;
    for (unsigned i = 0; i < OG_CATALOGUE_LEVELS; i++)
        og_release(a, atomic_load(&catalogue->levels[i]), level_len(i));
    og_arena_release(&catalogue->ids);
    OG_UNGROW(a, catalogue->hashes, catalogue->hashes_cap);
    og_catalogue_init(catalogue, a);
}

/* ---- entries ---- */

struct seat {
    unsigned level;
    size_t index;
};

/* Numbers 0 to FIRST - 1 are on level 0, the next 2 * FIRST on level 1. */
static struct seat seat_of(uint32_t number)
{
    const uint64_t shifted = (uint64_t)number + OG_CATALOGUE_FIRST;
    const unsigned level = (unsigned)(63 - __builtin_clzll(shifted)) -
                           (unsigned)__builtin_ctz(OG_CATALOGUE_FIRST);
    return (struct seat){level,
                         shifted - ((uint64_t)OG_CATALOGUE_FIRST << level)};
}

const struct og_catalogue_entry *
og_catalogue_get(const struct og_catalogue *catalogue, uint32_t number)
{
    const struct seat seat = seat_of(number);
    const struct og_catalogue_entry *level = atomic_load_explicit(
        &catalogue->levels[seat.level], memory_order_acquire);
    assert(level != NULL);
    return level + seat.index;
}

/* The place of the next entry; NULL: no memory. */
static struct og_catalogue_entry *reserve_entry(struct og_catalogue *catalogue)
{
    const struct seat seat = seat_of(catalogue->n);
    struct og_catalogue_entry *level = atomic_load_explicit(
        &catalogue->levels[seat.level], memory_order_relaxed);
    if (level == NULL) {
        level = og_allocate(catalogue->allocator, level_len(seat.level));
        if (level == NULL) return NULL;
        atomic_store_explicit(&catalogue->levels[seat.level], level,
                              memory_order_release);
    }
    return level + seat.index;
}

/* ---- ids ---- */

static uint64_t hash_of(og_bytes id)
{
    const uint64_t hash = og_token_hash(id.data, id.len, 0);
    return hash != 0 ? hash : 1;
}

/* Where a hash is, or the empty place where it belongs. */
static size_t hash_place(const uint64_t *hashes, size_t cap, uint64_t hash)
{
    size_t i = og_mul_high(og_mix64(hash), cap);
    while (hashes[i] != 0 && hashes[i] != hash)
        i = i + 1 < cap ? i + 1 : 0;
    return i;
}

bool og_catalogue_has(const struct og_catalogue *catalogue, og_bytes id)
{
    if (catalogue->hashes_cap == 0) return false;
    const size_t place =
        hash_place(catalogue->hashes, catalogue->hashes_cap, hash_of(id));
    return catalogue->hashes[place] != 0;
}

/* Room for one more, at most three quarters full. */
static bool reserve_hash(struct og_catalogue *catalogue)
{
    const og_allocator *a = catalogue->allocator;
    const size_t old_cap = catalogue->hashes_cap;
    if (catalogue->n_hashes + 1 <= old_cap / 4 * 3) return true;
    const size_t cap = old_cap == 0 ? 1024 : 2 * old_cap;
    uint64_t *hashes = og_allocate_zero(a, cap * sizeof(*hashes));
    if (hashes == NULL) return false;
    for (size_t i = 0; i < old_cap; i++) {
        const uint64_t hash = catalogue->hashes[i];
        if (hash != 0) hashes[hash_place(hashes, cap, hash)] = hash;
    }
    OG_UNGROW(a, catalogue->hashes, catalogue->hashes_cap);
    catalogue->hashes = hashes;
    catalogue->hashes_cap = cap;
    return true;
}

static void remember_hash(struct og_catalogue *catalogue, og_bytes id)
{
    const uint64_t hash = hash_of(id);
    uint64_t *place = &catalogue->hashes[hash_place(
        catalogue->hashes, catalogue->hashes_cap, hash)];
    catalogue->n_hashes += *place == 0;
    *place = hash;
}

/* ---- order ---- */

struct og_place og_catalogue_place(const struct og_catalogue *catalogue,
                                   const og_document *doc)
{
    return (struct og_place){doc->has_time ? doc->time : catalogue->latest,
                             catalogue->n};
}

/* The time is read first and published first, so a document that comes between
 * the two reads is passed over whole. */
struct og_place og_catalogue_place_shared(const struct og_catalogue *catalogue,
                                          const og_document *doc)
{
    const int64_t latest = atomic_load_explicit(&catalogue->latest_published,
                                                memory_order_acquire);
    const uint32_t n =
        atomic_load_explicit(&catalogue->n_published, memory_order_acquire);
    return (struct og_place){doc->has_time ? doc->time : latest, n};
}

bool og_catalogue_is_last(const struct og_catalogue *catalogue,
                          struct og_place place)
{
    return place.time >= catalogue->latest;
}

bool og_catalogue_is_before(const struct og_catalogue *catalogue,
                            uint32_t number, struct og_place place)
{
    const int64_t time = og_catalogue_get(catalogue, number)->time;
    if (time != place.time) return time < place.time;
    return number < place.number;
}

bool og_catalogue_earlier(const void *catalogue, uint32_t a, uint32_t b)
{
    const struct og_place place = {og_catalogue_get(catalogue, b)->time, b};
    return og_catalogue_is_before(catalogue, a, place);
}

/* ---- writing ---- */

og_status og_catalogue_append(struct og_catalogue *catalogue,
                              const og_document *doc, og_error *err)
{
    if (catalogue->n == OG_NO_DOC)
        return og_error_set(err, OG_ERR_LIMIT,
                            "the store is full: it has %u documents",
                            catalogue->n);
    if (doc->id.len > UINT32_MAX)
        return og_error_set(err, OG_ERR_LIMIT, "an id of %zu bytes is too long",
                            doc->id.len);
    struct og_catalogue_entry *entry = reserve_entry(catalogue);
    if (entry == NULL || !reserve_hash(catalogue))
        return og_error_memory(err, sizeof(*entry), "the catalogue");
    const char *id =
        og_arena_copy(&catalogue->ids, doc->id.data, doc->id.len, 1);
    if (id == NULL) return og_error_memory(err, doc->id.len, "an id");
    const struct og_place place = og_catalogue_place(catalogue, doc);
    *entry = (struct og_catalogue_entry){.id = id,
                                         .time = place.time,
                                         .id_len = (uint32_t)doc->id.len,
                                         .has_time = doc->has_time};
    remember_hash(catalogue, doc->id);
    if (place.time > catalogue->latest) catalogue->latest = place.time;
    catalogue->n++;
    return OG_OK;
}

void og_catalogue_publish(struct og_catalogue *catalogue)
{
    atomic_store_explicit(&catalogue->latest_published, catalogue->latest,
                          memory_order_release);
    atomic_store_explicit(&catalogue->n_published, catalogue->n,
                          memory_order_release);
}
