#include "lib/store/text/frames.h"

#include <inttypes.h>

#include "lib/base/checksum.h"

/* Level 1 packs mail and RFCs 3.55 and 3.48 times at 2.5 and 3.1 ns a byte
 * (with a dictionary of 64 KiB); level 2 would save 4 and 2 % for 0.8 and 0.5
 * ns more, level 3 9 and 7 % for 2 ns more. Adding has 10 ns a byte on each of
 * two cores for everything. */
enum { LEVEL = 1 };

/* Of zstd: its magic number and a length. */
#define ZSTD_SKIPPABLE_LEN 8

/* On disk, see frames.h. All of it is read and written by og_load and
 * og_store; the struct is the drawing that the compiler checks. */
struct frame_on_disk {
    char magic[4];
    uint32_t raw_len;
    uint32_t packed_len;
    uint32_t dict;
    uint32_t prefix_segment;
    uint32_t depth;
    uint64_t prefix_off;
    uint32_t prefix_text_off;
    uint32_t prefix_len;
    uint64_t checksum;
};
_Static_assert(sizeof(struct frame_on_disk) == OG_FRAME_HEADER, "drawn so");

#define AT(field) offsetof(struct frame_on_disk, field)
_Static_assert(AT(prefix_off) == 24 && AT(checksum) == 40, "drawn so");

static const char magic[4] = {'O', 'G', 't', 'F'};

/* zstd's shortest way to say anything is a block of 128 KiB in 4 bytes: a
 * frame that claims to be more than that is lying about its length. */
#define RAW_PER_PACKED ((uint32_t)128 << 10)

static uint64_t checksum_of(const uint8_t *header, const uint8_t *packed,
                            size_t packed_len)
{
    return og_checksum_after(og_checksum(header, AT(checksum)), packed,
                             packed_len);
}

static void store_header(uint8_t *header, const struct og_frame *f)
{
    memcpy(header, magic, sizeof(magic));
    og_store32(header + AT(raw_len), f->raw_len);
    og_store32(header + AT(packed_len), f->packed_len);
    og_store32(header + AT(dict), f->dict);
    og_store32(header + AT(prefix_segment), f->prefix.segment);
    og_store32(header + AT(depth), f->depth);
    og_store64(header + AT(prefix_off), f->prefix.frame_off);
    og_store32(header + AT(prefix_text_off), f->prefix.text_off);
    og_store32(header + AT(prefix_len), f->prefix_len);
    og_store64(header + AT(checksum),
               checksum_of(header, header + OG_FRAME_HEADER, f->packed_len));
}

static void load_header(const uint8_t *header, struct og_frame *f)
{
    f->raw_len = og_load32(header + AT(raw_len));
    f->packed_len = og_load32(header + AT(packed_len));
    f->dict = og_load32(header + AT(dict));
    f->prefix.segment = og_load32(header + AT(prefix_segment));
    f->depth = og_load32(header + AT(depth));
    f->prefix.frame_off = og_load64(header + AT(prefix_off));
    f->prefix.text_off = og_load32(header + AT(prefix_text_off));
    f->prefix_len = og_load32(header + AT(prefix_len));
    f->checksum = og_load64(header + AT(checksum));
}

static const char *prefix_fault(const struct og_frame *f)
{
    if (f->depth > OG_FRAME_DEPTH_MAX) return "too many versions in a chain";
    if ((f->prefix.segment != 0) != (f->depth != 0))
        return "its prefix and its depth do not fit";
    if (f->prefix.segment != 0 && f->dict != 0)
        return "it has both a prefix and a dictionary";
    if (f->prefix.segment == 0 &&
        (f->prefix.frame_off | f->prefix.text_off | f->prefix_len) != 0)
        return "a prefix without a segment";
    if (f->prefix.text_off > OG_FRAME_RAW_MAX ||
        f->prefix_len > OG_FRAME_RAW_MAX)
        return "its prefix is too long";
    return NULL;
}

const char *og_frame_unpack(const uint8_t *bytes, struct og_frame *out)
{
    if (memcmp(bytes, magic, sizeof(magic)) != 0) return "no frame begins here";
    load_header(bytes, out);
    if (out->raw_len > OG_FRAME_RAW_MAX) return "its text is too long";
    if (out->packed_len == 0 ||
        out->packed_len > ZSTD_COMPRESSBOUND((size_t)out->raw_len) ||
        out->packed_len < out->raw_len / RAW_PER_PACKED)
        return "its lengths do not fit";
    return prefix_fault(out);
}

