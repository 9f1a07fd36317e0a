/* Sorting within fixed memory: runs on disk, then a merge through a heap.
 *
 * In memory the records stay in place; an array of (key, position) is sorted.
 * One temporary file contains all runs one after the other, and the merge reads
 * each through its own window; all windows together are as large as the memory
 * for sorting was. */

#include "lib/disk/sorter.h"

#include "lib/base/memory.h"
#include "lib/os/new_file.h"
#include "lib/os/temp_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct item {
    uint64_t key[2];
    size_t place;
};

struct run {
    uint64_t off, end; /* in the file: what is not in the window yet */
    char *window;      /* records begin .. len */
    size_t begin, len;
};

struct og_sorter {
    size_t record_len;
    unsigned n_keys;
    const char *folder;
    size_t most; /* records in memory */
    char *records;
    size_t n, records_cap; /* records_cap in records */
    struct item *items;
    size_t items_cap;
    uint64_t n_all;
    int fd;
    uint64_t file_len;
    struct run *runs;
    size_t n_runs, runs_cap;
    char *windows;
    size_t window_len, windows_len; /* of one, of all */
    size_t *heap;
    size_t n_heap, heap_cap;
    size_t next;
    bool is_sorted;
};

og_status og_sorter_new(size_t record_len, unsigned n_keys, size_t memory,
                        const char *folder, struct og_sorter **out,
                        og_error *err)
{
    struct og_sorter *s = og_allocate_zero(NULL, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "sorting");
    s->record_len = record_len;
    s->n_keys = n_keys;
    s->folder = folder;
    s->most = memory / (record_len + sizeof(struct item));
    if (s->most < 64) s->most = 64;
    s->fd = -1;
    *out = s;
    return OG_OK;
}

static void release_records(struct og_sorter *s)
{
    og_release(NULL, s->records, s->records_cap * s->record_len);
    s->records = NULL;
    s->records_cap = 0;
    OG_UNGROW(NULL, s->items, s->items_cap);
}

static void release_windows(struct og_sorter *s)
{
    og_release(NULL, s->windows, s->windows_len);
    s->windows = NULL;
    s->windows_len = 0;
    OG_UNGROW(NULL, s->heap, s->heap_cap);
}

void og_sorter_free(struct og_sorter *s)
{
    if (s == NULL) return;
    if (s->fd >= 0) close(s->fd);
    release_records(s);
    release_windows(s);
    OG_UNGROW(NULL, s->runs, s->runs_cap);
    og_release(NULL, s, sizeof(*s));
}

uint64_t og_sorter_count(const struct og_sorter *s)
{
    return s->n_all;
}

/* ---- one run ---- */

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void key_of(const struct og_sorter *s, const char *record,
                   uint64_t key[2])
{
    key[1] = 0;
    memcpy(key, record, s->n_keys * sizeof(*key));
}

static bool is_in_order(const struct og_sorter *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (by_key(&s->items[i - 1], &s->items[i]) > 0) return false;
    return true;
}

static og_status sort_memory(struct og_sorter *s, og_error *err)
{
    if (s->n > s->items_cap) {
        struct item *items =
            og_reallocate(NULL, s->items, s->items_cap * sizeof(*items),
                          s->n * sizeof(*items));
        if (items == NULL)
            return og_error_memory(err, s->n * sizeof(*items), "sorting");
        s->items = items;
        s->items_cap = s->n;
    }
    for (size_t i = 0; i < s->n; i++) {
        key_of(s, s->records + i * s->record_len, s->items[i].key);
        s->items[i].place = i;
    }
    if (s->n > 1 && !is_in_order(s))
        qsort(s->items, s->n, sizeof(*s->items), by_key);
    return OG_OK;
}

static og_status write_failure(const struct og_sorter *s, og_error *err)
{
    return og_file_failure(err, "write a temporary file in", s->folder, errno);
}

static og_status write_run(struct og_sorter *s, og_error *err)
{
    enum { BUFFER_LEN = 1 << 18 };
    if (s->n == 0) return OG_OK;
    TRY(sort_memory(s, err));
    if (s->fd < 0 && (s->fd = og_temp_file_open(s->folder, err)) < 0)
        return OG_ERR_IO;
    if (!OG_GROW(NULL, s->runs, s->runs_cap, s->n_runs + 1))
        return og_error_memory(err, s->n_runs * sizeof(*s->runs),
                               "sorted runs");
    const size_t room = BUFFER_LEN / s->record_len + 1;
    char *buffer = og_allocate(NULL, room * s->record_len);
    if (buffer == NULL) return og_error_memory(err, BUFFER_LEN, "sorting");
    size_t n = 0;
    og_status status = OG_OK;
    for (size_t i = 0; i < s->n && status == OG_OK; i++) {
        memcpy(buffer + n++ * s->record_len,
               s->records + s->items[i].place * s->record_len, s->record_len);
        if (n < room && i + 1 < s->n) continue;
        if (og_file_write_all(s->fd, buffer, n * s->record_len) != 0)
            status = write_failure(s, err);
        n = 0;
    }
    og_release(NULL, buffer, room * s->record_len);
    if (status != OG_OK) return status;
    const uint64_t len = (uint64_t)s->n * s->record_len;
    s->runs[s->n_runs++] =
        (struct run){.off = s->file_len, .end = s->file_len + len};
    s->file_len += len;
    s->n = 0;
    return OG_OK;
}

