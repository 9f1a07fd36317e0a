#ifndef OG_NEAR_NEAR_INDEX_H
#define OG_NEAR_NEAR_INDEX_H

/*   in:  sketches of documents, one after another           (lib/near/near.c)
 *   out: for a sketch, the known ones with an equal band
 *
 * In memory that is fixed: when it is full, an entry that was not met for long
 * goes for each that comes. A sketch is `sketch_len` bytes; a band is some of
 * them in a row, wherever they are. */

#include "lib/base/memory.h"

#define OG_NEAR_BANDS_MAX 64

struct og_near_band {
    uint16_t off, len;
};

struct og_near_entry {
    const uint8_t *sketch;
    uint32_t document; /* the caller's number of it */
};

struct og_near_index;

og_status og_near_index_new(const struct og_near_band *bands, size_t n_bands,
                            size_t sketch_len, uint64_t memory,
                            const og_allocator *allocator,
                            struct og_near_index **out, og_error *err);
void og_near_index_free(struct og_near_index *index); /* NULL is fine */

/* Makes room if there is none. */
void og_near_index_add(struct og_near_index *index,
                       const struct og_near_entry *entry);

/* The same for many, in three steps of which the last may run on many threads:
 * room for n more; each gets its place, in order; each band is chained by
 * itself, over all moves in order. Between _place and the end of the last band
 * nothing can be found. */
struct og_near_move {
    uint32_t place;
    bool has_old;      /* one had to go for it */
    uint8_t *sketches; /* the old one, then the new one */
};
void og_near_index_reserve(struct og_near_index *index, size_t n);
/* move->sketches has room for two. */
void og_near_index_place(struct og_near_index *index,
                         const struct og_near_entry *entry,
                         struct og_near_move *move);
void og_near_index_chain(struct og_near_index *index, size_t band,
                         const struct og_near_move *moves, size_t n);

/* Entries that were found: the caller's, used again. */
struct og_near_found {
    uint32_t *entries;
    size_t n, cap;
};
void og_near_found_release(struct og_near_found *found);

/* Most entries of a band that are met. */
#define OG_NEAR_MOST_MET 1024

/* Entries with an equal band, each once, by number. Any number of threads at a
 * time. `n_met` (of each band, may be NULL): so many were met elsewhere. */
og_status og_near_index_find(const struct og_near_index *index,
                             const uint8_t *sketch, const uint32_t *n_met,
                             struct og_near_found *out, og_error *err);
/* What is met in a band: those of its bucket. And whether two have it in common
 * and none of the bands before it. */
uint32_t og_near_index_bucket(const struct og_near_index *index,
                              const uint8_t *sketch, size_t band);
bool og_near_index_is_first(const struct og_near_index *index, const uint8_t *a,
                            const uint8_t *b, size_t band);
/* Whether the entry is still of this document. */
bool og_near_index_has(const struct og_near_index *index, uint32_t number,
                       uint32_t document);
void og_near_index_get(const struct og_near_index *index, uint32_t number,
                       struct og_near_entry *out);
/* It was a match: it stays longer. */
void og_near_index_touch(struct og_near_index *index, uint32_t number);

size_t og_near_index_bands(const struct og_near_index *index);
size_t og_near_index_n(const struct og_near_index *index);
size_t og_near_index_room(const struct og_near_index *index);
uint64_t og_near_index_n_evicted(const struct og_near_index *index);

/* ---- what segments have of it (near_files.c) ----
 *
 * An entry has a place in the ring and a layer: which segment of the index has
 * what is there now, 0 the oldest. So a merge of segments is what the places of
 * their layers have in memory, and no file is read for it. */

#define OG_NEAR_UNSAVED UINT8_MAX /* the layer of one that is in none */

/* An entry of a segment. What was put there by an older one goes. It is found
 * after og_near_index_chain_all(). place < room. */
void og_near_index_put(struct og_near_index *index, uint32_t place,
                       const struct og_near_entry *entry, uint8_t layer);
/* After all were put. False: they are no ring with its hand there. */
bool og_near_index_chain_all(struct og_near_index *index, uint32_t hand);
uint32_t og_near_index_hand(const struct og_near_index *index);

/* The entries of this layer and of later ones, by place; how many there are;
 * and they become of this layer. */
og_status og_near_index_walk(
    const struct og_near_index *index, uint8_t layer, void *ctx,
    og_status (*on_entry)(void *ctx, uint32_t place,
                          const struct og_near_entry *entry, og_error *err),
    og_error *err);
size_t og_near_index_n_since(const struct og_near_index *index, uint8_t layer);
void og_near_index_set_layer(struct og_near_index *index, uint8_t layer);

#endif
