#ifndef OG_HAMMING_CODE_SEGMENT_H
#define OG_HAMMING_CODE_SEGMENT_H

/* A run: codes with the ids that have them, and their tables, as one segment
 * (lib/disk/segment_file.h) in memory or mapped from a file. Its sections:
 *
 *     ids      for each code its entries: length * 2 + removed as a LEB128
 *              number, then the id; in the order of the ids, all distinct
 *     codes    u64[n], ascending, all distinct
 *     offsets  u64[n + 1]: where in the ids the entries of a code begin
 *     tables   as in code_index.h, one after the other; tables of another
 *              form are not in the file, they are built when it is opened
 *     totals   struct og_code_totals
 *
 * An entry that is marked removed hides those of older runs. Opening verifies
 * every checksum and every value once, so that an opened run can be used
 * without further checks. Runs of the previous layout (old_code_segment.c) are
 * read. */

#include "lib/disk/segment_file.h"
#include "lib/hamming/code_index.h"
#include "lib/hamming/code_plan.h"

enum {
    OG_CODE_ID_MOST = 65535, /* bytes of an id */
    OG_CODE_SIDE_LEN = 9,    /* and before it, with half of a 128-bit code */
};

enum og_code_section {
    OG_CODE_IDS,
    OG_CODE_CODES,
    OG_CODE_OFFSETS,
    OG_CODE_TABLES_SECTION,
    OG_CODE_TOTALS,
    OG_CODE_N_SECTIONS
};

struct og_code_totals {
    uint32_t n_bits, max_distance;
    uint32_t form; /* enum og_code_form */
    uint32_t n_tables;
    uint64_t n_codes;   /* distinct ones */
    uint64_t n_entries; /* ids that count */
    uint64_t n_removed; /* tombstones */
    struct {
        uint64_t mask, radius;
    } table[OG_CODE_TABLES];
};

extern const struct og_segment_kind og_code_segment_kind;
/* og_segment_kind.open_old: sections as above, except for the totals. */
og_status og_code_segment_open_old(struct og_segment_file *file,
                                   const char *name, og_error *err);
/* The totals of such a file. */
void og_code_segment_old_totals(const struct og_segment_file *file,
                                struct og_code_totals *out);

struct og_code_segment {
    struct og_segment_file file;
    unsigned max_distance;
    uint64_t n_entries, n_removed;
    const uint8_t *ids;
    const uint64_t *offsets;
    struct og_code_index index; /* has n and the codes */
};

struct og_code_entry {
    og_bytes id;
    bool removed;
};

/* Reads the entry at *at and advances. False at `end`, or if it is damaged
 * (which only the check at opening can encounter). */
bool og_code_entry_next(const uint8_t **at, const uint8_t *end,
                        struct og_code_entry *out);

/* Takes a file, which belongs to the segment until it is released.
 * OG_ERR_STORE with `name` and the position if it is damaged; then it still
 * belongs to the caller. */
og_status og_code_segment_take(struct og_code_segment *segment,
                               const struct og_segment_file *file,
                               const char *name, og_error *err);
/* Maps a file. */
og_status og_code_segment_open(struct og_code_segment *segment,
                               const char *path, og_error *err);
void og_code_segment_release(struct og_code_segment *segment);

/* ---- writing ---- */

struct og_code_writer;

/* `path` NULL writes to memory; otherwise the file gets its name in
 * og_code_writer_end(). */
og_status og_code_writer_new(const char *path, const og_allocator *allocator,
                             struct og_code_writer **out, og_error *err);
/* Codes in ascending order, entries of one in the order of their ids. */
og_status og_code_writer_add(struct og_code_writer *writer, uint64_t code,
                             const struct og_code_entry *entry, og_error *err);
/* Adds the tables of a design that the planner chooses, and opens the result.
 * Frees the writer, whatever the status; after a failure there is no file. */
og_status og_code_writer_end(struct og_code_writer *writer,
                             unsigned max_distance,
                             const struct og_code_choice *choice,
                             struct og_code_segment *out, og_error *err);
void og_code_writer_drop(struct og_code_writer *writer); /* NULL is fine */

#endif
