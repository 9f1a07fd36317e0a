/* LMDB writes no checksums and follows every page number in its file. It
 * depends on the file being as it left it, and this can be checked from
 * outside: all pages up to the last one in use are read as plain bytes and
 * compared with sums that were written when it was closed. The number of the
 * last transaction shows which state the sums belong to (lmdb_file.h). */

#include "lib/store/catalogue/page_sums.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/store/catalogue/documents.h"
#include "lib/store/catalogue/lmdb_file.h"

enum {
    PAGE = 4096,
    BATCH = 256, /* pages read at once */
    HEAD = 32,   /* of the file of sums */
    FORMAT = 1,
};

/* Layout: see documents.h. */
struct sums_on_disk {
    char magic[4];
    uint32_t version;
    uint64_t n_pages;
    uint64_t txnid;
    uint64_t checksum;
};
_Static_assert(sizeof(struct sums_on_disk) == HEAD, "drawn so");
#define AT(field) offsetof(struct sums_on_disk, field)

static const char magic[5] = "OGcS";

struct paths {
    char data[4096];
    char sums[4096];
};

static void set_paths(struct paths *paths, const char *folder)
{
    snprintf(paths->data, sizeof(paths->data), "%s/data.mdb", folder);
    snprintf(paths->sums, sizeof(paths->sums), "%s.sum", folder);
}

/* ---- the state of the LMDB file ---- */

struct lmdb_state {
    uint64_t txnid;
    uint64_t n_pages; /* of PAGE bytes */
};

static bool read_state(int fd, struct lmdb_state *out)
{
    struct og_lmdb_head head;
    if (!og_lmdb_head_read(fd, &head)) return false;
    *out = (struct lmdb_state){head.txnid,
                               (head.last_page + 1) * (head.page_len / PAGE)};
    return true;
}

/* ---- summing ---- */

struct pages {
    const char *path;
    int fd;
    uint8_t *batch;
    const og_allocator *allocator;
};

static og_status open_pages(struct pages *p, const char *path,
                            const og_allocator *allocator, og_error *err)
{
    *p = (struct pages){.path = path, .allocator = allocator};
    p->fd = og_file_open_own(path, O_RDONLY, 0);
    if (p->fd < 0) return og_file_failure(err, "read", path, errno);
    p->batch = og_allocate(allocator, (size_t)BATCH * PAGE);
    if (p->batch != NULL) return OG_OK;
    close(p->fd);
    p->fd = -1;
    return og_error_memory(err, (size_t)BATCH * PAGE, "pages");
}

static void close_pages(struct pages *p)
{
    if (p->fd >= 0) close(p->fd);
    og_release(p->allocator, p->batch, (size_t)BATCH * PAGE);
}

/* The sums of pages first .. first + n - 1, n at most BATCH. Pages beyond the
 * end of the file were allocated and never written: they count as zeros. */
static og_status sum_batch(struct pages *p, uint64_t first, size_t n,
                           uint8_t *out, og_error *err)
{
    const int64_t got =
        og_file_read_at(p->fd, p->batch, n * PAGE, first * PAGE);
    if (got < 0) return og_file_failure(err, "read", p->path, errno);
    memset(p->batch + got, 0, n * PAGE - (size_t)got);
    for (size_t i = 0; i < n; i++)
        og_store64(out + 8 * i, og_checksum(p->batch + i * PAGE, PAGE));
    return OG_OK;
}

static size_t batch_at(uint64_t first, uint64_t n_pages)
{
    return n_pages - first < BATCH ? (size_t)(n_pages - first) : BATCH;
}

static uint64_t checksum_of(const uint8_t *head, const uint8_t *sums,
                            size_t len)
{
    return og_checksum_after(og_checksum(head, AT(checksum)), sums, len);
}

/* ---- writing ---- */

static og_status make_sums(struct pages *p, struct og_pack *out, og_error *err)
{
    struct lmdb_state state;
    if (!read_state(p->fd, &state))
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not an LMDB file of format 1", p->path);
    uint8_t sums[BATCH * 8];
    uint8_t head[HEAD] = {0};
    memcpy(head, magic, 4);
    og_store32(head + AT(version), FORMAT);
    og_store64(head + AT(n_pages), state.n_pages);
    og_store64(head + AT(txnid), state.txnid);
    og_pack_bytes(out, head, HEAD);
    for (uint64_t at = 0; at < state.n_pages; at += BATCH) {
        const size_t n = batch_at(at, state.n_pages);
        TRY(sum_batch(p, at, n, sums, err));
        og_pack_bytes(out, sums, 8 * n);
    }
    if (out->failed) return og_error_memory(err, state.n_pages * 8, "sums");
    og_store64(out->data + AT(checksum),
               checksum_of(out->data, out->data + HEAD, out->len - HEAD));
    return OG_OK;
}

