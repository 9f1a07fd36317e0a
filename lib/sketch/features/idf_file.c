/* An idf file: written whole or not at all, read whole, then queried.
 *
 * Hashes are evenly distributed, so the top bits of one give its approximate
 * position: a directory of them leads to a handful of entries, which are
 * searched one by one. */

#include "lib/sketch/features/idf_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/fingerprint/rabin.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/sketch/logarithm.h"

const char og_idf_magic[8] = {'o', 'r', 'i', 'g', 'o', 'd', 'f', '\n'};

static size_t padded(size_t len)
{
    return (len + 7) & ~(size_t)7;
}

/* ---- writing ---- */

struct writing {
    bool to_stdout;
    struct og_new_file file;
    struct og_checksum check;
};

static og_status put(struct writing *w, const void *data, size_t len,
                     og_error *err)
{
    og_checksum_add(&w->check, data, len);
    if (!w->to_stdout) return og_new_file_write(&w->file, data, len, err);
    if (og_file_write_all(STDOUT_FILENO, data, len) == 0) return OG_OK;
    return og_file_failure(err, "write", "stdout", errno);
}

static void store64(uint8_t *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static og_status put_head(struct writing *w, const struct og_idf_head *h,
                          og_error *err)
{
    uint8_t head[OG_IDF_HEAD_LEN + OG_IDF_WORDS_MAX] = {0};
    const size_t words_len = strlen(h->words);
    memcpy(head, og_idf_magic, sizeof(og_idf_magic));
    store64(head + 8, OG_IDF_VERSION | (uint64_t)words_len << 32);
    store64(head + 16, h->n_documents);
    store64(head + 24, h->n_features);
    store64(head + 32, h->max_error);
    store64(head + 56, og_checksum(head, 56));
    memcpy(head + OG_IDF_HEAD_LEN, h->words, words_len);
    return put(w, head, OG_IDF_HEAD_LEN + padded(words_len), err);
}

static og_status put_entries(struct writing *w, const struct og_idf_entry *e,
                             uint64_t n, og_error *err)
{
    enum { AT_ONCE = 1024 };
    uint8_t bytes[AT_ONCE * sizeof(*e)];
    for (uint64_t i = 0; i < n;) {
        size_t len = 0;
        for (; i < n && len < sizeof(bytes); i++, len += sizeof(*e)) {
            store64(bytes + len, e[i].hash);
            store64(bytes + len + 8, e[i].count | (uint64_t)e[i].error << 32);
        }
        TRY(put(w, bytes, len, err));
    }
    return OG_OK;
}

static og_status put_all(struct writing *w, const struct og_idf_head *head,
                         const struct og_idf_entry *entries, og_error *err)
{
    uint8_t check[8];
    TRY(put_head(w, head, err));
    TRY(put_entries(w, entries, head->n_features, err));
    store64(check, og_checksum_end(&w->check));
    TRY(put(w, check, sizeof(check), err));
    return w->to_stdout ? OG_OK : og_new_file_commit(&w->file, err);
}

og_status og_idf_save(const char *path, const struct og_idf_head *head,
                      const struct og_idf_entry *entries, og_error *err)
{
    struct writing w = {.to_stdout = strcmp(path, "-") == 0};
    og_checksum_init(&w.check);
    if (!w.to_stdout) TRY(og_output_open(&w.file, path, false, err));
    const og_status status = put_all(&w, head, entries, err);
    if (!w.to_stdout) og_new_file_discard(&w.file);
    return status;
}

/* ---- reading ---- */

struct og_idf {
    struct og_idf_head head;
    uint64_t check;
    struct og_idf_entry *entries;
    size_t entries_cap;
    unsigned shift;      /* hash >> shift is an index into the directory */
    uint64_t *directory; /* the first entry of each, and the end */
    size_t directory_len;
};

enum { VERSION_RABIN = 1 };

struct reading {
    og_bytes file;
    const char *name;
    uint32_t version;
    struct og_idf *idf;
};

static og_status broken(const struct reading *r, size_t off, const char *what,
                        og_error *err)
{
    return og_error_set(err, OG_ERR_INPUT, "'%.200s', byte %zu: %s", r->name,
                        off, what);
}

/* Of the first `len` bytes of the file. */
static uint64_t check_of(const struct reading *r, size_t len)
{
    const struct og_rabin *rabin = og_rabin_default();
    return r->version == VERSION_RABIN
               ? og_rabin_extend(rabin, rabin->empty, r->file.data, len)
               : og_checksum(r->file.data, len);
}

static og_status read_head(struct reading *r, size_t *out_words_len,
                           og_error *err)
{
    const char *d = r->file.data;
    if (r->file.len < 8 || memcmp(d, og_idf_magic, 8) != 0)
        return broken(r, 0, "this is not a file of document frequencies", err);
    if (r->file.len < OG_IDF_HEAD_LEN + 8)
        return broken(r, r->file.len, "the file is truncated here", err);
    r->version = og_load32(d + 8);
    if (r->version != OG_IDF_VERSION && r->version != VERSION_RABIN)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%.200s', byte 8: document frequencies of version "
                            "%u, this origo reads versions %d and %d",
                            r->name, r->version, VERSION_RABIN, OG_IDF_VERSION);
    const size_t words_len = og_load32(d + 12);
    if (check_of(r, 56) != og_load64(d + 56) || words_len >= OG_IDF_WORDS_MAX)
        return broken(r, 8, "the head is damaged", err);
    r->idf->head.n_documents = og_load64(d + 16);
    r->idf->head.n_features = og_load64(d + 24);
    r->idf->head.max_error = og_load64(d + 32);
    *out_words_len = words_len;
    return OG_OK;
}