bool og_frame_is_sound(const uint8_t *header, const uint8_t *packed,
                       size_t packed_len)
{
    return og_load64(header + AT(checksum)) ==
           checksum_of(header, packed, packed_len);
}

/* ---- dictionaries ---- */

og_status og_dict_init(struct og_dict *dict, uint32_t number, og_bytes bytes,
                       bool only_read, const og_allocator *allocator,
                       og_error *err)
{
    (void)allocator; /* zstd's memory is its own */
    *dict = (struct og_dict){.number = number};
    dict->unpack = ZSTD_createDDict(bytes.data, bytes.len);
    if (!only_read) dict->pack = ZSTD_createCDict(bytes.data, bytes.len, LEVEL);
    if (dict->unpack == NULL || (!only_read && dict->pack == NULL)) {
        og_dict_release(dict);
        return og_error_memory(err, bytes.len, "a dictionary");
    }
    return OG_OK;
}

void og_dict_release(struct og_dict *dict)
{
    ZSTD_freeDDict(dict->unpack);
    ZSTD_freeCDict(dict->pack);
    *dict = (struct og_dict){0};
}

/* ---- packing ---- */

og_status og_framer_init(struct og_framer *framer,
                         const og_allocator *allocator, og_error *err)
{
    *framer = (struct og_framer){.allocator = allocator};
    framer->packer = ZSTD_createCCtx();
    if (framer->packer == NULL) return og_error_memory(err, 0, "packing texts");
    return OG_OK;
}

void og_framer_release(struct og_framer *framer)
{
    ZSTD_freeCCtx(framer->packer);
    OG_UNGROW(framer->allocator, framer->run, framer->run_cap);
    *framer = (struct og_framer){0};
}

/* The frame knows its lengths and has a checksum: zstd need not say them. */
static void set_up_packer(ZSTD_CCtx *packer)
{
    ZSTD_CCtx_reset(packer, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_dictIDFlag, 0);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_checksumFlag, 0);
}

/* Appends one frame: `f` says all but packed_len and checksum. The packer is
 * set up. */
static og_status append_frame(struct og_framer *framer, struct og_frame *f,
                              const void *raw, struct og_pack *out,
                              og_error *err)
{
    const size_t bound = ZSTD_compressBound(f->raw_len);
    const size_t need = out->len + OG_FRAME_HEADER + bound;
    if (need < out->len || !OG_GROW(out->allocator, out->data, out->cap, need))
        return og_error_memory(err, bound, "packed texts");
    uint8_t *header = out->data + out->len;
    const size_t n = ZSTD_compress2(framer->packer, header + OG_FRAME_HEADER,
                                    bound, raw, f->raw_len);
    if (ZSTD_isError(n)) /* the bound is enough: only memory can be missing */
        return og_error_memory(err, bound, "packing texts");
    f->packed_len = (uint32_t)n;
    store_header(header, f);
    out->len += OG_FRAME_HEADER + n;
    return OG_OK;
}

static og_status append_run(struct og_framer *framer,
                            const struct og_dict *dict, const void *raw,
                            size_t len, struct og_pack *out, og_error *err)
{
    struct og_frame f = {.raw_len = (uint32_t)len};
    set_up_packer(framer->packer);
    if (dict != NULL) {
        ZSTD_CCtx_refCDict(framer->packer, dict->pack);
        f.dict = dict->number;
    }
    return append_frame(framer, &f, raw, out, err);
}

/* How many of the texts make the next frame, and their length together. */
static size_t next_run(const og_bytes *texts, size_t n, size_t *out_len)
{
    size_t i = 1;
    size_t len = texts[0].len;
    while (i < n && len < OG_FRAME_RUN && texts[i].len < OG_FRAME_RUN &&
           len + texts[i].len <= OG_FRAME_RUN + OG_FRAME_RUN / 4)
        len += texts[i++].len;
    *out_len = len;
    return i;
}

/* The texts side by side; one alone stays where it is. */
static const void *gather(struct og_framer *framer, const og_bytes *texts,
                          size_t n, size_t len)
{
    if (n == 1) return texts[0].len > 0 ? texts[0].data : "";
    if (!OG_GROW(framer->allocator, framer->run, framer->run_cap, len + 1))
        return NULL;
    uint8_t *at = framer->run;
    for (size_t i = 0; i < n; i++) {
        if (texts[i].len > 0) memcpy(at, texts[i].data, texts[i].len);
        at += texts[i].len;
    }
    return framer->run;
}

