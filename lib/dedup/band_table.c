/* One open hash table for each band.
 *
 * A slot is a tag of 8 bits, in an array of its own, and the number of an
 * entry; whether the band really agrees is read from its samples, so no key is
 * stored. An entry of 14 bands of 8 rows takes 112 bytes of samples, 16 of its
 * parity and 14 slots of 5 bytes that are 3/8 to 3/4 full.
 *
 * Samples are stored band by band: one band of a hundred thousand entries is
 * less than a megabyte, and entries that share a band were often added one
 * after the other. A thousand of them may share it, so a look-up filters all of
 * them step by step: by tag, by band, by parity, which may rule out that the
 * sets are similar (lib/sketch/set_parity.h). Few remain whose other bands are
 * worth reading.
 *
 * Columns grow one at a time, so growing needs little additional room. Arrays
 * grow by doubling, for which the system moves pages; unwritten parts take no
 * memory. */

#include "lib/dedup/band_table.h"

#include <stdlib.h>
#include <string.h>

#include "lib/sketch/slot_scan.h"

#define SLOT_LEN    (sizeof(uint8_t) + sizeof(uint32_t))
#define FIRST_SLOTS ((size_t)256)

/* How many samples ahead of their use are prefetched. */
#define AHEAD 32
/* Bands whose samples are being fetched while an earlier one is processed. */
#define BEHIND 2

og_status og_band_table_init(struct og_band_table *t,
                             const struct og_band_design *design,
                             uint64_t memory, const og_allocator *allocator,
                             og_error *err)
{
    TRY(og_band_design_check(design, err));
    *t = (struct og_band_table){.allocator = allocator,
                                .design = *design,
                                .memory = memory,
                                .n_samples =
                                    (size_t)design->n_bands * design->n_rows};
    t->columns =
        og_allocate_zero(allocator, design->n_bands * sizeof(*t->columns));
    if (t->columns == NULL)
        return og_error_memory(err, design->n_bands * sizeof(*t->columns),
                               "bands");
    return OG_OK;
}

static void release_slots(const og_allocator *a, struct og_band_column *c)
{
    og_release(a, c->tags, c->n_slots * sizeof(*c->tags));
    og_release(a, c->entries, c->n_slots * sizeof(*c->entries));
    c->tags = NULL;
    c->entries = NULL;
    c->n_slots = 0;
}

void og_band_table_release(struct og_band_table *t)
{
    const og_allocator *a = t->allocator;
    for (uint32_t b = 0; t->columns != NULL && b < t->design.n_bands; b++) {
        release_slots(a, &t->columns[b]);
        OG_UNGROW(a, t->columns[b].samples, t->columns[b].samples_cap);
    }
    og_release(a, t->columns, t->design.n_bands * sizeof(*t->columns));
    OG_UNGROW(a, t->parities, t->parities_cap);
    t->columns = NULL;
    t->n = t->n_slots = 0;
}

void og_band_table_clear(struct og_band_table *t)
{
    for (uint32_t b = 0; b < t->design.n_bands; b++)
        if (t->columns[b].n_slots != 0)
            memset(t->columns[b].tags, 0, t->columns[b].n_slots);
    t->n = 0;
}

/* ---- memory ---- */

static uint64_t bytes_with(const struct og_band_table *t, size_t n_entries,
                           size_t n_slots)
{
    const size_t entry_len =
        t->n_samples + sizeof(*t->parities) + t->beside_len;
    return (uint64_t)n_entries * entry_len +
           (uint64_t)n_slots * SLOT_LEN * t->design.n_bands;
}

uint64_t og_band_table_bytes(const struct og_band_table *t)
{
    return bytes_with(t, t->n, t->n_slots);
}

/* The slots of a column with `n` entries. */
static size_t slots_for(const struct og_band_table *t, size_t n)
{
    size_t n_slots = t->n_slots;
    while (n * 4 > n_slots * 3)
        n_slots = n_slots == 0 ? FIRST_SLOTS : 2 * n_slots;
    return n_slots;
}

/* While one column grows, there are two copies of it. Some entries must fit in
 * any case, or the rounds would never end. */
bool og_band_table_has_room(const struct og_band_table *t, size_t n_more)
{
    const size_t n = t->n + n_more;
    size_t n_slots;
    uint64_t extra = 0;
    if (n >= UINT32_MAX - 1) return false;
    if (t->memory == 0 || n < FIRST_SLOTS / 4) return true;
    n_slots = slots_for(t, n);
    if ((n + 1) * 4 > n_slots * 3) {
        extra = (uint64_t)n_slots * SLOT_LEN;
        n_slots *= 2;
    }
    return bytes_with(t, n + 1, n_slots) + extra <= t->memory;
}

