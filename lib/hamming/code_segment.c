/* Opening a run, with everything that is checked on the way: code_segment.h
 * draws the bytes. Each check names the part and the place that is wrong. */

#define _GNU_SOURCE
#include "lib/hamming/code_segment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_merge.h"
#include "lib/hamming/segment_head.h"
#include "lib/os/file.h"

/* ---- sums ---- */

void og_code_sum_init(struct og_code_sum *sum)
{
    for (unsigned i = 0; i < 8; i++)
        sum->lane[i] = og_mix64(i + 1);
}

void og_code_sum_add(struct og_code_sum *sum, const void *data, size_t len)
{
    const uint8_t *p = data;
    struct og_code_sum s = *sum;
    for (size_t i = 0; i + 64 <= len; i += 64) {
        for (unsigned j = 0; j < 8; j++) {
            const uint64_t x = (s.lane[j] ^ og_load64(p + i + 8 * (size_t)j)) *
                               UINT64_C(0x9e3779b97f4a7c15);
            s.lane[j] = x << 29 | x >> 35;
        }
    }
    *sum = s;
}

uint64_t og_code_sum_end(const struct og_code_sum *sum)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < 8; i++)
        x = og_mix64(x ^ sum->lane[i]);
    return x;
}

uint64_t og_code_segment_sum(const struct image_head *head)
{
    struct image_head copy = *head;
    struct og_code_sum sum;
    copy.head_sum = 0;
    og_code_sum_init(&sum);
    og_code_sum_add(&sum, &copy, sizeof(copy));
    return og_code_sum_end(&sum);
}

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

static og_status unsound(og_error *err, const char *name, const char *what,
                         uint64_t place)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged: %s %llu", name,
                        what, (unsigned long long)place);
}

/* Everything about the head that needs no other byte of the file. */
static og_status check_head(const struct image_head *h, size_t len,
                            const char *name, og_error *err)
{
    if (len < sizeof(*h) || memcmp(h->magic, IMAGE_MAGIC, 8) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is no file of codes: its first 8 bytes are "
                            "not '" IMAGE_MAGIC "'",
                            name);
    if (h->version != IMAGE_VERSION && h->version != IMAGE_VERSION_FORM)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has version %u, this origo reads %d and %d",
                            name, h->version, IMAGE_VERSION,
                            IMAGE_VERSION_FORM);
    if (h->file_len != len)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' ends at byte %zu instead of %llu", name, len,
                            (unsigned long long)h->file_len);
    if (og_code_segment_sum(h) != h->head_sum)
        return unsound(err, name, "the sum of its head, byte",
                       offsetof(struct image_head, head_sum));
    if (h->n_bits != OG_CODE_BITS)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has codes of %u bits, not %d", name,
                            h->n_bits, OG_CODE_BITS);
    if ((h->version == IMAGE_VERSION) != (h->form == OG_CODE_DIRECTORY) ||
        h->form >= OG_CODE_FORMS || h->max_distance > OG_CODE_BITS ||
        h->n_tables > OG_CODE_TABLES || h->n_codes > OG_CODE_INDEX_MOST ||
        h->ids_len > len)
        return unsound(err, name, "a number of its head, byte", 8);
    return OG_OK;
}

/* Where each part begins; the last one is the length. Nothing overflows: the
 * head was checked, a directory has at most 2^28 entries. */
static og_status find_parts(const struct image_head *h,
                            const struct og_code_design *d, const char *name,
                            uint64_t part[5], og_error *err)
{
    part[0] = sizeof(*h);
    part[1] = part[0] + IMAGE_ROUND(h->ids_len);
    part[2] = part[1] + IMAGE_ROUND(h->n_codes * 8);
    part[3] = part[2] + IMAGE_ROUND((h->n_codes + 1) * 8);
    part[4] = part[3];
    if (d->form == OG_CODE_DIRECTORY)
        part[4] += og_code_design_bytes(d, h->n_codes);
    if (part[4] == h->file_len) return OG_OK;
    return unsound(err, name, "its parts together have a length of", part[4]);
}

static og_status read_design(const struct image_head *h, const char *name,
                             struct og_code_design *d, og_error *err)
{
    og_code_design_scan(d, h->max_distance);
    d->form = (enum og_code_form)h->form;
    d->n_tables = h->n_tables;
    for (unsigned t = 0; t < d->n_tables; t++) {
        d->mask[t] = h->table[t].mask;
        d->radius[t] = (uint8_t)h->table[t].radius;
        if (d->mask[t] == 0 || h->table[t].radius > OG_CODE_BITS ||
            (d->form == OG_CODE_DIRECTORY &&
             __builtin_popcountll(d->mask[t]) > 28))
            return unsound(err, name, "the mask of table", t);
    }
    if (!og_code_form_fits(d->form, d))
        return unsound(err, name, "its design, byte",
                       offsetof(struct image_head, form));
    return OG_OK;
}

