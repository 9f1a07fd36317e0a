/* Frames that a log has, and perhaps not the segment: og_texts_redo(). */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib/os/new_file.h"
#include "lib/store/text/text_files.h"
#include "lib/store/text/texts.h"

void og_text_patches_init(struct og_text_patches *patches,
                          const og_allocator *allocator)
{
    *patches = (struct og_text_patches){.allocator = allocator, .fd = -1};
}

/* What was found stays. */
static void close_segment(struct og_text_patches *p)
{
    if (p->fd >= 0) close(p->fd);
    p->fd = -1;
    p->segment = 0;
}

void og_text_patches_release(struct og_text_patches *patches)
{
    const og_allocator *allocator = patches->allocator;
    close_segment(patches);
    for (size_t i = 0; i < patches->n; i++)
        og_release(allocator, patches->list[i].data, patches->list[i].len);
    OG_UNGROW(allocator, patches->list, patches->cap);
    og_text_patches_init(patches, allocator);
}

const uint8_t *og_text_patches_find(const struct og_text_patches *patches,
                                    uint32_t segment, uint64_t off, size_t len)
{
    for (size_t i = 0; patches != NULL && i < patches->n; i++) {
        const struct og_text_patch *p = &patches->list[i];
        if (p->segment == segment && off >= p->off && off - p->off <= p->len &&
            len <= p->len - (size_t)(off - p->off))
            return p->data + (off - p->off);
    }
    return NULL;
}

og_status og_text_patches_add(struct og_text_patches *p, uint32_t segment,
                              uint64_t off, og_bytes frames, og_error *err)
{
    uint8_t *data = og_allocate(p->allocator, frames.len);
    if (data == NULL || !OG_GROW(p->allocator, p->list, p->cap, p->n + 1)) {
        og_release(p->allocator, data, frames.len);
        return og_error_memory(err, frames.len, "a text of the journal");
    }
    memcpy(data, frames.data, frames.len);
    p->list[p->n++] = (struct og_text_patch){segment, off, data, frames.len};
    return OG_OK;
}

static bool is_there(const struct og_text_patches *p, uint64_t off,
                     og_bytes frames)
{
    uint8_t bytes[4096];
    for (size_t at = 0; at < frames.len; at += sizeof(bytes)) {
        const size_t left = frames.len - at;
        const size_t len = left < sizeof(bytes) ? left : sizeof(bytes);
        if (og_file_read_at(p->fd, bytes, len, off + at) != (int64_t)len ||
            memcmp(bytes, frames.data + at, len) != 0)
            return false;
    }
    return true;
}

static og_status open_segment(struct og_text_patches *p, const char *folder,
                              const uint8_t uuid[16], bool writable,
                              uint32_t segment, og_error *err)
{
    struct og_segment_head head;
    if (p->fd >= 0 && p->segment == segment) return OG_OK;
    close_segment(p);
    TRY((writable ? og_segment_amend : og_segment_open)(folder, uuid, segment,
                                                        &p->fd, &head, err));
    p->segment = segment;
    return OG_OK;
}

og_status og_texts_redo(struct og_text_patches *patches, const char *folder,
                        const uint8_t uuid[16], bool writable, uint32_t segment,
                        uint64_t off, og_bytes frames, og_error *err)
{
    struct og_text_path path;
    if (off < OG_SEGMENT_HEAD || off > INT64_MAX - frames.len)
        return og_segment_fault(err, folder, segment, off,
                                "no frame begins here");
    TRY(open_segment(patches, folder, uuid, writable, segment, err));
    if (is_there(patches, off, frames)) return OG_OK;
    if (!writable)
        return og_text_patches_add(patches, segment, off, frames, err);
    if (og_file_write_at(patches->fd, frames.data, frames.len, off) == 0)
        return OG_OK;
    return og_file_failure(err, "write",
                           og_segment_path(&path, folder, segment), errno);
}
