/* Opening a segment: every length is compared with that of the file before it
 * is used, then every checksum. The contents of sections are checked by the
 * kind. */

#define _GNU_SOURCE
#include "lib/disk/segment_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/disk/segment_format.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/pages.h"

enum { LINE = OG_SEGMENT_LINE };

og_status og_segment_file_damaged(const char *name, const char *what,
                                  og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged: %s", name, what);
}

og_status og_segment_file_too_old(const char *name, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' has a layout that is read on little-endian "
                        "machines only",
                        name);
}

/* ---- byte order ---- */

static const char *next_number(const char *numbers, const char *at)
{
    if (at[1] == '+') return at;
    return at[1] == 0 ? numbers : at + 1;
}

const char *og_segment_turn(const char *numbers, const char *at, void *data,
                            size_t len)
{
    uint8_t *const bytes = data;
    for (size_t i = 0; i < len; at = next_number(numbers, at)) {
        const size_t n = (size_t)(*at - '0');
        for (size_t low = i, high = i + n - 1; low < high; low++, high--) {
            const uint8_t byte = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = byte;
        }
        i += n;
    }
    return at;
}

/* Swaps the sections of a file whose bytes this process owns. Their padding is
 * swapped as well, so that a damaged length cannot end inside a number. */
static void turn_sections(const struct og_segment_file *f,
                          const struct og_segment_kind *kind)
{
    for (unsigned i = 0; i < f->n_sections; i++) {
        const char *const numbers = kind->numbers[i];
        if (numbers != NULL)
            og_segment_turn(numbers, numbers,
                            (uint8_t *)f->data + f->section[i].off,
                            og_segment_rounded(f->section[i].len));
    }
}

static struct og_segment_file_head read_head(const struct og_segment_file *f)
{
    struct og_segment_file_head head;
    memcpy(&head, f->data, sizeof(head));
    head.version = og_le32(head.version);
    head.checksum = og_le64(head.checksum);
    return head;
}

static struct og_segment_file_foot read_foot(const struct og_segment_file *f)
{
    struct og_segment_file_foot foot;
    memcpy(&foot, f->data + f->len - LINE, sizeof(foot));
    foot.n_sections = og_le64(foot.n_sections);
    foot.directory_off = og_le64(foot.directory_off);
    foot.directory_sum = og_le64(foot.directory_sum);
    foot.file_len = og_le64(foot.file_len);
    foot.head_sum = og_le64(foot.head_sum);
    foot.checksum = og_le64(foot.checksum);
    return foot;
}

/* ---- checks ---- */

static og_status check_head(const struct og_segment_file *f,
                            const struct og_segment_file_head *h,
                            const struct og_segment_kind *kind,
                            const char *name, og_error *err)
{
    if (h->checksum != og_checksum(f->data, LINE - sizeof(h->checksum)))
        return og_segment_file_damaged(name, "the checksum of its head", err);
    if (memcmp(h->kind, kind->name, sizeof(h->kind)) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is a segment of kind '%.8s', not '%.8s'",
                            name, h->kind, kind->name);
    if (h->version != 0 && h->version <= kind->version) return OG_OK;
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' has version %u, this origo reads versions up to "
                        "%u",
                        name, h->version, kind->version);
}

static og_status check_foot(const struct og_segment_file *f,
                            const struct og_segment_file_head *head,
                            const struct og_segment_file_foot *foot,
                            const char *name, og_error *err)
{
    if (memcmp(foot->magic, OG_SEGMENT_FOOT_MAGIC, 8) != 0)
        return og_segment_file_damaged(name, "it is truncated", err);
    if (foot->checksum !=
        og_checksum(f->data + f->len - LINE, LINE - sizeof(foot->checksum)))
        return og_segment_file_damaged(name, "the checksum of its foot", err);
    const uint64_t directory_len = og_segment_rounded(
        foot->n_sections * sizeof(struct og_segment_file_section));
    if (foot->file_len != f->len || foot->head_sum != head->checksum ||
        foot->n_sections > OG_SECTIONS_MOST || foot->directory_off % 8 != 0 ||
        directory_len > f->len - 2 * LINE ||
        foot->directory_off != f->len - LINE - directory_len)
        return og_segment_file_damaged(name, "its lengths do not agree", err);
    if (og_checksum(f->data + foot->directory_off, directory_len) ==
        foot->directory_sum)
        return OG_OK;
    return og_segment_file_damaged(name, "the checksum of its directory", err);
}

/* A file may be many times larger than the memory limit, so pages are released
 * after each slice. Those of a short section are kept; a file has some twenty
 * sections. */
enum { SLICE_LEN = 1 << 20 };

static uint64_t sum_section(const struct og_segment_file *f, uint64_t at,
                            uint64_t len)
{
    struct og_checksum sum;
    if (len <= SLICE_LEN) return og_checksum(f->data + at, len);
    og_checksum_init(&sum);
    for (uint64_t done = 0; done < len; done += SLICE_LEN) {
        const uint64_t left = len - done;
        const uint64_t n = left < SLICE_LEN ? left : SLICE_LEN;
        og_checksum_add(&sum, f->data + at + done, n);
        og_segment_file_forget(f, f->data + at + done, n);
    }
    return og_checksum_end(&sum);
}

