#include "lib/store/text/text_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

/* Drawn in texts.h. */
struct segment_on_disk {
    char magic[4];
    uint32_t version;
    uint64_t number;
    uint8_t uuid[16];
    uint64_t before;
    uint64_t before_end;
    uint64_t zero;
    uint64_t checksum;
};
_Static_assert(sizeof(struct segment_on_disk) == OG_SEGMENT_HEAD, "drawn so");
_Static_assert(offsetof(struct segment_on_disk, before) == 32, "drawn so");

struct dict_on_disk {
    char magic[4];
    uint32_t version;
    uint64_t number;
    uint8_t uuid[16];
    uint64_t len;
    uint64_t checksum;
};
_Static_assert(sizeof(struct dict_on_disk) == OG_DICT_HEAD, "drawn so");
_Static_assert(offsetof(struct dict_on_disk, len) == 32, "drawn so");

#define AT(what, field) offsetof(struct what##_on_disk, field)

static const char segment_magic[5] = "OGtS";
static const char dict_magic[5] = "OGtD";

/* ---- names ---- */

static const char *path_of(struct og_text_path *path, const char *folder,
                           uint32_t number, const char *kind)
{
    snprintf(path->name, sizeof(path->name), "%s/%06" PRIu32 ".%s", folder,
             number, kind);
    return path->name;
}

const char *og_segment_path(struct og_text_path *path, const char *folder,
                            uint32_t number)
{
    return path_of(path, folder, number, "seg");
}

const char *og_dict_path(struct og_text_path *path, const char *folder,
                         uint32_t number)
{
    return path_of(path, folder, number, "dict");
}