og_status og_sorter_add(struct og_sorter *s, const void *record, og_error *err)
{
    if (s->n == s->most) TRY(write_run(s, err));
    if (s->n == s->records_cap) {
        size_t cap = s->records_cap == 0 ? 256 : 2 * s->records_cap;
        if (cap > s->most) cap = s->most;
        char *records =
            og_reallocate(NULL, s->records, s->records_cap * s->record_len,
                          cap * s->record_len);
        if (records == NULL)
            return og_error_memory(err, cap * s->record_len, "sorting");
        s->records = records;
        s->records_cap = cap;
    }
    memcpy(s->records + s->n++ * s->record_len, record, s->record_len);
    s->n_all++;
    return OG_OK;
}

/* ---- merging ---- */

static og_status fill_window(struct og_sorter *s, struct run *r, og_error *err)
{
    const uint64_t left = r->end - r->off;
    r->begin = 0;
    r->len = left < s->window_len ? (size_t)left : s->window_len;
    if (r->len == 0) return OG_OK;
    const int64_t n = og_file_read_at(s->fd, r->window, r->len, r->off);
    if (n != (int64_t)r->len) {
        if (n >= 0) errno = EIO;
        return og_file_failure(err, "read a temporary file in", s->folder,
                               errno);
    }
    r->off += r->len;
    return OG_OK;
}

static bool is_less(const struct og_sorter *s, size_t a, size_t b)
{
    uint64_t x[2], y[2];
    key_of(s, s->runs[a].window + s->runs[a].begin, x);
    key_of(s, s->runs[b].window + s->runs[b].begin, y);
    if (x[0] != y[0]) return x[0] < y[0];
    if (x[1] != y[1]) return x[1] < y[1];
    return a < b;
}

static void sift_down(struct og_sorter *s, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < s->n_heap && is_less(s, s->heap[child], s->heap[least]))
                least = child;
        if (least == at) return;
        const size_t other = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = other;
        at = least;
    }
}

static og_status start_merge(struct og_sorter *s, og_error *err)
{
    release_windows(s);
    s->window_len = s->most * s->record_len / s->n_runs / s->record_len;
    if (s->window_len < 16) s->window_len = 16;
    s->window_len *= s->record_len;
    s->windows_len = s->n_runs * s->window_len;
    s->windows = og_allocate(NULL, s->windows_len);
    if (s->windows == NULL || !OG_GROW(NULL, s->heap, s->heap_cap, s->n_runs))
        return og_error_memory(err, s->n_runs * s->window_len, "merging");
    uint64_t off = 0;
    for (size_t i = 0; i < s->n_runs; i++) {
        struct run *r = &s->runs[i];
        r->window = s->windows + i * s->window_len;
        r->off = off; /* where the previous one ended */
        off = r->end;
        TRY(fill_window(s, r, err));
        s->heap[i] = i;
    }
    s->n_heap = s->n_runs;
    for (size_t i = s->n_heap; i-- > 0;)
        sift_down(s, i);
    return OG_OK;
}

og_status og_sorter_finish(struct og_sorter *s, og_error *err)
{
    s->next = 0;
    if (s->n_runs == 0) {
        if (!s->is_sorted) TRY(sort_memory(s, err));
        s->is_sorted = true;
        return OG_OK;
    }
    TRY(write_run(s, err));
    release_records(s);
    return start_merge(s, err);
}

/* The record returned last is still in its window: step over it now. */
static og_status step(struct og_sorter *s, og_error *err)
{
    struct run *r = &s->runs[s->heap[0]];
    r->begin += s->record_len;
    if (r->begin == r->len) TRY(fill_window(s, r, err));
    if (r->len == 0) s->heap[0] = s->heap[--s->n_heap];
    sift_down(s, 0);
    return OG_OK;
}

og_status og_sorter_next(struct og_sorter *s, const void **out, og_error *err)
{
    if (s->n_runs == 0) {
        if (s->next == s->n) return OG_END;
        *out = s->records + s->items[s->next++].place * s->record_len;
        return OG_OK;
    }
    if (s->next++ > 0 && s->n_heap > 0) TRY(step(s, err));
    if (s->n_heap == 0) return OG_END;
    const struct run *r = &s->runs[s->heap[0]];
    *out = r->window + r->begin;
    return OG_OK;
}
