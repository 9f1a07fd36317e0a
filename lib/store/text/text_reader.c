/* The reader of texts.
 *
 * A frame is searched for among the recently unpacked ones, otherwise read,
 * verified and unpacked; if it is based on an older version, that one first.
 * The way down the chain reads headers only and cannot be long: each frame must
 * precede the one that refers to it and be less deep. The way up reads whole
 * frames and trusts nothing of the way down.
 *
 * A frame is verified in this order: lengths within the format's bounds, the
 * frame within its file, then the checksum, and only then is memory allocated
 * for its content. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/remote/remote_catalogue.h"
#include "lib/store/text/text_files.h"
#include "lib/store/text/text_memory.h"
#include "lib/store/text/texts.h"

enum {
    N_FILES = 8,
    N_SLOTS = 32,
    CACHE_LEN = 1 << 20,
    PACKED_KEEP = 1 << 20, /* a larger buffer is released */
    AHEAD_LEN = 8 << 10,   /* most frames of a run are shorter */
};

struct segment_file {
    uint32_t number; /* 0: not open */
    int fd;
    uint64_t len;
    uint64_t used;
};

struct slot {
    uint32_t segment; /* 0: empty */
    uint64_t off;
    uint8_t *data;
    size_t cap;
    uint32_t len;
    uint32_t depth;
    uint64_t used;
    uint32_t oldest; /* segment that it rests on */
};

struct step {
    uint32_t segment;
    uint64_t off;
};

struct og_text_reader {
    const og_allocator *allocator;
    char *folder;
    size_t folder_cap;
    uint8_t uuid[16];
    struct og_texts *live;
    bool is_trusting;                      /* og_text_reader_trust() */
    const struct og_text_patches *patches; /* NULL: none */
    struct og_text_memory *memory; /* of `live`; NULL: segments are files */
    struct og_remote_catalogue *elsewhere; /* of `live`; NULL: they are here */
    uint32_t last_oldest;                  /* of what was given last */
    ZSTD_DCtx *unpacker;
    uint64_t clock; /* of uses */
    struct segment_file files[N_FILES];
    struct slot slots[N_SLOTS];
    size_t cached_len;
    struct og_dict *dicts;
    size_t n_dicts, dicts_cap;
    uint8_t *packed; /* a frame as it is in the file */
    size_t packed_cap;
    /* What comes with the head of a frame, so that most need one read. */
    struct step ahead_at;
    size_t ahead_len;
    uint8_t ahead[AHEAD_LEN];
};

og_status og_text_reader_open(const char *folder, const uint8_t uuid[16],
                              struct og_texts *live,
                              const og_allocator *allocator,
                              struct og_text_reader **out, og_error *err)
{
    const size_t len = strlen(folder) + 1;
    struct og_text_reader *r = og_allocate_zero(allocator, sizeof(*r));
    if (r == NULL) return og_error_memory(err, sizeof(*r), "reading texts");
    r->allocator = allocator;
    r->live = live;
    r->memory = live != NULL ? og_texts_memory(live) : NULL;
    r->elsewhere = live != NULL ? og_texts_elsewhere(live) : NULL;
    memcpy(r->uuid, uuid, sizeof(r->uuid));
    r->unpacker = ZSTD_createDCtx();
    if (r->unpacker == NULL ||
        !OG_GROW(allocator, r->folder, r->folder_cap, len)) {
        og_text_reader_close(r);
        return og_error_memory(err, len, "reading texts");
    }
    memcpy(r->folder, folder, len);
    *out = r;
    return OG_OK;
}

void og_text_reader_patch(struct og_text_reader *reader,
                          const struct og_text_patches *patches)
{
    reader->patches = patches;
}

void og_text_reader_trust(struct og_text_reader *reader)
{
    reader->is_trusting = true;
}

static void empty_slot(struct og_text_reader *r, struct slot *slot)
{
    r->cached_len -= slot->cap;
    OG_UNGROW(r->allocator, slot->data, slot->cap);
    *slot = (struct slot){0};
}

