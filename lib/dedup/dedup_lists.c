/* Lists of 32-bit words; dedup_lists.h describes them. */

#include "lib/dedup/dedup_lists.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"

void og_list_pack_pair(struct og_pack *out, const struct og_list_pair *pair)
{
    og_pack_fixed(out, pair->file, 4);
    og_pack_fixed(out, pair->doc, 4);
    og_pack_fixed(out, pair->other_file, 4);
    og_pack_fixed(out, pair->other_doc, 4);
}

og_status og_list_write(const char *path, const struct og_pack *list,
                        og_error *err)
{
    struct og_new_file file;
    if (list->failed) return og_error_memory(err, list->len, "a list");
    TRY(og_output_open(&file, path, false, err));
    og_status status = og_new_file_write(&file, list->data, list->len, err);
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    return status;
}

og_status og_list_check(const char *name, unsigned width, struct og_pack *list,
                        og_error *err)
{
    const size_t record_len = 4 * (size_t)width;
    if (list->len % record_len != 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is cut: %zu bytes are no records of %zu",
                            name, list->len, record_len);
    for (size_t at = 0; at < list->len; at += 4) {
        const uint32_t word = og_load32(list->data + at);
        memcpy(list->data + at, &word, sizeof(word));
    }
    if (width > 2) return OG_OK;
    for (size_t at = record_len; at < list->len; at += record_len) {
        uint32_t before, word;
        memcpy(&before, list->data + at - record_len, sizeof(before));
        memcpy(&word, list->data + at, sizeof(word));
        if (word <= before)
            return og_error_set(err, OG_ERR_INPUT,
                                "'%s': document %u after %u at byte %zu", name,
                                word, before, at);
    }
    return OG_OK;
}

og_status og_list_read(const char *path, unsigned width, struct og_pack *out,
                       bool *out_is_there, og_error *err)
{
    struct stat st;
    *out = (struct og_pack){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out_is_there = fd >= 0 || errno != ENOENT;
    if (fd < 0 && !*out_is_there) return OG_OK;
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    og_status status = OG_OK;
    if (fstat(fd, &st) != 0) status = og_file_failure(err, "read", path, errno);
    const size_t len = status == OG_OK ? (size_t)st.st_size : 0;
    if (status == OG_OK && !OG_GROW(NULL, out->data, out->cap, len + 1))
        status = og_error_memory(err, len, "a list");
    if (status == OG_OK &&
        og_file_read_at(fd, out->data, len, 0) != (int64_t)len)
        status = og_file_failure(err, "read", path, errno);
    close(fd);
    out->len = len;
    if (status == OG_OK) status = og_list_check(path, width, out, err);
    if (status != OG_OK) og_pack_release(out);
    return status;
}
