#ifndef OG_NEIGHBOUR_BAND_TABLE_H
#define OG_NEIGHBOUR_BAND_TABLE_H

/*   in:  band sketches, one after another                 (lib/sketch)
 *   out: for a sketch, the earlier ones with an equal band (lib/dedup_decide.c)
 *
 * Entries are numbered from 0 in the order in which they are added. */

#include "lib/sketch/band_sketch.h"

/* The most entries of one band that have the same key. Documents of which no
 * two are alike enough can still share a band (a long footer in all of them),
 * and then each would be compared with all others. Those that come later are
 * found through their other bands. */
#define OG_BAND_BUCKET_MOST 1024

struct og_band_column {
    uint8_t *tags;     /* 0: empty; else 8 bits of the key */
    uint32_t *entries; /* where tags are not 0 */
    size_t n_slots;    /* a power of two, or 0 */
};

struct og_band_table {
    const og_allocator *allocator;
    struct og_band_design design;
    size_t n_samples;
    uint8_t *sketches;
    size_t n, cap; /* entries; cap in bytes */
    struct og_band_column *columns;
    size_t n_slots;    /* of each column; entries stay below 3/4 of it */
    uint64_t memory;   /* bytes, 0: no limit */
    size_t beside_len; /* what the caller keeps beside each entry: counts */
};

struct og_band_hit {
    uint32_t entry;
    uint32_t n_equal; /* samples that agree */
};

struct og_band_hits {
    struct og_band_hit *hits; /* rising, each entry once */
    size_t n, cap;
    uint64_t n_met;               /* with those that were passed over */
    uint16_t found[OG_BANDS_MAX]; /* entries with the key of each band */
    /* Scratch. */
    size_t home[OG_BANDS_MAX];
    uint8_t tag[OG_BANDS_MAX];
    uint32_t *met; /* entries whose tag agrees, band by band */
    size_t met_end[OG_BANDS_MAX], met_cap;
    uint64_t *seen; /* a bit for each entry, 0 between two calls */
    size_t seen_cap;
};

og_status og_band_table_init(struct og_band_table *table,
                             const struct og_band_design *design,
                             uint64_t memory, const og_allocator *allocator,
                             og_error *err);
void og_band_table_release(struct og_band_table *table);
/* Empties it; memory stays. */
void og_band_table_clear(struct og_band_table *table);

/* Whether one more can be added within the limit of memory. */
bool og_band_table_has_room(const struct og_band_table *table);
uint64_t og_band_table_bytes(const struct og_band_table *table);

/* All entries that have at least one band with the same samples, and at least
 * `least_equal` samples in all. Bands of which `before` (NULL: none) counts
 * OG_BAND_BUCKET_MOST already are passed over. */
og_status og_band_table_find(const struct og_band_table *table,
                             const uint8_t *sketch, const uint16_t *before,
                             uint32_t least_equal, struct og_band_hits *hits,
                             og_error *err);
void og_band_hits_release(const struct og_band_table *table,
                          struct og_band_hits *hits);

/* Adds what was just looked for: `hits` is of the last _find for it. Its
 * number is table->n - 1 then. */
og_status og_band_table_add(struct og_band_table *table, const uint8_t *sketch,
                            const uint16_t *before,
                            const struct og_band_hits *hits, og_error *err);

static inline const uint8_t *
og_band_table_sketch(const struct og_band_table *table, uint32_t entry)
{
    return table->sketches + (size_t)entry * table->n_samples;
}

#endif
