#ifndef OG_STORE_CATALOGUE_LMDB_READ_H
#define OG_STORE_CATALOGUE_LMDB_READ_H

/*   in:  an LMDB file, which another process may be writing
 *   out: keys and values of its trees, of one committed state
 *
 * LMDB's own readers write to its lock file, so that the writer knows which
 * pages they still need, and read through a map, so that a missing page ends
 * the process. Ours do neither: pages are read as plain bytes and nothing in
 * them is trusted, and what was read counts only if its state was still intact
 * afterwards.
 *
 * How long a state stays intact follows from how LMDB writes. A transaction T
 * changes no page in place; it writes to pages that were freed by T - 2 or
 * before, which were in use up to T - 3. So the state of S is intact until S +
 * 3 begins, and surely as long as S + 2 is not committed: the newest head says
 * S or S + 1. A reader that finds a newer one restarts. The writer knows
 * nothing of it and never waits. */

#include "lib/store/catalogue/lmdb_file.h"
#include "lib/store/catalogue/page_sums.h"

enum { OG_LMDB_SLOTS = 128 }; /* pages that a reader keeps */

/* To be used by one thread at a time. */
struct og_lmdb_reader {
    int fd; /* borrowed */
    const char *path;
    const struct og_page_sums *sums; /* of some state; NULL: none */
    const og_allocator *allocator;
    struct og_lmdb_head head;        /* of the state that is read */
    unsigned turn;                   /* which of the two heads it is */
    uint64_t n_states;               /* that were read so far */
    uint64_t numbers[OG_LMDB_SLOTS]; /* 0: empty */
    uint8_t *pages;                  /* of the slots; NULL: not yet */
    bool has_read;                   /* pages, since the beginning */
    struct og_pack long_value;
};

struct og_lmdb_tree {
    uint64_t root;
    unsigned flags;
};

/* `path` is for messages. Takes no memory yet. */
void og_lmdb_reader_init(struct og_lmdb_reader *reader, int fd,
                         const char *path, const struct og_page_sums *sums,
                         const og_allocator *allocator);
void og_lmdb_reader_release(struct og_lmdb_reader *reader);

/* From here on, the newest state is read. */
og_status og_lmdb_reader_begin(struct og_lmdb_reader *reader, og_error *err);

/* The same for the state read last, which may not be the newest. */
void og_lmdb_reader_resume(struct og_lmdb_reader *reader);

/* Whether everything read since the beginning, including what seemed damaged,
 * belongs to that state. */
bool og_lmdb_reader_is_steady(struct og_lmdb_reader *reader);

/* Whether no newer state was committed. */
bool og_lmdb_reader_is_newest(const struct og_lmdb_reader *reader);

/* OG_ERR_STORE names file and position. OG_END: there is no such tree. */
og_status og_lmdb_tree_find(struct og_lmdb_reader *reader, const char *name,
                            struct og_lmdb_tree *out, og_error *err);

/* Returns false to stop. The bytes are valid until it returns. */
typedef bool og_lmdb_visit(void *ctx, og_bytes key, og_bytes value);

/* Keys in order, from the first that is at least `from` (NULL: all), each with
 * its values in order. */
og_status og_lmdb_scan(struct og_lmdb_reader *reader, struct og_lmdb_tree tree,
                       const og_bytes *from, og_lmdb_visit *visit, void *ctx,
                       og_error *err);

/* Visits every key with a single value in any page of the file, referenced or
 * not, in no order; also those of old states. What cannot be read is skipped.
 * OG_ERR_IO, OG_ERR_MEMORY. */
og_status og_lmdb_salvage(int fd, const char *path,
                          const og_allocator *allocator, og_lmdb_visit *visit,
                          void *ctx, og_error *err);

#endif