/* The number when `name` is exactly what path_of makes of one; else 0. */
static uint32_t number_of(const char *name, const char *kind)
{
    uint64_t number = 0;
    size_t i = 0;
    for (; i < 10 && name[i] >= '0' && name[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(name[i] - '0');
    if (number == 0 || number > UINT32_MAX) return 0;
    char same[32];
    snprintf(same, sizeof(same), "%06" PRIu64 ".%s", number, kind);
    return strcmp(name, same) == 0 ? (uint32_t)number : 0;
}

static void keep_larger(uint32_t *largest, uint32_t number)
{
    if (number > *largest) *largest = number;
}

og_status og_text_files_last(const char *folder, uint32_t *out_segment,
                             uint32_t *out_dict, og_error *err)
{
    *out_segment = *out_dict = 0;
    DIR *dir = opendir(folder);
    if (dir == NULL) return og_file_failure(err, "read", folder, errno);
    const struct dirent *entry;
    errno = 0;
    while ((entry = readdir(dir)) != NULL) {
        keep_larger(out_segment, number_of(entry->d_name, "seg"));
        keep_larger(out_dict, number_of(entry->d_name, "dict"));
    }
    const int error = errno;
    closedir(dir);
    if (error != 0) return og_file_failure(err, "read", folder, error);
    return OG_OK;
}

/* ---- faults ---- */

static og_status fault(og_error *err, const char *path, uint64_t off,
                       const char *what)
{
    return og_error_set(err, OG_ERR_STORE, "'%s', byte %" PRIu64 ": %s", path,
                        off, what);
}

og_status og_segment_fault(og_error *err, const char *folder, uint32_t segment,
                           uint64_t off, const char *what)
{
    struct og_text_path path;
    return fault(err, og_segment_path(&path, folder, segment), off, what);
}

og_status og_text_file_failure(og_error *err, const char *path, int error)
{
    const og_status status = og_file_failure(err, "read", path, error);
    const bool is_gone = error == ENOENT || error == ENOTDIR || error == EISDIR;
    if (is_gone && err != NULL) err->status = OG_ERR_STORE;
    return is_gone ? OG_ERR_STORE : status;
}

/* What segments and dictionaries have in common: the first 32 bytes. */
static void store_common(uint8_t *head, const char *magic,
                         const uint8_t uuid[16], uint32_t number)
{
    memcpy(head, magic, 4);
    og_store32(head + AT(segment, version), OG_TEXT_FORMAT);
    og_store64(head + AT(segment, number), number);
    memcpy(head + AT(segment, uuid), uuid, 16);
}

static og_status check_common(const uint8_t *head, const char *path,
                              const char *magic, const uint8_t uuid[16],
                              uint32_t number, og_error *err)
{
    const uint32_t version = og_load32(head + AT(segment, version));
    if (memcmp(head, magic, 4) != 0)
        return fault(err, path, 0, "not a file of origo's texts");
    if (version != OG_TEXT_FORMAT)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has format %" PRIu32
                            ", this version of origo reads %d",
                            path, version, OG_TEXT_FORMAT);
    if (og_load64(head + AT(segment, number)) != number)
        return fault(err, path, AT(segment, number), "a file of another name");
    if (memcmp(head + AT(segment, uuid), uuid, 16) != 0)
        return fault(err, path, AT(segment, uuid), "it is of another store");
    return OG_OK;
}

/* Opens it and reads the head. */
static og_status open_head(const char *path, int flags, uint8_t *head,
                           size_t len, int *out_fd, og_error *err)
{
    const int fd = og_file_open_own(path, flags, 0);
    if (fd < 0) return og_text_file_failure(err, path, errno);
    const int64_t n = og_file_read_at(fd, head, len, 0);
    og_status status = OG_OK;
    if (n < 0)
        status = og_text_file_failure(err, path, errno);
    else if ((size_t)n < len)
        status = fault(err, path, (uint64_t)n, "the file ends in its head");
    if (status != OG_OK) {
        close(fd);
        return status;
    }
    *out_fd = fd;
    return OG_OK;
}

/* ---- segments ---- */

og_status og_segment_make(const char *folder, const uint8_t uuid[16],
                          uint32_t number, const struct og_segment_head *head,
                          int *out_fd, og_error *err)
{
    struct og_text_path path;
    uint8_t bytes[OG_SEGMENT_HEAD] = {0};
    store_common(bytes, segment_magic, uuid, number);
    og_store64(bytes + AT(segment, before), head->before);
    og_store64(bytes + AT(segment, before_end), head->before_end);
    og_store64(bytes + AT(segment, checksum),
               og_checksum(bytes, AT(segment, checksum)));
    og_segment_path(&path, folder, number);
    const int fd =
        og_file_open_own(path.name, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0) return og_file_failure(err, "write", path.name, errno);
    if (og_file_write_all(fd, bytes, sizeof(bytes)) != 0) {
        const int error = errno;
        close(fd);
        unlink(path.name);
        return og_file_failure(err, "write", path.name, error);
    }
    *out_fd = fd;
    return OG_OK;
}

static og_status check_segment(const uint8_t *bytes, const char *path,
                               const uint8_t uuid[16], uint32_t number,
                               struct og_segment_head *out, og_error *err)
{
    TRY(check_common(bytes, path, segment_magic, uuid, number, err));
    if (og_load64(bytes + AT(segment, checksum)) !=
        og_checksum(bytes, AT(segment, checksum)))
        return fault(err, path, 0, "the checksum of the head is wrong");
    const uint64_t before = og_load64(bytes + AT(segment, before));
    if (before >= number)
        return fault(err, path, AT(segment, before),
                     "the segment before it comes after it");
    out->before = (uint32_t)before;
    out->before_end = og_load64(bytes + AT(segment, before_end));
    return OG_OK;
}

static og_status open_segment(const char *folder, int flags,
                              const uint8_t uuid[16], uint32_t number,
                              int *out_fd, struct og_segment_head *out,
                              og_error *err)
{
    struct og_text_path path;
    uint8_t bytes[OG_SEGMENT_HEAD];
    int fd = -1;
    og_segment_path(&path, folder, number);
    TRY(open_head(path.name, flags, bytes, sizeof(bytes), &fd, err));
    const og_status status =
        check_segment(bytes, path.name, uuid, number, out, err);
    if (status != OG_OK) {
        close(fd);
        return status;
    }
    *out_fd = fd;
    return OG_OK;
}

og_status og_segment_open(const char *folder, const uint8_t uuid[16],
                          uint32_t number, int *out_fd,
                          struct og_segment_head *out, og_error *err)
{
    return open_segment(folder, O_RDONLY, uuid, number, out_fd, out, err);
}

og_status og_segment_amend(const char *folder, const uint8_t uuid[16],
                           uint32_t number, int *out_fd,
                           struct og_segment_head *out, og_error *err)
{
    return open_segment(folder, O_RDWR, uuid, number, out_fd, out, err);
}

og_status og_segment_continue(const char *folder, const uint8_t uuid[16],
                              uint32_t number, uint64_t end, int *out_fd,
                              og_error *err)
{
    struct og_text_path path;
    struct og_segment_head head;
    struct stat st;
    int fd = -1;
    TRY(open_segment(folder, O_RDWR, uuid, number, &fd, &head, err));
    og_segment_path(&path, folder, number);
    og_status status = OG_OK;
    if (fstat(fd, &st) != 0)
        status = og_file_failure(err, "read", path.name, errno);
    else if ((uint64_t)st.st_size != end)
        status = fault(err, path.name, (uint64_t)st.st_size,
                       "the file has another length");
    else if (lseek(fd, (off_t)end, SEEK_SET) < 0)
        status = og_file_failure(err, "write", path.name, errno);
    if (status != OG_OK)
        close(fd);
    else
        *out_fd = fd;
    return status;
}

/* ---- dictionaries ---- */

static uint64_t dict_checksum(const uint8_t *head, const void *bytes,
                              size_t len)
{
    return og_checksum_after(og_checksum(head, AT(dict, checksum)), bytes, len);
}

og_status og_dict_write(const char *folder, const uint8_t uuid[16],
                        uint32_t number, og_bytes bytes, og_error *err)
{
    struct og_text_path path;
    struct og_new_file file;
    uint8_t head[OG_DICT_HEAD];
    store_common(head, dict_magic, uuid, number);
    og_store64(head + AT(dict, len), bytes.len);
    og_store64(head + AT(dict, checksum),
               dict_checksum(head, bytes.data, bytes.len));
    og_dict_path(&path, folder, number);
    TRY(og_new_file_open(&file, path.name, 0666, err));
    og_status status = og_new_file_write(&file, head, sizeof(head), err);
    if (status == OG_OK)
        status = og_new_file_write(&file, bytes.data, bytes.len, err);
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    return status;
}

/* After the head: `len` bytes and the end of the file. */
static og_status read_dict_body(int fd, const char *path, const uint8_t *head,
                                struct og_pack *out, og_error *err)
{
    struct stat st;
    const uint64_t len = og_load64(head + AT(dict, len));
    if (fstat(fd, &st) != 0) return og_text_file_failure(err, path, errno);
    if (len == 0 || len > OG_DICT_MAX ||
        (uint64_t)st.st_size != OG_DICT_HEAD + len)
        return fault(err, path, AT(dict, len), "the length is wrong");
    if (!OG_GROW(out->allocator, out->data, out->cap, len))
        return og_error_memory(err, len, "a dictionary");
    const int64_t n = og_file_read_at(fd, out->data, len, OG_DICT_HEAD);
    if (n < 0) return og_text_file_failure(err, path, errno);
    if ((uint64_t)n != len || og_load64(head + AT(dict, checksum)) !=
                                  dict_checksum(head, out->data, len))
        return fault(err, path, 0, "the checksum is wrong");
    out->len = len;
    return OG_OK;
}

og_status og_dict_read(const char *folder, const uint8_t uuid[16],
                       uint32_t number, struct og_pack *out, og_error *err)
{
    struct og_text_path path;
    uint8_t head[OG_DICT_HEAD];
    int fd = -1;
    og_dict_path(&path, folder, number);
    TRY(open_head(path.name, O_RDONLY, head, sizeof(head), &fd, err));
    og_status status =
        check_common(head, path.name, dict_magic, uuid, number, err);
    if (status == OG_OK) status = read_dict_body(fd, path.name, head, out, err);
    close(fd);
    return status;
}
