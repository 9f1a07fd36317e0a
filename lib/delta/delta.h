#ifndef OG_DELTA_DELTA_H
#define OG_DELTA_DELTA_H

/*   in:  old files, a new file                    (lib/chunk/file_chunks.h)
 *   out: the new file as pieces of the old ones and bytes of its own
 *                                                (docs/format-delta.md)
 *
 * delta.c finds the pieces, delta_write.c packs them, patch.c reassembles them.
 * og_delta_make() and og_delta_apply() are public. */

#include "lib/base/packing.h"
#include "lib/chunk/file_chunks.h"
#include "lib/delta/delta_format.h"
#include "lib/os/new_file.h"

#include <origo/files.h>

/* A file that a delta may copy from. */
struct og_delta_old {
    char *path;
    int fd;
    uint64_t len;
    uint8_t root[OG_HASH_LEN];
    struct og_file_window window;
    uint32_t number; /* in the delta's table; UINT32_MAX: not used yet */
};

struct og_delta_olds {
    const og_allocator *allocator;
    struct og_delta_old *files;
    size_t n, cap;
};
void og_delta_olds_release(struct og_delta_olds *olds);

/* Opens it and adds it, with root and chunks still unknown. */
og_status og_delta_olds_add(struct og_delta_olds *olds, const char *path,
                            og_error *err);

/* One step of a new file: bytes of its own, or bytes of an old file. */
struct og_delta_piece {
    uint32_t old;     /* index in olds; UINT32_MAX: a literal */
    uint64_t old_off; /* of a copy */
    uint64_t new_off; /* the end of the previous piece */
    uint64_t len;
};

struct og_delta_pieces {
    struct og_delta_piece *data;
    size_t n, cap;
};

/* The most chunks of all files together, unless the caller chooses their
 * length: each takes 48 bytes, and in an old file some 70 more. */
#define OG_DELTA_MOST_CHUNKS (UINT64_C(1) << 20)

/* How files of `n_bytes` in all are cut. */
og_cut_options og_delta_cut(const og_delta_options *options, uint64_t n_bytes);

/* Packs the pieces and writes the whole delta. */
og_status og_delta_write(struct og_delta_olds *olds,
                         const struct og_delta_pieces *pieces,
                         struct og_file_window *new_file,
                         const struct og_chunk_tree *new_tree, int level,
                         struct og_new_file *out, og_error *err);

/* ---- reading: patch.c ---- */

struct og_delta_source { /* where a delta's bytes come from */
    int fd;              /* -1: from memory */
    const uint8_t *data;
    uint64_t len, at;
    const char *name;
};

struct og_delta_entry { /* an old file as the delta lists it */
    char *name;         /* "" if the delta has no names */
    uint64_t len;
    uint8_t root[OG_DELTA_OLD_ROOT_2];
};

struct og_delta_head {
    const og_allocator *allocator;
    og_cut_options cut;
    uint64_t new_len;
    uint8_t new_root[OG_DELTA_NEW_ROOT_2];
    size_t new_root_len, old_root_len; /* bytes of the roots that are stored */
    struct og_delta_entry *olds;
    size_t olds_cap, n_olds;
};

/* Reads and checks everything before the blocks. */
og_status og_delta_read_head(struct og_delta_source *source,
                             const og_allocator *allocator,
                             struct og_delta_head *head, og_error *err);
void og_delta_head_release(struct og_delta_head *head);

/* Decodes the blocks: passes the new file's bytes in order to `write`. `read`
 * returns bytes of an old file; neither is called for a range outside the
 * declared lengths. Memory is bounded by delta_format.h whatever the delta
 * contains. */
struct og_delta_sink {
    void *ctx;
    og_status (*read)(void *ctx, uint32_t old, uint64_t off, size_t len,
                      uint8_t *out, og_error *err);
    og_status (*write)(void *ctx, const uint8_t *data, size_t len,
                       og_error *err);
};
og_status og_delta_read_blocks(struct og_delta_source *source,
                               const struct og_delta_head *head,
                               const struct og_delta_sink *sink, og_error *err);

#endif
