/* Writing a run, front to back: ids as they come, then codes and offsets,
 * which wait in memory (16 bytes a code), then one table after the other, made
 * in memory and written. The head, which needs the sums, comes last to the
 * first place. A file has another name until it is whole and on the disk. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hamming/code_segment.h"
#include "lib/hamming/segment_head.h"
#include "lib/os/new_file.h"

enum { BUFFER = 1 << 18 };

struct og_code_writer {
    const og_allocator *allocator;
    bool in_memory;
    struct og_new_file file; /* else; its buffer is not used */
    uint8_t *memory;
    size_t memory_cap;
    struct og_code_sum sum;
    uint64_t len; /* written, buffer not counted */
    size_t n_buffer;
    uint64_t ids_len, n_entries[2];
    uint64_t *codes, *offsets;
    size_t codes_cap, offsets_cap, n_codes;
    uint8_t buffer[BUFFER];
};

/* ---- bytes ---- */

static og_status write_bytes(struct og_code_writer *w, const void *data,
                             size_t len, og_error *err)
{
    if (w->in_memory) {
        if (!OG_GROW(w->allocator, w->memory, w->memory_cap, w->len + len))
            return og_error_memory(err, w->len + len, "codes");
        memcpy(w->memory + w->len, data, len);
        w->len += len;
        return OG_OK;
    }
    w->len += len;
    if (og_file_write_all(w->file.fd, data, len) == 0) return OG_OK;
    return og_file_failure(err, "write", w->file.path, errno);
}

/* Whole lines of 64 bytes are summed and written. */
static og_status write_summed(struct og_code_writer *w, const void *data,
                              size_t len, og_error *err)
{
    og_code_sum_add(&w->sum, data, len);
    return write_bytes(w, data, len, err);
}

static og_status append(struct og_code_writer *w, const void *data, size_t len,
                        og_error *err)
{
    const uint8_t *at = data;
    while (len != 0) {
        const size_t room = BUFFER - w->n_buffer;
        const size_t take = len < room ? len : room;
        memcpy(w->buffer + w->n_buffer, at, take);
        w->n_buffer += take;
        at += take;
        len -= take;
        if (w->n_buffer != BUFFER) continue;
        TRY(write_summed(w, w->buffer, BUFFER, err));
        w->n_buffer = 0;
    }
    return OG_OK;
}

/* Zeros up to the next part. */
static og_status end_part(struct og_code_writer *w, og_error *err)
{
    const size_t rounded = IMAGE_ROUND(w->n_buffer);
    memset(w->buffer + w->n_buffer, 0, rounded - w->n_buffer);
    TRY(write_summed(w, w->buffer, rounded, err));
    w->n_buffer = 0;
    return OG_OK;
}

/* ---- the writer ---- */

og_status og_code_writer_new(const char *path, const og_allocator *allocator,
                             struct og_code_writer **out, og_error *err)
{
    static const struct image_head empty;
    struct og_code_writer *w = og_allocate(allocator, sizeof(*w));
    *out = NULL;
    if (w == NULL) return og_error_memory(err, sizeof(*w), "a writer");
    memset(w, 0, offsetof(struct og_code_writer, buffer));
    w->allocator = allocator;
    w->in_memory = path == NULL;
    w->file.fd = -1;
    og_code_sum_init(&w->sum);
    og_status status =
        path == NULL ? OG_OK : og_new_file_open(&w->file, path, 0666, err);
    if (status == OG_OK) status = write_bytes(w, &empty, sizeof(empty), err);
    if (status != OG_OK) {
        og_code_writer_drop(w);
        return status;
    }
    *out = w;
    return OG_OK;
}

void og_code_writer_drop(struct og_code_writer *w)
{
    if (w == NULL) return;
    const og_allocator *a = w->allocator;
    og_new_file_discard(&w->file);
    OG_UNGROW(a, w->memory, w->memory_cap);
    OG_UNGROW(a, w->codes, w->codes_cap);
    OG_UNGROW(a, w->offsets, w->offsets_cap);
    og_release(a, w, sizeof(*w));
}

static og_status add_code(struct og_code_writer *w, uint64_t code,
                          og_error *err)
{
    if (w->n_codes == OG_CODE_INDEX_MOST)
        return og_error_set(err, OG_ERR_LIMIT,
                            "more than %zu different codes in one run",
                            w->n_codes);
    if (!OG_GROW(w->allocator, w->codes, w->codes_cap, w->n_codes + 1) ||
        !OG_GROW(w->allocator, w->offsets, w->offsets_cap, w->n_codes + 2))
        return og_error_memory(err, 16 * w->n_codes, "codes");
    w->codes[w->n_codes] = code;
    w->offsets[w->n_codes++] = w->ids_len;
    return OG_OK;
}

