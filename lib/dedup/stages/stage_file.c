/* Files of the stages, read and written as a whole; dedup_stages.h describes
 * them. */

#include "lib/dedup/stages/dedup_stages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/os/new_file.h"

#define HEAD_LEN 24
/* Earlier versions wrote og_token_hash() with this key instead of a checksum.
 */
#define OLD_KEY 0x7374616765u

static og_status read_bytes(const char *path, struct og_stage_file *out,
                            og_error *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is missing: a shard was not done", path);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    og_status status = OG_OK;
    if (fstat(fd, &st) != 0) status = og_file_failure(err, "read", path, errno);
    out->len = status == OG_OK ? (size_t)st.st_size : 0;
    out->data = og_allocate(NULL, out->len + 1);
    if (out->data == NULL)
        status = og_error_memory(err, out->len, "a file of a stage");
    else if (status == OG_OK &&
             og_file_read_at(fd, out->data, out->len, 0) != (int64_t)out->len)
        status = og_file_failure(err, "read", path, errno);
    close(fd);
    return status;
}

og_status og_stage_file_check(const char *path, const char *magic,
                              uint64_t digest, size_t record_len,
                              struct og_stage_file *f, og_error *err)
{
    if (f->len < HEAD_LEN + 8 || memcmp(f->data, magic, 8) != 0)
        return og_error_set(err, OG_ERR_INPUT, "'%s' is no file of this stage",
                            path);
    const uint64_t sum = og_load64(f->data + f->len - 8);
    if (sum != og_checksum(f->data, f->len - 8) &&
        sum != og_token_hash((const char *)f->data, f->len - 8, OLD_KEY))
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' is damaged: another checksum", path);
    if (og_load64(f->data + 8) != digest)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' was made with other options", path);
    f->n = og_load64(f->data + 16);
    f->body = f->data + HEAD_LEN;
    if ((f->len - HEAD_LEN - 8) / record_len != f->n)
        return og_error_set(err, OG_ERR_INPUT, "'%s' has another length", path);
    return OG_OK;
}

og_status og_stage_file_read(const char *path, const char *magic,
                             uint64_t digest, size_t record_len,
                             struct og_stage_file *out, og_error *err)
{
    *out = (struct og_stage_file){0};
    og_status status = read_bytes(path, out, err);
    if (status == OG_OK)
        status = og_stage_file_check(path, magic, digest, record_len, out, err);
    if (status != OG_OK) og_stage_file_release(out);
    return status;
}

void og_stage_file_release(struct og_stage_file *f)
{
    og_release(NULL, f->data, f->len + 1);
    *f = (struct og_stage_file){0};
}

og_status og_stage_file_write(const char *path, const char *magic,
                              uint64_t digest, uint64_t n,
                              const struct og_pack *records, og_error *err)
{
    struct og_pack all = {0};
    struct og_new_file file;
    og_pack_bytes(&all, magic, 8);
    og_pack_fixed(&all, digest, 8);
    og_pack_fixed(&all, n, 8);
    og_pack_bytes(&all, records->data, records->len);
    if (!all.failed) og_pack_fixed(&all, og_checksum(all.data, all.len), 8);
    if (all.failed || records->failed) {
        og_pack_release(&all);
        return og_error_memory(err, records->len, "a file of a stage");
    }
    og_status status = og_output_open(&file, path, false, err);
    if (status == OG_OK) {
        status = og_new_file_write(&file, all.data, all.len, err);
        if (status == OG_OK) status = og_new_file_commit(&file, err);
        og_new_file_discard(&file);
    }
    og_pack_release(&all);
    return status;
}
