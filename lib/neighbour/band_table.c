/* One open hash table for each band, over sketches that stand in one array.
 *
 * A slot is a tag of 8 bits, tags standing together, and the number of an
 * entry; whether the band really agrees is read from the sketch itself, so no
 * key is stored. An entry of 14 bands of 8 rows takes 112 bytes of sketch and
 * 14 slots of 5 bytes that are 3/8 to 3/4 full.
 *
 * Columns grow one at a time, so growing needs little room beside the table.
 * The array of sketches grows by doubling, which the system does by moving
 * pages; what is not written yet takes no memory. */

#include "lib/neighbour/band_table.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_LEN    (sizeof(uint8_t) + sizeof(uint32_t))
#define FIRST_SLOTS ((size_t)256)

/* Sketches that are asked for before they are needed while a column grows. */
#define AHEAD 16

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

static void release_column(const og_allocator *a, struct og_band_column *c)
{
    og_release(a, c->tags, c->n_slots * sizeof(*c->tags));
    og_release(a, c->entries, c->n_slots * sizeof(*c->entries));
    *c = (struct og_band_column){0};
}

void og_band_table_release(struct og_band_table *t)
{
    const og_allocator *a = t->allocator;
    for (uint32_t b = 0; t->columns != NULL && b < t->design.n_bands; b++)
        release_column(a, &t->columns[b]);
    og_release(a, t->columns, t->design.n_bands * sizeof(*t->columns));
    OG_UNGROW(a, t->sketches, t->cap);
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
    return (uint64_t)n_entries * (t->n_samples + t->beside_len) +
           (uint64_t)n_slots * SLOT_LEN * t->design.n_bands;
}

uint64_t og_band_table_bytes(const struct og_band_table *t)
{
    return bytes_with(t, t->n, t->n_slots);
}

static bool is_crowded(const struct og_band_table *t)
{
    return (t->n + 1) * 4 > t->n_slots * 3;
}

/* While one column grows, it is there twice. Some entries must fit in any
 * case, or there would be no end of rounds. */
bool og_band_table_has_room(const struct og_band_table *t)
{
    if (t->n >= UINT32_MAX - 1) return false;
    if (t->memory == 0 || t->n < FIRST_SLOTS / 4) return true;
    size_t n_slots = t->n_slots;
    uint64_t extra = 0;
    if (is_crowded(t)) {
        extra = (uint64_t)n_slots * SLOT_LEN;
        n_slots *= 2;
    }
    return bytes_with(t, t->n + 1, n_slots) + extra <= t->memory;
}

/* ---- slots ---- */

static inline uint8_t tag_of(uint64_t key)
{
    const uint8_t tag = (uint8_t)(key >> 56);
    return tag == 0 ? 1 : tag;
}

static void put(struct og_band_column *c, uint64_t key, uint32_t entry)
{
    size_t at = (size_t)key & (c->n_slots - 1);
    while (c->tags[at] != 0)
        at = (at + 1) & (c->n_slots - 1);
    c->tags[at] = tag_of(key);
    c->entries[at] = entry;
}

static og_status grow_column(struct og_band_table *t, uint32_t band,
                             size_t n_slots, og_error *err)
{
    struct og_band_column *c = &t->columns[band];
    struct og_band_column grown = {
        .tags = og_allocate_zero(t->allocator, n_slots),
        .entries = og_allocate(t->allocator, n_slots * sizeof(uint32_t)),
        .n_slots = n_slots,
    };
    if (grown.tags == NULL || grown.entries == NULL) {
        release_column(t->allocator, &grown);
        return og_error_memory(err, n_slots * SLOT_LEN, "bands");
    }
    size_t n = 0; /* those in use, to the front */
    for (size_t i = 0; i < c->n_slots; i++)
        if (c->tags[i] != 0) c->entries[n++] = c->entries[i];
    const uint32_t n_rows = t->design.n_rows;
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(og_band_table_sketch(t, c->entries[i + AHEAD]) +
                               (size_t)band * n_rows);
        const uint8_t *samples =
            og_band_table_sketch(t, c->entries[i]) + (size_t)band * n_rows;
        put(&grown, og_band_key(samples, n_rows), c->entries[i]);
    }
    release_column(t->allocator, c);
    *c = grown;
    return OG_OK;
}

static og_status grow(struct og_band_table *t, og_error *err)
{
    const size_t n_slots = t->n_slots == 0 ? FIRST_SLOTS : 2 * t->n_slots;
    for (uint32_t b = 0; b < t->design.n_bands; b++)
        if (t->columns[b].n_slots < n_slots)
            TRY(grow_column(t, b, n_slots, err));
    t->n_slots = n_slots;
    return OG_OK;
}

/* ---- finding ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = ((const struct og_band_hit *)a)->entry;
    const uint32_t y = ((const struct og_band_hit *)b)->entry;
    return x < y ? -1 : x > y;
}

/* Those whose tag agrees. Their sketches lie all over memory: they are asked
 * for here and looked at when all bands are through. */
