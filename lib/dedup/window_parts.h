#ifndef OG_DEDUP_WINDOW_PARTS_H
#define OG_DEDUP_WINDOW_PARTS_H

/*   in:  the windows of all documents, hashed      (lib/dedup/level_passage.c)
 *   out: a bit for each that an earlier document has
 *
 * Windows are distributed, by a hash of their tokens, to parts on disk, 16
 * bytes each; then each part is processed in the order of the documents, with a
 * table of its own. Parts are independent: any number of threads distributes
 * and marks, each part on one thread at a time.
 *
 *     record: [hash, 64 bits][24 more bits of another hash | position, 40 bits]
 */

#include <pthread.h>
#include <stdatomic.h>

#include "lib/base/memory.h"
#include "lib/disk/sorter.h"
#include "lib/stream/phases.h"

#define OG_WINDOW_PLACE_BITS 40
#define OG_WINDOW_PLACE_MASK (((uint64_t)1 << OG_WINDOW_PLACE_BITS) - 1)
#define OG_WINDOW_PARTS_MAX  1024

struct og_window {
    uint64_t hash, place;
};

struct og_window_holder { /* of a copied window */
    uint64_t place, document;
};

struct og_window_part {
    struct og_window *buffer;
    size_t n;
    uint64_t *chunks; /* offsets in the file, one buffer each */
    size_t n_chunks, chunks_cap;
};

struct og_window_parts {
    const char *folder;
    struct og_window_part *parts;
    unsigned bits; /* 2^bits parts */
    int fd;
    _Atomic uint64_t file_len;
    pthread_t
        closing; /* a file of gigabytes: freeing its pages takes a while */
    bool is_closing;
    double closing_seconds; /* of the processor, after _release */
};

/* For about `text_len` bytes of text. `folder` must outlive the parts. _release
 * in any case, also after an _init that failed. */
og_status og_window_parts_init(struct og_window_parts *parts, uint64_t text_len,
                               const char *folder, og_error *err);
void og_window_parts_release(struct og_window_parts *parts);

static inline size_t og_window_part_of(const struct og_window_parts *parts,
                                       uint64_t hash)
{
    return (size_t)(hash >> (64 - parts->bits));
}

/* Windows of one part, by ascending position, to which `base` is added. */
og_status og_window_parts_add(struct og_window_parts *parts, size_t part,
                              const struct og_window *windows, size_t n,
                              uint64_t base, og_error *err);

struct og_window_marks {
    const uint64_t *bases;   /* the position of the first token of each
                                document, and the end */
    _Atomic uint8_t *copied; /* a bit for each position */
    /* The first holder of each copied window, for documents from number
     * first_asked on (from 0); NULL: not recorded. In no order. */
    struct og_sorter *holders;
    uint64_t first_asked;
    size_t memory; /* for tables, of all threads; 0: as much as needed */
};

/* Marks all parts, which are empty afterwards; a thread of its own closes their
 * file, until _release. on_part() is called by the
 * calling thread now and then, with the number done; may be NULL. */
og_status og_window_parts_mark(struct og_window_parts *parts,
                               const struct og_window_marks *marks,
                               const struct og_phases *phases,
                               void (*on_part)(void *ctx, size_t n_done),
                               void *ctx, og_error *err);

#endif