static og_status write_file(const char *path, const struct og_pack *bytes,
                            og_error *err)
{
    struct og_new_file file;
    TRY(og_new_file_open(&file, path, 0666, err));
    og_status status = og_new_file_write(&file, bytes->data, bytes->len, err);
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    return status;
}

og_status og_page_sums_write(const char *folder, const og_allocator *allocator,
                             og_error *err)
{
    struct paths paths;
    struct pages pages;
    struct og_pack bytes = {.allocator = allocator};
    set_paths(&paths, folder);
    TRY(open_pages(&pages, paths.data, allocator, err));
    og_status status = make_sums(&pages, &bytes, err);
    if (status == OG_OK) status = write_file(paths.sums, &bytes, err);
    og_pack_release(&bytes);
    close_pages(&pages);
    return status;
}

bool og_page_sums_exist(const char *folder)
{
    struct paths paths;
    set_paths(&paths, folder);
    return access(paths.sums, F_OK) == 0;
}

og_status og_page_sums_remove(const char *folder, og_error *err)
{
    struct paths paths;
    set_paths(&paths, folder);
    if (unlink(paths.sums) == 0 || errno == ENOENT) return OG_OK;
    return og_file_failure(err, "remove", paths.sums, errno);
}

/* ---- comparing ---- */

static og_status sums_fault(og_error *err, const char *path, const char *what)
{
    return og_error_set(err, OG_ERR_STORE, "'%s': %s", path, what);
}

static og_status read_open_sums(int fd, const char *path, struct og_pack *out,
                                og_error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return og_file_failure(err, "read", path, errno);
    if (!S_ISREG(st.st_mode) || st.st_size < HEAD)
        return sums_fault(err, path, "too short for sums of pages");
    const size_t len = (size_t)st.st_size;
    if (!OG_GROW(out->allocator, out->data, out->cap, len))
        return og_error_memory(err, len, "sums");
    const int64_t n = og_file_read_at(fd, out->data, len, 0);
    if (n < 0) return og_file_failure(err, "read", path, errno);
    out->len = (size_t)n;
    return OG_OK;
}

/* The whole file of sums; `out` stays empty when there is none. */
static og_status read_sums(const char *path, struct og_pack *out, og_error *err)
{
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT) return OG_OK;
    if (fd < 0) return og_file_failure(err, "read", path, errno);
    const og_status status = read_open_sums(fd, path, out, err);
    close(fd);
    return status;
}

static og_status check_sums(const char *path, const struct og_pack *sums,
                            og_error *err)
{
    const uint8_t *head = sums->data;
    if (sums->len < HEAD || memcmp(head, magic, 4) != 0)
        return sums_fault(err, path, "not a file of sums of pages");
    if (og_load32(head + AT(version)) != FORMAT)
        return sums_fault(err, path, "sums of a format that is not known here");
    if (og_load64(head + AT(n_pages)) != (sums->len - HEAD) / 8 ||
        sums->len % 8 != 0)
        return sums_fault(err, path, "the number of sums is wrong");
    if (og_load64(head + AT(checksum)) !=
        checksum_of(head, head + HEAD, sums->len - HEAD))
        return sums_fault(err, path, "the checksum is wrong");
    return OG_OK;
}

/* Compares the first n_pages. */
static og_status compare_pages(struct pages *p, const struct og_pack *sums,
                               uint64_t n_pages, og_error *err)
{
    uint8_t batch[BATCH * 8];
    for (uint64_t at = 0; at < n_pages; at += BATCH) {
        const size_t n = batch_at(at, n_pages);
        TRY(sum_batch(p, at, n, batch, err));
        const uint8_t *expected = sums->data + HEAD + 8 * at;
        if (memcmp(batch, expected, 8 * n) == 0) continue;
        size_t i = 0;
        while (memcmp(batch + 8 * i, expected + 8 * i, 8) == 0)
            i++;
        return og_error_set(err, OG_ERR_STORE,
                            "'%s', byte %" PRIu64
                            ": the page does not match its checksum",
                            p->path, (at + i) * PAGE);
    }
    return OG_OK;
}

/* Only both heads, when the rest is compared later. */
static uint64_t n_pages_now(const struct pages *p, const struct og_pack *sums,
                            uint64_t max_len)
{
    struct og_lmdb_head head;
    struct stat st;
    const uint64_t n = og_load64(sums->data + AT(n_pages));
    if (max_len == 0 || fstat(p->fd, &st) != 0 ||
        (uint64_t)st.st_size <= max_len)
        return n;
    const uint64_t n_heads =
        og_lmdb_head_read(p->fd, &head) ? 2 * (head.page_len / PAGE) : 2;
    return n < n_heads ? n : n_heads;
}