static og_status check_length(const struct reading *r, size_t begin,
                              og_error *err)
{
    const uint64_t n = r->idf->head.n_features;
    const uint64_t most = (r->file.len - 8) / sizeof(struct og_idf_entry);
    const size_t end = begin <= r->file.len - 8 ? r->file.len - 8 : 0;
    if (n > most || begin > end ||
        end - begin < n * sizeof(struct og_idf_entry))
        return broken(r, r->file.len, "the file is truncated here", err);
    if (end - begin != n * sizeof(struct og_idf_entry))
        return broken(r, begin + n * sizeof(struct og_idf_entry) + 8,
                      "something follows the end of the file", err);
    if (check_of(r, end) != og_load64(r->file.data + end))
        return broken(r, end, "the check does not fit: the file is damaged",
                      err);
    return OG_OK;
}

static og_status read_entries(struct reading *r, size_t begin, og_error *err)
{
    struct og_idf *idf = r->idf;
    const size_t n = (size_t)idf->head.n_features;
    if (!OG_GROW(NULL, idf->entries, idf->entries_cap, n + 1))
        return og_error_memory(err, n * sizeof(*idf->entries),
                               "document frequencies");
    for (size_t i = 0; i < n; i++) {
        const char *p = r->file.data + begin + i * sizeof(*idf->entries);
        idf->entries[i] = (struct og_idf_entry){og_load64(p), og_load32(p + 8),
                                                og_load32(p + 12)};
        const bool is_sound =
            idf->entries[i].count > 0 &&
            idf->entries[i].error <= idf->head.max_error &&
            (i == 0 || idf->entries[i].hash > idf->entries[i - 1].hash);
        if (!is_sound)
            return broken(r, begin + i * sizeof(*idf->entries),
                          "the entries are not in order", err);
    }
    return OG_OK;
}

static og_status make_directory(struct og_idf *idf, og_error *err)
{
    const size_t n = (size_t)idf->head.n_features;
    unsigned bits = 1;
    while (bits < 28 && (size_t)4 << bits < n)
        bits++;
    idf->shift = 64 - bits;
    const size_t n_places = (size_t)1 << bits;
    if (!OG_GROW(NULL, idf->directory, idf->directory_len, n_places + 1))
        return og_error_memory(err, n_places * 8, "document frequencies");
    size_t at = 0;
    for (size_t i = 0; i < n_places; i++) {
        while (at < n && idf->entries[at].hash >> idf->shift < i)
            at++;
        idf->directory[i] = at;
    }
    idf->directory[n_places] = n;
    return OG_OK;
}