void og_text_reader_close(struct og_text_reader *reader)
{
    if (reader == NULL) return;
    const og_allocator *allocator = reader->allocator;
    for (size_t i = 0; i < N_SLOTS; i++)
        empty_slot(reader, &reader->slots[i]);
    for (size_t i = 0; i < N_FILES; i++)
        if (reader->files[i].number != 0) close(reader->files[i].fd);
    for (size_t i = 0; i < reader->n_dicts; i++)
        og_dict_release(&reader->dicts[i]);
    OG_UNGROW(allocator, reader->dicts, reader->dicts_cap);
    OG_UNGROW(allocator, reader->packed, reader->packed_cap);
    OG_UNGROW(allocator, reader->folder, reader->folder_cap);
    ZSTD_freeDCtx(reader->unpacker);
    og_release(allocator, reader, sizeof(*reader));
}

/* ---- files ---- */

static og_status read_failure(struct og_text_reader *r, uint32_t segment,
                              og_error *err)
{
    struct og_text_path path;
    const int error = errno;
    return og_text_file_failure(err, og_segment_path(&path, r->folder, segment),
                                error);
}

static og_status open_unseen(struct og_text_reader *r, uint32_t segment,
                             int *out_fd, og_error *err)
{
    struct og_text_path path;
    og_segment_path(&path, r->folder, segment);
    *out_fd = og_file_open_own(path.name, O_RDONLY, 0);
    return *out_fd >= 0 ? OG_OK : read_failure(r, segment, err);
}

static og_status open_file(struct og_text_reader *r, uint32_t segment,
                           struct segment_file **out, og_error *err)
{
    struct segment_file *oldest = &r->files[0];
    for (size_t i = 0; i < N_FILES; i++) {
        struct segment_file *f = &r->files[i];
        if (f->number == segment) {
            f->used = ++r->clock;
            *out = f;
            return OG_OK;
        }
        if (f->used < oldest->used) oldest = f;
    }
    int fd;
    struct og_segment_head head;
    const og_status status =
        r->is_trusting
            ? open_unseen(r, segment, &fd, err)
            : og_segment_open(r->folder, r->uuid, segment, &fd, &head, err);
    if (status != OG_OK && access(r->folder, F_OK) != 0)
        return og_error_set(err, OG_ERR_IO,
                            "'%s' is gone: the store was compacted since it "
                            "was opened; open it again",
                            r->folder);
    if (status != OG_OK) return status;
    if (oldest->number != 0) close(oldest->fd);
    *oldest = (struct segment_file){segment, fd, 0, ++r->clock};
    *out = oldest;
    return OG_OK;
}

/* Whether the file reaches off + len, as far as is known or can be found
 * out. */
static og_status reach(struct og_text_reader *r, struct segment_file *f,
                       uint64_t off, uint64_t len, bool *out, og_error *err)
{
    struct stat st;
    *out = (off <= f->len && len <= f->len - off) ||
           og_text_patches_find(r->patches, f->number, off, len) != NULL;
    if (*out) return OG_OK;
    if (r->live != NULL) TRY(og_texts_flush(r->live, err));
    if (fstat(f->fd, &st) != 0) return read_failure(r, f->number, err);
    f->len = (uint64_t)st.st_size;
    *out = off <= f->len && len <= f->len - off;
    return OG_OK;
}

/* The file of the segment reaches off + len. */
static og_status must_reach(struct og_text_reader *r, uint32_t segment,
                            uint64_t off, uint64_t len,
                            struct segment_file **out, og_error *err)
{
    bool is_there;
    TRY(open_file(r, segment, out, err));
    TRY(reach(r, *out, off, len, &is_there, err));
    if (is_there) return OG_OK;
    return og_segment_fault(err, r->folder, segment, off,
                            "the file ends before this frame does");
}