/* OG_OK with OG_SUMS_OLD when the sums belong to another state. */
static og_status compare(struct pages *p, const char *folder,
                         const struct og_pack *sums, bool closed,
                         uint64_t max_len, enum og_sums *out, og_error *err)
{
    const uint64_t n_pages = n_pages_now(p, sums, max_len);
    const uint64_t txnid = og_load64(sums->data + AT(txnid));
    struct lmdb_state before, after;
    const bool is_lmdb = read_state(p->fd, &before);
    if (!closed && is_lmdb && before.txnid != txnid) {
        *out = OG_SUMS_OLD;
        return OG_OK;
    }
    const og_status status = compare_pages(p, sums, n_pages, err);
    /* A writer may be active: it removes the sums before it writes. */
    if (status == OG_ERR_STORE && !closed &&
        (!og_page_sums_exist(folder) ||
         (read_state(p->fd, &after) && after.txnid != txnid))) {
        *out = OG_SUMS_OLD;
        return OG_OK;
    }
    if (status == OG_OK)
        *out = n_pages == og_load64(sums->data + AT(n_pages)) ? OG_SUMS_EQUAL
                                                              : OG_SUMS_HEADS;
    return status;
}

static og_status without_sums(const struct paths *paths, bool closed,
                              og_error *err)
{
    if (!closed || access(paths->data, F_OK) != 0) return OG_OK;
    return sums_fault(err, paths->sums,
                      "missing, though the store was closed in order");
}

og_status og_documents_check(const char *folder, bool closed, uint64_t max_len,
                             const og_allocator *allocator, enum og_sums *out,
                             og_error *err)
{
    struct paths paths;
    struct pages pages;
    struct og_pack sums = {.allocator = allocator};
    *out = OG_SUMS_NONE;
    set_paths(&paths, folder);
    og_status status = read_sums(paths.sums, &sums, err);
    if (status == OG_OK && sums.len == 0) {
        og_pack_release(&sums);
        return without_sums(&paths, closed, err);
    }
    if (status == OG_OK) status = check_sums(paths.sums, &sums, err);
    if (status == OG_OK) {
        status = open_pages(&pages, paths.data, allocator, err);
        if (status == OG_OK) {
            status = compare(&pages, folder, &sums, closed, max_len, out, err);
            close_pages(&pages);
        }
    }
    og_pack_release(&sums);
    return status;
}

/* ---- page by page ---- */

og_status og_page_sums_load(struct og_page_sums *sums, const char *folder,
                            const og_allocator *allocator, og_error *err)
{
    struct paths paths;
    *sums = (struct og_page_sums){.bytes.allocator = allocator};
    set_paths(&paths, folder);
    og_status status = read_sums(paths.sums, &sums->bytes, err);
    if (status == OG_OK && sums->bytes.len == 0) return OG_OK;
    if (status == OG_OK) status = check_sums(paths.sums, &sums->bytes, err);
    if (status != OG_OK) {
        og_page_sums_release(sums);
        return status;
    }
    sums->n_pages = og_load64(sums->bytes.data + AT(n_pages));
    sums->txnid = og_load64(sums->bytes.data + AT(txnid));
    return OG_OK;
}

void og_page_sums_release(struct og_page_sums *sums)
{
    og_pack_release(&sums->bytes);
    *sums = (struct og_page_sums){0};
}

bool og_page_sums_fit(const struct og_page_sums *sums, uint64_t off,
                      const uint8_t *data, size_t len)
{
    for (size_t at = 0; at + PAGE <= len; at += PAGE) {
        const uint64_t page = (off + at) / PAGE;
        if (page >= sums->n_pages ||
            og_load64(sums->bytes.data + HEAD + 8 * page) !=
                og_checksum(data + at, PAGE))
            return false;
    }
    return true;
}

/* ---- without sums ---- */

og_status og_documents_walk(const char *folder, bool only_if_short,
                            const og_allocator *allocator, og_error *err)
{
    struct paths paths;
    struct og_lmdb_head before, after;
    struct stat st;
    set_paths(&paths, folder);
    const int fd = og_file_open_own(paths.data, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT) return OG_OK;
    if (fd < 0) return og_file_failure(err, "read", paths.data, errno);
    og_status status = OG_OK;
    const bool is_empty = fstat(fd, &st) == 0 && st.st_size == 0;
    if (!is_empty && !(only_if_short && og_lmdb_is_long_enough(fd))) {
        const bool has_head = og_lmdb_head_read(fd, &before);
        status = og_lmdb_walk(fd, paths.data, allocator, err);
        /* A writer that opened it meanwhile has checked it as well. */
        if (status == OG_ERR_STORE && has_head &&
            og_lmdb_head_read(fd, &after) && after.txnid != before.txnid)
            status = OG_OK;
    }
    close(fd);
    return status;
}
