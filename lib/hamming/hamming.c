/* Codes that may be added, removed and queried at any time.
 *
 * New entries are collected in a small unsorted memtable, which a query scans.
 * When it is full it becomes a run in memory; runs of similar size are merged,
 * so that there are few of them and each entry is copied a logarithmic number
 * of times. When the runs in memory exceed the buffer they become one file, and
 * files are merged by the same rule. A removal is an entry, too: it hides older
 * ones, and is dropped when a merge reaches the oldest run. (This is a
 * log-structured merge tree with tables for k bits in place of sorted keys.)
 *
 * Memory: the memtable, the buffer, and during a merge to disk 16 bytes per
 * code and one table. Readers of a folder hold mapped files, which stay valid
 * when a writer deletes them. The single writer holds the lock of the file
 * "lock". */

#define _GNU_SOURCE
#include "lib/hamming/hamming.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/disk/merge_policy.h"
#include "lib/disk/store_lock.h"
#include "lib/os/new_file.h"

#define PREFIX "run"

enum { PATH_MOST = OG_MANIFEST_PATH_MOST };

/* Versions 1 and 2 called segments "run", and had checksums of their own. */
static const struct og_manifest_kind manifest_kind = {
    .name = "hamming", .version = 3, .old_sum_until = 2};

og_hamming_options og_hamming_options_default(void)
{
    return (og_hamming_options){.n_bits = OG_CODE_BITS,
                                .max_distance = 3,
                                .n_tables = OG_CODE_WANT_BEST,
                                .memory = UINT64_C(4) << 30,
                                .buffer = UINT64_C(64) << 20,
                                .n_waiting = 4096};
}

/* ---- waiting ---- */

static int compare_waiting(const void *a, const void *b, void *ctx)
{
    const struct og_hamming *h = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (h->waiting_codes[x] != h->waiting_codes[y])
        return h->waiting_codes[x] < h->waiting_codes[y] ? -1 : 1;
    const int order =
        og_code_id_compare(og_waiting_id(h, x), og_waiting_id(h, y));
    if (order != 0) return order;
    return x < y ? 1 : x > y ? -1 : 0; /* the youngest first */
}

size_t og_waiting_sort(const struct og_hamming *h, uint32_t *places, size_t n)
{
    size_t kept = 0;
    qsort_r(places, n, sizeof(*places), compare_waiting, (void *)h);
    for (size_t i = 0; i < n; i++) {
        const uint32_t before = kept == 0 ? 0 : places[kept - 1];
        if (kept != 0 &&
            h->waiting_codes[before] == h->waiting_codes[places[i]] &&
            og_code_id_compare(og_waiting_id(h, before),
                               og_waiting_id(h, places[i])) == 0)
            continue;
        places[kept++] = places[i];
    }
    return kept;
}

static og_status write_waiting(struct og_hamming *h, bool drops_removed,
                               struct og_code_writer *w, og_error *err)
{
    if (!OG_GROW(h->allocator, h->sorted, h->sorted_cap, h->n_waiting))
        return og_error_memory(err, 4 * h->n_waiting, "entries");
    for (size_t i = 0; i < h->n_waiting; i++)
        h->sorted[i] = (uint32_t)i;
    const size_t n = og_waiting_sort(h, h->sorted, h->n_waiting);
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = h->sorted[i];
        const struct og_code_entry entry = {og_waiting_id(h, place),
                                            h->waiting[place].removed};
        if (entry.removed && drops_removed) continue;
        TRY(og_code_writer_add(w, h->waiting_codes[place], &entry, err));
    }
    return OG_OK;
}

/* ---- runs ---- */

static og_status end_run(struct og_hamming *h, struct og_code_writer *w,
                         struct og_code_segment *out, og_error *err)
{
    return og_code_writer_end(w, h->run_distance, &h->choice, out, err);
}

/* Merges runs [first, n_runs) into one, in memory or as the file `number`. */
static og_status merge_runs(struct og_hamming *h, size_t first, uint64_t number,
                            og_error *err)
{
    const struct og_code_segment *segments[OG_CODE_RUNS_MOST];
    struct og_code_segment merged;
    struct og_code_writer *w;
    char path[PATH_MOST];
    if (number != 0)
        TRY(og_segment_number_path(h->folder, PREFIX, number, path, err));
    for (size_t i = first; i < h->n_runs; i++)
        segments[i - first] = &h->run[i];
    TRY(og_code_writer_new(number != 0 ? path : NULL, h->allocator, &w, err));
    const og_status status =
        og_code_segments_merge(segments, h->n_runs - first, first == 0, w, err);
    if (status != OG_OK) {
        og_code_writer_drop(w);
        return status;
    }
    TRY(end_run(h, w, &merged, err));
    for (size_t i = first; i < h->n_runs; i++)
        og_code_segment_release(&h->run[i]);
    h->run[first] = merged;
    h->number[first] = number;
    h->n_runs = first + 1;
    return OG_OK;
}

