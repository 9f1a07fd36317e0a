/* Every byte of the texts that records can refer to, without unpacking. The
 * chain of segments is walked from its end: the head of each says which was
 * before it and how far that one counts. */

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/new_file.h"
#include "lib/store/text/text_files.h"
#include "lib/store/text/texts.h"

struct check {
    const char *folder;
    const uint8_t *uuid;
    const struct og_text_patches *patches;
    struct og_texts_sums *sums;
    uint32_t last_dict; /* found valid */
    struct og_pack packed;
};

static og_status read_all(struct check *c, int fd, uint32_t segment,
                          uint64_t off, void *out, size_t len, og_error *err)
{
    struct og_text_path path;
    const uint8_t *patch = og_text_patches_find(c->patches, segment, off, len);
    if (patch != NULL) {
        memcpy(out, patch, len);
        return OG_OK;
    }
    const int64_t n = og_file_read_at(fd, out, len, off);
    if (n < 0) {
        const int error = errno;
        return og_text_file_failure(
            err, og_segment_path(&path, c->folder, segment), error);
    }
    if ((size_t)n < len)
        return og_segment_fault(err, c->folder, segment, off + (uint64_t)n,
                                "the file ends too early");
    return OG_OK;
}

static og_status check_dict(struct check *c, uint32_t number, og_error *err)
{
    if (number == 0 || number == c->last_dict) return OG_OK;
    struct og_pack bytes = {.allocator = c->packed.allocator};
    const og_status status =
        og_dict_read(c->folder, c->uuid, number, &bytes, err);
    og_pack_release(&bytes);
    if (status == OG_OK) c->last_dict = number;
    return status;
}

/* The frame at `off`, which must end at or before `end`. */
static og_status check_frame(struct check *c, int fd, uint32_t segment,
                             uint64_t off, uint64_t end, uint64_t *out_next,
                             og_error *err)
{
    uint8_t head[OG_FRAME_HEADER];
    struct og_frame f;
    if (end - off < OG_FRAME_HEADER)
        return og_segment_fault(err, c->folder, segment, off,
                                "the segment ends within a frame");
    TRY(read_all(c, fd, segment, off, head, sizeof(head), err));
    const char *what = og_frame_unpack(head, &f);
    if (what == NULL && f.packed_len > end - off - OG_FRAME_HEADER)
        what = "the segment ends within a frame";
    if (what != NULL)
        return og_segment_fault(err, c->folder, segment, off, what);
    if (!OG_GROW(c->packed.allocator, c->packed.data, c->packed.cap,
                 f.packed_len))
        return og_error_memory(err, f.packed_len, "a packed text");
    TRY(read_all(c, fd, segment, off + OG_FRAME_HEADER, c->packed.data,
                 f.packed_len, err));
    if (!og_frame_is_sound(head, c->packed.data, f.packed_len))
        return og_segment_fault(err, c->folder, segment, off,
                                "the checksum of the frame is wrong");
    *out_next = off + OG_FRAME_HEADER + f.packed_len;
    c->sums->n_frames++;
    c->sums->raw_len += f.raw_len;
    c->sums->packed_len += OG_FRAME_HEADER + (uint64_t)f.packed_len;
    return check_dict(c, f.dict, err);
}

static og_status check_frames(struct check *c, int fd, uint32_t segment,
                              uint64_t end, og_error *err)
{
    struct stat st;
    const bool is_patched = c->patches != NULL && c->patches->n > 0;
    if (fstat(fd, &st) != 0 || (!is_patched && end > (uint64_t)st.st_size))
        return og_segment_fault(err, c->folder, segment, (uint64_t)st.st_size,
                                "the file ends too early");
    if (end < OG_SEGMENT_HEAD)
        return og_segment_fault(err, c->folder, segment, end,
                                "the end lies within the head");
    for (uint64_t off = OG_SEGMENT_HEAD; off < end;)
        TRY(check_frame(c, fd, segment, off, end, &off, err));
    c->sums->n_segments++;
    return OG_OK;
}

og_status og_texts_check(const char *folder, const uint8_t uuid[16],
                         struct og_texts_end end,
                         const struct og_text_patches *patches,
                         const og_allocator *allocator,
                         struct og_texts_sums *out, og_error *err)
{
    struct check c = {folder, uuid, patches, out, 0, {.allocator = allocator}};
    og_status status = OG_OK;
    *out = (struct og_texts_sums){0};
    while (status == OG_OK && end.segment != 0) {
        struct og_segment_head head;
        int fd;
        status = og_segment_open(folder, uuid, end.segment, &fd, &head, err);
        if (status != OG_OK) break;
        status = check_frames(&c, fd, end.segment, end.off, err);
        close(fd);
        end = (struct og_texts_end){head.before, head.before_end};
    }
    og_pack_release(&c.packed);
    return status;
}

og_status og_texts_find_end(const char *folder, const uint8_t uuid[16],
                            const og_allocator *allocator,
                            struct og_texts_end *end, bool *out_is_whole,
                            og_error *err)
{
    struct og_texts_sums sums = {0};
    struct check c = {folder, uuid, NULL, &sums, 0, {.allocator = allocator}};
    struct og_segment_head head;
    struct stat st;
    int fd;
    *out_is_whole = false;
    if (end->segment == 0) return OG_OK;
    TRY(og_segment_open(folder, uuid, end->segment, &fd, &head, err));
    if (fstat(fd, &st) == 0) {
        while (end->off < (uint64_t)st.st_size &&
               check_frame(&c, fd, end->segment, end->off, (uint64_t)st.st_size,
                           &end->off, NULL) == OG_OK) {
        }
        *out_is_whole = end->off == (uint64_t)st.st_size;
    }
    close(fd);
    og_pack_release(&c.packed);
    return OG_OK;
}

og_status og_texts_end_of(const char *folder, const uint8_t uuid[16],
                          const struct og_text_place *place,
                          const struct og_text_patches *patches,
                          struct og_texts_end *out, og_error *err)
{
    struct og_texts_sums sums = {0};
    struct check c = {folder, uuid, patches, &sums, 0, {0}};
    struct og_segment_head segment_head;
    uint8_t head[OG_FRAME_HEADER];
    struct og_frame f;
    int fd;
    *out = (struct og_texts_end){0};
    if (place->segment == 0) return OG_OK;
    TRY(og_segment_open(folder, uuid, place->segment, &fd, &segment_head, err));
    const og_status status = read_all(&c, fd, place->segment, place->frame_off,
                                      head, sizeof(head), err);
    close(fd);
    if (status != OG_OK) return status;
    const char *what = og_frame_unpack(head, &f);
    if (what != NULL)
        return og_segment_fault(err, folder, place->segment, place->frame_off,
                                what);
    *out = (struct og_texts_end){
        place->segment, place->frame_off + OG_FRAME_HEADER + f.packed_len};
    return OG_OK;
}
