/* Bytes of a part are gathered in a buffer whose length is a multiple of 64,
 * as the sum wants it. */

#include "lib/sentence/index/segment_writer.h"

#include <string.h>

#include "lib/base/packing.h"
#include "lib/hamming/code_segment.h"

enum { BUFFER = 1 << 16 };

struct og_sentence_segment_sink {
    const og_allocator *allocator;
    bool to_file;
    struct og_new_file file;
    struct og_pack memory;
    struct og_code_sum sum;
    struct og_sentence_segment_foot foot;
    unsigned part;
    uint64_t part_off, len; /* `len` without the buffer */
    og_status status;
    og_error err;
    size_t n_buffer;
    uint8_t buffer[BUFFER];
};

og_status og_sentence_segment_sink_new(const char *path,
                                       const og_allocator *allocator,
                                       struct og_sentence_segment_sink **out,
                                       og_error *err)
{
    struct og_sentence_segment_sink *s = og_allocate(allocator, sizeof(*s));
    *out = NULL;
    if (s == NULL) return og_error_memory(err, sizeof(*s), "an image");
    memset(s, 0, offsetof(struct og_sentence_segment_sink, buffer));
    s->allocator = s->memory.allocator = allocator;
    s->to_file = path != NULL;
    og_code_sum_init(&s->sum);
    if (path != NULL) {
        const og_status status = og_new_file_open(&s->file, path, 0666, err);
        if (status != OG_OK) {
            og_release(allocator, s, sizeof(*s));
            return status;
        }
    }
    *out = s;
    return OG_OK;
}

void og_sentence_segment_sink_drop(struct og_sentence_segment_sink *s)
{
    if (s == NULL) return;
    if (s->to_file) og_new_file_discard(&s->file);
    og_pack_release(&s->memory);
    og_release(s->allocator, s, sizeof(*s));
}

static void put(struct og_sentence_segment_sink *s, const void *data,
                size_t len)
{
    s->len += len;
    if (s->status != OG_OK) return;
    if (s->to_file) {
        s->status = og_new_file_write(&s->file, data, len, &s->err);
        return;
    }
    og_pack_bytes(&s->memory, data, len);
    if (s->memory.failed) s->status = og_error_memory(&s->err, len, "an image");
}

static void flush(struct og_sentence_segment_sink *s)
{
    if (s->n_buffer == 0) return;
    og_code_sum_add(&s->sum, s->buffer, s->n_buffer);
    put(s, s->buffer, s->n_buffer);
    s->n_buffer = 0;
}

void og_sink_bytes(struct og_sentence_segment_sink *s, const void *data,
                   size_t len)
{
    const uint8_t *at = data;
    while (len != 0) {
        const size_t room = BUFFER - s->n_buffer;
        const size_t take = len < room ? len : room;
        memcpy(s->buffer + s->n_buffer, at, take);
        s->n_buffer += take;
        at += take;
        len -= take;
        if (s->n_buffer == BUFFER) flush(s);
    }
}

void og_sink_end_part(struct og_sentence_segment_sink *s)
{
    static const uint8_t zeros[64];
    const uint64_t end = s->len + s->n_buffer;
    s->foot.part[s->part].off = s->part_off;
    s->foot.part[s->part].len = end - s->part_off;
    og_sink_bytes(s, zeros, (64 - end % 64) % 64);
    s->part_off = s->len + s->n_buffer;
    s->part++;
}

static og_status finish(struct og_sentence_segment_sink *s,
                        const struct og_sentence_segment_foot *counts,
                        struct og_sentence_segment *out, og_error *err)
{
    struct og_sentence_segment_foot foot = *counts;
    flush(s);
    memcpy(foot.part, s->foot.part, sizeof(foot.part));
    foot.magic = OG_IMAGE_MAGIC;
    foot.version = OG_IMAGE_VERSION;
    foot.file_len = s->len + sizeof(foot);
    foot.body_sum = og_code_sum_end(&s->sum);
    og_sentence_segment_foot_seal(&foot);
    put(s, &foot, sizeof(foot));
    if (s->status != OG_OK)
        return og_error_set(err, s->status, "%s", s->err.message);
    if (s->to_file) {
        TRY(og_new_file_commit(&s->file, err));
        return OG_OK;
    }
    TRY(og_sentence_segment_take(out, s->memory.data, s->memory.len,
                                 s->memory.cap, s->allocator, "memory", err));
    s->memory.data = NULL;
    s->memory.len = s->memory.cap = 0;
    return OG_OK;
}

og_status
og_sentence_segment_sink_finish(struct og_sentence_segment_sink *s,
                                const struct og_sentence_segment_foot *foot,
                                struct og_sentence_segment *out, og_error *err)
{
    char *path = NULL;
    og_status status = OG_OK;
    if (s->to_file) {
        path =
            og_name_copy((const uint8_t *)s->file.path, strlen(s->file.path));
        if (path == NULL) status = og_error_memory(err, 0, "a path");
    }
    if (status == OG_OK) status = finish(s, foot, out, err);
    if (status == OG_OK && path != NULL)
        status = og_sentence_segment_open(out, path, err);
    og_sentence_segment_sink_drop(s);
    free(path);
    return status;
}