static og_status check_entries(const struct og_code_image *m, size_t i,
                               const char *name, uint64_t counts[2],
                               og_error *err)
{
    const uint8_t *at = m->ids + m->offsets[i];
    const uint8_t *end = m->ids + m->offsets[i + 1];
    struct og_code_entry entry, before = {0};
    for (bool first = true; at != end; first = false) {
        if (!og_code_entry_next(&at, end, &entry) ||
            (!first && og_code_id_compare(before.id, entry.id) >= 0))
            return unsound(err, name, "the ids of code", i);
        counts[entry.removed]++;
        before = entry;
    }
    return OG_OK;
}

static og_status check_codes(const struct og_code_image *m,
                             const struct image_head *h, const char *name,
                             og_error *err)
{
    const uint64_t *codes = m->index.codes;
    uint64_t counts[2] = {0};
    if (m->offsets[0] != 0 || m->offsets[m->index.n] != h->ids_len)
        return unsound(err, name, "the first or last offset of codes", 0);
    for (size_t i = 0; i < m->index.n; i++) {
        if (i != 0 && codes[i - 1] >= codes[i])
            return unsound(err, name, "the order of code", i);
        if (m->offsets[i] >= m->offsets[i + 1] ||
            m->offsets[i + 1] > h->ids_len)
            return unsound(err, name, "the offset of code", i);
        TRY(check_entries(m, i, name, counts, err));
    }
    if (counts[0] != h->n_entries || counts[1] != h->n_removed)
        return unsound(err, name, "the number of ids,", counts[0] + counts[1]);
    return OG_OK;
}

static og_status check_body(const struct image_head *h, const uint8_t *data,
                            const char *name, og_error *err)
{
    struct og_code_sum sum;
    og_code_sum_init(&sum);
    og_code_sum_add(&sum, data + sizeof(*h), h->file_len - sizeof(*h));
    if (og_code_sum_end(&sum) == h->body_sum) return OG_OK;
    return unsound(err, name, "the sum of its bytes from", sizeof(*h));
}

og_status og_code_image_take(struct og_code_image *image, const uint8_t *data,
                             size_t len, const char *name,
                             const og_allocator *allocator, og_error *err)
{
    const struct image_head *h = (const struct image_head *)(const void *)data;
    struct og_code_design design;
    uint64_t part[5];
    *image = (struct og_code_image){0};
    TRY(check_head(h, len, name, err));
    TRY(read_design(h, name, &design, err));
    TRY(find_parts(h, &design, name, part, err));
    TRY(check_body(h, data, name, err));
    struct og_code_image m = {.data = data,
                              .len = len,
                              .allocator = allocator,
                              .max_distance = h->max_distance,
                              .n_entries = h->n_entries,
                              .n_removed = h->n_removed,
                              .sum = h->head_sum,
                              .ids = data + part[0]};
    m.offsets = (const uint64_t *)(const void *)(data + part[2]);
    const bool has_tables = design.form == OG_CODE_DIRECTORY;
    og_code_index_view(&m.index, &design,
                       (const uint64_t *)(const void *)(data + part[1]),
                       h->n_codes, has_tables ? data + part[3] : NULL);
    TRY(check_codes(&m, h, name, err));
    if (!has_tables)
        TRY(og_code_index_init(&m.index, &design, m.index.codes, h->n_codes,
                               allocator, err));
    for (unsigned t = 0; has_tables && t < design.n_tables; t++)
        if (!og_code_table_sound(design.mask[t], h->n_codes,
                                 m.index.table[t].starts))
            return unsound(err, name, "the directory of table", t);
    *image = m;
    return OG_OK;
}

/* ---- files ---- */

static og_status failed(og_error *err, const char *path)
{
    char text[128];
    return og_error_set(err, OG_ERR_IO, "cannot open '%s': %s", path,
                        og_file_error_text(errno, text, sizeof(text)));
}

og_status og_code_image_open(struct og_code_image *image, const char *path,
                             og_error *err)
{
    struct stat info;
    *image = (struct og_code_image){0};
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return failed(err, path);
    if (fstat(fd, &info) != 0 || info.st_size == 0) {
        close(fd);
        return og_error_set(err, OG_ERR_STORE, "'%s' ends at byte 0", path);
    }
    const size_t len = (size_t)info.st_size;
    void *data = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
    const int map_errno = errno;
    close(fd);
    if (data == MAP_FAILED) {
        errno = map_errno;
        return failed(err, path);
    }
    const og_status status =
        og_code_image_take(image, data, len, path, NULL, err);
    image->is_mapped = status == OG_OK;
    if (status != OG_OK) munmap(data, len);
    return status;
}

void og_code_image_release(struct og_code_image *image)
{
    og_code_index_release(&image->index);
    if (image->is_mapped)
        munmap((void *)image->data, image->len);
    else if (image->data != NULL)
        og_release(image->allocator, (void *)image->data, image->len);
    *image = (struct og_code_image){0};
}
