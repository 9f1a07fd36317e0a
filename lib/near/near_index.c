/* Entries in an array of fixed length that is used as a ring, and for each band
 * a table of chains over them.
 *
 *     entry: [sketch][next entry of each band][document]
 *     band:  [newest entry of each bucket]
 *
 * The hand of the ring goes round; an entry that was matched since the hand
 * last passed is skipped once, and thereby moves to the front (a second
 * chance). Evicted entries are removed from their chains. No query reads more
 * than MOST_MET entries of a chain, so if the evicted one is farther along, the
 * chain is cut there: a million equal documents cost the same each.
 *
 * Links are numbers of entries from 1 on, 0 is none: so an index begins as
 * pages of zeros, and those that no entry needs are never touched. Few entries
 * have few buckets, in the first pages, and all are rehashed when there are
 * more. So opening an index of few documents costs in proportion to them rather
 * than to its capacity. The matches of a query do not depend on it: entries
 * that would be in another bucket of the full table are skipped. */

#include "lib/near/near_index.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/os/pages.h"

#define NONE      0
#define MOST_MET  OG_NEAR_MOST_MET
#define MOST_ROOM (UINT32_MAX / 2)
/* Initial number of buckets, and the factor of each growth. */
#define FIRST_BUCKETS 1024
#define GROWTH        4
/* The most entries of other buckets that a query skips. */
#define MOST_PASSED (4 * MOST_MET)

struct head {
    uint32_t document;
    bool is_touched, is_used;
    uint8_t layer; /* its segment, or OG_NEAR_UNSAVED */
};
_Static_assert(sizeof(struct head) == 8, "a layer costs no memory");

struct og_near_index {
    const og_allocator *allocator;
    struct og_near_band bands[OG_NEAR_BANDS_MAX];
    size_t n_bands, sketch_len;
    uint32_t room, n, hand;
    uint32_t n_begun;       /* places that were ever used, from the first on */
    uint32_t n_buckets;     /* per band now, a power of two */
    uint32_t n_all_buckets; /* per band when there are many entries */
    size_t n_old_links;     /* of `newest`, from before it grew */
    uint64_t n_evicted;
    uint8_t *sketches;
    uint32_t *next;   /* [entry][band], links */
    uint32_t *newest; /* [band][bucket], links */
    struct head *heads;
    struct og_pages newest_pages, heads_pages;
    uint8_t *moved; /* two sketches */
};

static size_t entry_len(const struct og_near_index *x)
{
    return x->sketch_len + x->n_bands * sizeof(uint32_t) + sizeof(struct head);
}

static og_status make_tables(struct og_near_index *x, uint64_t memory,
                             og_error *err)
{
    const og_allocator *a = x->allocator;
    const size_t n_links = (size_t)x->n_all_buckets * x->n_bands;
    x->sketches = og_allocate(a, x->room * x->sketch_len);
    x->next = og_allocate(a, x->room * x->n_bands * sizeof(*x->next));
    x->moved = og_allocate(a, 2 * x->sketch_len);
    if (x->sketches == NULL || x->next == NULL || x->moved == NULL)
        return og_error_memory(err, (size_t)memory, "an index");
    TRY(og_pages_init(&x->heads_pages, x->room * sizeof(*x->heads), a, err));
    TRY(og_pages_init(&x->newest_pages, n_links * sizeof(*x->newest), a, err));
    x->heads = x->heads_pages.data;
    x->newest = x->newest_pages.data;
    return OG_OK;
}

og_status og_near_index_new(const struct og_near_band *bands, size_t n_bands,
                            size_t sketch_len, uint64_t memory,
                            const og_allocator *allocator,
                            struct og_near_index **out, og_error *err)
{
    struct og_near_index *x = og_allocate_zero(allocator, sizeof(*x));
    if (x == NULL) return og_error_memory(err, sizeof(*x), "an index");
    x->allocator = allocator;
    memcpy(x->bands, bands, n_bands * sizeof(*bands));
    x->n_bands = n_bands;
    x->sketch_len = sketch_len;
    /* A bucket for every one or two entries. */
    const size_t each = entry_len(x) + n_bands * sizeof(uint32_t);
    uint64_t room = memory / each;
    if (room > MOST_ROOM) room = MOST_ROOM;
    if (room < 16) room = 16;
    x->room = (uint32_t)room;
    x->n_all_buckets = 16;
    while (x->n_all_buckets <= x->room / 2)
        x->n_all_buckets *= 2;
    x->n_buckets =
        x->n_all_buckets < FIRST_BUCKETS ? x->n_all_buckets : FIRST_BUCKETS;
    const og_status status = make_tables(x, memory, err);
    if (status != OG_OK) {
        og_near_index_free(x);
        return status;
    }
    *out = x;
    return OG_OK;
}