/* The first of the runs to be merged with those from `last` on. */
static size_t first_to_merge(const struct og_hamming *h, size_t last,
                             size_t from)
{
    uint64_t sizes[OG_CODE_RUNS_MOST];
    for (size_t i = 0; i < h->n_runs; i++)
        sizes[i] = h->run[i].n_entries + h->run[i].n_removed;
    return og_merge_first(sizes, h->n_runs, last, from);
}

static size_t n_runs_on_disk(const struct og_hamming *h)
{
    return og_segments_on_disk(h->number, h->n_runs);
}

/* Turns the memtable into a run in memory. */
static og_status flush_waiting(struct og_hamming *h, og_error *err)
{
    struct og_code_writer *w;
    if (h->n_waiting == 0) return OG_OK;
    TRY(og_code_writer_new(NULL, h->allocator, &w, err));
    og_status status = write_waiting(h, h->n_runs == 0, w, err);
    if (status != OG_OK) {
        og_code_writer_drop(w);
        return status;
    }
    TRY(end_run(h, w, &h->run[h->n_runs], err));
    h->number[h->n_runs++] = 0;
    h->n_waiting = 0;
    h->ids_len = 0;
    const size_t first = first_to_merge(h, h->n_runs - 1, n_runs_on_disk(h));
    if (first + 1 == h->n_runs) return OG_OK;
    return merge_runs(h, first, 0, err);
}

/* ---- the disk ---- */

static og_status write_manifest(struct og_hamming *h, og_error *err)
{
    struct og_manifest m = {
        .generation = h->generation, .next = h->next, .n_segments = h->n_runs};
    char tables[16];
    snprintf(tables, sizeof(tables), "%d", h->choice.want);
    og_manifest_set_number(&m, "bits", h->n_bits);
    og_manifest_set_number(&m, "distance", h->max_distance);
    og_manifest_set_number(&m, "memory", h->choice.memory);
    og_manifest_set(&m, "tables", tables);
    og_manifest_set(&m, "design", og_code_form_name(h->choice.form));
    for (size_t i = 0; i < h->n_runs; i++) {
        m.segment[i].number = h->number[i];
        m.segment[i].sum = h->run[i].file.sum;
    }
    TRY(og_manifest_write(&m, &manifest_kind, h->folder, err));
    h->generation = m.generation;
    h->is_unlisted = false;
    return OG_OK;
}

/* Writes everything in memory, and the files that are due for merging, as one
 * file. If only the manifest could not be written, the next call does it. */
static og_status write_runs(struct og_hamming *h, og_error *err)
{
    uint64_t old[OG_CODE_RUNS_MOST];
    const size_t n_old = n_runs_on_disk(h);
    if (n_old == h->n_runs)
        return h->is_unlisted ? write_manifest(h, err) : OG_OK;
    const size_t first = first_to_merge(h, n_old, 0);
    memcpy(old, h->number, sizeof(old));
    TRY(merge_runs(h, first, h->next, err));
    h->next++;
    h->is_unlisted = true;
    TRY(write_manifest(h, err));
    for (size_t i = first; i < n_old; i++) {
        char path[PATH_MOST];
        if (og_segment_number_path(h->folder, PREFIX, old[i], path, NULL) ==
            OG_OK)
            unlink(path);
    }
    return OG_OK;
}

og_status og_hamming_commit(og_hamming *h, og_error *err)
{
    if (!h->is_writable) return OG_OK;
    TRY(flush_waiting(h, err));
    return h->folder == NULL ? OG_OK : write_runs(h, err);
}

static og_status make_room(struct og_hamming *h, og_error *err)
{
    uint64_t len = 0;
    TRY(flush_waiting(h, err));
    for (size_t i = n_runs_on_disk(h); i < h->n_runs; i++)
        len += h->run[i].file.len;
    if (h->folder == NULL || len <= h->buffer) return OG_OK;
    return write_runs(h, err);
}

/* ---- entries ---- */