static og_status read_all(struct reading *r, og_error *err)
{
    size_t words_len = 0;
    TRY(read_head(r, &words_len, err));
    const size_t begin = OG_IDF_HEAD_LEN + padded(words_len);
    TRY(check_length(r, begin, err));
    memcpy(r->idf->head.words, r->file.data + OG_IDF_HEAD_LEN, words_len);
    r->idf->check = og_load64(r->file.data + r->file.len - 8);
    TRY(read_entries(r, begin, err));
    return make_directory(r->idf, err);
}

og_status og_idf_from_entries(const struct og_idf_head *head,
                              const struct og_idf_entry *entries, og_idf **out,
                              og_error *err)
{
    const size_t n = (size_t)head->n_features;
    struct og_idf *idf = og_allocate_zero(NULL, sizeof(*idf));
    if (idf == NULL || !OG_GROW(NULL, idf->entries, idf->entries_cap, n + 1)) {
        og_idf_close(idf);
        return og_error_memory(err, n * sizeof(*entries),
                               "document frequencies");
    }
    idf->head = *head;
    if (n > 0) memcpy(idf->entries, entries, n * sizeof(*entries));
    const og_status status = make_directory(idf, err);
    if (status == OG_OK)
        *out = idf;
    else
        og_idf_close(idf);
    return status;
}

og_status og_idf_read(og_bytes file, const char *name, og_idf **out,
                      og_error *err)
{
    struct og_idf *idf = og_allocate_zero(NULL, sizeof(*idf));
    if (idf == NULL)
        return og_error_memory(err, sizeof(*idf), "document frequencies");
    struct reading r = {.file = file, .name = name, .idf = idf};
    const og_status status = read_all(&r, err);
    if (status == OG_OK)
        *out = idf;
    else
        og_idf_close(idf);
    return status;
}

static og_status load(int fd, const char *path, char **out, size_t *out_cap,
                      size_t *out_len, og_error *err)
{
    enum { STEP = 1 << 20 };
    for (;;) {
        if (!OG_GROW(NULL, *out, *out_cap, *out_len + STEP))
            return og_error_memory(err, *out_len + STEP, "a file");
        const ssize_t n = og_file_read(fd, *out + *out_len, STEP);
        if (n < 0) return og_file_failure(err, "read", path, errno);
        if (n == 0) return OG_OK;
        *out_len += (size_t)n;
    }
}

og_status og_idf_open(const char *path, og_idf **out, og_error *err)
{
    const int fd = og_file_open(path);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    char *data = NULL;
    size_t cap = 0, len = 0;
    og_status status = load(fd, path, &data, &cap, &len, err);
    close(fd);
    if (status == OG_OK)
        status = og_idf_read((og_bytes){data, len}, path, out, err);
    OG_UNGROW(NULL, data, cap);
    return status;
}

void og_idf_close(og_idf *idf)
{
    if (idf == NULL) return;
    OG_UNGROW(NULL, idf->entries, idf->entries_cap);
    OG_UNGROW(NULL, idf->directory, idf->directory_len);
    og_release(NULL, idf, sizeof(*idf));
}

/* ---- queries ---- */

void og_idf_info_get(const og_idf *idf, og_idf_info *out)
{
    *out = (og_idf_info){.n_documents = idf->head.n_documents,
                         .n_features = idf->head.n_features,
                         .max_error = idf->head.max_error};
}

const char *og_idf_words(const og_idf *idf)
{
    return idf->head.words;
}

uint64_t og_idf_check(const og_idf *idf)
{
    return idf->check;
}

void og_idf_find(const og_idf *idf, uint64_t hash, uint64_t *out_least,
                 uint64_t *out_most)
{
    const size_t place = (size_t)(hash >> idf->shift);
    size_t low = idf->directory[place], high = idf->directory[place + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (idf->entries[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    *out_least = 0;
    *out_most = idf->head.max_error;
    if (low == idf->head.n_features || idf->entries[low].hash != hash) return;
    *out_least = idf->entries[low].count;
    *out_most = *out_least + idf->entries[low].error;
}

double og_idf_weight(const og_idf *idf, uint64_t hash)
{
    uint64_t least, most;
    og_idf_find(idf, hash, &least, &most);
    uint64_t df = least + (most - least) / 2;
    if (df < 1) df = 1;
    /* The queries may come from documents that were not counted. */
    if (df > idf->head.n_documents) df = idf->head.n_documents;
    if (df < 1) return 1;
    return og_log2(((double)idf->head.n_documents + 1) / (double)df);
}
