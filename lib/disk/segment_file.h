#ifndef OG_DISK_SEGMENT_FILE_H
#define OG_DISK_SEGMENT_FILE_H

/*   in:  sections of bytes, one after the other   (lib/hamming, lib/sentence)
 *   out: a file of them that never changes, mapped and checked
 *
 *     head       "origoseg" | kind 8 | version 4 | 0 36 | checksum 8
 *     sections   each at a multiple of 64 bytes; zeros up to the next multiple
 *     directory  offset 8 | length 8 | checksum 8 | 0 8 for every section;
 *                zeros up to a multiple of 64
 *     foot       "origofin" | number of sections 8 | offset of the directory 8
 *                | its checksum 8 | length of the file 8 | checksum of the
 *                head 8 | 0 8 | checksum 8
 *
 * Numbers are little-endian. Head and foot have 64 bytes; their checksum covers
 * the 56 bytes before it. The checksums of sections and directory include the
 * zeros after them, so every byte of the file is covered. The checksum of the
 * foot covers those of all other parts: a manifest keeps it to identify the
 * file (lib/disk/manifest.h). A segment in memory that og_segment_writer made
 * has the same bytes; one of segment_placed.h has the sections only.
 *
 * Sections are arrays of numbers that are used as they lie in the file. A
 * big-endian machine swaps their bytes when it writes, and when it opens a
 * file, in a private mapping: it then has the whole file in memory. */

#include "lib/base/memory.h"

enum { OG_SECTIONS_MOST = 32 };

struct og_segment_file {
    const uint8_t *data;
    size_t len;
    bool is_mapped;
    const og_allocator *allocator; /* of data that is not mapped */
    size_t data_cap;
    uint32_t version; /* of the kind; 0: the layout before this one */
    unsigned n_sections;
    struct {
        uint64_t off, len;
    } section[OG_SECTIONS_MOST];
    uint64_t sum; /* identifies the file */
};

struct og_segment_kind {
    char name[8]; /* padded with zeros */
    uint32_t version;
    /* For files older than this layout: checks `data` and `len` of the file,
     * and fills in sections and sum. NULL: there are no such files. */
    og_status (*open_old)(struct og_segment_file *file, const char *name,
                          og_error *err);
    /* The sizes of the numbers in an element of section i: "844" is one of 8
     * and two of 4 bytes, each at a multiple of its size; a '+' at the end
     * repeats the last one. NULL: bytes, which stay as they are. */
    const char *numbers[OG_SECTIONS_MOST];
};

/* Swaps the numbers in `len` bytes of a section, as described by `numbers`
 * above, between the machine's byte order and the other one. `at` is the
 * position in the description of the first of them; returns that of the next
 * one. */
const char *og_segment_turn(const char *numbers, const char *at, void *data,
                            size_t len);

/* Takes bytes allocated by `allocator` (data_cap of them), which belong to the
 * segment until og_segment_file_release(). OG_ERR_STORE with `name` and the
 * position when they are damaged; then they still belong to the caller. */
og_status og_segment_file_take(struct og_segment_file *file,
                               const uint8_t *data, size_t len, size_t data_cap,
                               const og_allocator *allocator,
                               const struct og_segment_kind *kind,
                               const char *name, og_error *err);
/* Maps a file. */
og_status og_segment_file_open(struct og_segment_file *file, const char *path,
                               const struct og_segment_kind *kind,
                               og_error *err);
/* The same for a file that this process has just written and summed: sections
 * are not read. */
og_status og_segment_file_open_written(struct og_segment_file *file,
                                       const char *path,
                                       const struct og_segment_kind *kind,
                                       og_error *err);
void og_segment_file_release(struct og_segment_file *file);

/* Releases the memory of these bytes if the file is mapped; they can still be
 * read (lib/os/pages.h). */
void og_segment_file_forget(const struct og_segment_file *file,
                            const void *data, size_t len);

/* "'name' is damaged: what", OG_ERR_STORE. */
og_status og_segment_file_damaged(const char *name, const char *what,
                                  og_error *err);

/* For og_segment_kind.open_old on big-endian machines: layouts that are no
 * longer written have no description of their numbers. Returns OG_ERR_STORE. */
og_status og_segment_file_too_old(const char *name, og_error *err);

/* The bytes of section `i`, at a multiple of 64 in the file. */
static inline const void *og_segment_section(const struct og_segment_file *f,
                                             unsigned i)
{
    return f->data + f->section[i].off;
}

/* ---- writing ---- */

struct og_segment_writer;

/* Writes to memory when `path` is NULL, else to a file that appears under its
 * name when it is complete and on disk. */
og_status og_segment_writer_new(const char *path,
                                const struct og_segment_kind *kind,
                                const og_allocator *allocator,
                                struct og_segment_writer **out, og_error *err);
void og_segment_writer_drop(struct og_segment_writer *w); /* NULL is fine */

/* Appends to the current section. The first failure is kept and reported by
 * og_segment_writer_end(). */
void og_segment_write(struct og_segment_writer *w, const void *data,
                      size_t len);
static inline void og_segment_write_u32(struct og_segment_writer *w, uint32_t v)
{
    og_segment_write(w, &v, sizeof(v));
}
static inline void og_segment_write_u64(struct og_segment_writer *w, uint64_t v)
{
    og_segment_write(w, &v, sizeof(v));
}
/* Ends the current section; at most OG_SECTIONS_MOST. */
void og_segment_end_section(struct og_segment_writer *w);

/* OG_OK, or the first failure. */
og_status og_segment_writer_status(const struct og_segment_writer *w,
                                   og_error *err);

/* Finishes the file and opens what was written. Frees the writer, whatever the
 * status; after a failure there is no file. */
og_status og_segment_writer_end(struct og_segment_writer *w,
                                struct og_segment_file *out, og_error *err);

#endif
