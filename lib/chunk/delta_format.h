#ifndef OG_CHUNK_DELTA_FORMAT_H
#define OG_CHUNK_DELTA_FORMAT_H

/* The bytes of a delta; docs/format-delta.md draws and explains them.
 *
 *     header      80 bytes, below
 *     old table   old_table_len bytes: for each old file its name (a hint),
 *                 its length and its root
 *     blocks      each: a head of numbers, dictionary ranges, packed bytes
 *     end         one byte 0
 */

#include <stddef.h>
#include <stdint.h>

#define OG_DELTA_MAGIC   "origoDLT"
#define OG_DELTA_VERSION 1

/* Features that a reader must know; there are none yet. */
#define OG_DELTA_KNOWN_FEATURES 0

/* What one block may ask of a reader's memory. */
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

struct og_delta_header {
    uint8_t magic[8];
    uint8_t version[2];
    uint8_t features[2];
    uint8_t cut_kind;
    uint8_t zero[3];
    uint8_t cut_min[4];
    uint8_t cut_average[4];
    uint8_t cut_max[4];
    uint8_t old_table_len[4];
    uint8_t new_len[8];
    uint8_t new_root[32];
    uint8_t checksum[8]; /* of header and table, with this field zero */
};
_Static_assert(sizeof(struct og_delta_header) == 80, "the drawing says 80");
_Static_assert(offsetof(struct og_delta_header, cut_min) == 16, "drawing");
_Static_assert(offsetof(struct og_delta_header, new_len) == 32, "drawing");
_Static_assert(offsetof(struct og_delta_header, new_root) == 40, "drawing");
_Static_assert(offsetof(struct og_delta_header, checksum) == 72, "drawing");

/* The first number of a block: what its payload is packed with. */
enum og_delta_packing {
    OG_DELTA_END = 0,
    OG_DELTA_PLAIN = 1,      /* not at all */
    OG_DELTA_ZSTD = 2,       /* zstd */
    OG_DELTA_DICTIONARY = 3, /* zstd, old bytes as its dictionary */
};

#endif
