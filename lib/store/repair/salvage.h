#ifndef OG_STORE_REPAIR_SALVAGE_H
#define OG_STORE_REPAIR_SALVAGE_H

/*   in:  the folder of a damaged store
 *   out: entries of documents, who was removed, frames of the journal
 *
 * An entry has a checksum of its own and is in the journal, in the
 * catalogue, or in both. So each place is searched byte by byte, or page by
 * page, without trusting what refers to it, and all valid ones count. */

#include "lib/store/conf.h"
#include "lib/store/store.h"
#include "lib/store/text/texts.h"

#include <origo/store.h>

/* An entry that was found; several can be of one document. */
struct og_salvaged {
    uint32_t number;
    size_t off, len; /* in `bytes` */
};

struct og_salvage {
    const og_allocator *allocator;
    const char *folder; /* of the store */
    char data[4096];    /* where its files are */
    struct og_conf conf;
    og_repair *report;
    void (*on_loss)(void *ctx, const og_loss *loss);
    void *ctx;
    struct og_salvaged *entries; /* by number, when all were found */
    size_t n, cap;
    struct og_pack bytes;   /* of entries */
    struct og_pack removed; /* numbers, 4 bytes each; sorted at the end */
    struct og_text_patches patches;
    uint32_t n_documents;    /* that there were, as far as is known */
    uint64_t first_sequence; /* of the existing records; 0: none */
    uint64_t last_sequence;
    uint64_t n_records;
    uint64_t last_lost; /* the last record that is missing; 0: none */
    char tail[300];     /* bytes at the end that contain no record; "": none */
    bool failed;        /* no memory */
};

/* Fills all of it. */
og_status og_salvage_find(struct og_salvage *s, og_error *err);
void og_salvage_release(struct og_salvage *s);

og_bytes og_salvage_entry(const struct og_salvage *s, size_t i);
bool og_salvage_is_removed(const struct og_salvage *s, uint32_t number);

/* Reports damage; `format` and what follows as for printf. */
__attribute__((format(printf, 2, 3))) void
og_salvage_damage(struct og_salvage *s, const char *format, ...);

#endif
