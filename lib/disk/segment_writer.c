/* Writing a segment front to back: a section goes through a buffer, and its
 * checksum is computed on the way. The directory, which needs the checksums,
 * comes last. */

#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/disk/segment_file.h"
#include "lib/disk/segment_format.h"
#include "lib/os/new_file.h"

enum { BUFFER = 1 << 16, LINE = OG_SEGMENT_LINE };

struct og_segment_writer {
    const og_allocator *allocator;
    struct og_segment_kind kind;
    bool to_file;
    struct og_new_file file;
    struct og_pack memory;
    struct og_checksum *sum; /* of the current section; in `state` */
    uint64_t len;            /* without the buffer */
    uint64_t head_sum;
    unsigned n_sections;
    const char *number; /* in kind.numbers: the first number of the buffer */
    struct og_segment_file_section section[OG_SECTIONS_MOST];
    og_status status;
    og_error err;
    size_t n_buffer;
    uint8_t buffer[BUFFER];
    uint8_t state[sizeof(struct og_checksum) + 64]; /* see checksum.h */
};

/* ---- bytes ---- */

static void put(struct og_segment_writer *w, const void *data, size_t len)
{
    w->len += len;
    if (w->status != OG_OK) return;
    if (w->to_file) {
        w->status = og_new_file_write(&w->file, data, len, &w->err);
        return;
    }
    og_pack_bytes(&w->memory, data, len);
    if (w->memory.failed)
        w->status = og_error_memory(&w->err, w->len, "a segment");
}

/* No number crosses the end of the buffer, whose length is a multiple of the
 * number sizes. */
static void turn_buffer(struct og_segment_writer *w)
{
    const char *const numbers = w->kind.numbers[w->n_sections];
    if (numbers != NULL)
        w->number = og_segment_turn(numbers, w->number, w->buffer, w->n_buffer);
}

static void flush(struct og_segment_writer *w)
{
    if (w->n_buffer == 0) return;
    if (OG_BIG_ENDIAN) turn_buffer(w);
    og_checksum_add(w->sum, w->buffer, w->n_buffer);
    put(w, w->buffer, w->n_buffer);
    w->n_buffer = 0;
}

void og_segment_write(struct og_segment_writer *w, const void *data, size_t len)
{
    const uint8_t *at = data;
    while (len != 0) {
        const size_t room = BUFFER - w->n_buffer;
        const size_t take = len < room ? len : room;
        memcpy(w->buffer + w->n_buffer, at, take);
        w->n_buffer += take;
        at += take;
        len -= take;
        if (w->n_buffer == BUFFER) flush(w);
    }
}

static void begin_section(struct og_segment_writer *w)
{
    assert(w->n_sections < OG_SECTIONS_MOST);
    w->section[w->n_sections].off = w->len;
    w->number = w->kind.numbers[w->n_sections];
    og_checksum_init(w->sum);
}

void og_segment_end_section(struct og_segment_writer *w)
{
    static const uint8_t zeros[LINE];
    struct og_segment_file_section *s = &w->section[w->n_sections];
    s->len = w->len + w->n_buffer - s->off;
    og_segment_write(w, zeros, og_segment_rounded(s->len) - s->len);
    flush(w);
    s->checksum = og_checksum_end(w->sum);
    if (++w->n_sections < OG_SECTIONS_MOST) begin_section(w);
}

/* ---- the writer ---- */

static void write_head(struct og_segment_writer *w)
{
    struct og_segment_file_head head = {.version = og_le32(w->kind.version)};
    memcpy(head.magic, OG_SEGMENT_HEAD_MAGIC, sizeof(head.magic));
    memcpy(head.kind, w->kind.name, sizeof(head.kind));
    w->head_sum = og_checksum(&head, LINE - sizeof(head.checksum));
    head.checksum = og_le64(w->head_sum);
    put(w, &head, sizeof(head));
}

