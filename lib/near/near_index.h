#ifndef OG_NEAR_NEAR_INDEX_H
#define OG_NEAR_NEAR_INDEX_H

/*   in:  sketches of documents, one after another           (lib/near/near.c)
 *   out: for a sketch, the known ones with an equal band
 *
 * In memory that is fixed: when it is full, an entry that was not met for long
 * goes for each that comes. A sketch is `sketch_len` bytes; a band is some of
 * them in a row, wherever they stand. */

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

/* Numbers of entries with an equal band, each once; valid until the next call.
 * At most 1,024 of a band are met. */
og_status og_near_index_find(struct og_near_index *index, const uint8_t *sketch,
                             const uint32_t **out, size_t *out_n,
                             og_error *err);
void og_near_index_get(const struct og_near_index *index, uint32_t number,
                       struct og_near_entry *out);
/* It was a match: it stays longer. */
void og_near_index_touch(struct og_near_index *index, uint32_t number);

size_t og_near_index_n(const struct og_near_index *index);
size_t og_near_index_room(const struct og_near_index *index);
uint64_t og_near_index_n_evicted(const struct og_near_index *index);

/* All entries, oldest first, so that adding them again gives the same. */
og_status og_near_index_walk(
    const struct og_near_index *index, void *ctx,
    og_status (*on_entry)(void *ctx, const struct og_near_entry *entry,
                          og_error *err),
    og_error *err);

#endif