og_status og_hamming_check_entry(const struct og_hamming *h, unsigned n_bits,
                                 og_bytes id, og_error *err)
{
    if (!h->is_writable)
        return og_error_set(err, OG_ERR_USAGE,
                            "the index '%s' is open for reading only",
                            h->folder);
    if (h->n_bits != n_bits)
        return og_error_set(err, OG_ERR_USAGE,
                            "a code of %u bits, the index has codes of %u",
                            n_bits, h->n_bits);
    if (id.len == 0 || id.len > OG_CODE_ID_MOST)
        return og_error_set(err, OG_ERR_INPUT,
                            "an id of %zu bytes, it takes 1 to %d", id.len,
                            OG_CODE_ID_MOST);
    return OG_OK;
}

og_status og_hamming_reserve(struct og_hamming *h, size_t n, size_t ids_len,
                             og_error *err)
{
    if (h->n_waiting >= h->waiting_most) TRY(make_room(h, err));
    n += h->n_waiting;
    if (!OG_GROW(h->allocator, h->waiting_codes, h->codes_cap, n) ||
        !OG_GROW(h->allocator, h->waiting, h->waiting_cap, n) ||
        !OG_GROW(h->allocator, h->waiting_ids, h->ids_cap,
                 h->ids_len + ids_len))
        return og_error_memory(err, ids_len, "an entry");
    return OG_OK;
}

void og_hamming_append(struct og_hamming *h, uint64_t code, og_bytes prefix,
                       og_bytes id, bool removed)
{
    const size_t n = h->n_waiting++, len = prefix.len + id.len;
    char *to = h->waiting_ids + h->ids_len;
    if (prefix.len != 0) memcpy(to, prefix.data, prefix.len);
    memcpy(to + prefix.len, id.data, id.len);
    h->waiting_codes[n] = code;
    h->waiting[n] =
        (struct og_waiting_code){h->ids_len, (uint32_t)len, removed};
    h->ids_len += len;
}

static og_status add_entry(og_hamming *h, uint64_t code, og_bytes id,
                           bool removed, og_error *err)
{
    TRY(og_hamming_check_entry(h, OG_CODE_BITS, id, err));
    TRY(og_hamming_reserve(h, 1, id.len, err));
    og_hamming_append(h, code, (og_bytes){0}, id, removed);
    return OG_OK;
}

og_status og_hamming_add(og_hamming *h, uint64_t code, og_bytes id,
                         og_error *err)
{
    return add_entry(h, code, id, false, err);
}

og_status og_hamming_remove(og_hamming *h, uint64_t code, og_bytes id,
                            og_error *err)
{
    return add_entry(h, code, id, true, err);
}

/* ---- opening and closing ---- */

og_status og_hamming_check_options(const og_hamming_options *o, og_error *err)
{
    if (o->n_bits != OG_CODE_BITS && o->n_bits != OG_CODE_BITS_WIDE)
        return og_error_set(err, OG_ERR_USAGE,
                            "codes of %u bits, an index takes %d or %d",
                            o->n_bits, OG_CODE_BITS, OG_CODE_BITS_WIDE);
    if ((unsigned)o->design >= OG_CODE_FORMS)
        return og_error_set(err, OG_ERR_USAGE, "no design of kind %d",
                            (int)o->design);
    if (o->max_distance <= o->n_bits) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "distance %u is more than the %u bits of a code",
                        o->max_distance, o->n_bits);
}

static void take_width(og_hamming *h, unsigned n_bits, unsigned max_distance)
{
    h->n_bits = n_bits;
    h->max_distance = max_distance;
    h->run_distance = n_bits == OG_CODE_BITS
                          ? max_distance
                          : (unsigned)og_half_distance(max_distance, false);
}

static void drop_runs(og_hamming *h)
{
    for (size_t i = 0; i < h->n_runs; i++)
        og_code_segment_release(&h->run[i]);
    h->n_runs = 0;
}

static void free_hamming(og_hamming *h)
{
    const og_allocator *a = h->allocator;
    drop_runs(h);
    if (h->lock_fd >= 0) close(h->lock_fd);
    if (h->folder != NULL) og_release(a, h->folder, strlen(h->folder) + 1);
    OG_UNGROW(a, h->waiting_codes, h->codes_cap);
    OG_UNGROW(a, h->waiting, h->waiting_cap);
    OG_UNGROW(a, h->waiting_ids, h->ids_cap);
    OG_UNGROW(a, h->hits, h->hits_cap);
    OG_UNGROW(a, h->sorted, h->sorted_cap);
    OG_UNGROW(a, h->encoded, h->encoded_cap);
    OG_UNGROW(a, h->near, h->near_cap);
    og_release(a, h, sizeof(*h));
}

