/* Opens a run and verifies it: code_segment.h lists the sections. Each check
 * names the part and the position of the fault. */

#define _GNU_SOURCE
#include "lib/hamming/code_segment.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_merge.h"

/* Tables depend on the totals: turn_tables(). */
const struct og_segment_kind og_code_segment_kind = {
    .name = "hamming",
    .version = 1,
    .open_old = og_code_segment_open_old,
    .numbers = {[OG_CODE_CODES] = "8",
                [OG_CODE_OFFSETS] = "8",
                [OG_CODE_TOTALS] = "44448+"}};

/* ---- entries ---- */

bool og_code_entry_next(const uint8_t **at, const uint8_t *end,
                        struct og_code_entry *out)
{
    uint64_t n = 0;
    const uint8_t *p = *at;
    for (unsigned shift = 0;; shift += 7) {
        if (p == end || shift > 21) return false;
        n |= (uint64_t)(*p & 127) << shift;
        if ((*p++ & 128) == 0) break;
    }
    out->removed = n & 1;
    out->id = (og_bytes){(const char *)p, n / 2};
    if (out->id.len > OG_CODE_ID_MOST + OG_CODE_SIDE_LEN ||
        out->id.len > (size_t)(end - p))
        return false;
    *at = p + out->id.len;
    return true;
}

/* ---- checks ---- */

static og_status damaged_at(og_error *err, const char *name, const char *what,
                            uint64_t place)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged: %s %llu", name,
                        what, (unsigned long long)place);
}

/* Checks of the totals alone. */
static og_status check_totals(const struct og_code_totals *t, const char *name,
                              og_error *err)
{
    if (t->n_bits != OG_CODE_BITS)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has codes of %u bits, not %d", name,
                            t->n_bits, OG_CODE_BITS);
    if (t->form >= OG_CODE_FORMS || t->max_distance > OG_CODE_BITS ||
        t->n_tables > OG_CODE_TABLES || t->n_codes > OG_CODE_INDEX_MOST)
        return og_segment_file_damaged(name, "a number of its totals", err);
    return OG_OK;
}

static og_status read_totals(const struct og_segment_file *f, const char *name,
                             struct og_code_totals *out, og_error *err)
{
    if (f->version == 0) {
        og_code_segment_old_totals(f, out);
        return check_totals(out, name, err);
    }
    if (f->n_sections != OG_CODE_N_SECTIONS ||
        f->section[OG_CODE_TOTALS].len != sizeof(*out))
        return og_segment_file_damaged(name, "its totals", err);
    memcpy(out, og_segment_section(f, OG_CODE_TOTALS), sizeof(*out));
    return check_totals(out, name, err);
}

static og_status check_lengths(const struct og_segment_file *f,
                               const struct og_code_totals *t,
                               const struct og_code_design *d, const char *name,
                               og_error *err)
{
    const uint64_t tables_len =
        d->form == OG_CODE_DIRECTORY ? og_code_design_bytes(d, t->n_codes) : 0;
    if (f->section[OG_CODE_CODES].len == t->n_codes * 8 &&
        f->section[OG_CODE_OFFSETS].len == t->n_codes * 8 + 8 &&
        f->section[OG_CODE_TABLES_SECTION].len == tables_len)
        return OG_OK;
    return og_segment_file_damaged(name, "the lengths of its sections", err);
}

static og_status read_design(const struct og_code_totals *t, const char *name,
                             struct og_code_design *d, og_error *err)
{
    og_code_design_scan(d, t->max_distance);
    d->form = (enum og_code_form)t->form;
    d->n_tables = t->n_tables;
    for (unsigned i = 0; i < d->n_tables; i++) {
        d->mask[i] = t->table[i].mask;
        d->radius[i] = (uint8_t)t->table[i].radius;
        if (d->mask[i] == 0 || t->table[i].radius > OG_CODE_BITS ||
            (d->form == OG_CODE_DIRECTORY &&
             __builtin_popcountll(d->mask[i]) > 28))
            return damaged_at(err, name, "the mask of table", i);
    }
    if (!og_code_form_fits(d->form, d))
        return og_segment_file_damaged(name, "its design", err);
    return OG_OK;
}

