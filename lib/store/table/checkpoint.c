/* Writing is one pass over the table: sum and write a stretch of pages at a
 * time. Reading is a map and a byte for each page that says whether its sum was
 * compared. */

#define _GNU_SOURCE
#include "lib/store/table/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

#define PAGE          OG_CHECKPOINT_PAGE
#define STRETCH_PAGES 64 /* as much as a cache holds beside the rest */
#define MAGIC         "origotab"
#define VERSION       1
#define FEATURES      ((uint32_t)(OG_TABLE_GROWING | OG_TABLE_PACKED))

/* Places of numbers in page 0. */
enum {
    VERSION_OFF = 8,
    FEATURES_OFF = 12,
    UUID_OFF = 16,
    SEQUENCE_OFF = 32,
    DOCUMENTS_OFF = 40,
    TABLE_OFF = 48,
    MARKS_OFF = 56,
    STATE_OFF = 64,
    SUMS_OFF = 72,
    SUM_OF_SUMS_OFF = 80,
    SUM_OFF = 88,
};

static uint64_t pages_of(uint64_t len)
{
    return (len + PAGE - 1) / PAGE;
}

/* ---- writing ---- */

struct out {
    struct og_new_file *file;
    struct og_pack sums;
    uint8_t page[PAGE]; /* that is being filled */
    size_t page_len;
    og_error *err;
};

/* Data are still in the cache when they are written after the checksum was
 * computed; and the disk may begin while the rest is being written. */
static og_status put_pages(struct out *o, const uint8_t *pages, size_t n)
{
    for (size_t i = 0; i < n; i++)
        og_pack_fixed(&o->sums, og_checksum(pages + i * PAGE, PAGE), 8);
    if (o->sums.failed) return og_error_memory(o->err, PAGE, "a checkpoint");
    TRY(og_new_file_write(o->file, pages, n * PAGE, o->err));
    og_new_file_push(o->file);
    return OG_OK;
}

static og_status put(struct out *o, const void *data, size_t len)
{
    const uint8_t *at = data;
    while (len > 0) {
        if (o->page_len == 0 && len >= PAGE) {
            const size_t n_whole = len / PAGE;
            const size_t n_pages =
                n_whole < STRETCH_PAGES ? n_whole : STRETCH_PAGES;
            TRY(put_pages(o, at, n_pages));
            at += n_pages * PAGE;
            len -= n_pages * PAGE;
            continue;
        }
        const size_t room = PAGE - o->page_len;
        const size_t n = len < room ? len : room;
        memcpy(o->page + o->page_len, at, n);
        at += n;
        len -= n;
        o->page_len += n;
        if (o->page_len < PAGE) continue;
        o->page_len = 0;
        TRY(put_pages(o, o->page, 1));
    }
    return OG_OK;
}

/* Fills the page with zeros: the next part begins at a new one. */
static og_status end_part(struct out *o)
{
    if (o->page_len == 0) return OG_OK;
    memset(o->page + o->page_len, 0, PAGE - o->page_len);
    o->page_len = 0;
    return put_pages(o, o->page, 1);
}

/* As the file has it, and back. */
static struct og_mark turn_mark(struct og_mark m)
{
    return (struct og_mark){.time = (int64_t)og_le64((uint64_t)m.time),
                            .same = og_le32(m.same),
                            .n_new = og_le32(m.n_new),
                            .flags = og_le32(m.flags)};
}

static og_status put_parts(struct out *o,
                           const struct og_checkpoint_parts *parts)
{
    TRY(put(o, parts->table, parts->table_len));
    TRY(end_part(o));
    for (uint32_t i = 0; i < parts->n_documents; i++) {
        const struct og_mark mark = turn_mark(*parts->mark(parts->ctx, i));
        TRY(put(o, &mark, sizeof(mark)));
    }
    TRY(end_part(o));
    TRY(put(o, parts->state.data, parts->state.len));
    return end_part(o);
}

static void fill_head(uint8_t *head, const uint8_t *uuid,
                      const struct og_checkpoint_parts *parts,
                      const struct og_pack *sums)
{
    memset(head, 0, PAGE);
    memcpy(head, MAGIC, 8);
    og_store32(head + VERSION_OFF, VERSION);
    og_store32(head + FEATURES_OFF, parts->features);
    memcpy(head + UUID_OFF, uuid, OG_UUID_LEN);
    og_store64(head + SEQUENCE_OFF, parts->sequence);
    og_store64(head + DOCUMENTS_OFF, parts->n_documents);
    og_store64(head + TABLE_OFF, parts->table_len);
    og_store64(head + MARKS_OFF, parts->n_documents * sizeof(struct og_mark));
    og_store64(head + STATE_OFF, parts->state.len);
    og_store64(head + SUMS_OFF, sums->len);
    og_store64(head + SUM_OF_SUMS_OFF, og_checksum(sums->data, sums->len));
    og_store64(head + SUM_OFF, og_checksum(head, SUM_OFF));
}