static bool take_ahead(const struct og_text_reader *r, uint32_t segment,
                       uint64_t off, void *out, size_t len)
{
    if (segment != r->ahead_at.segment || off < r->ahead_at.off) return false;
    const uint64_t at = off - r->ahead_at.off;
    if (at > r->ahead_len || len > r->ahead_len - at) return false;
    memcpy(out, r->ahead + at, len);
    return true;
}

static void read_ahead(struct og_text_reader *r, const struct segment_file *f,
                       uint64_t off)
{
    const int64_t n = og_file_read_at(f->fd, r->ahead, AHEAD_LEN, off);
    r->ahead_at = (struct step){f->number, off};
    r->ahead_len = n > 0 ? (size_t)n : 0;
}

/* The header of a frame is read together with what follows: most frames need
 * one request. */
static og_status read_elsewhere(struct og_text_reader *r, uint32_t segment,
                                uint64_t off, void *out, size_t len,
                                og_error *err)
{
    size_t n = 0;
    if (take_ahead(r, segment, off, out, len)) return OG_OK;
    if (len <= AHEAD_LEN) {
        r->ahead_len = 0;
        TRY(og_remote_catalogue_get_text(r->elsewhere, segment,
                                         off - OG_SEGMENT_HEAD, r->ahead,
                                         AHEAD_LEN, &r->ahead_len, err));
        r->ahead_at = (struct step){segment, off};
        if (take_ahead(r, segment, off, out, len)) return OG_OK;
    } else {
        TRY(og_remote_catalogue_get_text(
            r->elsewhere, segment, off - OG_SEGMENT_HEAD, out, len, &n, err));
    }
    if (n == len) return OG_OK;
    return og_error_set(err, OG_ERR_STORE,
                        "table '%s' is damaged: texts %" PRIu32
                        " end before a frame does",
                        og_remote_catalogue_name(r->elsewhere), segment);
}

static og_status read_bytes(struct og_text_reader *r, uint32_t segment,
                            uint64_t off, void *out, size_t len, og_error *err)
{
    struct segment_file *f;
    const uint8_t *patch = og_text_patches_find(r->patches, segment, off, len);
    if (patch != NULL) {
        memcpy(out, patch, len);
        return OG_OK;
    }
    if (r->elsewhere != NULL)
        return read_elsewhere(r, segment, off, out, len, err);
    if (r->memory != NULL)
        return og_text_memory_read(r->memory, segment, off, out, len, err);
    if (take_ahead(r, segment, off, out, len)) return OG_OK;
    TRY(must_reach(r, segment, off, len, &f, err));
    if (len == OG_FRAME_HEADER) read_ahead(r, f, off);
    if (take_ahead(r, segment, off, out, len)) return OG_OK;
    const int64_t n = og_file_read_at(f->fd, out, len, off);
    if (n < 0) return read_failure(r, segment, err);
    if ((size_t)n < len)
        return og_segment_fault(err, r->folder, segment, off,
                                "the file has become shorter");
    return OG_OK;
}

/* ---- frames ---- */

static bool is_stored_before(const struct og_text_place *prefix,
                             uint32_t segment, uint64_t off)
{
    return prefix->segment < segment ||
           (prefix->segment == segment && prefix->frame_off < off);
}

/* A head that may be one. */
static og_status read_head(struct og_text_reader *r, uint32_t segment,
                           uint64_t off, uint8_t *head, struct og_frame *out,
                           og_error *err)
{
    if (off < OG_SEGMENT_HEAD)
        return og_segment_fault(err, r->folder, segment, off,
                                "no frame begins here");
    TRY(read_bytes(r, segment, off, head, OG_FRAME_HEADER, err));
    const char *what = og_frame_unpack(head, out);
    if (what == NULL && out->prefix.segment != 0 &&
        !is_stored_before(&out->prefix, segment, off))
        what = "its prefix lies behind it";
    if (what != NULL)
        return og_segment_fault(err, r->folder, segment, off, what);
    return OG_OK;
}