og_status og_code_writer_add(struct og_code_writer *w, uint64_t code,
                             const struct og_code_entry *entry, og_error *err)
{
    uint8_t head[4];
    size_t n = 0;
    if (w->n_codes == 0 || w->codes[w->n_codes - 1] != code)
        TRY(add_code(w, code, err));
    uint64_t number = entry->id.len * 2 + entry->removed;
    for (; number >= 128; number >>= 7)
        head[n++] = (uint8_t)(number | 128);
    head[n++] = (uint8_t)number;
    w->ids_len += n + entry->id.len;
    w->n_entries[entry->removed]++;
    TRY(append(w, head, n, err));
    return append(w, entry->id.data, entry->id.len, err);
}

static og_status write_tables(struct og_code_writer *w,
                              const struct og_code_design *d, og_error *err)
{
    struct og_pages spare, table;
    og_status status = OG_OK;
    if (d->n_tables == 0 || d->form != OG_CODE_DIRECTORY) return OG_OK;
    TRY(og_pages_init(&spare, w->n_codes * 8 + 1, w->allocator, err));
    for (unsigned t = 0; t < d->n_tables && status == OG_OK; t++) {
        const size_t len = og_code_table_len(d->mask[t], w->n_codes);
        status = og_pages_init(&table, len, w->allocator, err);
        if (status != OG_OK) break;
        og_code_table_fill(d->mask[t], w->codes, w->n_codes, spare.data,
                           table.data);
        status = write_summed(w, table.data, len, err);
        og_pages_release(&table);
    }
    og_pages_release(&spare);
    return status;
}

static og_status write_head(struct og_code_writer *w,
                            const struct og_code_design *d, og_error *err)
{
    struct image_head h = {.magic = IMAGE_MAGIC,
                           .version = d->form == OG_CODE_DIRECTORY
                                          ? IMAGE_VERSION
                                          : IMAGE_VERSION_FORM,
                           .form = (uint32_t)d->form,
                           .n_bits = OG_CODE_BITS,
                           .max_distance = d->max_distance,
                           .n_tables = d->n_tables,
                           .n_codes = w->n_codes,
                           .n_entries = w->n_entries[0],
                           .n_removed = w->n_entries[1],
                           .ids_len = w->ids_len,
                           .file_len = w->len,
                           .body_sum = og_code_sum_end(&w->sum)};
    for (unsigned t = 0; t < d->n_tables; t++) {
        h.table[t].mask = d->mask[t];
        h.table[t].radius = d->radius[t];
    }
    h.head_sum = og_code_segment_sum(&h);
    if (w->in_memory) {
        memcpy(w->memory, &h, sizeof(h));
        return OG_OK;
    }
    if (pwrite(w->file.fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h))
        return og_file_failure(err, "write", w->file.path, errno);
    return OG_OK;
}

static og_status publish(struct og_code_writer *w, struct og_code_image *out,
                         og_error *err)
{
    char *path = strdup(w->file.path);
    if (path == NULL) return og_error_memory(err, 1, "a path");
    og_status status = og_new_file_commit(&w->file, err);
    if (status == OG_OK) status = og_code_image_open(out, path, err);
    free(path);
    return status;
}

/* Memory is cut to its length and handed over. */
static og_status open_memory(struct og_code_writer *w,
                             struct og_code_image *out, og_error *err)
{
    uint8_t *data =
        og_reallocate(w->allocator, w->memory, w->memory_cap, w->len);
    if (data == NULL) return og_error_memory(err, w->len, "codes");
    w->memory = data;
    w->memory_cap = w->len;
    TRY(og_code_image_take(out, data, w->len, "memory", w->allocator, err));
    w->memory = NULL;
    w->memory_cap = 0;
    return OG_OK;
}

static og_status write_rest(struct og_code_writer *w, unsigned max_distance,
                            const struct og_code_choice *choice,
                            struct og_code_image *out, og_error *err)
{
    struct og_code_plan plan;
    TRY(og_code_plan(&plan, w->n_codes, max_distance, choice, err));
    if (!OG_GROW(w->allocator, w->offsets, w->offsets_cap, w->n_codes + 1))
        return og_error_memory(err, 8, "codes");
    w->offsets[w->n_codes] = w->ids_len;
    TRY(end_part(w, err));
    TRY(append(w, w->codes, w->n_codes * 8, err));
    TRY(end_part(w, err));
    TRY(append(w, w->offsets, (w->n_codes + 1) * 8, err));
    TRY(end_part(w, err));
    TRY(write_tables(w, &plan.design, err));
    TRY(write_head(w, &plan.design, err));
    return w->in_memory ? open_memory(w, out, err) : publish(w, out, err);
}

og_status og_code_writer_end(struct og_code_writer *w, unsigned max_distance,
                             const struct og_code_choice *choice,
                             struct og_code_image *out, og_error *err)
{
    const og_status status = write_rest(w, max_distance, choice, out, err);
    og_code_writer_drop(w);
    return status;
}
