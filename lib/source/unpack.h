#ifndef OG_SOURCE_UNPACK_H
#define OG_SOURCE_UNPACK_H

/*   in:  an open file
 *   out: its bytes, unpacked if it is gzip or zstd   (lib/source/source.c) */

#include <zlib.h>
#include <zstd.h>

#include "lib/base/memory.h"

/* The largest window a zstd file may request: what `zstd --long=27` and
 * `--ultra -22` write, and the most that the zstd command accepts by default.
 * The input decides on this memory, so it is bounded. */
#define OG_UNPACK_WINDOW_LOG 27

/* The dictionary of a .warc.zst: a first frame with this magic. */
#define OG_UNPACK_DICTIONARY_MAGIC 0x184d2a5du
#define OG_UNPACK_DICTIONARY_MAX   ((size_t)16 << 20)

enum og_unpack_kind { OG_UNPACK_PLAIN, OG_UNPACK_GZIP, OG_UNPACK_ZSTD };

struct og_unpack {
    const og_allocator *allocator;
    int fd;
    bool owns_fd;
    enum og_unpack_kind kind;
    char *in; /* read but not unpacked yet: in_pos .. in_len */
    size_t in_pos, in_len;
    bool in_ended;   /* the file is at its end */
    bool is_between; /* not inside a gzip member or a zstd frame */
    uint64_t n_read; /* bytes of the file on disk */
    bool (*should_stop)(void *ctx); /* true: stop reading; NULL: never */
    void *stop_ctx;
    /* The source of bytes if it is not a file: a member of an archive. Like
     * og_unpack_read(); NULL: read from fd. */
    void *pull_ctx;
    og_status (*pull)(void *ctx, char *out, size_t cap, size_t *out_len,
                      og_error *err);
    /* Kept from file to file; made when first needed. They allocate with the C
     * library. */
    z_stream gzip;
    bool has_gzip;
    ZSTD_DCtx *zstd;
    size_t zstd_wants; /* bytes needed to make progress */
    bool zstd_is_full; /* it filled `out`: there may be more in it */
};

/* Whether a file with these first bytes is unpacked. */
bool og_unpack_is_packed(og_bytes head);

void og_unpack_init(struct og_unpack *unpack, const og_allocator *allocator);
void og_unpack_release(struct og_unpack *unpack);

/* Takes `fd` (closes it in og_unpack_close() if `owns_fd`) and examines its
 * first bytes. After a failure og_unpack_close() must still be called. */
og_status og_unpack_open(struct og_unpack *unpack, int fd, bool owns_fd,
                         og_error *err);
void og_unpack_close(struct og_unpack *unpack);

/* At least one byte with OG_OK, at most `cap` (not 0). OG_END after the last.
 * OG_ERR_INPUT: packed data that is truncated or broken; OG_ERR_IO;
 * OG_ERR_MEMORY; OG_ERR_STOPPED: should_stop returned true, perhaps while it
 * waited for the file. The message does not name the file. All that could be
 * unpacked has been returned before. */
og_status og_unpack_read(struct og_unpack *unpack, char *out, size_t cap,
                         size_t *out_len, og_error *err);

/* Whether the next read would have to wait for the writer of a pipe. The writer
 * gets a moment to continue. */
bool og_unpack_must_wait(const struct og_unpack *unpack);

#endif
