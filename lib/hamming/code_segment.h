#ifndef OG_HAMMING_CODE_SEGMENT_H
#define OG_HAMMING_CODE_SEGMENT_H

/* A run: codes with the ids that have them, and their tables, as one piece of
 * bytes that never changes. It lies in memory or is mapped from a file; both
 * look the same. All numbers are little-endian, all parts begin at multiples
 * of 64 bytes:
 *
 *     head     2,048 bytes: struct image_head in code_segment.c
 *     ids      for each code its entries: length * 2 + removed as a LEB128
 *              number, then the id; in the order of the ids, all different
 *     codes    u64[n], ascending, all different
 *     offsets  u64[n + 1]: where in the ids the entries of a code begin
 *     tables   as in code_index.h, one after the other; tables of another
 *              form are not in the file, they are made when it is opened
 *
 * An entry that is marked removed says that older runs no longer count. The
 * head holds a sum of itself and one of all the rest; opening compares both
 * and walks everything once, so that what was opened can be used freely. */

#include "lib/hamming/code_index.h"
#include "lib/hamming/code_plan.h"

enum {
    OG_CODE_ID_MOST = 65535, /* bytes of an id */
    OG_CODE_SIDE_LEN = 9,    /* and before it, with half a code of 128 bits */
};

struct og_code_image {
    const uint8_t *data;
    size_t len;
    bool is_mapped;
    const og_allocator *allocator; /* of data that is not mapped */
    unsigned max_distance;
    uint64_t n_entries, n_removed, sum;
    const uint8_t *ids;
    const uint64_t *offsets;
    struct og_code_index index; /* has n and the codes */
};

struct og_code_entry {
    og_bytes id;
    bool removed;
};

/* Reads the entry at *at and moves on. False at `end`, or when it is not
 * sound (only the check at opening can see that). */
bool og_code_entry_next(const uint8_t **at, const uint8_t *end,
                        struct og_code_entry *out);

/* Takes bytes as they lie; they stay the caller's until the image is
 * released, then they are given to `allocator`. OG_ERR_STORE with `name` and
 * the place when they are not sound, and the bytes are still the caller's. */
og_status og_code_image_take(struct og_code_image *image, const uint8_t *data,
                             size_t len, const char *name,
                             const og_allocator *allocator, og_error *err);
/* Maps a file. */
og_status og_code_image_open(struct og_code_image *image, const char *path,
                             og_error *err);
void og_code_image_release(struct og_code_image *image);

/* ---- writing ---- */

struct og_code_writer;

/* `path` NULL writes to memory. Else to path + ".new"; the file has its name
 * when og_code_writer_end() is done. */
og_status og_code_writer_new(const char *path, const og_allocator *allocator,
                             struct og_code_writer **out, og_error *err);
/* Codes in ascending order, entries of one in the order of their ids. */
og_status og_code_writer_add(struct og_code_writer *writer, uint64_t code,
                             const struct og_code_entry *entry, og_error *err);
/* Adds the tables of a design that the planner picks, and opens what was
 * written. The writer is gone, whatever the status; after a failure there is
 * no file. */
og_status og_code_writer_end(struct og_code_writer *writer,
                             unsigned max_distance,
                             const struct og_code_choice *choice,
                             struct og_code_image *out, og_error *err);
void og_code_writer_drop(struct og_code_writer *writer); /* NULL is fine */

/* ---- sums ---- */

/* Eight lanes of x = rotate((x ^ word) * odd): each step loses nothing, so a
 * change of one word always shows. Lengths are multiples of 64. */
struct og_code_sum {
    uint64_t lane[8];
};
void og_code_sum_init(struct og_code_sum *sum);
void og_code_sum_add(struct og_code_sum *sum, const void *data, size_t len);
uint64_t og_code_sum_end(const struct og_code_sum *sum);

#endif