/* Page 0 comes last: until then the file has no name that matters. */
static og_status write_all(struct out *o, const uint8_t *uuid,
                           const struct og_checkpoint_parts *parts)
{
    static const uint8_t zeros[PAGE];
    uint8_t head[PAGE];
    TRY(og_new_file_write(o->file, zeros, PAGE, o->err));
    TRY(put_parts(o, parts));
    TRY(og_new_file_write(o->file, o->sums.data, o->sums.len, o->err));
    const size_t rest = pages_of(o->sums.len) * PAGE - o->sums.len;
    TRY(og_new_file_write(o->file, zeros, rest, o->err));
    TRY(og_new_file_flush(o->file, o->err));
    fill_head(head, uuid, parts, &o->sums);
    if (pwrite(o->file->fd, head, PAGE, 0) != PAGE)
        return og_file_failure(o->err, "write", o->file->path, errno);
    return OG_OK;
}

og_status og_checkpoint_write(const char *folder, const uint8_t *uuid,
                              const struct og_checkpoint_parts *parts,
                              const og_allocator *allocator,
                              struct og_new_file *out, og_error *err)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/passages.tab", folder);
    TRY(og_new_file_open(out, path, 0666, err));
    struct out o = {.file = out, .sums = {.allocator = allocator}, .err = err};
    const og_status status = write_all(&o, uuid, parts);
    og_pack_release(&o.sums);
    if (status != OG_OK) og_new_file_discard(out);
    return status;
}

/* ---- reading ---- */

static og_status unsound(const struct og_checkpoint *c, uint64_t off,
                         const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged at byte %llu: %s",
                        c->path, (unsigned long long)off, what);
}

static og_status check_head(const struct og_checkpoint *c, const uint8_t *uuid,
                            size_t table_len, og_error *err)
{
    const uint8_t *head = c->map;
    if (memcmp(head, MAGIC, 8) != 0)
        return unsound(c, 0, "it is no checkpoint", err);
    if (og_load64(head + SUM_OFF) != og_checksum(head, SUM_OFF))
        return unsound(c, 0, "the checksum of its head is wrong", err);
    if (og_load32(head + VERSION_OFF) != VERSION ||
        (og_load32(head + FEATURES_OFF) & ~FEATURES) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is of version %u, features %#x, which this "
                            "origo does not know",
                            c->path, og_load32(head + VERSION_OFF),
                            og_load32(head + FEATURES_OFF));
    if (memcmp(head + UUID_OFF, uuid, OG_UUID_LEN) != 0)
        return unsound(c, UUID_OFF, "it belongs to another store", err);
    for (size_t i = SUM_OFF + 8; i < PAGE; i++)
        if (head[i] != 0) return unsound(c, i, "it should be 0", err);
    if (og_load32(head + FEATURES_OFF) == 0
            ? og_load64(head + TABLE_OFF) != table_len
            : og_load64(head + TABLE_OFF) >= table_len)
        return unsound(c, TABLE_OFF, "the table has another size", err);
    return OG_OK;
}

/* The parts must make up the file, page by page; no sum can overflow because
 * each is at most the length of the file. */
static og_status find_parts(struct og_checkpoint *c, og_error *err)
{
    const uint8_t *head = c->map;
    const uint64_t table_len = og_load64(head + TABLE_OFF);
    const uint64_t n_documents = og_load64(head + DOCUMENTS_OFF);
    const uint64_t marks_len = og_load64(head + MARKS_OFF);
    const uint64_t state_len = og_load64(head + STATE_OFF);
    const uint64_t sums_len = og_load64(head + SUMS_OFF);
    const uint64_t most = c->map_len;
    if (table_len > most || marks_len > most || state_len > most ||
        sums_len > most || n_documents > UINT32_MAX ||
        marks_len != n_documents * sizeof(struct og_mark))
        return unsound(c, TABLE_OFF, "its parts do not fit", err);
    c->n_pages =
        pages_of(table_len) + pages_of(marks_len) + pages_of(state_len);
    if (sums_len != 8 * c->n_pages ||
        (1 + c->n_pages + pages_of(sums_len)) * PAGE != c->map_len)
        return unsound(c, SUMS_OFF, "its length does not fit its parts", err);
    c->sequence = og_load64(head + SEQUENCE_OFF);
    c->n_documents = (uint32_t)n_documents;
    c->table = c->map + PAGE;
    c->table_len = table_len;
    c->features = og_load32(head + FEATURES_OFF);
    uint8_t *at = c->table + pages_of(table_len) * PAGE;
    c->marks = (const struct og_mark *)at;
    at += pages_of(marks_len) * PAGE;
    c->state = (og_bytes){(const char *)at, state_len};
    at += pages_of(state_len) * PAGE;
    c->sums = (const uint64_t *)at;
    if (og_checksum(at, sums_len) != og_load64(head + SUM_OF_SUMS_OFF))
        return unsound(c, (uint64_t)(at - c->map),
                       "the checksum of the sums is wrong", err);
    for (uint64_t i = sums_len; i < pages_of(sums_len) * PAGE; i++)
        if (at[i] != 0)
            return unsound(c, (uint64_t)(at + i - c->map), "it should be 0",
                           err);
    return OG_OK;
}