static og_status check_entries(const struct og_code_segment *m, size_t i,
                               const char *name, uint64_t counts[2],
                               og_error *err)
{
    const uint8_t *at = m->ids + m->offsets[i];
    const uint8_t *end = m->ids + m->offsets[i + 1];
    struct og_code_entry entry, before = {0};
    for (bool first = true; at != end; first = false) {
        if (!og_code_entry_next(&at, end, &entry) ||
            (!first && og_code_id_compare(before.id, entry.id) >= 0))
            return damaged_at(err, name, "the ids of code", i);
        counts[entry.removed]++;
        before = entry;
    }
    return OG_OK;
}

static og_status check_codes(const struct og_code_segment *m, const char *name,
                             og_error *err)
{
    const uint64_t ids_len = m->file.section[OG_CODE_IDS].len;
    const uint64_t *codes = m->index.codes;
    uint64_t counts[2] = {0};
    if (m->offsets[0] != 0 || m->offsets[m->index.n] != ids_len)
        return damaged_at(err, name, "the first or last offset of codes", 0);
    for (size_t i = 0; i < m->index.n; i++) {
        if (i != 0 && codes[i - 1] >= codes[i])
            return damaged_at(err, name, "the order of code", i);
        if (m->offsets[i] >= m->offsets[i + 1] || m->offsets[i + 1] > ids_len)
            return damaged_at(err, name, "the offset of code", i);
        TRY(check_entries(m, i, name, counts, err));
    }
    if (counts[0] != m->n_entries || counts[1] != m->n_removed)
        return damaged_at(err, name, "the number of ids,",
                          counts[0] + counts[1]);
    return OG_OK;
}

/* Converts from the file's byte order to that of a big-endian machine, in
 * memory private to this process. */
static void turn_tables(const struct og_segment_file *f,
                        const struct og_code_design *d, size_t n)
{
    uint8_t *at = (uint8_t *)f->data + f->section[OG_CODE_TABLES_SECTION].off;
    for (unsigned i = 0; i < d->n_tables; i++) {
        og_code_table_turn(d->mask[i], n, at);
        at += og_code_table_len(d->mask[i], n);
    }
}

og_status og_code_segment_take(struct og_code_segment *segment,
                               const struct og_segment_file *file,
                               const char *name, og_error *err)
{
    struct og_code_totals t;
    struct og_code_design design;
    *segment = (struct og_code_segment){0};
    TRY(read_totals(file, name, &t, err));
    TRY(read_design(&t, name, &design, err));
    TRY(check_lengths(file, &t, &design, name, err));
    struct og_code_segment m = {.file = *file,
                                .max_distance = t.max_distance,
                                .n_entries = t.n_entries,
                                .n_removed = t.n_removed};
    m.ids = og_segment_section(file, OG_CODE_IDS);
    m.offsets = og_segment_section(file, OG_CODE_OFFSETS);
    const uint64_t *codes = og_segment_section(file, OG_CODE_CODES);
    const bool has_tables = design.form == OG_CODE_DIRECTORY;
    if (OG_BIG_ENDIAN && has_tables) turn_tables(file, &design, t.n_codes);
    og_code_index_view(
        &m.index, &design, codes, t.n_codes,
        has_tables ? og_segment_section(file, OG_CODE_TABLES_SECTION) : NULL);
    TRY(check_codes(&m, name, err));
    if (!has_tables)
        TRY(og_code_index_init(&m.index, &design, m.index.codes, t.n_codes,
                               file->allocator, err));
    for (unsigned i = 0; has_tables && i < design.n_tables; i++)
        if (!og_code_table_sound(design.mask[i], t.n_codes,
                                 m.index.table[i].starts))
            return damaged_at(err, name, "the directory of table", i);
    *segment = m;
    return OG_OK;
}

og_status og_code_segment_open(struct og_code_segment *segment,
                               const char *path, og_error *err)
{
    struct og_segment_file file;
    *segment = (struct og_code_segment){0};
    TRY(og_segment_file_open(&file, path, &og_code_segment_kind, err));
    const og_status status = og_code_segment_take(segment, &file, path, err);
    if (status != OG_OK) og_segment_file_release(&file);
    return status;
}

void og_code_segment_release(struct og_code_segment *segment)
{
    og_code_index_release(&segment->index);
    og_segment_file_release(&segment->file);
    *segment = (struct og_code_segment){0};
}
