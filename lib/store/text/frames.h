#ifndef OG_STORE_TEXT_FRAMES_H
#define OG_STORE_TEXT_FRAMES_H

/*   in:  the texts of documents                     (lib/source)
 *   out: frames of packed texts and their places    (lib/store/texts)
 *
 * Several short texts share a frame, so that they help each other to be short;
 * a frame is small enough that one text is unpacked in well under a
 * millisecond. A frame on disk, little endian:
 *
 *      0  magic "OGtF"        4      24  prefix: offset of its frame      8
 *      4  unpacked length     4      32  prefix: its offset in the frame  4
 *      8  packed length       4      36  prefix: its length               4
 *     12  dictionary, 0: none 4      40  checksum: XXH3 of the packed bytes,
 *     16  prefix: segment     4          seeded with that of bytes 0..39  8
 *     20  depth of the chain  4      48  the packed bytes (zstd)
 *
 * The prefix is an older version of the same text: what they share is stored
 * once. It has depth 0 when it has no prefix itself, and so on; a frame of
 * depth d is read in d + 1 steps. A frame has a dictionary or a prefix or
 * neither, never both. */

#include <zstd.h>

#include "lib/store/catalogue/entry.h"

#define OG_FRAME_HEADER 48

/* A text of its own frame may be so long; a longer one is OG_ERR_LIMIT. Half of
 * what the format could say, so that no sum of two lengths overflows 32 bits.
 */
#define OG_FRAME_RAW_MAX ((uint32_t)1 << 31)

/* Runs of texts are one frame up to here (a longer text has its own). Whoever
 * wants one text unpacks its frame: with runs of 64 KiB mail takes a seventh
 * less on disk, and to trace it a sixth more CPU. */
#define OG_FRAME_RUN (16 << 10)

/* A text is read through at most this many older versions. */
#define OG_FRAME_DEPTH_MAX 8

struct og_frame {
    uint32_t raw_len, packed_len;
    uint32_t dict; /* its number; 0: none */
    uint32_t depth;
    struct og_text_place prefix; /* segment 0: none */
    uint32_t prefix_len;
    uint64_t checksum;
};

/* The first OG_FRAME_HEADER bytes of an untrusted frame. NULL: they may be
 * valid (every length is within its bounds, the checksum not yet verified);
 * otherwise the fault in a few words. */
const char *og_frame_unpack(const uint8_t *bytes, struct og_frame *out);

/* Whether the checksum in `header` fits it and the packed bytes. */
bool og_frame_is_sound(const uint8_t *header, const uint8_t *packed,
                       size_t packed_len);

/* A trained dictionary, for packing and unpacking. Made and owned by struct
 * og_texts or og_text_reader; const, so that all threads may share it. */
struct og_dict {
    uint32_t number; /* from 1 */
    ZSTD_CDict *pack;
    ZSTD_DDict *unpack;
};

/* Copies `bytes`. only_read leaves `pack` NULL. */
og_status og_dict_init(struct og_dict *dict, uint32_t number, og_bytes bytes,
                       bool only_read, const og_allocator *allocator,
                       og_error *err);
void og_dict_release(struct og_dict *dict);

/* Packs texts. One per thread; keeps its memory for the next call (about
 * 1 MiB, and after very long texts no more than that). */
struct og_framer {
    const og_allocator *allocator;
    ZSTD_CCtx *packer;
    uint8_t *run; /* the texts of a frame, one after the other */
    size_t run_cap;
};

og_status og_framer_init(struct og_framer *framer,
                         const og_allocator *allocator, og_error *err);
void og_framer_release(struct og_framer *framer);

/* Appends frames with all of the texts, in order, to `out` and says where each
 * is: places[i].segment is 0 and places[i].frame_off counts from where `out`
 * ended before; og_texts_append() and og_text_place_move() make them absolute.
 * `dict` may be NULL (og_texts_dict()). After a failure (OG_ERR_MEMORY,
 * OG_ERR_LIMIT) `out` is as long as it was; if out->failed is set on entry,
 * OG_ERR_MEMORY. A text of 0 bytes has a place like any other. */
og_status og_framer_pack(struct og_framer *framer, const struct og_dict *dict,
                         const og_bytes *texts, size_t n, struct og_pack *out,
                         struct og_text_place *places, og_error *err);

/* A whole frame that rests on nothing, with zeros instead of the `len` bytes at
 * `text_off` of what it unpacks to: appended to `out`, as long as it was. The
 * bytes are a stranger's. OG_ERR_STORE: they are no such frame. */
og_status og_frame_blank(og_bytes frame, uint32_t text_off, uint64_t len,
                         struct og_pack *out, og_error *err);

/* An older version of a text: where it is (absolute), what it is, and the
 * depth of its frame (og_text_reader_get() returns all of it). */
struct og_text_prefix {
    struct og_text_place place;
    og_bytes text;
    uint32_t depth;
};

/* Like og_framer_pack for one text that shares much with `prefix`. If the chain
 * would be longer than OG_FRAME_DEPTH_MAX, or sharing saves nothing, it is
 * packed alone, which is not a failure. */
og_status og_framer_pack_version(struct og_framer *framer,
                                 const struct og_dict *dict, og_bytes text,
                                 const struct og_text_prefix *prefix,
                                 struct og_pack *out,
                                 struct og_text_place *place, og_error *err);

/* Makes a place of og_framer_pack() absolute. */
static inline void og_text_place_move(struct og_text_place *place,
                                      uint32_t segment, uint64_t base)
{
    place->segment = segment;
    place->frame_off += base;
}

#endif
