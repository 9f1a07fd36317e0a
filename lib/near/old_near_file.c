/* The file of an index of near-duplicates from before it had segments: read,
 * never written.
 *
 *     STORE/near/index
 *
 *     head:    "origoNI2" 8 | uuid of the store 16 | documents 8 |
 *              method 8 | tokens 8 | shingle 8 | rows 4 | bands 4 | memory 8 |
 *              checksum of everything before it 8
 *     block:   length 4 | 0 4 | checksum of the bytes 8 | length bytes:
 *              entries, each a number 4 and a sketch
 *     end:     16 bytes of 0
 *
 * Little endian; checksums are XXH3. Entries are in order of eviction. */

#define _GNU_SOURCE
#include "lib/near/near_engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

#define MAGIC      "origoNI2"
#define HEAD_LEN   80
#define BLOCK_HEAD 16
#define BLOCK_LEN  ((size_t)1 << 20)

enum { PATH_MOST = 4096 };

static og_status damaged(const char *path, uint64_t off, const char *what,
                         og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged at byte %llu: %s",
                        path, (unsigned long long)off, what);
}

static void path_of(const char *folder, char out[PATH_MOST])
{
    snprintf(out, PATH_MOST, "%s/index", folder);
}

bool og_old_near_file_is_there(const char *folder)
{
    char path[PATH_MOST];
    struct stat st;
    path_of(folder, path);
    return lstat(path, &st) == 0;
}

void og_old_near_file_delete(const char *folder)
{
    char path[PATH_MOST];
    path_of(folder, path);
    unlink(path);
}

/* ---- the head ---- */

static og_status parse_head(const char *path, const uint8_t *head,
                            const uint8_t *uuid, uint32_t *out_documents,
                            og_near_options *out, og_error *err)
{
    if (memcmp(head, MAGIC, 8) != 0)
        return damaged(path, 0, "it is not an index of near-duplicates", err);
    if (og_load64(head + HEAD_LEN - 8) != og_checksum(head, HEAD_LEN - 8))
        return damaged(path, 0, "its head has a wrong checksum", err);
    if (memcmp(head + 8, uuid, 16) != 0)
        return damaged(path, 8, "it belongs to another store", err);
    const uint64_t n = og_load64(head + 24), design = og_load64(head + 56);
    if (n >= UINT32_MAX) return damaged(path, 24, "too many documents", err);
    *out_documents = (uint32_t)n;
    *out = (og_near_options){.method = (og_near_method)og_load64(head + 32),
                             .tokens = (og_token_kind)og_load64(head + 40),
                             .shingle_len = (uint32_t)og_load64(head + 48),
                             .n_bands = (uint32_t)(design >> 32),
                             .n_rows = (uint32_t)design,
                             .memory = og_load64(head + 64)};
    return OG_OK;
}

/* Opens the file and reads its head. */
static og_status read_head(const char *path, const uint8_t *uuid, int *out_fd,
                           uint32_t *out_documents, og_near_options *out,
                           og_error *err)
{
    uint8_t head[HEAD_LEN];
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT)
        return og_error_set(err, OG_ERR_STORE, "'%s' is missing", path);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    const int64_t n = og_file_read_at(fd, head, HEAD_LEN, 0);
    og_status status = OG_OK;
    if (n < 0)
        status = og_file_failure(err, "read", path, errno);
    else if (n < HEAD_LEN)
        status = damaged(path, (uint64_t)n, "it is truncated", err);
    else
        status = parse_head(path, head, uuid, out_documents, out, err);
    if (status != OG_OK) {
        close(fd);
        return status;
    }
    *out_fd = fd;
    return OG_OK;
}

og_status og_old_near_file_documents(const char *folder, const uint8_t *uuid,
                                     uint32_t *out, og_error *err)
{
    char path[PATH_MOST];
    og_near_options options;
    int fd = -1;
    path_of(folder, path);
    TRY(read_head(path, uuid, &fd, out, &options, err));
    close(fd);
    return OG_OK;
}

/* ---- reading ---- */

static og_status take_entries(og_near *near, const uint8_t *data, size_t len,
                              const char *path, uint64_t off, og_error *err)
{
    const size_t each = 4 + near->sketch_len;
    if (len % each != 0)
        return damaged(path, off, "an entry is truncated", err);
    for (size_t at = 0; at < len; at += each) {
        const struct og_near_entry e = {.document = og_load32(data + at),
                                        .sketch = data + at + 4};
        if (e.document >= near->n_documents)
            return damaged(path, off, "an entry refers to no document", err);
        og_near_index_add(near->index, &e);
    }
    return OG_OK;
}

/* *out_len 0: it was the end. */
static og_status read_block(og_near *near, int fd, const char *path,
                            uint64_t off, uint8_t *block, size_t *out_len,
                            og_error *err)
{
    uint8_t head[BLOCK_HEAD];
    if (og_file_read_at(fd, head, BLOCK_HEAD, off) != BLOCK_HEAD)
        return damaged(path, off, "it is truncated", err);
    const size_t len = og_load32(head);
    *out_len = len;
    if (len > BLOCK_LEN || og_load32(head + 4) != 0 ||
        (len == 0 && og_load64(head + 8) != 0))
        return damaged(path, off, "a block of a wrong length", err);
    if (len == 0) return OG_OK;
    if (og_file_read_at(fd, block, len, off + BLOCK_HEAD) != (int64_t)len)
        return damaged(path, off, "a block is truncated", err);
    if (og_checksum(block, len) != og_load64(head + 8))
        return damaged(path, off, "a block has a wrong checksum", err);
    return take_entries(near, block, len, path, off, err);
}

static og_status read_blocks(og_near *near, int fd, const char *path,
                             og_error *err)
{
    struct stat st;
    uint64_t off = HEAD_LEN;
    size_t len = 1;
    og_status status = OG_OK;
    uint8_t *block = og_allocate(NULL, BLOCK_LEN);
    if (block == NULL) return og_error_memory(err, BLOCK_LEN, "an index");
    while (len != 0 && status == OG_OK) {
        status = read_block(near, fd, path, off, block, &len, err);
        off += BLOCK_HEAD + len;
    }
    og_release(NULL, block, BLOCK_LEN);
    TRY(status);
    if (fstat(fd, &st) != 0) return og_file_failure(err, "read", path, errno);
    if ((uint64_t)st.st_size != off)
        return damaged(path, off, "there is something after its end", err);
    return OG_OK;
}

og_status og_old_near_file_open(og_near *near, og_error *err)
{
    char path[PATH_MOST];
    int fd = -1;
    path_of(near->folder, path);
    TRY(read_head(path, near->uuid, &fd, &near->n_documents, &near->options,
                  err));
    og_status status = og_near_index_make(near, err);
    if (status == OG_ERR_USAGE)
        status = damaged(path, 32, "its options are invalid", err);
    if (status == OG_OK) status = read_blocks(near, fd, path, err);
    close(fd);
    return status;
}