static og_status meet_in_band(const struct og_band_table *t, uint32_t band,
                              struct og_band_hits *hits, size_t *n,
                              og_error *err)
{
    enum { LINE = 64 };
    const struct og_band_column *c = &t->columns[band];
    for (size_t at = hits->home[band]; c->tags[at] != 0;
         at = (at + 1) & (c->n_slots - 1)) {
        if (c->tags[at] != hits->tag[band]) continue;
        if (!OG_GROW(t->allocator, hits->met, hits->met_cap, *n + 1))
            return og_error_memory(err, *n * sizeof(*hits->met), "candidates");
        const uint32_t entry = c->entries[at];
        const uint8_t *sketch = og_band_table_sketch(t, entry);
        __builtin_prefetch(sketch);
        __builtin_prefetch(sketch + LINE);
        hits->met[(*n)++] = entry;
    }
    return OG_OK;
}

/* False when it was so before. */
static bool set_seen(struct og_band_hits *hits, uint32_t entry)
{
    const uint64_t bit = UINT64_C(1) << (entry % 64);
    const bool is_new = (hits->seen[entry / 64] & bit) == 0;
    hits->seen[entry / 64] |= bit;
    return is_new;
}

static og_status look_in_band(const struct og_band_table *t, uint32_t band,
                              const uint8_t *sketch, uint32_t least_equal,
                              struct og_band_hits *hits, og_error *err)
{
    const size_t n_rows = t->design.n_rows, off = band * n_rows;
    const size_t begin = band > 0 ? hits->met_end[band - 1] : 0;
    for (size_t i = begin; i < hits->met_end[band]; i++) {
        const uint32_t entry = hits->met[i];
        const uint8_t *other = og_band_table_sketch(t, entry);
        if (memcmp(other + off, sketch + off, n_rows) != 0) continue;
        hits->found[band]++;
        hits->n_met++;
        if (!set_seen(hits, entry)) continue;
        const size_t n_equal = og_band_agreement(other, sketch, t->n_samples);
        if (n_equal < least_equal) continue;
        if (!OG_GROW(t->allocator, hits->hits, hits->cap, hits->n + 1))
            return og_error_memory(err, hits->n * sizeof(*hits->hits),
                                   "candidates");
        hits->hits[hits->n++] = (struct og_band_hit){entry, (uint32_t)n_equal};
    }
    return OG_OK;
}

/* A bit for each entry there is; new ones are 0. */
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

static og_status look_in_bands(const struct og_band_table *t,
                               const uint8_t *sketch, uint32_t least_equal,
                               struct og_band_hits *hits, og_error *err)
{
    const uint32_t n_bands = t->design.n_bands;
    og_status status = OG_OK;
    for (uint32_t b = 0; b < n_bands && status == OG_OK; b++)
        status = look_in_band(t, b, sketch, least_equal, hits, err);
    for (size_t i = 0; i < hits->met_end[n_bands - 1]; i++)
        hits->seen[hits->met[i] / 64] = 0;
    return status;
}

og_status og_band_table_find(const struct og_band_table *t,
                             const uint8_t *sketch, const uint16_t *before,
                             uint32_t least_equal, struct og_band_hits *hits,
                             og_error *err)
{
    const uint32_t n_bands = t->design.n_bands, n_rows = t->design.n_rows;
    hits->n = 0;
    hits->n_met = 0;
    memset(hits->found, 0, n_bands * sizeof(*hits->found));
    if (t->n == 0) return OG_OK;
    for (uint32_t b = 0; b < n_bands; b++) {
        const uint64_t key = og_band_key(sketch + (size_t)b * n_rows, n_rows);
        hits->home[b] = (size_t)key & (t->n_slots - 1);
        hits->tag[b] = tag_of(key);
        __builtin_prefetch(t->columns[b].tags + hits->home[b]);
        __builtin_prefetch(t->columns[b].entries + hits->home[b]);
    }
    size_t n = 0;
    for (uint32_t b = 0; b < n_bands; b++) {
        if (before == NULL || before[b] < OG_BAND_BUCKET_MOST)
            TRY(meet_in_band(t, b, hits, &n, err));
        hits->met_end[b] = n;
    }
    TRY(reserve_seen(t, hits, err));
    TRY(look_in_bands(t, sketch, least_equal, hits, err));
    if (hits->n > 1) qsort(hits->hits, hits->n, sizeof(*hits->hits), by_number);
    return OG_OK;
}

void og_band_hits_release(const struct og_band_table *t,
                          struct og_band_hits *hits)
{
    OG_UNGROW(t->allocator, hits->hits, hits->cap);
    OG_UNGROW(t->allocator, hits->met, hits->met_cap);
    OG_UNGROW(t->allocator, hits->seen, hits->seen_cap);
    hits->n = 0;
}

/* ---- adding ---- */

og_status og_band_table_add(struct og_band_table *t, const uint8_t *sketch,
                            const uint16_t *before,
                            const struct og_band_hits *hits, og_error *err)
{
    const uint32_t n_bands = t->design.n_bands, n_rows = t->design.n_rows;
    if (is_crowded(t)) TRY(grow(t, err));
    if (!OG_GROW(t->allocator, t->sketches, t->cap, (t->n + 1) * t->n_samples))
        return og_error_memory(err, t->n_samples, "sketches");
    memcpy(t->sketches + t->n * t->n_samples, sketch, t->n_samples);
    for (uint32_t b = 0; b < n_bands; b++) {
        const unsigned n_known = hits->found[b] + (before ? before[b] : 0);
        if (n_known >= OG_BAND_BUCKET_MOST) continue;
        put(&t->columns[b], og_band_key(sketch + (size_t)b * n_rows, n_rows),
            (uint32_t)t->n);
    }
    t->n++;
    return OG_OK;
}