/* Reads the packed, verified bytes to r->packed. */
static og_status read_frame(struct og_text_reader *r, uint32_t segment,
                            uint64_t off, struct og_frame *out, og_error *err)
{
    uint8_t head[OG_FRAME_HEADER];
    struct segment_file *f;
    TRY(read_head(r, segment, off, head, out, err));
    if (r->memory == NULL && r->elsewhere == NULL)
        TRY(must_reach(r, segment, off + OG_FRAME_HEADER, out->packed_len, &f,
                       err));
    if (r->packed_cap > PACKED_KEEP)
        OG_UNGROW(r->allocator, r->packed, r->packed_cap);
    if (!OG_GROW(r->allocator, r->packed, r->packed_cap, out->packed_len))
        return og_error_memory(err, out->packed_len, "a packed text");
    TRY(read_bytes(r, segment, off + OG_FRAME_HEADER, r->packed,
                   out->packed_len, err));
    if (!og_frame_is_sound(head, r->packed, out->packed_len))
        return og_segment_fault(err, r->folder, segment, off,
                                "the checksum of the frame is wrong");
    return OG_OK;
}

/* As far as it is there. */
static og_status read_unseen_dict(struct og_text_reader *r, uint32_t number,
                                  struct og_pack *out, og_error *err)
{
    struct og_text_path path;
    og_dict_path(&path, r->folder, number);
    const int fd = og_file_open_own(path.name, O_RDONLY, 0);
    if (fd < 0) return og_text_file_failure(err, path.name, errno);
    int64_t n = -1;
    if (OG_GROW(r->allocator, out->data, out->cap, OG_DICT_MAX))
        n = og_file_read_at(fd, out->data, OG_DICT_MAX, OG_DICT_HEAD);
    close(fd);
    if (n <= 0) return og_text_file_failure(err, path.name, ENOENT);
    out->len = (size_t)n;
    return OG_OK;
}

static og_status get_dict(struct og_text_reader *r, uint32_t number,
                          const struct og_dict **out, og_error *err)
{
    for (size_t i = 0; i < r->n_dicts; i++)
        if (r->dicts[i].number == number) {
            *out = &r->dicts[i];
            return OG_OK;
        }
    if (!OG_GROW(r->allocator, r->dicts, r->dicts_cap, r->n_dicts + 1))
        return og_error_memory(err, sizeof(*r->dicts), "a dictionary");
    struct og_pack bytes = {.allocator = r->allocator};
    og_status status =
        r->is_trusting ? read_unseen_dict(r, number, &bytes, err)
                       : og_dict_read(r->folder, r->uuid, number, &bytes, err);
    if (status == OG_OK)
        status = og_dict_init(&r->dicts[r->n_dicts], number,
                              (og_bytes){(const char *)bytes.data, bytes.len},
                              true, r->allocator, err);
    og_pack_release(&bytes);
    if (status == OG_OK) *out = &r->dicts[r->n_dicts++];
    return status;
}

/* ---- the cache ---- */

static struct slot *find_slot(struct og_text_reader *r, uint32_t segment,
                              uint64_t off)
{
    for (size_t i = 0; i < N_SLOTS; i++) {
        struct slot *slot = &r->slots[i];
        if (slot->segment == segment && slot->off == off) {
            slot->used = ++r->clock;
            return slot;
        }
    }
    return NULL;
}

/* The one used longest ago, but not `pinned`; an empty one first. */
static struct slot *oldest_slot(struct og_text_reader *r,
                                const struct slot *pinned)
{
    struct slot *oldest = NULL;
    for (size_t i = 0; i < N_SLOTS; i++) {
        struct slot *slot = &r->slots[i];
        if (slot != pinned && (oldest == NULL || slot->used < oldest->used))
            oldest = slot;
    }
    return oldest;
}

/* The same among full ones; NULL: there is none. */
static struct slot *oldest_full(struct og_text_reader *r,
                                const struct slot *pinned)
{
    struct slot *oldest = NULL;
    for (size_t i = 0; i < N_SLOTS; i++) {
        struct slot *slot = &r->slots[i];
        if (slot->segment != 0 && slot != pinned &&
            (oldest == NULL || slot->used < oldest->used))
            oldest = slot;
    }
    return oldest;
}

