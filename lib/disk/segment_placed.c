/* Segments that are written in any order: segment_placed.h says how.
 *
 * The bytes of a file go through pwrite(), which threads may call at the same
 * time, and not through a mapping, where a full disk would be a signal. The
 * checksum of a section needs all of it in order, so it is computed from what
 * was written, which the system still has in memory. */

#define _GNU_SOURCE
#include "lib/disk/segment_placed.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/disk/segment_format.h"

enum { LINE = OG_SEGMENT_LINE, SEAL_LEN = 1 << 17 };

static og_status take_memory(struct og_placed_segment *s, og_error *err)
{
    /* Sections are at multiples of a line in a file; here of the alignment that
     * allocators guarantee, which is enough for all numbers. */
    s->data_len = s->end;
    s->data = og_allocate(s->allocator, s->data_len);
    if (s->data == NULL) return og_error_memory(err, s->data_len, "a segment");
    memset(s->data, 0, LINE);
    return OG_OK;
}

og_status og_placed_segment_init(struct og_placed_segment *s, const char *path,
                                 const struct og_segment_kind *kind,
                                 const uint64_t *lens, unsigned n_sections,
                                 const og_allocator *allocator, og_error *err)
{
    assert(n_sections <= OG_SECTIONS_MOST);
    *s = (struct og_placed_segment){.allocator = allocator,
                                    .kind = kind,
                                    .n_sections = n_sections,
                                    .end = LINE,
                                    .file = {.fd = -1}};
    for (unsigned i = 0; i < n_sections; i++) {
        s->section[i].off = s->end;
        s->section[i].len = lens[i];
        s->end += og_segment_rounded(lens[i]);
    }
    return path == NULL ? take_memory(s, err)
                        : og_new_file_open(&s->file, path, 0666, err);
}

void og_placed_segment_drop(struct og_placed_segment *s)
{
    og_new_file_discard(&s->file);
    if (s->data != NULL) og_release(s->allocator, s->data, s->data_len);
    s->data = NULL;
}

static og_status write_at(const struct og_placed_segment *s, const void *data,
                          size_t len, uint64_t off, og_error *err)
{
    if (og_file_write_at(s->file.fd, data, len, off) == 0) return OG_OK;
    return og_file_failure(err, "write", s->file.path, errno);
}

og_status og_placed_segment_write(const struct og_placed_segment *s,
                                  unsigned section, uint64_t off,
                                  const void *data, size_t len, og_error *err)
{
    assert(off <= s->section[section].len &&
           len <= s->section[section].len - off);
    if (len == 0) return OG_OK;
    if (s->data == NULL)
        return write_at(s, data, len, s->section[section].off + off, err);
    memcpy(s->data + s->section[section].off + off, data, len);
    return OG_OK;
}

/* ---- checksums ---- */

/* The next bytes of a section, in the byte order of files. */
static og_status read_back(const struct og_placed_segment *s, uint64_t off,
                           uint8_t *buffer, size_t len, const char *numbers,
                           const char **number, og_error *err)
{
    const int64_t n = og_file_read_at(s->file.fd, buffer, len, off);
    if (n < 0) return og_file_failure(err, "read", s->file.path, errno);
    if ((size_t)n != len)
        return og_error_set(err, OG_ERR_IO, "'%s' is shorter than written",
                            s->file.path);
    if (!OG_BIG_ENDIAN || numbers == NULL) return OG_OK;
    *number = og_segment_turn(numbers, *number, buffer, len);
    return write_at(s, buffer, len, off, err);
}

static og_status sum_section(const struct og_placed_segment *s,
                             unsigned section, uint8_t *buffer, uint64_t *out,
                             og_error *err)
{
    const uint64_t begin = s->section[section].off;
    const uint64_t len = og_segment_rounded(s->section[section].len);
    const char *numbers = s->kind->numbers[section], *number = numbers;
    struct og_checksum sum;
    og_checksum_init(&sum);
    for (uint64_t at = 0; at < len; at += SEAL_LEN) {
        const size_t n = len - at < SEAL_LEN ? (size_t)(len - at) : SEAL_LEN;
        TRY(read_back(s, begin + at, buffer, n, numbers, &number, err));
        og_checksum_add(&sum, buffer, n);
    }
    *out = og_checksum_end(&sum);
    return OG_OK;
}

