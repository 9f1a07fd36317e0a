/* Runs of the first layout: a head of 2,048 bytes, then ids, codes, offsets and
 * tables, each at a multiple of 64 bytes, with one checksum of all of them.
 * They are read, and replaced by segments when they are merged. */

#include <string.h>

#include "lib/base/bits.h"
#include "lib/disk/old_sum.h"
#include "lib/hamming/code_segment.h"

#define OLD_MAGIC "origoham"

struct old_head {
    char magic[8];
    uint32_t version; /* 1, or 2 with a form and without tables */
    uint32_t n_bits;
    uint32_t max_distance;
    uint32_t n_tables;
    uint64_t n_codes;
    uint64_t n_entries;
    uint64_t n_removed;
    uint64_t ids_len;
    uint64_t file_len;
    uint64_t body_sum; /* of everything after the head */
    uint64_t head_sum; /* of the head with 0 here */
    struct {
        uint64_t mask, radius;
    } table[OG_CODE_TABLES];
    uint32_t form; /* version 1: 0 */
    uint8_t zero[940];
};
_Static_assert(sizeof(struct old_head) == 2048, "the head has 2,048 bytes");

static uint64_t sum_head(const struct old_head *head)
{
    struct old_head copy = *head;
    copy.head_sum = 0;
    return og_old_sum(&copy, sizeof(copy));
}

static bool has_sums(const struct old_head *h, const uint8_t *data, size_t len)
{
    return h->file_len == len && len % 64 == 0 && sum_head(h) == h->head_sum &&
           og_old_sum(data + sizeof(*h), len - sizeof(*h)) == h->body_sum;
}

/* Sections one after the other; the rest are the tables. */
static bool find_sections(struct og_segment_file *f, const struct old_head *h)
{
    const uint64_t len[OG_CODE_TABLES_SECTION] = {h->ids_len, h->n_codes * 8,
                                                  h->n_codes * 8 + 8};
    uint64_t at = sizeof(*h);
    for (unsigned i = 0; i < OG_CODE_TABLES_SECTION; i++) {
        if (len[i] > f->len - at || (len[i] + 63) / 64 * 64 > f->len - at)
            return false;
        f->section[i].off = at;
        f->section[i].len = len[i];
        at += (len[i] + 63) / 64 * 64;
    }
    f->section[OG_CODE_TABLES_SECTION].off = at;
    f->section[OG_CODE_TABLES_SECTION].len = f->len - at;
    f->section[OG_CODE_TOTALS].off = f->section[OG_CODE_TOTALS].len = 0;
    f->n_sections = OG_CODE_N_SECTIONS;
    return true;
}

og_status og_code_segment_open_old(struct og_segment_file *file,
                                   const char *name, og_error *err)
{
    struct old_head h;
    if (file->len < sizeof(h) || memcmp(file->data, OLD_MAGIC, 8) != 0)
        return og_error_set(err, OG_ERR_STORE, "'%s' is not a file of codes",
                            name);
    if (OG_BIG_ENDIAN) return og_segment_file_too_old(name, err);
    memcpy(&h, file->data, sizeof(h));
    if (h.version != 1 && h.version != 2)
        return og_error_set(
            err, OG_ERR_STORE,
            "'%s' has version %u, which this version of origo does not support",
            name, h.version);
    if (!has_sums(&h, file->data, file->len))
        return og_segment_file_damaged(name, "its sums are wrong", err);
    if (h.n_codes > OG_CODE_INDEX_MOST ||
        (h.version == 1) != (h.form == OG_CODE_DIRECTORY) ||
        !find_sections(file, &h))
        return og_segment_file_damaged(name, "its lengths do not agree", err);
    file->version = 0;
    file->sum = h.head_sum;
    return OG_OK;
}

void og_code_segment_old_totals(const struct og_segment_file *file,
                                struct og_code_totals *out)
{
    struct old_head h;
    memcpy(&h, file->data, sizeof(h));
    *out = (struct og_code_totals){.n_bits = h.n_bits,
                                   .max_distance = h.max_distance,
                                   .form = h.form,
                                   .n_tables = h.n_tables,
                                   .n_codes = h.n_codes,
                                   .n_entries = h.n_entries,
                                   .n_removed = h.n_removed};
    memcpy(out->table, h.table, sizeof(out->table));
}