/* An empty slot with room; what it rests on is not thrown out for it. */
static struct slot *take_slot(struct og_text_reader *r, uint32_t len,
                              const struct slot *pinned)
{
    struct slot *old;
    while (r->cached_len + len > CACHE_LEN &&
           (old = oldest_full(r, pinned)) != NULL)
        empty_slot(r, old);
    struct slot *slot = oldest_slot(r, pinned);
    empty_slot(r, slot);
    /* To the byte, so that no long text costs twice its length. */
    slot->data = og_allocate(r->allocator, (size_t)len + 1);
    if (slot->data == NULL) return NULL;
    slot->cap = (size_t)len + 1;
    r->cached_len += slot->cap;
    return slot;
}

/* ---- unpacking ---- */

static og_status find_prefix(struct og_text_reader *r, uint32_t segment,
                             uint64_t off, const struct og_frame *f,
                             struct slot **out, og_error *err)
{
    struct slot *slot = find_slot(r, f->prefix.segment, f->prefix.frame_off);
    if (slot == NULL)
        return og_segment_fault(err, r->folder, segment, off,
                                "the frame changed while it was read");
    if (slot->depth != f->depth - 1 || f->prefix.text_off > slot->len ||
        f->prefix_len > slot->len - f->prefix.text_off)
        return og_segment_fault(err, r->folder, segment, off,
                                "its prefix is not what it says");
    *out = slot;
    return OG_OK;
}

static og_status set_up_unpacker(struct og_text_reader *r, uint32_t segment,
                                 uint64_t off, const struct og_frame *f,
                                 struct slot **out_prefix, og_error *err)
{
    *out_prefix = NULL;
    ZSTD_DCtx_reset(r->unpacker, ZSTD_reset_session_and_parameters);
    if (f->dict != 0 && r->elsewhere != NULL)
        return og_segment_fault(err, r->folder, segment, off,
                                "it names a dictionary, and there is none");
    if (f->dict != 0) {
        const struct og_dict *dict = NULL;
        TRY(get_dict(r, f->dict, &dict, err));
        ZSTD_DCtx_refDDict(r->unpacker, dict->unpack);
    } else if (f->prefix.segment != 0) {
        TRY(find_prefix(r, segment, off, f, out_prefix, err));
        ZSTD_DCtx_refPrefix(r->unpacker,
                            (*out_prefix)->data + f->prefix.text_off,
                            f->prefix_len);
    }
    return OG_OK;
}

/* Reads and unpacks one frame into a slot; its prefix is in another. */
static og_status load_frame(struct og_text_reader *r, uint32_t segment,
                            uint64_t off, struct slot **out, og_error *err)
{
    struct og_frame f;
    struct slot *prefix;
    TRY(read_frame(r, segment, off, &f, err));
    TRY(set_up_unpacker(r, segment, off, &f, &prefix, err));
    struct slot *slot = take_slot(r, f.raw_len, prefix);
    if (slot == NULL) return og_error_memory(err, f.raw_len, "a text");
    const size_t n = ZSTD_decompressDCtx(r->unpacker, slot->data, f.raw_len,
                                         r->packed, f.packed_len);
    if (ZSTD_isError(n) || n != f.raw_len) {
        empty_slot(r, slot);
        return og_segment_fault(err, r->folder, segment, off,
                                "the frame cannot be unpacked");
    }
    slot->segment = segment;
    slot->oldest =
        prefix != NULL && prefix->oldest < segment ? prefix->oldest : segment;
    slot->off = off;
    slot->len = f.raw_len;
    slot->depth = f.depth;
    slot->used = ++r->clock;
    *out = slot;
    return OG_OK;
}