og_status og_segment_writer_new(const char *path,
                                const struct og_segment_kind *kind,
                                const og_allocator *allocator,
                                struct og_segment_writer **out, og_error *err)
{
    *out = NULL;
    struct og_segment_writer *w = og_allocate(allocator, sizeof(*w));
    if (w == NULL) return og_error_memory(err, sizeof(*w), "a segment");
    memset(w, 0, offsetof(struct og_segment_writer, buffer));
    w->allocator = w->memory.allocator = allocator;
    w->kind = *kind;
    w->to_file = path != NULL;
    w->sum = (void *)(((uintptr_t)w->state + 63) / 64 * 64);
    if (path != NULL) {
        const og_status status = og_new_file_open(&w->file, path, 0666, err);
        if (status != OG_OK) {
            og_release(allocator, w, sizeof(*w));
            return status;
        }
    }
    write_head(w);
    begin_section(w);
    *out = w;
    return OG_OK;
}

void og_segment_writer_drop(struct og_segment_writer *w)
{
    if (w == NULL) return;
    if (w->to_file) og_new_file_discard(&w->file);
    og_pack_release(&w->memory);
    og_release(w->allocator, w, sizeof(*w));
}

og_status og_segment_writer_status(const struct og_segment_writer *w,
                                   og_error *err)
{
    if (w->status == OG_OK) return OG_OK;
    return og_error_set(err, w->status, "%s", w->err.message);
}

static void write_foot(struct og_segment_writer *w)
{
    struct og_segment_file_section directory[OG_SECTIONS_MOST + 1] = {{0}};
    const size_t directory_len =
        og_segment_rounded(w->n_sections * sizeof(*directory));
    struct og_segment_file_foot foot = {
        .n_sections = og_le64(w->n_sections),
        .directory_off = og_le64(w->len),
        .file_len = og_le64(w->len + directory_len + LINE),
        .head_sum = og_le64(w->head_sum)};
    memcpy(foot.magic, OG_SEGMENT_FOOT_MAGIC, sizeof(foot.magic));
    for (unsigned i = 0; i < w->n_sections; i++)
        directory[i] = (struct og_segment_file_section){
            .off = og_le64(w->section[i].off),
            .len = og_le64(w->section[i].len),
            .checksum = og_le64(w->section[i].checksum)};
    foot.directory_sum = og_le64(og_checksum(directory, directory_len));
    foot.checksum = og_le64(og_checksum(&foot, LINE - sizeof(foot.checksum)));
    put(w, directory, directory_len);
    put(w, &foot, sizeof(foot));
}

/* Hands the memory over to `out`. */
static og_status open_memory(struct og_segment_writer *w,
                             struct og_segment_file *out, og_error *err)
{
    uint8_t *data = og_reallocate(w->allocator, w->memory.data, w->memory.cap,
                                  w->memory.len);
    if (data == NULL) return og_error_memory(err, w->len, "a segment");
    w->memory.data = data;
    w->memory.cap = w->memory.len;
    TRY(og_segment_file_take(out, data, w->memory.len, w->memory.len,
                             w->allocator, &w->kind, "memory", err));
    w->memory.data = NULL;
    w->memory.len = w->memory.cap = 0;
    return OG_OK;
}

static og_status publish(struct og_segment_writer *w,
                         struct og_segment_file *out, og_error *err)
{
    char *path = strdup(w->file.path);
    if (path == NULL) return og_error_memory(err, 1, "a path");
    og_status status = og_new_file_commit(&w->file, err);
    if (status == OG_OK)
        status = og_segment_file_open(out, path, &w->kind, err);
    free(path);
    return status;
}

og_status og_segment_writer_end(struct og_segment_writer *w,
                                struct og_segment_file *out, og_error *err)
{
    write_foot(w);
    og_status status = og_segment_writer_status(w, err);
    if (status == OG_OK)
        status = w->to_file ? publish(w, out, err) : open_memory(w, out, err);
    og_segment_writer_drop(w);
    return status;
}