void og_near_index_free(struct og_near_index *x)
{
    if (x == NULL) return;
    const og_allocator *a = x->allocator;
    og_release(a, x->moved, 2 * x->sketch_len);
    og_release(a, x->sketches, x->room * x->sketch_len);
    og_release(a, x->next, x->room * x->n_bands * sizeof(*x->next));
    og_pages_release(&x->heads_pages);
    og_pages_release(&x->newest_pages);
    og_release(a, x, sizeof(*x));
}

/* ---- chains ---- */

static uint8_t *sketch_of(const struct og_near_index *x, uint32_t entry)
{
    return x->sketches + (size_t)entry * x->sketch_len;
}

static uint32_t link_to(uint32_t entry)
{
    return entry + 1;
}

static uint32_t entry_of(uint32_t link)
{
    return link - 1;
}

static uint32_t *next_of(const struct og_near_index *x, uint32_t entry,
                         size_t band)
{
    return &x->next[(size_t)entry * x->n_bands + band];
}

static uint64_t key_of(const struct og_near_index *x, const uint8_t *sketch,
                       size_t band)
{
    const struct og_near_band b = x->bands[band];
    uint64_t key = band + 1;
    for (size_t i = 0; i < b.len; i += 8) {
        uint64_t word = 0;
        const size_t n = b.len - i < 8 ? b.len - i : 8;
        memcpy(&word, sketch + b.off + i, n);
        key = og_mix64(key ^ word);
    }
    return key;
}

static uint32_t *bucket_of(const struct og_near_index *x, const uint8_t *sketch,
                           size_t band)
{
    const uint64_t key = key_of(x, sketch, band);
    return &x->newest[band * x->n_buckets + (key & (x->n_buckets - 1))];
}

/* Whether both would be in one bucket if all buckets were in use. */
static bool is_of_bucket(const struct og_near_index *x, uint32_t entry,
                         const uint8_t *sketch, size_t band)
{
    if (x->n_buckets == x->n_all_buckets) return true;
    const uint64_t differ =
        key_of(x, sketch_of(x, entry), band) ^ key_of(x, sketch, band);
    return (differ & (x->n_all_buckets - 1)) == 0;
}

static void unchain(struct og_near_index *x, uint32_t entry,
                    const uint8_t *sketch, size_t band)
{
    const uint32_t own = link_to(entry);
    uint32_t *link = bucket_of(x, sketch, band);
    for (size_t n = 0; n < MOST_MET && *link != own && *link != NONE; n++)
        link = next_of(x, entry_of(*link), band);
    *link = *link == own ? *next_of(x, entry, band) : NONE;
}

static void chain(struct og_near_index *x, uint32_t entry,
                  const uint8_t *sketch, size_t band)
{
    uint32_t *link = bucket_of(x, sketch, band);
    *next_of(x, entry, band) = *link;
    *link = link_to(entry);
}

static void add_buckets(struct og_near_index *x)
{
    const uint32_t n = x->n_buckets;
    x->n_buckets =
        n > x->n_all_buckets / GROWTH ? x->n_all_buckets : n * GROWTH;
    og_pages_enlarge(&x->newest_pages,
                     (size_t)x->n_buckets * x->n_bands * sizeof(*x->newest));
}

/* The new links are zero already. */
static void clear_links(struct og_near_index *x, size_t band)
{
    const size_t begin = band * x->n_buckets, end = begin + x->n_buckets;
    const size_t old = end < x->n_old_links ? end : x->n_old_links;
    if (begin < old)
        memset(x->newest + begin, 0, (old - begin) * sizeof(*x->newest));
}

/* All buckets are in use before the ring is full: nothing was evicted yet, and
 * the entries are in order of their numbers. */
