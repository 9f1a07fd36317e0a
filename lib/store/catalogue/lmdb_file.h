#ifndef OG_STORE_LMDB_FILE_H
#define OG_STORE_LMDB_FILE_H

/* An LMDB file read as plain bytes: what its heads say, and whether LMDB may
 * safely open it. LMDB trusts every number in its file, and reads through a
 * map: a missing page ends the process. */

#include "lib/base/memory.h"

struct og_lmdb_head {
    uint64_t txnid;
    uint64_t last_page; /* in use; of page_len bytes */
    uint64_t page_len;
    uint64_t roots[2]; /* of the free pages and of the rest */
    bool is_head;      /* false: it is not a head, and the rest is not valid */
};

/* Both, as they are: transactions alternate between them. */
void og_lmdb_heads_read(int fd, struct og_lmdb_head out[2]);

/* The newer of the two heads; false: neither is valid. */
bool og_lmdb_head_read(int fd, struct og_lmdb_head *out);

/* Follows every page from the newest head: each must lie in the file, be of a
 * known kind, contain nothing that refers outside it, and be visited once.
 * There must be no writer. OG_ERR_STORE names the position. Keys and values are
 * not checked. */
og_status og_lmdb_walk(int fd, const char *path, const og_allocator *allocator,
                       og_error *err);

/* Whether the file is as long as its head says. A shorter one may be valid: the
 * last pages may have been allocated and freed before they were written. */
bool og_lmdb_is_long_enough(int fd);

#endif