/* `folder` NULL: in memory. */
static og_status new_hamming(const char *folder, const og_hamming_options *o,
                             og_hamming **out, og_error *err)
{
    *out = NULL;
    TRY(og_hamming_check_options(o, err));
    og_hamming *h = og_allocate_zero(NULL, sizeof(*h));
    if (h == NULL) return og_error_memory(err, sizeof(*h), "an index");
    h->allocator = NULL;
    h->is_writable = true;
    h->lock_fd = -1;
    take_width(h, o->n_bits, o->max_distance);
    h->choice = (struct og_code_choice){o->memory, o->n_tables,
                                        (enum og_code_form)o->design};
    h->buffer = o->buffer;
    h->waiting_most = o->n_waiting == 0 ? 1 : o->n_waiting;
    h->next = 1;
    if (folder != NULL) {
        h->folder = og_allocate(h->allocator, strlen(folder) + 1);
        if (h->folder == NULL) {
            free_hamming(h);
            return og_error_memory(err, strlen(folder) + 1, "a path");
        }
        memcpy(h->folder, folder, strlen(folder) + 1);
    }
    *out = h;
    return OG_OK;
}

static og_status open_run(og_hamming *h, const struct og_manifest *m, size_t i,
                          og_error *err)
{
    char path[PATH_MOST];
    TRY(og_segment_number_path(h->folder, PREFIX, m->segment[i].number, path,
                               err));
    TRY(og_code_segment_open(&h->run[i], path, err));
    h->number[i] = m->segment[i].number;
    h->n_runs = i + 1;
    TRY(og_manifest_check_segment(m, i, path, h->run[i].file.sum, err));
    if (h->run[i].max_distance != h->run_distance)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' was made for distance %u, its index for %u",
                            path, h->run[i].max_distance, h->run_distance);
    return OG_OK;
}

/* Up to version 1 there was one design, and no line for it. */
static bool read_design(const struct og_manifest *m, struct og_hamming *h)
{
    const char *design = og_manifest_get(m, "design");
    h->choice.form = OG_CODE_DIRECTORY;
    if (design == NULL) return m->version == 1;
    for (unsigned form = 0; form < OG_CODE_FORMS; form++) {
        h->choice.form = (enum og_code_form)form;
        if (strcmp(og_code_form_name(h->choice.form), design) == 0) return true;
    }
    return false;
}

static og_status read_fields(og_hamming *h, const struct og_manifest *m,
                             og_error *err)
{
    uint64_t n_bits, max_distance;
    int n = -1;
    const char *tables = og_manifest_get(m, "tables");
    if (!og_manifest_get_number(m, "bits", UINT32_MAX, &n_bits))
        return og_manifest_bad_field(m, h->folder, "bits", err);
    if (n_bits != OG_CODE_BITS && n_bits != OG_CODE_BITS_WIDE)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s/manifest' has codes of %" PRIu64
                            " bits, not %d or %d",
                            h->folder, n_bits, OG_CODE_BITS, OG_CODE_BITS_WIDE);
    if (!og_manifest_get_number(m, "distance", n_bits, &max_distance))
        return og_manifest_bad_field(m, h->folder, "distance", err);
    if (!og_manifest_get_number(m, "memory", UINT64_MAX, &h->choice.memory))
        return og_manifest_bad_field(m, h->folder, "memory", err);
    if (tables == NULL || sscanf(tables, "%d%n", &h->choice.want, &n) != 1 ||
        tables[n] != '\0')
        return og_manifest_bad_field(m, h->folder, "tables", err);
    if (!read_design(m, h))
        return og_manifest_bad_field(m, h->folder, "design", err);
    take_width(h, (unsigned)n_bits, (unsigned)max_distance);
    h->next = m->next;
    h->generation = m->generation;
    return OG_OK;
}

static og_status no_index(const og_hamming *h, og_error *err)
{
    return og_error_set(err, OG_ERR_NO_STORE,
                        "there is no index of codes in '%s'", h->folder);
}

static og_status open_runs(og_hamming *h, og_error *err)
{
    struct og_manifest m;
    const og_status status =
        og_manifest_read(&m, &manifest_kind, h->folder, err);
    if (status == OG_ERR_NO_STORE) return no_index(h, err);
    if (status != OG_OK) return status;
    TRY(read_fields(h, &m, err));
    for (size_t i = 0; i < m.n_segments; i++)
        TRY(open_run(h, &m, i, err));
    return OG_OK;
}