/* ---- slots ---- */

static inline const uint8_t *samples_of(const struct og_band_table *t,
                                        const struct og_band_column *c,
                                        uint32_t entry)
{
    return c->samples + (size_t)entry * t->design.n_rows;
}

static inline uint8_t tag_of(uint64_t key)
{
    const uint8_t tag = (uint8_t)(key >> 56);
    return tag == 0 ? 1 : tag;
}

static void put(struct og_band_column *c, uint64_t key, uint32_t entry)
{
    const size_t home = (size_t)key & (c->n_slots - 1);
    const uint8_t *empty = memchr(c->tags + home, 0, c->n_slots - home);
    if (empty == NULL) empty = memchr(c->tags, 0, home);
    const size_t at = (size_t)(empty - c->tags);
    c->tags[at] = tag_of(key);
    c->entries[at] = entry;
}

static og_status grow_column(struct og_band_table *t, uint32_t band,
                             size_t n_slots, og_error *err)
{
    struct og_band_column *c = &t->columns[band];
    struct og_band_column grown = *c;
    grown.tags = og_allocate_zero(t->allocator, n_slots);
    grown.entries = og_allocate(t->allocator, n_slots * sizeof(uint32_t));
    grown.n_slots = n_slots;
    if (grown.tags == NULL || grown.entries == NULL) {
        release_slots(t->allocator, &grown);
        return og_error_memory(err, n_slots * SLOT_LEN, "bands");
    }
    size_t n = 0; /* moves those in use to the front */
    for (size_t i = 0; i < c->n_slots; i++)
        if (c->tags[i] != 0) c->entries[n++] = c->entries[i];
    const uint32_t n_rows = t->design.n_rows;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(samples_of(t, c, c->entries[i + AHEAD]));
        put(&grown, og_band_key(samples_of(t, c, c->entries[i]), n_rows),
            c->entries[i]);
    }
    release_slots(t->allocator, c);
    *c = grown;
    return OG_OK;
}

/* ---- finding ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = ((const struct og_band_hit *)a)->entry;
    const uint32_t y = ((const struct og_band_hit *)b)->entry;
    return x < y ? -1 : x > y;
}

/* The first empty slot from `begin` on, or `end`. */
static size_t run_end(const struct og_band_column *c, size_t begin, size_t end)
{
    const uint8_t *empty = memchr(c->tags + begin, 0, end - begin);
    return empty == NULL ? end : (size_t)(empty - c->tags);
}

static og_status meet_in_slots(const struct og_band_table *t, uint32_t band,
                               size_t begin, size_t end,
                               struct og_band_hits *hits, size_t *n,
                               og_error *err)
{
    const struct og_band_column *c = &t->columns[band];
    const size_t most = *n + (end - begin) + OG_SLOTS_PADDING;
    if (!OG_GROW(t->allocator, hits->met, hits->met_cap, most))
        return og_error_memory(err, most * sizeof(*hits->met), "candidates");
    *n += og_slots_with_tag(c->tags + begin, c->entries + begin, end - begin,
                            hits->tag[band], hits->met + *n);
    return OG_OK;
}

/* Those whose tag agrees, up to an empty slot, which may be at the front after
 * wrapping around. */
static og_status meet_in_band(const struct og_band_table *t, uint32_t band,
                              struct og_band_hits *hits, size_t *n,
                              og_error *err)
{
    const struct og_band_column *c = &t->columns[band];
    const size_t home = hits->home[band];
    const size_t end = run_end(c, home, c->n_slots);
    TRY(meet_in_slots(t, band, home, end, hits, n, err));
    if (end < c->n_slots) return OG_OK;
    return meet_in_slots(t, band, 0, run_end(c, 0, home), hits, n, err);
}

/* 1, or 0 if it was set before. */
static size_t set_seen(struct og_band_hits *hits, uint32_t entry)
{
    const uint64_t word = hits->seen[entry / 64];
    hits->seen[entry / 64] = word | UINT64_C(1) << (entry % 64);
    return (size_t)(~word >> (entry % 64) & 1);
}

/* Writes those of the entries `begin` to `end` whose samples agree, too, from
 * index `n` on; returns the new end. */
__attribute__((always_inline)) static inline size_t
agreeing(const uint8_t *samples, const uint8_t *wanted, size_t n_rows,
         uint32_t *met, size_t begin, size_t end, size_t n)
{
    for (size_t i = begin; i < end; i++) {
        const uint32_t entry = met[i];
        met[n] = entry;
        n += memcmp(samples + (size_t)entry * n_rows, wanted, n_rows) == 0;
    }
    return n;
}

