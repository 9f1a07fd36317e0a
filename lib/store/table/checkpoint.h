#ifndef OG_STORE_TABLE_CHECKPOINT_H
#define OG_STORE_TABLE_CHECKPOINT_H

/*   in:  a table and what belongs to it, after record S             (lib/store)
 *   out: the same, mapped from a file, at the next start
 *
 * STORE/passages.tab, in pages of 4 KiB, little endian:
 *
 *     page 0    "origotab" | version 4 | features 4 | uuid 16 |
 *               sequence S 8 | documents 8 | table 8 | marks 8 | state 8 |
 *               sums 8 | checksum of the sums 8 | checksum of page 0 8
 *     pages     the buckets of the table        `table` bytes
 *               a mark for each document        `marks` bytes
 *               state: counters, lots, learning `state` bytes
 *               a sum of each page before       `sums` bytes
 *
 * Features 1: the table has not grown to its cap yet, and its level follows
 * from its length (lib/table/table.h). Features 3: so it is, and small; its
 * buckets are packed (lib/table/table_state.h).
 *
 * Each part begins at a page. A file is written beside the old one, synced and
 * renamed over it, so there is always one that is whole.
 *
 * It is mapped, private to the process, so that opening takes no time, however
 * large the table is: a page is read, and its sum compared, when it is first
 * needed. */

#include "lib/base/packing.h"
#include "lib/store/conf.h"

#define OG_CHECKPOINT_PAGE 4096

/* The mark of a document: all that order and comparison need of it. */
struct og_mark {
    int64_t time;
    uint32_t same;  /* hash of what params.same names; 0: nothing */
    uint32_t n_new; /* fingerprints that it brought into the table */
    uint32_t flags;
    uint32_t zero;
};
_Static_assert(sizeof(struct og_mark) == 24, "written as it is");

/* OG_MARK_KNOWN: only for marks in memory that were fetched from servers. */
enum { OG_MARK_HAS_TIME = 1, OG_MARK_REMOVED = 2, OG_MARK_KNOWN = 4 };

enum { OG_TABLE_GROWING = 1, OG_TABLE_PACKED = 2 };

struct og_checkpoint_parts {
    uint64_t sequence;
    const void *table;
    size_t table_len;
    uint32_t features; /* of the table */
    /* Marks are in several pieces: called with 0, 1, ... up to n_documents. */
    uint32_t n_documents;
    const struct og_mark *(*mark)(const void *ctx, uint32_t number);
    const void *ctx;
    og_bytes state;
};

/* Gives all of it to the system, under a name of its own. Then it must be
 * committed (og_checkpoint_commit(), by any thread) or discarded. */
struct og_new_file;
og_status og_checkpoint_write(const char *folder, const uint8_t *uuid,
                              const struct og_checkpoint_parts *parts,
                              const og_allocator *allocator,
                              struct og_new_file *out, og_error *err);

struct og_checkpoint {
    uint8_t *map; /* NULL: none */
    size_t map_len;
    uint64_t sequence;
    uint8_t *table;
    size_t table_len;
    uint32_t features;
    const struct og_mark *marks;
    uint32_t n_documents;
    og_bytes state;
    const uint64_t *sums;
    size_t n_pages;    /* that have a sum, page 0 not among them */
    uint8_t *is_known; /* a byte a page: its sum was compared */
    size_t n_known;
    const og_allocator *allocator;
    char path[4096];
};

/* `table_len` is that of a table at its cap. OG_END: there is no checkpoint.
 * OG_ERR_STORE: it is damaged, or of another version or store. Marks and
 * state are checked, pages of the table are not. */
og_status og_checkpoint_open(struct og_checkpoint *c, const char *folder,
                             const uint8_t *uuid, size_t table_len,
                             const og_allocator *allocator, og_error *err);
void og_checkpoint_close(struct og_checkpoint *c);

/* Verifies the checksum of the pages that contain bytes begin .. end of the
 * table, unless that was done. Any thread; must precede the first write to
 * those bytes. */
og_status og_checkpoint_know(struct og_checkpoint *c, size_t begin, size_t end,
                             og_error *err);

static inline bool og_checkpoint_all_known(const struct og_checkpoint *c)
{
    return __atomic_load_n(&c->n_known, __ATOMIC_ACQUIRE) == c->n_pages;
}

#endif
