#ifndef OG_DEDUP_BAND_TABLE_H
#define OG_DEDUP_BAND_TABLE_H

/*   in:  band sketches, one after another                 (lib/sketch)
 *   out: for a sketch, the earlier ones with an equal band          (lib/dedup)
 *
 * Entries are numbered from 0 in the order in which they are added. */

#include "lib/sketch/band_sketch.h"
#include "lib/sketch/set_parity.h"

/* The most entries of one band with the same key. Documents of which no two are
 * similar enough may still share a band (a long footer in all of them, one form
 * that is filled in a million times), and then each would be compared with all
 * others. Later ones are found through their other bands: those in which they
 * differ from the rest. With 16 as many of 100,000 mails are removed as with 32
 * and with 1,024, and a million documents of one kind have no more candidates
 * each than 100,000 have. A pair that shares only full bands is missed. */
#define OG_BAND_BUCKET_MOST 16

struct og_band_column {
    uint8_t *tags;     /* 0: empty; otherwise 8 bits of the key */
    uint32_t *entries; /* valid where tags are not 0 */
    size_t n_slots;    /* a power of two, or 0 */
    uint8_t *samples;  /* n_rows of each entry */
    size_t samples_cap;
};

struct og_band_table {
    const og_allocator *allocator;
    struct og_band_design design;
    size_t n_samples;
    struct og_band_column *columns;
    struct og_set_parity *parities; /* by entry */
    size_t n, parities_cap;
    size_t n_slots;    /* of each column; entries stay below 3/4 of it */
    uint64_t memory;   /* bytes, 0: no limit */
    size_t beside_len; /* the caller's bytes per entry, which count */
};

/* A document to look up, or to add. */
struct og_band_item {
    const uint8_t *sketch;
    const uint16_t *before; /* NULL: none. Entries of each band elsewhere: a
                               band with OG_BAND_BUCKET_MOST of them is
                               skipped */
    struct og_set_parity parity; /* of the document, if it is known */
};

/* Which of the entries that share a band are reported. */
struct og_band_filter {
    uint32_t least_equal; /* samples that agree, over all bands */
    const struct og_parity_limits *limits; /* NULL: parities are not used */
};

struct og_band_hit {
    uint32_t entry;
    uint32_t n_equal; /* samples that agree */
};

struct og_band_hits {
    struct og_band_hit *hits; /* ascending, each entry once */
    size_t n, cap;
    uint64_t n_met;               /* including those that were skipped */
    uint16_t found[OG_BANDS_MAX]; /* entries with the key of each band */
    /* Scratch. */
    size_t home[OG_BANDS_MAX];
    uint8_t tag[OG_BANDS_MAX];
    uint32_t *met; /* entries whose tag agrees, band by band; then those whose
                      band does, each once: the first n_open, in no order */
    size_t n_open;
    size_t met_end[OG_BANDS_MAX], met_cap;
    uint64_t *seen; /* a bit for each entry, 0 between two calls */
    size_t seen_cap;
};

og_status og_band_table_init(struct og_band_table *table,
                             const struct og_band_design *design,
                             uint64_t memory, const og_allocator *allocator,
                             og_error *err);
void og_band_table_release(struct og_band_table *table);
/* Empties it; keeps its memory. */
void og_band_table_clear(struct og_band_table *table);

/* Whether one more can be added within the memory limit, after `n_more`
 * others. */
bool og_band_table_has_room(const struct og_band_table *table, size_t n_more);
uint64_t og_band_table_bytes(const struct og_band_table *table);

/* Entries with at least one band of equal samples that parities (limits of
 * NULL: not used) do not rule out: hits->met. */
og_status og_band_table_meet(const struct og_band_table *table,
                             const struct og_band_item *item,
                             const struct og_parity_limits *limits,
                             struct og_band_hits *hits, og_error *err);
/* Those of hits->met that agree in enough samples: hits->hits. */
og_status og_band_table_agree(const struct og_band_table *table,
                              const struct og_band_item *item,
                              uint32_t least_equal, struct og_band_hits *hits,
                              og_error *err);
/* The number of samples in which an entry agrees, and whether all do. */
uint32_t og_band_table_agreement(const struct og_band_table *table,
                                 const uint8_t *sketch, uint32_t entry);
bool og_band_table_equals(const struct og_band_table *table,
                          const uint8_t *sketch, uint32_t entry);
/* Both: as far as the filter (NULL: none) passes them. */
og_status og_band_table_find(const struct og_band_table *table,
                             const struct og_band_item *item,
                             const struct og_band_filter *filter,
                             struct og_band_hits *hits, og_error *err);
/* `allocator` is that of the tables. */
void og_band_hits_release(const og_allocator *allocator,
                          struct og_band_hits *hits);

/* One of several that are added at once, and the bands in which it can be
 * found. */
struct og_band_new {
    const uint8_t *sketch;
    uint64_t bands[OG_BANDS_MAX / 64];
};
static inline void og_band_new_set(struct og_band_new *item, uint32_t band)
{
    item->bands[band / 64] |= UINT64_C(1) << band % 64;
}
static inline bool og_band_new_has(const struct og_band_new *item,
                                   uint32_t band)
{
    return item->bands[band / 64] >> band % 64 & 1;
}

/* In steps: reserves room; sets the parity of an entry, `n_more` after the
 * last; adds the entries to each of the bands, which as many threads may do as
 * there are bands; makes them visible. */
og_status og_band_table_reserve(struct og_band_table *table, size_t n_more,
                                const struct og_set_parity *parity,
                                og_error *err);
og_status og_band_table_add_to_band(struct og_band_table *table, uint32_t band,
                                    const struct og_band_new *items, size_t n,
                                    og_error *err);
void og_band_table_added(struct og_band_table *table, size_t n);

/* Adds the document that was just looked up: `hits` is of the last _find for
 * it. Its number is then table->n - 1. */
og_status og_band_table_add(struct og_band_table *table,
                            const struct og_band_item *item,
                            const struct og_band_hits *hits, og_error *err);

#endif
