#ifndef OG_STORE_LMDB_FILE_H
#define OG_STORE_LMDB_FILE_H

/* An LMDB file read as plain bytes: what its heads say, and whether LMDB can be
 * let loose on it. LMDB believes every number that it finds in its file, and
 * reads through a map: a page that is not there ends the process. */

#include "lib/base/memory.h"

struct og_lmdb_head {
    uint64_t txnid;
    uint64_t last_page; /* in use; of page_len bytes */
    uint64_t page_len;
    uint64_t roots[2]; /* of the free pages and of the rest */
    bool is_head;      /* false: it is not a head, and the rest says nothing */
};

/* Both, as they are: transactions take turns in them. */
void og_lmdb_heads_read(int fd, struct og_lmdb_head out[2]);

/* The newer of the two heads; false: neither is one. */
bool og_lmdb_head_read(int fd, struct og_lmdb_head *out);

/* Follows every page from the newest head: each must lie in the file, be of a
 * known kind, contain nothing that leads out of it, and be met once. Nobody may
 * be writing. OG_ERR_STORE names the place. Keys and values are not
 * checked. */
og_status og_lmdb_walk(int fd, const char *path, const og_allocator *allocator,
                       og_error *err);

/* Whether the file is as long as its head says. A shorter one may be sound: the
 * last pages can have been taken in use and freed before they were written. */
bool og_lmdb_is_long_enough(int fd);

#endif
