#ifndef OG_NEAR_NEAR_INDEX_H
#define OG_NEAR_NEAR_INDEX_H

/*   in:  sketches of documents, one after another           (lib/near/near.c)
 *   out: for a sketch, the known ones with an equal band
 *
 * In a fixed amount of memory: when it is full, each new entry evicts one that
 * was not matched recently. A sketch is `sketch_len` bytes; a band is some
 * consecutive ones, anywhere. */

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

/* Evicts an entry if there is no room. */
void og_near_index_add(struct og_near_index *index,
                       const struct og_near_entry *entry);

/* The same for many, in steps, those of a band on any thread: reserves room for
 * n more; if that is true, there are more buckets, and each band is chained
 * again; assigns each its place, in order; chains each band by itself, over all
 * moves in order. From _reserve to the end of the last band nothing can be
 * found. */
struct og_near_move {
    uint32_t place;
    bool has_old;      /* one was evicted for it */
    uint8_t *sketches; /* the old one, then the new one */
};
bool og_near_index_reserve(struct og_near_index *index, size_t n);
void og_near_index_rechain(struct og_near_index *index, size_t band);
/* move->sketches has room for two. */
void og_near_index_place(struct og_near_index *index,
                         const struct og_near_entry *entry,
                         struct og_near_move *move);
void og_near_index_chain(struct og_near_index *index, size_t band,
                         const struct og_near_move *moves, size_t n);

/* The entries found; owned by the caller, reusable. */
struct og_near_found {
    uint32_t *entries;
    size_t n, cap;
};
void og_near_found_release(struct og_near_found *found);

/* The most entries of a band that are met. */
#define OG_NEAR_MOST_MET 1024

/* Entries with an equal band, each once, by number. Any number of threads at a
 * time. `n_met` (of each band, may be NULL): how many were met elsewhere. */
og_status og_near_index_find(const struct og_near_index *index,
                             const uint8_t *sketch, const uint32_t *n_met,
                             struct og_near_found *out, og_error *err);
/* The bucket of a band. And whether two share this band and none of the bands
 * before it. */
uint32_t og_near_index_bucket(const struct og_near_index *index,
                              const uint8_t *sketch, size_t band);
bool og_near_index_is_first(const struct og_near_index *index, const uint8_t *a,
                            const uint8_t *b, size_t band);
/* Whether the entry still belongs to this document. */
bool og_near_index_has(const struct og_near_index *index, uint32_t number,
                       uint32_t document);
void og_near_index_get(const struct og_near_index *index, uint32_t number,
                       struct og_near_entry *out);
/* It was matched: keeps it longer. */
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

/* Adds an entry of a segment, replacing one of an older segment at that place.
 * It is found after og_near_index_chain_all(). place < room. */
void og_near_index_put(struct og_near_index *index, uint32_t place,
                       const struct og_near_entry *entry, uint8_t layer);
/* After all entries were put. False: they do not form a ring with its hand
 * there. */
bool og_near_index_chain_all(struct og_near_index *index, uint32_t hand);
uint32_t og_near_index_hand(const struct og_near_index *index);

/* Visits the entries of this layer and of later ones, by place; returns their
 * number, and moves them to this layer. */
og_status og_near_index_walk(
    const struct og_near_index *index, uint8_t layer, void *ctx,
    og_status (*on_entry)(void *ctx, uint32_t place,
                          const struct og_near_entry *entry, og_error *err),
    og_error *err);
size_t og_near_index_n_since(const struct og_near_index *index, uint8_t layer);
void og_near_index_set_layer(struct og_near_index *index, uint8_t layer);

#endif
