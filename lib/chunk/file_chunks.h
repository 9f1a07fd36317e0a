#ifndef OG_CHUNK_FILE_CHUNKS_H
#define OG_CHUNK_FILE_CHUNKS_H

/*   in:  a file, by its path                        (lib/chunk/chunk_tree.h)
 *   out: what similar files and deltas need of its chunks: a key and a length
 *
 * A key is the first 8 bytes of a chunk's hash, low first: enough to find
 * candidates, whose bytes or root are verified in the end. So a known file
 * costs 12 bytes per chunk instead of 48. */

#include "lib/base/bits.h"
#include "lib/chunk/chunk_tree.h"

#include <origo/files.h>

struct og_file_chunks {
    const og_allocator *allocator;
    uint64_t file_len;
    uint8_t hash[OG_HASH_LEN]; /* the root of its tree */
    uint64_t *keys;
    size_t keys_cap;
    uint32_t *lens;
    size_t lens_cap;
    size_t n;
};

void og_file_chunks_init(struct og_file_chunks *chunks,
                         const og_allocator *allocator);
void og_file_chunks_release(struct og_file_chunks *chunks);

static inline uint64_t og_hash_key(const uint8_t hash[OG_HASH_LEN])
{
    return og_load64(hash);
}

/* Each replaces the content of `chunks`. */
og_status og_file_chunks_take(struct og_file_chunks *chunks,
                              const struct og_chunk_tree *tree, og_error *err);
og_status og_file_chunks_read(struct og_file_chunks *chunks, const char *path,
                              const og_cut_options *options, unsigned n_threads,
                              og_error *err);

/* A file with random access through a window of its bytes. */
struct og_file_window {
    const og_allocator *allocator;
    int fd;
    const char *name; /* for messages; the caller's */
    uint64_t file_len;
    uint8_t *data;
    uint64_t off; /* of data[0] in the file */
    size_t len;
};
enum { OG_WINDOW_LEN = 1 << 18 };

og_status og_file_window_init(struct og_file_window *window, int fd,
                              const char *name, uint64_t file_len,
                              const og_allocator *allocator, og_error *err);
void og_file_window_release(struct og_file_window *window);

/* The bytes from `off` on, at least one of them and at most *len, which is set
 * to their number. They are valid until the next call. A file that was
 * truncated is OG_ERR_INPUT. `off` must be below file_len. */
og_status og_file_window_at(struct og_file_window *window, uint64_t off,
                            size_t *len, const uint8_t **out, og_error *err);

/* Those before `off`, the last of them out[*len - 1]. `off` is above 0. */
og_status og_file_window_before(struct og_file_window *window, uint64_t off,
                                size_t *len, const uint8_t **out,
                                og_error *err);

/* Copies off .. off + len. */
og_status og_file_window_read(struct og_file_window *window, uint64_t off,
                              size_t len, uint8_t *out, og_error *err);

#endif
