#ifndef OG_DELTA_DELTA_FORMAT_H
#define OG_DELTA_DELTA_FORMAT_H

/* The bytes of a delta; docs/format-delta.md draws and explains them.
 *
 *     header      32 bytes, below
 *     table       table_len bytes: chunk sizes, the length of the new file, and
 *                 for each old file its name (a hint), its length and the
 *                 beginning of its root
 *     blocks      each: a head of numbers, dictionary ranges, packed bytes
 *     end         one byte 0
 */

#include <stddef.h>
#include <stdint.h>

#define OG_DELTA_MAGIC   "oDLT"
#define OG_DELTA_VERSION 2

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

/* Bytes of the roots that are kept. The new one is what a patch must come to,
 * and is the proof of it; an old one finds a file, and a wrong file would not
 * come to the new root. Small deltas are mostly these bytes. */
enum { OG_DELTA_NEW_ROOT = 16, OG_DELTA_OLD_ROOT = 8 };

struct og_delta_header {
    uint8_t magic[4];
    uint8_t version;
    uint8_t features;
    uint8_t cut_kind;
    uint8_t zero;
    uint8_t table_len[4];
    uint8_t checksum[4]; /* of header and table, with this field zero */
    uint8_t new_root[OG_DELTA_NEW_ROOT];
};
_Static_assert(sizeof(struct og_delta_header) == 32, "the drawing says 32");
_Static_assert(offsetof(struct og_delta_header, table_len) == 8, "drawing");
_Static_assert(offsetof(struct og_delta_header, checksum) == 12, "drawing");
_Static_assert(offsetof(struct og_delta_header, new_root) == 16, "drawing");

/* The first number of a block: what its payload is packed with. */
enum og_delta_packing {
    OG_DELTA_END = 0,
    OG_DELTA_PLAIN = 1,      /* not at all */
    OG_DELTA_ZSTD = 2,       /* zstd */
    OG_DELTA_DICTIONARY = 3, /* zstd, old bytes as its dictionary */
};

/* What every frame of zstd begins with, and a block leaves out. */
static const uint8_t OG_DELTA_ZSTD_MAGIC[4] = {0x28, 0xb5, 0x2f, 0xfd};

#endif
