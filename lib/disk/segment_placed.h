#ifndef OG_DISK_SEGMENT_PLACED_H
#define OG_DISK_SEGMENT_PLACED_H

/*   in:  the lengths of all sections, then their bytes, in any order, from any
 *        thread                                          (lib/sentence)
 *   out: a segment: a file, or its sections in memory     (lib/disk)
 *
 * Where every section lies is known before any of them is written, so threads
 * write their shares of all sections at the same time:
 *
 *     init     the lengths
 *     write    bytes of a section; in memory also directly, at _data()
 *     seal     a section that is complete: its checksum; each section once
 *     end      directory and foot
 *
 * A segment in memory never becomes a file by itself, so it has neither
 * checksums nor head, directory and foot. */

#include "lib/disk/segment_file.h"
#include "lib/os/new_file.h"

struct og_placed_segment {
    const og_allocator *allocator;
    const struct og_segment_kind *kind;
    unsigned n_sections;
    struct {
        uint64_t off, len, checksum;
    } section[OG_SECTIONS_MOST];
    uint64_t end;  /* of the last section */
    uint8_t *data; /* in memory; NULL: a file */
    size_t data_len;
    struct og_new_file file;
};

/* `path` NULL: in memory. `kind` outlives it. After a failure there is nothing
 * to drop. */
og_status og_placed_segment_init(struct og_placed_segment *s, const char *path,
                                 const struct og_segment_kind *kind,
                                 const uint64_t *lens, unsigned n_sections,
                                 const og_allocator *allocator, og_error *err);
/* Instead of og_placed_segment_end(): nothing is left of it. */
void og_placed_segment_drop(struct og_placed_segment *s);

/* A section in memory; NULL: of a file. */
static inline uint8_t *og_placed_segment_data(const struct og_placed_segment *s,
                                              unsigned section)
{
    return s->data == NULL ? NULL : s->data + s->section[section].off;
}

/* Any thread; the bytes of two calls do not overlap. */
og_status og_placed_segment_write(const struct og_placed_segment *s,
                                  unsigned section, uint64_t off,
                                  const void *data, size_t len, og_error *err);

/* Any thread, when all bytes of the section are written. */
og_status og_placed_segment_seal(struct og_placed_segment *s, unsigned section,
                                 og_error *err);

/* All sections are sealed. A file appears under its name and is on disk; it is
 * mapped, and its checksums, which were just computed from it, are not computed
 * again. Nothing is left to drop, whatever the status. */
og_status og_placed_segment_end(struct og_placed_segment *s,
                                struct og_segment_file *out, og_error *err);

#endif