static void look_in_band(const struct og_band_table *t, uint32_t band,
                         const uint8_t *sketch, struct og_band_hits *hits,
                         size_t *n_front)
{
    const uint8_t *samples = t->columns[band].samples;
    const size_t n_rows = t->design.n_rows;
    const uint8_t *wanted = sketch + band * n_rows;
    const size_t begin = band > 0 ? hits->met_end[band - 1] : 0;
    const size_t end = hits->met_end[band];
    const size_t n =
        n_rows == 8 /* as one word */
            ? agreeing(samples, wanted, 8, hits->met, begin, end, *n_front)
            : agreeing(samples, wanted, n_rows, hits->met, begin, end,
                       *n_front);
    hits->found[band] = (uint16_t)(n - *n_front);
    hits->n_met += n - *n_front;
    *n_front = n;
}

/* A bit per existing entry; new ones are 0. */
static og_status reserve_seen(const struct og_band_table *t,
                              struct og_band_hits *hits, og_error *err)
{
    const size_t before = hits->seen_cap;
    if (!OG_GROW(t->allocator, hits->seen, hits->seen_cap, t->n / 64 + 1))
        return og_error_memory(err, t->n / 8, "candidates");
    memset(hits->seen + before, 0,
           (hits->seen_cap - before) * sizeof(*hits->seen));
    return OG_OK;
}

/* Keeps the first of equal ones; returns their number. */
static size_t each_once(struct og_band_hits *hits, size_t n_met)
{
    size_t n = 0;
    for (size_t i = 0; i < n_met; i++) {
        hits->met[n] = hits->met[i];
        n += set_seen(hits, hits->met[n]);
    }
    for (size_t i = 0; i < n; i++)
        hits->seen[hits->met[i] / 64] = 0;
    return n;
}

uint32_t og_band_table_agreement(const struct og_band_table *t,
                                 const uint8_t *sketch, uint32_t entry)
{
    const size_t n_rows = t->design.n_rows;
    size_t n_equal = 0;
    for (uint32_t b = 0; b < t->design.n_bands; b++)
        n_equal += og_band_agreement(samples_of(t, &t->columns[b], entry),
                                     sketch + b * n_rows, n_rows);
    return (uint32_t)n_equal;
}

bool og_band_table_equals(const struct og_band_table *t, const uint8_t *sketch,
                          uint32_t entry)
{
    const size_t n_rows = t->design.n_rows;
    for (uint32_t b = 0; b < t->design.n_bands; b++)
        if (memcmp(samples_of(t, &t->columns[b], entry), sketch + b * n_rows,
                   n_rows) != 0)
            return false;
    return true;
}

static void expect(const struct og_band_table *t, uint32_t entry)
{
    for (uint32_t b = 0; b < t->design.n_bands; b++)
        __builtin_prefetch(samples_of(t, &t->columns[b], entry));
}

/* The home slots of all bands, prefetched before they are needed. */
static void find_homes(const struct og_band_table *t, const uint8_t *sketch,
                       struct og_band_hits *hits)
{
    const uint32_t n_rows = t->design.n_rows;
    for (uint32_t b = 0; b < t->design.n_bands; b++) {
        const uint64_t key = og_band_key(sketch + (size_t)b * n_rows, n_rows);
        hits->home[b] = (size_t)key & (t->n_slots - 1);
        hits->tag[b] = tag_of(key);
        __builtin_prefetch(t->columns[b].tags + hits->home[b]);
        __builtin_prefetch(t->columns[b].entries + hits->home[b]);
    }
}

static og_status meet_band(const struct og_band_table *t, uint32_t b,
                           const struct og_band_item *item,
                           struct og_band_hits *hits, og_error *err)
{
    size_t n = b > 0 ? hits->met_end[b - 1] : 0;
    const size_t begin = n;
    if (item->before == NULL || item->before[b] < OG_BAND_BUCKET_MOST)
        TRY(meet_in_band(t, b, hits, &n, err));
    hits->met_end[b] = n;
    for (size_t i = begin; i < n; i++)
        __builtin_prefetch(samples_of(t, &t->columns[b], hits->met[i]));
    return OG_OK;
}

