/* Ids by number, on disk. */

#include "lib/dedup/dedup_ids.h"

#include <errno.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/temp_file.h"

#define BUFFER_LEN ((size_t)1 << 18)

void og_dedup_ids_init(struct og_dedup_ids *ids, const char *folder)
{
    *ids = (struct og_dedup_ids){.folder = folder, .fd = -1};
}

void og_dedup_ids_release(struct og_dedup_ids *ids)
{
    if (ids->fd >= 0) close(ids->fd);
    OG_UNGROW(NULL, ids->begins, ids->begins_cap);
    og_pack_release(&ids->buffer);
    og_pack_release(&ids->asked);
    og_dedup_ids_init(ids, ids->folder);
}

static og_status write_buffer(struct og_dedup_ids *ids, og_error *err)
{
    if (ids->fd < 0 && (ids->fd = og_temp_file_open(ids->folder, err)) < 0)
        return OG_ERR_IO;
    if (og_file_write_all(ids->fd, ids->buffer.data, ids->buffer.len) != 0)
        return og_file_failure(err, "write a temporary file in", ids->folder,
                               errno);
    ids->buffer.len = 0;
    return OG_OK;
}

og_status og_dedup_ids_add(struct og_dedup_ids *ids, og_bytes id, og_error *err)
{
    if (!OG_GROW(NULL, ids->begins, ids->begins_cap, ids->n + 2))
        return og_error_memory(err, ids->n * 8, "ids");
    if (ids->n == 0) ids->begins[0] = 0;
    ids->begins[ids->n + 1] = ids->begins[ids->n] + id.len;
    og_pack_bytes(&ids->buffer, id.data, id.len);
    if (ids->buffer.failed) return og_error_memory(err, id.len, "an id");
    ids->n++;
    return ids->buffer.len < BUFFER_LEN ? OG_OK : write_buffer(ids, err);
}

og_status og_dedup_ids_get(struct og_dedup_ids *ids, uint64_t number,
                           og_bytes *out, og_error *err)
{
    *out = (og_bytes){"", 0};
    if (number == 0 || number > ids->n) return OG_OK;
    const uint64_t begin = ids->begins[number - 1], end = ids->begins[number];
    const size_t len = (size_t)(end - begin);
    if (ids->asked_number != number && len > 0) {
        if (ids->buffer.len > 0) TRY(write_buffer(ids, err));
        if (!OG_GROW(NULL, ids->asked.data, ids->asked.cap, len))
            return og_error_memory(err, len, "an id");
        if (og_file_read_at(ids->fd, ids->asked.data, len, begin) !=
            (int64_t)len)
            return og_file_failure(err, "read a temporary file in", ids->folder,
                                   errno);
        ids->asked_number = number;
    }
    if (len > 0) *out = (og_bytes){(const char *)ids->asked.data, len};
    return OG_OK;
}
