/* Writes a run sequentially: ids as they come, then codes and offsets, which
 * are held in memory until then (16 bytes per code), then one table after the
 * other, built in memory and written, then the totals. */

#define _GNU_SOURCE
#include <string.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_segment.h"

struct og_code_writer {
    const og_allocator *allocator;
    struct og_segment_writer *segment;
    uint64_t ids_len, n_entries[2];
    uint64_t *codes, *offsets;
    size_t codes_cap, offsets_cap, n_codes;
};

og_status og_code_writer_new(const char *path, const og_allocator *allocator,
                             struct og_code_writer **out, og_error *err)
{
    struct og_code_writer *w = og_allocate_zero(allocator, sizeof(*w));
    *out = NULL;
    if (w == NULL) return og_error_memory(err, sizeof(*w), "a writer");
    w->allocator = allocator;
    const og_status status = og_segment_writer_new(path, &og_code_segment_kind,
                                                   allocator, &w->segment, err);
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
    og_segment_writer_drop(w->segment);
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
    if (w->n_codes == 0 || w->codes[w->n_codes - 1] != code) {
        TRY(og_segment_writer_status(w->segment, err));
        TRY(add_code(w, code, err));
    }
    uint64_t number = entry->id.len * 2 + entry->removed;
    for (; number >= 128; number >>= 7)
        head[n++] = (uint8_t)(number | 128);
    head[n++] = (uint8_t)number;
    w->ids_len += n + entry->id.len;
    w->n_entries[entry->removed]++;
    og_segment_write(w->segment, head, n);
    og_segment_write(w->segment, entry->id.data, entry->id.len);
    return OG_OK;
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
        if (OG_BIG_ENDIAN)
            og_code_table_turn(d->mask[t], w->n_codes, table.data);
        og_segment_write(w->segment, table.data, len);
        og_pages_release(&table);
    }
    og_pages_release(&spare);
    return status;
}

static void write_totals(struct og_code_writer *w,
                         const struct og_code_design *d)
{
    struct og_code_totals t = {.n_bits = OG_CODE_BITS,
                               .max_distance = d->max_distance,
                               .form = (uint32_t)d->form,
                               .n_tables = d->n_tables,
                               .n_codes = w->n_codes,
                               .n_entries = w->n_entries[0],
                               .n_removed = w->n_entries[1]};
    for (unsigned i = 0; i < d->n_tables; i++) {
        t.table[i].mask = d->mask[i];
        t.table[i].radius = d->radius[i];
    }
    og_segment_write(w->segment, &t, sizeof(t));
    og_segment_end_section(w->segment);
}

static og_status write_rest(struct og_code_writer *w, unsigned max_distance,
                            const struct og_code_choice *choice, og_error *err)
{
    struct og_code_plan plan;
    TRY(og_code_plan(&plan, w->n_codes, max_distance, choice, err));
    if (!OG_GROW(w->allocator, w->offsets, w->offsets_cap, w->n_codes + 1))
        return og_error_memory(err, 8, "codes");
    w->offsets[w->n_codes] = w->ids_len;
    og_segment_end_section(w->segment);
    og_segment_write(w->segment, w->codes, w->n_codes * 8);
    og_segment_end_section(w->segment);
    og_segment_write(w->segment, w->offsets, (w->n_codes + 1) * 8);
    og_segment_end_section(w->segment);
    TRY(write_tables(w, &plan.design, err));
    og_segment_end_section(w->segment);
    write_totals(w, &plan.design);
    return OG_OK;
}

static og_status finish(struct og_code_writer *w, struct og_code_segment *out,
                        og_error *err)
{
    struct og_segment_file file;
    struct og_segment_writer *segment = w->segment;
    w->segment = NULL;
    TRY(og_segment_writer_end(segment, &file, err));
    const og_status status =
        og_code_segment_take(out, &file, "a run of codes", err);
    if (status != OG_OK) og_segment_file_release(&file);
    return status;
}

og_status og_code_writer_end(struct og_code_writer *w, unsigned max_distance,
                             const struct og_code_choice *choice,
                             struct og_code_segment *out, og_error *err)
{
    og_status status = write_rest(w, max_distance, choice, err);
    if (status == OG_OK) status = finish(w, out, err);
    og_code_writer_drop(w);
    return status;
}
