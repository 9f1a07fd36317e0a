/* Tables of signatures. A segment in memory is sorted in place; of a file the
 * signatures are read back, some at a time, and the table is sorted in
 * memory. */

#include "lib/sentence/index/segment_parts.h"

#include <errno.h>
#include <string.h>

enum { N_KEYS = 65536, AT_ONCE = 64 << 10 };

struct table {
    const struct og_placed_segment *placed;
    size_t n, len; /* wordsets; bytes of a signature */
    unsigned table;
    uint32_t *starts, *wordsets;
};

typedef void use_fn(const struct table *t, uint32_t key, size_t wordset);

static void count(const struct table *t, uint32_t key, size_t wordset)
{
    (void)wordset;
    t->starts[key + 1]++;
}

static void place(const struct table *t, uint32_t key, size_t wordset)
{
    t->wordsets[t->starts[key]++] = (uint32_t)wordset;
}

static inline void use_some(const struct table *t, const uint8_t *signatures,
                            size_t first, size_t n, use_fn *use)
{
    for (size_t i = 0; i < n; i++) {
        struct og_signature s = {{0, 0}};
        memcpy(&s, signatures + i * t->len, t->len);
        s = og_signature_le(s);
        use(t, og_signature_part(&s, t->table), first + i);
    }
}

/* The signatures of a file, a buffer after the other. */
static og_status use_file(const struct table *t, uint8_t *buffer, use_fn *use,
                          og_error *err)
{
    const size_t most = AT_ONCE / t->len;
    const uint64_t begin = t->placed->section[OG_PART_SIGNATURES].off;
    for (size_t at = 0; at < t->n; at += most) {
        const size_t n = t->n - at < most ? t->n - at : most;
        if (og_file_read_at(t->placed->file.fd, buffer, n * t->len,
                            begin + at * t->len) != (int64_t)(n * t->len))
            return og_file_failure(err, "read", t->placed->file.path, errno);
        use_some(t, buffer, at, n, use);
    }
    return OG_OK;
}

static og_status use_all(const struct table *t, uint8_t *buffer, use_fn *use,
                         og_error *err)
{
    const uint8_t *signatures =
        og_placed_segment_data(t->placed, OG_PART_SIGNATURES);
    if (signatures == NULL) return use_file(t, buffer, use, err);
    if (use == count)
        use_some(t, signatures, 0, t->n, count);
    else
        use_some(t, signatures, 0, t->n, place);
    return OG_OK;
}

/* `starts` has one number more than is written: places move each start on. */
static og_status sort(const struct table *t, uint8_t *buffer, og_error *err)
{
    memset(t->starts, 0, (N_KEYS + 1) * sizeof(*t->starts));
    TRY(use_all(t, buffer, count, err));
    for (size_t i = 0; i < N_KEYS; i++)
        t->starts[i + 1] += t->starts[i];
    TRY(use_all(t, buffer, place, err));
    memmove(t->starts + 1, t->starts, N_KEYS * sizeof(*t->starts));
    t->starts[0] = 0;
    return OG_OK;
}

og_status og_signature_table_write(const struct og_placed_segment *placed,
                                   const struct og_sentence_totals *totals,
                                   unsigned table, og_error *err)
{
    struct table t = {.placed = placed,
                      .n = totals->n_wordsets,
                      .len = totals->signature_bits / 8,
                      .table = table};
    const size_t len = (N_KEYS + 1 + t.n) * sizeof(uint32_t);
    uint8_t *data = og_placed_segment_data(placed, OG_PART_PARTS);
    if (data != NULL) {
        t.starts = (uint32_t *)(data + table * len);
        t.wordsets = t.starts + N_KEYS + 1;
        return sort(&t, NULL, err);
    }
    uint8_t *scratch = og_allocate(placed->allocator, len + AT_ONCE);
    if (scratch == NULL) return og_error_memory(err, len, "signatures");
    t.starts = (uint32_t *)scratch;
    t.wordsets = t.starts + N_KEYS + 1;
    og_status status = sort(&t, scratch + len, err);
    if (status == OG_OK)
        status = og_placed_segment_write(placed, OG_PART_PARTS, table * len,
                                         scratch, len, err);
    og_release(placed->allocator, scratch, len + AT_ONCE);
    return status;
}