/* Sections follow each other without gaps, and end where the directory
 * begins. */
static og_status read_sections(struct og_segment_file *f,
                               const struct og_segment_file_foot *foot,
                               bool with_sums, const char *name, og_error *err)
{
    const struct og_segment_file_section *s =
        (const void *)(f->data + foot->directory_off);
    uint64_t at = LINE;
    f->n_sections = (unsigned)foot->n_sections;
    for (unsigned i = 0; i < f->n_sections; i++) {
        const uint64_t left = foot->directory_off - at;
        const uint64_t section_len = og_le64(s[i].len);
        if (og_le64(s[i].off) != at || section_len > left ||
            og_segment_rounded(section_len) > left)
            return og_segment_file_damaged(name, "its lengths do not agree",
                                           err);
        const uint64_t len = og_segment_rounded(section_len);
        if (with_sums && sum_section(f, at, len) != og_le64(s[i].checksum))
            return og_error_set(err, OG_ERR_STORE,
                                "'%s' is damaged: the checksum of section %u, "
                                "bytes %" PRIu64 " to %" PRIu64,
                                name, i, at, at + len);
        f->section[i].off = at;
        f->section[i].len = section_len;
        at += len;
    }
    if (at == foot->directory_off) return OG_OK;
    return og_segment_file_damaged(name, "its lengths do not agree", err);
}

static og_status check(struct og_segment_file *f,
                       const struct og_segment_kind *kind, bool with_sums,
                       const char *name, og_error *err)
{
    const bool has_head =
        f->len >= LINE && memcmp(f->data, OG_SEGMENT_HEAD_MAGIC,
                                 sizeof(OG_SEGMENT_HEAD_MAGIC) - 1) == 0;
    if (!has_head && kind->open_old != NULL)
        return kind->open_old(f, name, err);
    if (!has_head)
        return og_segment_file_damaged(name, "it does not begin as a segment",
                                       err);
    if (f->len < 2 * LINE || f->len % LINE != 0)
        return og_segment_file_damaged(name, "it is truncated", err);
    const struct og_segment_file_head head = read_head(f);
    const struct og_segment_file_foot foot = read_foot(f);
    TRY(check_head(f, &head, kind, name, err));
    TRY(check_foot(f, &head, &foot, name, err));
    f->version = head.version;
    f->sum = foot.checksum;
    TRY(read_sections(f, &foot, with_sums, name, err));
    if (OG_BIG_ENDIAN) turn_sections(f, kind);
    return OG_OK;
}

/* ---- opening ---- */

og_status og_segment_file_take(struct og_segment_file *file,
                               const uint8_t *data, size_t len, size_t data_cap,
                               const og_allocator *allocator,
                               const struct og_segment_kind *kind,
                               const char *name, og_error *err)
{
    *file = (struct og_segment_file){
        .data = data, .len = len, .data_cap = data_cap, .allocator = allocator};
    const og_status status = check(file, kind, true, name, err);
    if (status != OG_OK) *file = (struct og_segment_file){0};
    return status;
}

static og_status map_file(struct og_segment_file *file, int fd,
                          const char *path, og_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return og_file_failure(err, "read", path, errno);
    if (info.st_size == 0)
        return og_segment_file_damaged(path, "it is empty", err);
    void *data = mmap(NULL, (size_t)info.st_size,
                      OG_BIG_ENDIAN ? PROT_READ | PROT_WRITE : PROT_READ,
                      OG_BIG_ENDIAN ? MAP_PRIVATE : MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) return og_file_failure(err, "map", path, errno);
    *file = (struct og_segment_file){
        .data = data, .len = (size_t)info.st_size, .is_mapped = true};
    return OG_OK;
}

static og_status open_file(struct og_segment_file *file, const char *path,
                           const struct og_segment_kind *kind, bool with_sums,
                           og_error *err)
{
    *file = (struct og_segment_file){0};
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    og_status status = map_file(file, fd, path, err);
    close(fd);
    if (status == OG_OK) status = check(file, kind, with_sums, path, err);
    if (status != OG_OK) og_segment_file_release(file);
    return status;
}

og_status og_segment_file_open(struct og_segment_file *file, const char *path,
                               const struct og_segment_kind *kind,
                               og_error *err)
{
    return open_file(file, path, kind, true, err);
}

og_status og_segment_file_open_written(struct og_segment_file *file,
                                       const char *path,
                                       const struct og_segment_kind *kind,
                                       og_error *err)
{
    return open_file(file, path, kind, false, err);
}

void og_segment_file_forget(const struct og_segment_file *file,
                            const void *data, size_t len)
{
    /* Swapped bytes exist only in memory. */
    if (file->is_mapped && !OG_BIG_ENDIAN) og_mapped_forget(data, len);
}

void og_segment_file_release(struct og_segment_file *file)
{
    if (file->is_mapped)
        munmap((void *)file->data, file->len);
    else if (file->data != NULL)
        og_release(file->allocator, (void *)file->data, file->data_cap);
    *file = (struct og_segment_file){0};
}
