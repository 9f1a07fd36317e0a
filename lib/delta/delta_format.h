#ifndef OG_DELTA_DELTA_FORMAT_H
#define OG_DELTA_DELTA_FORMAT_H

/* The format of a delta; docs/format-delta.md describes it.
 *
 *     header   18 bytes, below, and the length of the table
 *     table    chunk sizes unless they are the default ones, the length of
 *              the new file, and for each old file its name (a hint, when
 *              there are several), its length and the beginning of its root
 *     blocks   each: a head of numbers, dictionary ranges, packed bytes
 *     end      one byte 0, or the end of a block that is the whole file
 *
 * The delta of a small edit is mostly its header. Version 2, which is still
 * read, had a header of 32 bytes, always sizes and names, and longer roots. */

#include <stddef.h>
#include <stdint.h>

#define OG_DELTA_MAGIC   "oDLT"
#define OG_DELTA_VERSION 3

/* Flags: how the chunks were cut, and what the table contains. A reader must
 * know them all. */
enum {
    OG_DELTA_CUT_KIND = 3, /* of these bits */
    OG_DELTA_HAS_SIZES = 4,
    OG_DELTA_HAS_NAMES = 8,
    OG_DELTA_KNOWN_FLAGS = 15,
};

/* Chunks that need no sizes in the table. */
enum { OG_DELTA_USUAL_CHUNK = 1024 };

/* The most memory that one block may require of a reader. */
enum {
    OG_DELTA_MAX_OPS = 1 << 20,     /* bytes of operations */
    OG_DELTA_MAX_LITERAL = 4 << 20, /* bytes of literals */
    OG_DELTA_MAX_DICTIONARY = 4 << 20,
    OG_DELTA_MAX_RANGES = 4096,    /* of the dictionary */
    OG_DELTA_MAX_OLD = 65536,      /* old files */
    OG_DELTA_MAX_NAME = 4096,      /* bytes of a name */
    OG_DELTA_MAX_TABLE = 64 << 20, /* bytes of the table of old files */
    OG_DELTA_WINDOW_LOG = 24,      /* of zstd: holds block and dictionary */
};

/* Bytes of the roots that are stored. The new one verifies the result of a
 * patch; an old one identifies a file, and a wrong file would not lead to the
 * new root. Small deltas are mostly these bytes. */
enum { OG_DELTA_NEW_ROOT = 8, OG_DELTA_OLD_ROOT = 4 };
enum { OG_DELTA_NEW_ROOT_2 = 16, OG_DELTA_OLD_ROOT_2 = 8 };

struct og_delta_header {
    uint8_t magic[4];
    uint8_t version;
    uint8_t flags;
    uint8_t checksum[4]; /* of everything before the blocks, with this field
                            zero */
    uint8_t new_root[OG_DELTA_NEW_ROOT];
};
_Static_assert(sizeof(struct og_delta_header) == 18, "the drawing says 18");
_Static_assert(offsetof(struct og_delta_header, checksum) == 6, "drawing");
_Static_assert(offsetof(struct og_delta_header, new_root) == 10, "drawing");

struct og_delta_header_2 {
    uint8_t magic[4];
    uint8_t version;
    uint8_t features; /* 0 */
    uint8_t cut_kind;
    uint8_t zero;
    uint8_t table_len[4];
    uint8_t checksum[4]; /* of header and table, with this field zero */
    uint8_t new_root[OG_DELTA_NEW_ROOT_2];
};
_Static_assert(sizeof(struct og_delta_header_2) == 32, "it had 32");
_Static_assert(offsetof(struct og_delta_header_2, table_len) == 8, "drawing");
_Static_assert(offsetof(struct og_delta_header_2, checksum) == 12, "drawing");
_Static_assert(offsetof(struct og_delta_header_2, new_root) == 16, "drawing");

/* The first number of a block: how its payload is packed. */
enum og_delta_packing {
    OG_DELTA_END = 0,
    OG_DELTA_PLAIN = 1,      /* not at all */
    OG_DELTA_ZSTD = 2,       /* zstd */
    OG_DELTA_DICTIONARY = 3, /* zstd, old bytes as its dictionary */
    /* zstd of the new file, with all old files as the dictionary: no numbers
     * follow, and the delta ends with it */
    OG_DELTA_WHOLE = 4,
};

/* The first bytes of every zstd frame, which blocks omit. */
static const uint8_t OG_DELTA_ZSTD_MAGIC[4] = {0x28, 0xb5, 0x2f, 0xfd};

#endif
