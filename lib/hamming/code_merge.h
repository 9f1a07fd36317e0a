#ifndef OG_HAMMING_CODE_MERGE_H
#define OG_HAMMING_CODE_MERGE_H

/* Several runs read as one: if two have the same id at the same code, the newer
 * one counts. Everything is a single ordered pass, so a code of a million
 * documents costs a million steps. */

#include "lib/disk/manifest.h"
#include "lib/hamming/code_segment.h"

enum { OG_CODE_RUNS_MOST = OG_SEGMENTS_MOST };

/* The entries of one code in one run. */
struct og_code_cursor {
    const uint8_t *at, *end;
    struct og_code_entry entry; /* its current entry */
    bool live;
};
void og_code_cursor_init(struct og_code_cursor *cursor, const uint8_t *at,
                         const uint8_t *end);

/* Every id of the cursors once, in order, as in the newest cursor that has it
 * (the last one), including removed ones. Returns false if on_entry did. */
bool og_code_entries_merge(struct og_code_cursor *cursors, size_t n, void *ctx,
                           bool (*on_entry)(void *ctx,
                                            const struct og_code_entry *entry));

/* Writes several runs, the oldest first, as one. Tombstones are dropped if no
 * older run is left to which they could apply. */
og_status og_code_segments_merge(const struct og_code_segment *const *segments,
                                 size_t n, bool drops_removed,
                                 struct og_code_writer *writer, og_error *err);

/* By bytes, a shorter one first. */
int og_code_id_compare(og_bytes a, og_bytes b);

#endif