static og_status too_long(og_error *err, size_t len)
{
    return og_error_set(err, OG_ERR_LIMIT,
                        "a text of %zu bytes is more than a store can keep "
                        "(%" PRIu32 ")",
                        len, OG_FRAME_RAW_MAX);
}

static og_status pack_all(struct og_framer *framer, const struct og_dict *dict,
                          const og_bytes *texts, size_t n, struct og_pack *out,
                          struct og_text_place *places, og_error *err)
{
    const size_t begin = out->len;
    for (size_t i = 0; i < n;) {
        size_t len;
        const size_t n_run = next_run(texts + i, n - i, &len);
        if (len > OG_FRAME_RAW_MAX) return too_long(err, len);
        const void *raw = gather(framer, texts + i, n_run, len);
        if (raw == NULL) return og_error_memory(err, len, "texts");
        const uint64_t frame_off = out->len - begin;
        uint32_t text_off = 0;
        for (const size_t end = i + n_run; i < end; i++) {
            places[i] = (struct og_text_place){0, frame_off, text_off};
            text_off += (uint32_t)texts[i].len;
        }
        TRY(append_run(framer, dict, raw, len, out, err));
    }
    return OG_OK;
}

og_status og_framer_pack(struct og_framer *framer, const struct og_dict *dict,
                         const og_bytes *texts, size_t n, struct og_pack *out,
                         struct og_text_place *places, og_error *err)
{
    if (out->failed) return og_error_memory(err, 0, "packed texts");
    const size_t begin = out->len;
    const og_status status = pack_all(framer, dict, texts, n, out, places, err);
    if (status != OG_OK) out->len = begin;
    return status;
}

/* ---- versions ---- */

/* The window must reach over the whole text and the prefix; beyond 1 GiB zstd
 * has none. */
#define SHARED_MAX ((uint64_t)1 << 30)

static int log2_above(uint64_t v)
{
    return v < 2 ? 1 : 64 - __builtin_clzll(v - 1);
}

/* A table as large as the prefix, or its beginning would be forgotten. */
static void set_up_for_prefix(ZSTD_CCtx *packer, uint64_t len)
{
    int window = log2_above(len);
    if (window < 10) window = 10;
    int hash = window < 21 ? window : 21;
    set_up_packer(packer);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_windowLog, window);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_hashLog, hash);
}

static og_status append_version(struct og_framer *framer, og_bytes text,
                                const struct og_text_prefix *prefix,
                                struct og_pack *out, og_error *err)
{
    struct og_frame f = {
        .raw_len = (uint32_t)text.len,
        .depth = prefix->depth + 1,
        .prefix = prefix->place,
        .prefix_len = (uint32_t)prefix->text.len,
    };
    set_up_for_prefix(framer->packer, text.len + prefix->text.len);
    ZSTD_CCtx_refPrefix(framer->packer, prefix->text.data, prefix->text.len);
    return append_frame(framer, &f, text.data, out, err);
}

static bool can_share(og_bytes text, const struct og_text_prefix *prefix)
{
    return text.len > 0 && prefix->text.len > 0 && prefix->place.segment != 0 &&
           prefix->depth < OG_FRAME_DEPTH_MAX && text.len <= SHARED_MAX &&
           prefix->text.len <= SHARED_MAX - text.len;
}

/* Packed alone, a text becomes three to four times shorter. If packing with its
 * older version does not make it much shorter than that, they share little. */
static bool shares_little(size_t raw_len, size_t packed_len)
{
    return packed_len > raw_len / 4;
}

og_status og_framer_pack_version(struct og_framer *framer,
                                 const struct og_dict *dict, og_bytes text,
                                 const struct og_text_prefix *prefix,
                                 struct og_pack *out,
                                 struct og_text_place *place, og_error *err)
{
    const size_t begin = out->len;
    if (out->failed) return og_error_memory(err, 0, "packed texts");
    if (!can_share(text, prefix))
        return og_framer_pack(framer, dict, &text, 1, out, place, err);
    *place = (struct og_text_place){0};
    TRY(append_version(framer, text, prefix, out, err));
    const size_t shared_len = out->len - begin;
    if (!shares_little(text.len, shared_len)) return OG_OK;
    /* Packed alone after it, and the shorter one stays. */
    const size_t shared_end = out->len;
    if (append_run(framer, dict, text.data, text.len, out, NULL) != OG_OK)
        return OG_OK;
    const size_t alone_len = out->len - shared_end;
    if (alone_len <= shared_len) {
        memmove(out->data + begin, out->data + shared_end, alone_len);
        out->len = begin + alone_len;
    } else {
        out->len = shared_end;
    }
    return OG_OK;
}

