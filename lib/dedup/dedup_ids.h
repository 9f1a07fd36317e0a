#ifndef OG_DEDUP_DEDUP_IDS_H
#define OG_DEDUP_DEDUP_IDS_H

/*   in:  the ids of documents, in order              (lib/dedup/dedup_pieces.c)
 *   out: the id of a document by its number
 *
 * For reports that name a source long after it was read: the ids are in a
 * temporary file, with eight bytes of memory per document and a cache of its
 * pages. One thread adds, another one, or the same, asks. */

#include <pthread.h>

#include "lib/base/packing.h"

struct og_ids_page;

struct og_dedup_ids {
    const char *folder;
    pthread_mutex_t lock;
    int fd;           /* -1: nothing written yet */
    uint64_t *begins; /* n + 1 of them */
    size_t n, begins_cap;
    struct og_pack buffer; /* not written yet: ends at begins[n] */
    /* Of the thread that asks. */
    struct og_pack asked; /* the last id that was read */
    uint64_t asked_number;
    struct og_ids_page *pages; /* NULL: none read yet */
};

/* `folder` must outlive it. */
void og_dedup_ids_init(struct og_dedup_ids *ids, const char *folder);
void og_dedup_ids_release(struct og_dedup_ids *ids);
og_status og_dedup_ids_add(struct og_dedup_ids *ids, og_bytes id,
                           og_error *err);
/* Of document `number`, from 1; 0 has none. Valid until the next call. */
og_status og_dedup_ids_get(struct og_dedup_ids *ids, uint64_t number,
                           og_bytes *out, og_error *err);

#endif