/* Files of a writer that was interrupted. */
static void delete_unnamed(const og_hamming *h)
{
    og_segments_delete_unnamed(h->folder, PREFIX, h->number, h->n_runs);
}

/* ---- by access ---- */

/* A number of tables that no design has is reported here rather than at a
 * merge. */
static og_status check_plan(const og_hamming *h, og_error *err)
{
    struct og_code_plan plan;
    return og_code_plan(&plan, 0, h->run_distance, &h->choice, err);
}

static og_status read_index(og_hamming *h, og_error *err)
{
    og_status status = OG_OK;
    /* A writer may delete runs between the reading of the list and of the
     * files. */
    for (int tries = 0; tries < 5; tries++) {
        status = open_runs(h, err);
        if (status != OG_ERR_IO) break;
        drop_runs(h);
    }
    return status;
}

static bool has_manifest(const og_hamming *h)
{
    char path[PATH_MOST];
    return og_manifest_path(h->folder, "manifest", path, NULL) == OG_OK &&
           access(path, F_OK) == 0;
}

/* Once the folder is locked. */
static og_status write_index(og_hamming *h, og_error *err)
{
    TRY(open_runs(h, err));
    delete_unnamed(h);
    return OG_OK;
}

static og_status create_index(og_hamming *h, bool must_be_new, og_error *err)
{
    TRY(check_plan(h, err));
    if (mkdir(h->folder, 0777) != 0 && errno != EEXIST)
        return og_file_failure(err, "make", h->folder, errno);
    TRY(og_folder_lock("index", h->folder, &h->lock_fd, err));
    if (!has_manifest(h)) return write_manifest(h, err);
    if (must_be_new)
        return og_error_set(err, OG_ERR_USAGE,
                            "there is an index in '%s' already", h->folder);
    return write_index(h, err);
}

static og_status open_by_access(og_hamming *h, og_access access,
                                bool must_be_new, og_error *err)
{
    if (h->folder == NULL) return check_plan(h, err);
    if (access == OG_READ) return read_index(h, err);
    if (access == OG_CREATE) return create_index(h, must_be_new, err);
    /* Nothing is locked, and so nothing made, in another folder. */
    if (!has_manifest(h)) return no_index(h, err);
    TRY(og_folder_lock("index", h->folder, &h->lock_fd, err));
    return write_index(h, err);
}

og_status og_hamming_open(const char *path, og_access access,
                          const og_hamming_options *options, og_hamming **out,
                          og_error *err)
{
    const og_hamming_options standard = og_hamming_options_default();
    const bool is_memory = strcmp(path, ":memory:") == 0;
    if (options == NULL) options = &standard;
    TRY(new_hamming(is_memory ? NULL : path, options, out, err));
    (*out)->is_writable = is_memory || access != OG_READ;
    const og_status status =
        open_by_access(*out, access, options->must_be_new, err);
    if (status == OG_OK) return OG_OK;
    free_hamming(*out);
    *out = NULL;
    return status;
}

og_status og_hamming_close(og_hamming *h, og_error *err)
{
    if (h == NULL) return OG_OK;
    const og_status status =
        h->folder != NULL ? og_hamming_commit(h, err) : OG_OK;
    free_hamming(h);
    return status;
}

void og_hamming_delete(og_hamming *h)
{
    static const char *const names[] = {"manifest", "manifest.new", "lock"};
    char path[PATH_MOST];
    if (h == NULL) return;
    if (h->folder != NULL && h->is_writable) {
        /* The list first: without it the rest is not an index. */
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (og_manifest_path(h->folder, names[i], path, NULL) == OG_OK)
                unlink(path);
        drop_runs(h); /* none is named any more */
        delete_unnamed(h);
        rmdir(h->folder);
    }
    free_hamming(h);
}

void og_hamming_info_get(const og_hamming *h, og_hamming_info *out)
{
    const unsigned each = h->n_bits / OG_CODE_BITS; /* entries per code */
    *out = (og_hamming_info){.n_bits = h->n_bits,
                             .max_distance = h->max_distance,
                             .n_runs = h->n_runs,
                             .n_waiting = h->n_waiting / each};
    for (size_t i = 0; i < h->n_runs; i++) {
        out->n_codes += h->run[i].index.n;
        out->n_entries += h->run[i].n_entries;
        out->n_removed += h->run[i].n_removed;
        out->n_bytes += h->run[i].file.len;
    }
    out->n_codes /= each;
    out->n_entries /= each;
    out->n_removed /= each;
}