/* Down to a frame that rests on nothing, or on one that is unpacked. */
static og_status find_chain(struct og_text_reader *r, struct step at,
                            struct step steps[OG_FRAME_DEPTH_MAX + 1],
                            size_t *out_n, og_error *err)
{
    uint32_t max_depth = OG_FRAME_DEPTH_MAX;
    for (size_t n = 0;; max_depth--) {
        uint8_t head[OG_FRAME_HEADER];
        struct og_frame f;
        TRY(read_head(r, at.segment, at.off, head, &f, err));
        if (f.depth > max_depth)
            return og_segment_fault(err, r->folder, at.segment, at.off,
                                    "too many versions in a chain");
        steps[n++] = at;
        *out_n = n;
        max_depth = f.depth;
        if (f.prefix.segment == 0 ||
            find_slot(r, f.prefix.segment, f.prefix.frame_off) != NULL)
            return OG_OK;
        at = (struct step){f.prefix.segment, f.prefix.frame_off};
    }
}

static og_status get_slot(struct og_text_reader *r, uint32_t segment,
                          uint64_t off, struct slot **out, og_error *err)
{
    struct step steps[OG_FRAME_DEPTH_MAX + 1];
    size_t n = 0;
    *out = find_slot(r, segment, off);
    if (*out != NULL) return OG_OK;
    r->ahead_len = 0; /* a file may have changed since */
    TRY(find_chain(r, (struct step){segment, off}, steps, &n, err));
    while (n-- > 0)
        TRY(load_frame(r, steps[n].segment, steps[n].off, out, err));
    return OG_OK;
}

bool og_text_reader_has(const struct og_text_reader *reader, uint32_t oldest)
{
    return reader->memory == NULL ||
           oldest >= og_text_memory_first(reader->memory);
}

uint32_t og_text_reader_oldest(const struct og_text_reader *reader)
{
    return reader->last_oldest;
}

og_status og_text_reader_get(struct og_text_reader *reader,
                             const struct og_text_place *place, uint64_t len,
                             og_bytes *out, uint32_t *out_depth, og_error *err)
{
    struct slot *slot;
    *out = (og_bytes){"", 0};
    if (out_depth != NULL) *out_depth = 0;
    if (place->segment == 0) return OG_OK;
    TRY(get_slot(reader, place->segment, place->frame_off, &slot, err));
    if (!og_text_reader_has(reader, slot->oldest)) return OG_END;
    if (place->text_off > slot->len || len > slot->len - place->text_off)
        return og_segment_fault(err, reader->folder, place->segment,
                                place->frame_off,
                                "the frame is shorter than the text in it");
    *out = (og_bytes){(const char *)slot->data + place->text_off, len};
    reader->last_oldest = slot->oldest;
    if (out_depth != NULL) *out_depth = slot->depth;
    return OG_OK;
}

/* Where the chain that this frame ends begins: down to depth 1, whose prefix it
 * is. */
static og_status find_root(struct og_text_reader *r, struct og_text_place place,
                           struct og_text_place *out, uint64_t *out_len,
                           og_error *err)
{
    for (uint32_t max_depth = OG_FRAME_DEPTH_MAX;;) {
        uint8_t head[OG_FRAME_HEADER];
        struct og_frame f;
        TRY(read_head(r, place.segment, place.frame_off, head, &f, err));
        if (f.depth == 0 || f.depth > max_depth)
            return og_segment_fault(err, r->folder, place.segment,
                                    place.frame_off,
                                    "its depth is not what it was");
        place = f.prefix;
        max_depth = f.depth - 1;
        if (max_depth > 0) continue;
        *out = f.prefix;
        *out_len = f.prefix_len;
        return OG_OK;
    }
}

og_status og_text_reader_prefix(struct og_text_reader *reader,
                                const struct og_text_place *place, uint64_t len,
                                struct og_text_prefix *out, og_error *err)
{
    out->place = *place;
    TRY(og_text_reader_get(reader, place, len, &out->text, &out->depth, err));
    if (out->depth < OG_FRAME_DEPTH_MAX) return OG_OK;
    TRY(find_root(reader, *place, &out->place, &len, err));
    return og_text_reader_get(reader, &out->place, len, &out->text, &out->depth,
                              err);
}