void og_near_index_rechain(struct og_near_index *x, size_t band)
{
    clear_links(x, band);
    for (uint32_t i = 0; i < x->n_begun; i++)
        chain(x, i, sketch_of(x, i), band);
}

/* ---- adding ---- */

/* The next place of the ring that is free or may be evicted. */
static uint32_t find_place(struct og_near_index *x)
{
    for (;;) {
        const uint32_t at = x->hand;
        struct head *head = &x->heads[at];
        x->hand = (at + 1) % x->room;
        if (!head->is_used || !head->is_touched) return at;
        head->is_touched = false;
    }
}

bool og_near_index_reserve(struct og_near_index *x, size_t n)
{
    const uint32_t n_before = x->n_buckets;
    while (x->n + n > x->n_buckets / 2 && x->n_buckets < x->n_all_buckets)
        add_buckets(x);
    x->n_old_links = (size_t)n_before * x->n_bands;
    return x->n_buckets != n_before;
}

void og_near_index_place(struct og_near_index *x,
                         const struct og_near_entry *entry,
                         struct og_near_move *move)
{
    const uint32_t at = find_place(x);
    const size_t len = x->sketch_len;
    move->place = at;
    move->has_old = x->heads[at].is_used;
    if (move->has_old) memcpy(move->sketches, sketch_of(x, at), len);
    memcpy(move->sketches + len, entry->sketch, len);
    memcpy(sketch_of(x, at), entry->sketch, len);
    x->n += !move->has_old;
    x->n_evicted += move->has_old;
    x->heads[at] = (struct head){
        .document = entry->document, .is_used = true, .layer = OG_NEAR_UNSAVED};
    if (x->n_begun <= at) x->n_begun = at + 1;
}

void og_near_index_chain(struct og_near_index *x, size_t band,
                         const struct og_near_move *moves, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct og_near_move *m = &moves[i];
        if (m->has_old) unchain(x, m->place, m->sketches, band);
        chain(x, m->place, m->sketches + x->sketch_len, band);
    }
}

void og_near_index_add(struct og_near_index *x,
                       const struct og_near_entry *entry)
{
    struct og_near_move move = {.sketches = x->moved};
    if (og_near_index_reserve(x, 1))
        for (size_t b = 0; b < x->n_bands; b++)
            og_near_index_rechain(x, b);
    og_near_index_place(x, entry, &move);
    for (size_t b = 0; b < x->n_bands; b++)
        og_near_index_chain(x, b, &move, 1);
}

/* ---- finding ---- */

/* Of equal documents, thousands of these are compared for each query: eight
 * bytes, the usual band, need no call. */
static inline bool has_band(const struct og_near_index *x, const uint8_t *a,
                            const uint8_t *b, size_t band)
{
    const struct og_near_band at = x->bands[band];
    if (at.len == 8) return og_load64(a + at.off) == og_load64(b + at.off);
    return memcmp(a + at.off, b + at.off, at.len) == 0;
}

/* An entry that shares an earlier band, too, was met there. */
static inline bool has_earlier(const struct og_near_index *x, const uint8_t *a,
                               const uint8_t *b, size_t band)
{
    for (size_t i = 0; i < band; i++)
        if (has_band(x, a, b, i)) return true;
    return false;
}

bool og_near_index_is_first(const struct og_near_index *x, const uint8_t *a,
                            const uint8_t *b, size_t band)
{
    return has_band(x, a, b, band) && !has_earlier(x, a, b, band);
}