og_status og_placed_segment_seal(struct og_placed_segment *s, unsigned section,
                                 og_error *err)
{
    static const uint8_t zeros[LINE];
    const uint64_t len = s->section[section].len;
    if (s->data != NULL) return OG_OK;
    TRY(write_at(s, zeros, og_segment_rounded(len) - len,
                 s->section[section].off + len, err));
    uint8_t *buffer = og_allocate(s->allocator, SEAL_LEN);
    if (buffer == NULL) return og_error_memory(err, SEAL_LEN, "a segment");
    const og_status status =
        sum_section(s, section, buffer, &s->section[section].checksum, err);
    og_release(s->allocator, buffer, SEAL_LEN);
    return status;
}

/* ---- the end ---- */

static og_status write_ends(const struct og_placed_segment *s, og_error *err)
{
    struct og_segment_file_head head = {.version = og_le32(s->kind->version)};
    struct og_segment_file_section directory[OG_SECTIONS_MOST + 1] = {{0}};
    const size_t directory_len =
        og_segment_rounded(s->n_sections * sizeof(*directory));
    memcpy(head.magic, OG_SEGMENT_HEAD_MAGIC, sizeof(head.magic));
    memcpy(head.kind, s->kind->name, sizeof(head.kind));
    head.checksum = og_le64(og_checksum(&head, LINE - sizeof(head.checksum)));
    for (unsigned i = 0; i < s->n_sections; i++)
        directory[i] = (struct og_segment_file_section){
            .off = og_le64(s->section[i].off),
            .len = og_le64(s->section[i].len),
            .checksum = og_le64(s->section[i].checksum)};
    struct og_segment_file_foot foot = {
        .n_sections = og_le64(s->n_sections),
        .directory_off = og_le64(s->end),
        .directory_sum = og_le64(og_checksum(directory, directory_len)),
        .file_len = og_le64(s->end + directory_len + LINE),
        .head_sum = head.checksum};
    memcpy(foot.magic, OG_SEGMENT_FOOT_MAGIC, sizeof(foot.magic));
    foot.checksum = og_le64(og_checksum(&foot, LINE - sizeof(foot.checksum)));
    TRY(write_at(s, &head, LINE, 0, err));
    TRY(write_at(s, directory, directory_len, s->end, err));
    return write_at(s, &foot, LINE, s->end + directory_len, err);
}

static og_status publish(struct og_placed_segment *s,
                         struct og_segment_file *out, og_error *err)
{
    og_status status = write_ends(s, err);
    char *path = status == OG_OK ? strdup(s->file.path) : NULL;
    if (status == OG_OK && path == NULL)
        status = og_error_memory(err, 1, "a path");
    if (status == OG_OK) status = og_new_file_commit(&s->file, err);
    if (status == OG_OK)
        status = og_segment_file_open_written(out, path, s->kind, err);
    free(path);
    og_placed_segment_drop(s);
    return status;
}

og_status og_placed_segment_end(struct og_placed_segment *s,
                                struct og_segment_file *out, og_error *err)
{
    *out = (struct og_segment_file){0};
    if (s->data == NULL) return publish(s, out, err);
    out->data = s->data;
    out->len = out->data_cap = s->data_len;
    out->allocator = s->allocator;
    out->version = s->kind->version;
    out->n_sections = s->n_sections;
    for (unsigned i = 0; i < s->n_sections; i++) {
        out->section[i].off = s->section[i].off;
        out->section[i].len = s->section[i].len;
    }
    s->data = NULL;
    return OG_OK;
}