og_status og_band_table_meet(const struct og_band_table *t,
                             const struct og_band_item *item,
                             const struct og_parity_limits *limits,
                             struct og_band_hits *hits, og_error *err)
{
    hits->n = hits->n_met = hits->n_open = 0;
    memset(hits->found, 0, t->design.n_bands * sizeof(*hits->found));
    if (t->n == 0) return OG_OK;
    TRY(reserve_seen(t, hits, err));
    find_homes(t, item->sketch, hits);
    size_t n = 0;
    const uint32_t n_bands = t->design.n_bands;
    for (uint32_t b = 0; b < n_bands + BEHIND; b++) {
        if (b < n_bands) TRY(meet_band(t, b, item, hits, err));
        if (b >= BEHIND) look_in_band(t, b - BEHIND, item->sketch, hits, &n);
    }
    if (limits != NULL)
        n = og_set_parity_filter(t->parities, &item->parity, limits, hits->met,
                                 n);
    hits->n_open = each_once(hits, n);
    return OG_OK;
}

og_status og_band_table_agree(const struct og_band_table *t,
                              const struct og_band_item *item,
                              uint32_t least_equal, struct og_band_hits *hits,
                              og_error *err)
{
    const size_t n = hits->n_open;
    if (!OG_GROW(t->allocator, hits->hits, hits->cap, n))
        return og_error_memory(err, n * sizeof(*hits->hits), "candidates");
    for (size_t i = 0; i < n; i++) {
        if (i + 2 < n) expect(t, hits->met[i + 2]);
        const uint32_t n_equal =
            og_band_table_agreement(t, item->sketch, hits->met[i]);
        if (n_equal < least_equal) continue;
        hits->hits[hits->n++] = (struct og_band_hit){hits->met[i], n_equal};
    }
    if (hits->n > 1) qsort(hits->hits, hits->n, sizeof(*hits->hits), by_number);
    return OG_OK;
}

og_status og_band_table_find(const struct og_band_table *t,
                             const struct og_band_item *item,
                             const struct og_band_filter *filter,
                             struct og_band_hits *hits, og_error *err)
{
    const struct og_band_filter all = {0, NULL};
    if (filter == NULL) filter = &all;
    TRY(og_band_table_meet(t, item, filter->limits, hits, err));
    return og_band_table_agree(t, item, filter->least_equal, hits, err);
}

void og_band_hits_release(const og_allocator *allocator,
                          struct og_band_hits *hits)
{
    OG_UNGROW(allocator, hits->hits, hits->cap);
    OG_UNGROW(allocator, hits->met, hits->met_cap);
    OG_UNGROW(allocator, hits->seen, hits->seen_cap);
    hits->n = 0;
}

/* ---- adding ---- */

og_status og_band_table_reserve(struct og_band_table *t, size_t n_more,
                                const struct og_set_parity *parity,
                                og_error *err)
{
    const size_t at = t->n + n_more;
    if (!OG_GROW(t->allocator, t->parities, t->parities_cap, at + 1))
        return og_error_memory(err, at * sizeof(*t->parities), "sketches");
    t->parities[at] = *parity;
    return OG_OK;
}

og_status og_band_table_add_to_band(struct og_band_table *t, uint32_t band,
                                    const struct og_band_new *items, size_t n,
                                    og_error *err)
{
    struct og_band_column *c = &t->columns[band];
    const uint32_t n_rows = t->design.n_rows;
    const size_t n_slots = slots_for(t, t->n + n);
    if (c->n_slots < n_slots) TRY(grow_column(t, band, n_slots, err));
    if (!OG_GROW(t->allocator, c->samples, c->samples_cap, (t->n + n) * n_rows))
        return og_error_memory(err, t->n * n_rows, "sketches");
    for (size_t i = 0; i < n; i++) {
        const uint8_t *samples = items[i].sketch + (size_t)band * n_rows;
        memcpy(c->samples + (t->n + i) * n_rows, samples, n_rows);
        if (og_band_new_has(&items[i], band))
            put(c, og_band_key(samples, n_rows), (uint32_t)(t->n + i));
    }
    return OG_OK;
}

void og_band_table_added(struct og_band_table *t, size_t n)
{
    t->n_slots = slots_for(t, t->n + n);
    t->n += n;
}

og_status og_band_table_add(struct og_band_table *t,
                            const struct og_band_item *item,
                            const struct og_band_hits *hits, og_error *err)
{
    struct og_band_new added = {.sketch = item->sketch};
    TRY(og_band_table_reserve(t, 0, &item->parity, err));
    for (uint32_t b = 0; b < t->design.n_bands; b++) {
        const unsigned n_known =
            hits->found[b] + (item->before ? item->before[b] : 0);
        if (n_known < OG_BAND_BUCKET_MOST) og_band_new_set(&added, b);
    }
    for (uint32_t b = 0; b < t->design.n_bands; b++)
        TRY(og_band_table_add_to_band(t, b, &added, 1, err));
    og_band_table_added(t, 1);
    return OG_OK;
}