/* ---- blanking ---- */

static og_status no_frame(og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "a frame of texts is damaged");
}

/* Zeros pack better than a text, so the first level is nearly always enough;
 * where the text was a copy of its neighbour, another one has the few bytes
 * that are missing. */
static og_status pack_within(const uint8_t *raw, const struct og_frame *f,
                             struct og_pack *out, og_error *err)
{
    const size_t bound = ZSTD_compressBound(f->raw_len);
    if (!OG_GROW(out->allocator, out->data, out->cap, bound))
        return og_error_memory(err, bound, "a text");
    for (int level = LEVEL; level <= ZSTD_maxCLevel(); level++) {
        out->len = ZSTD_compress(out->data, bound, raw, f->raw_len, level);
        if (!ZSTD_isError(out->len) && out->len <= f->packed_len) return OG_OK;
    }
    return og_error_set(err, OG_ERR_LIMIT,
                        "a text cannot be erased: its frame would be longer");
}

/* With a skippable frame of zstd, so that all the room stays for the next text
 * that is erased; a few bytes are too short for one. The new length. */
static uint32_t pad_packed(uint8_t *packed, uint32_t len, uint32_t room)
{
    if (room - len < ZSTD_SKIPPABLE_LEN) return len;
    og_store32(packed + len, ZSTD_MAGIC_SKIPPABLE_START);
    og_store32(packed + len + 4, room - len - ZSTD_SKIPPABLE_LEN);
    return room;
}

static og_status blank_frame(const struct og_frame *f, const uint8_t *packed,
                             uint32_t text_off, uint64_t len, uint8_t *raw,
                             uint8_t *out, og_error *err)
{
    struct og_frame blank = *f;
    const size_t n = ZSTD_decompress(raw, f->raw_len, packed, f->packed_len);
    if (ZSTD_isError(n) || n != f->raw_len) return no_frame(err);
    memset(raw + text_off, 0, (size_t)len);
    struct og_pack bytes = {0};
    const og_status status = pack_within(raw, f, &bytes, err);
    if (status == OG_OK) {
        memset(out + OG_FRAME_HEADER, 0, f->packed_len);
        memcpy(out + OG_FRAME_HEADER, bytes.data, bytes.len);
        blank.packed_len = pad_packed(out + OG_FRAME_HEADER,
                                      (uint32_t)bytes.len, f->packed_len);
        store_header(out, &blank);
    }
    og_pack_release(&bytes);
    return status;
}

og_status og_frame_blank(og_bytes frame, uint32_t text_off, uint64_t len,
                         struct og_pack *out, og_error *err)
{
    const uint8_t *bytes = (const uint8_t *)frame.data;
    struct og_frame f;
    if (frame.len < OG_FRAME_HEADER || og_frame_unpack(bytes, &f) != NULL ||
        f.packed_len > frame.len - OG_FRAME_HEADER || f.prefix.segment != 0 ||
        f.dict != 0 || text_off > f.raw_len || len > f.raw_len - text_off ||
        !og_frame_is_sound(bytes, bytes + OG_FRAME_HEADER, f.packed_len))
        return no_frame(err);
    uint8_t *raw = og_allocate(out->allocator, (size_t)f.raw_len + 1);
    const size_t whole = OG_FRAME_HEADER + (size_t)f.packed_len;
    if (raw == NULL ||
        !OG_GROW(out->allocator, out->data, out->cap, out->len + whole)) {
        og_release(out->allocator, raw, (size_t)f.raw_len + 1);
        return og_error_memory(err, f.raw_len, "a text");
    }
    const og_status status = blank_frame(&f, bytes + OG_FRAME_HEADER, text_off,
                                         len, raw, out->data + out->len, err);
    if (status == OG_OK) out->len += whole;
    og_release(out->allocator, raw, (size_t)f.raw_len + 1);
    return status;
}