static og_status know_page(struct og_checkpoint *c, size_t page, og_error *err)
{
    if (__atomic_load_n(&c->is_known[page], __ATOMIC_ACQUIRE)) return OG_OK;
    const uint8_t *data = c->map + (page + 1) * PAGE;
    if (og_checksum(data, PAGE) != og_load64(&c->sums[page]))
        return unsound(c, (page + 1) * PAGE, "the checksum of a page is wrong",
                       err);
    if (__atomic_exchange_n(&c->is_known[page], 1, __ATOMIC_ACQ_REL) == 0)
        __atomic_add_fetch(&c->n_known, 1, __ATOMIC_ACQ_REL);
    return OG_OK;
}

static og_status know_pages(struct og_checkpoint *c, size_t begin, size_t end,
                            og_error *err)
{
    for (size_t page = begin; page < end; page++)
        TRY(know_page(c, page, err));
    return OG_OK;
}

og_status og_checkpoint_know(struct og_checkpoint *c, size_t begin, size_t end,
                             og_error *err)
{
    return know_pages(c, begin / PAGE, pages_of(end), err);
}

static og_status map_file(struct og_checkpoint *c, og_error *err)
{
    struct stat st;
    const int fd = og_file_open_own(c->path, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT) return OG_END;
    if (fd < 0) return og_file_failure(err, "open", c->path, errno);
    og_status status = OG_OK;
    if (fstat(fd, &st) != 0)
        status = og_file_failure(err, "read", c->path, errno);
    else if (st.st_size < PAGE || st.st_size % PAGE != 0)
        status = unsound(c, (uint64_t)st.st_size, "it ends too early", err);
    if (status == OG_OK) {
        c->map_len = (size_t)st.st_size;
        void *map = mmap(NULL, c->map_len, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_NORESERVE, fd, 0);
        if (map == MAP_FAILED)
            status = og_file_failure(err, "map", c->path, errno);
        else
            c->map = map;
    }
    close(fd);
    return status;
}

/* The mapping is private: the file stays as it is. */
static void turn_marks(struct og_checkpoint *c)
{
    struct og_mark *marks = (struct og_mark *)(uintptr_t)c->marks;
    for (uint32_t i = 0; i < c->n_documents; i++)
        marks[i] = turn_mark(marks[i]);
}

og_status og_checkpoint_open(struct og_checkpoint *c, const char *folder,
                             const uint8_t *uuid, size_t table_len,
                             const og_allocator *allocator, og_error *err)
{
    *c = (struct og_checkpoint){.allocator = allocator};
    snprintf(c->path, sizeof(c->path), "%s/passages.tab", folder);
    og_status status = map_file(c, err);
    if (status == OG_OK) status = check_head(c, uuid, table_len, err);
    if (status == OG_OK) status = find_parts(c, err);
    if (status == OG_OK) {
        madvise(c->map, c->map_len, MADV_HUGEPAGE); /* a wish, no more */
        c->is_known = og_allocate_zero(allocator, c->n_pages);
        if (c->is_known == NULL)
            status = og_error_memory(err, c->n_pages, "a checkpoint");
    }
    if (status == OG_OK)
        status = know_pages(c, pages_of(c->table_len), c->n_pages, err);
    if (status == OG_OK && OG_BIG_ENDIAN) turn_marks(c);
    if (status != OG_OK) og_checkpoint_close(c);
    return status;
}

void og_checkpoint_close(struct og_checkpoint *c)
{
    if (c->map != NULL) munmap(c->map, c->map_len);
    og_release(c->allocator, c->is_known, c->n_pages);
    c->map = NULL;
    c->is_known = NULL;
    c->n_pages = c->n_known = 0;
}