static og_status find_in_band(const struct og_near_index *x,
                              const uint8_t *sketch, size_t band, size_t n,
                              struct og_near_found *out, og_error *err)
{
    uint32_t link = *bucket_of(x, sketch, band), entry;
    size_t n_passed = 0;
    for (; link != NONE && n < MOST_MET && n_passed < MOST_PASSED;
         link = *next_of(x, entry, band)) {
        entry = entry_of(link);
        const uint8_t *known = sketch_of(x, entry);
        const bool is_shared = has_band(x, known, sketch, band);
        if (!is_shared && !is_of_bucket(x, entry, sketch, band)) {
            n_passed++;
            continue;
        }
        n++;
        if (!is_shared || has_earlier(x, known, sketch, band)) continue;
        if (!OG_GROW(NULL, out->entries, out->cap, out->n + 1))
            return og_error_memory(err, out->n * 4, "candidates");
        out->entries[out->n++] = entry;
    }
    return OG_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

og_status og_near_index_find(const struct og_near_index *x,
                             const uint8_t *sketch, const uint32_t *n_met,
                             struct og_near_found *out, og_error *err)
{
    out->n = 0;
    for (size_t b = 0; b < x->n_bands; b++)
        __builtin_prefetch(bucket_of(x, sketch, b));
    for (size_t b = 0; b < x->n_bands; b++)
        TRY(find_in_band(x, sketch, b, n_met != NULL ? n_met[b] : 0, out, err));
    if (out->n > 1)
        qsort(out->entries, out->n, sizeof(*out->entries), by_number);
    return OG_OK;
}

void og_near_found_release(struct og_near_found *found)
{
    OG_UNGROW(NULL, found->entries, found->cap);
}

uint32_t og_near_index_bucket(const struct og_near_index *x,
                              const uint8_t *sketch, size_t band)
{
    return (uint32_t)key_of(x, sketch, band) & (x->n_all_buckets - 1);
}

bool og_near_index_has(const struct og_near_index *x, uint32_t number,
                       uint32_t document)
{
    return x->heads[number].is_used && x->heads[number].document == document;
}

void og_near_index_get(const struct og_near_index *x, uint32_t number,
                       struct og_near_entry *out)
{
    *out = (struct og_near_entry){.sketch = sketch_of(x, number),
                                  .document = x->heads[number].document};
}

void og_near_index_touch(struct og_near_index *x, uint32_t number)
{
    x->heads[number].is_touched = true;
}

size_t og_near_index_bands(const struct og_near_index *x)
{
    return x->n_bands;
}

size_t og_near_index_n(const struct og_near_index *x)
{
    return x->n;
}

size_t og_near_index_room(const struct og_near_index *x)
{
    return x->room;
}

uint64_t og_near_index_n_evicted(const struct og_near_index *x)
{
    return x->n_evicted;
}

/* ---- segments ---- */

uint32_t og_near_index_hand(const struct og_near_index *x)
{
    return x->hand;
}

void og_near_index_put(struct og_near_index *x, uint32_t place,
                       const struct og_near_entry *entry, uint8_t layer)
{
    struct head *head = &x->heads[place];
    x->n += !head->is_used;
    if (x->n_begun <= place) x->n_begun = place + 1;
    *head = (struct head){
        .document = entry->document, .is_used = true, .layer = layer};
    memcpy(sketch_of(x, place), entry->sketch, x->sketch_len);
}

/* Places are filled from the first on; only then the hand goes round. */
static bool is_ring(const struct og_near_index *x, uint32_t hand)
{
    if (x->n != x->n_begun || hand >= x->room) return false;
    return x->n == x->room || hand == x->n;
}

/* From the oldest on, which is the one at the hand. */
bool og_near_index_chain_all(struct og_near_index *x, uint32_t hand)
{
    if (!is_ring(x, hand)) return false;
    x->hand = hand;
    while (x->n > x->n_buckets / 2 && x->n_buckets < x->n_all_buckets)
        add_buckets(x);
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t at = (uint32_t)(((uint64_t)hand + i) % x->n);
        for (size_t b = 0; b < x->n_bands; b++)
            chain(x, at, sketch_of(x, at), b);
    }
    return true;
}

og_status og_near_index_walk(
    const struct og_near_index *x, uint8_t layer, void *ctx,
    og_status (*on_entry)(void *ctx, uint32_t place,
                          const struct og_near_entry *entry, og_error *err),
    og_error *err)
{
    for (uint32_t at = 0; at < x->n_begun; at++) {
        struct og_near_entry entry;
        if (x->heads[at].layer < layer) continue;
        og_near_index_get(x, at, &entry);
        TRY(on_entry(ctx, at, &entry, err));
    }
    return OG_OK;
}

size_t og_near_index_n_since(const struct og_near_index *x, uint8_t layer)
{
    size_t n = 0;
    for (uint32_t at = 0; at < x->n_begun; at++)
        n += x->heads[at].layer >= layer;
    return n;
}

void og_near_index_set_layer(struct og_near_index *x, uint8_t layer)
{
    for (uint32_t at = 0; at < x->n_begun; at++)
        if (x->heads[at].layer > layer) x->heads[at].layer = layer;
}
