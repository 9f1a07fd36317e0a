#ifndef OG_HAMMING_CODE_MERGE_H
#define OG_HAMMING_CODE_MERGE_H

/* Several runs read as one: where two have the same id at the same code, the
 * newer one counts. Everything is a single pass in order, so a code that a
 * million documents have costs a million steps. */

#include "lib/disk/manifest.h"
#include "lib/hamming/code_segment.h"

enum { OG_CODE_RUNS_MOST = OG_SEGMENTS_MOST };

/* The entries of one code in one run. */
struct og_code_cursor {
    const uint8_t *at, *end;
    struct og_code_entry entry; /* where it is */
    bool live;
};
void og_code_cursor_init(struct og_code_cursor *cursor, const uint8_t *at,
                         const uint8_t *end);

/* Every id of the cursors once, in order, as the newest cursor (the last one)
 * has it, removed ones too. Returns false when on_entry did. */
bool og_code_entries_merge(struct og_code_cursor *cursors, size_t n, void *ctx,
                           bool (*on_entry)(void *ctx,
                                            const struct og_code_entry *entry));

/* Writes runs, the oldest first, as one. Without what is marked removed when
 * nothing older is left that the mark could be for. */
og_status og_code_images_merge(const struct og_code_image *const *images,
                               size_t n, bool drops_removed,
                               struct og_code_writer *writer, og_error *err);

/* By bytes, a shorter one first. */
int og_code_id_compare(og_bytes a, og_bytes b);

#endif
