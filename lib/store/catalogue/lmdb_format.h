#ifndef OG_STORE_CATALOGUE_LMDB_FORMAT_H
#define OG_STORE_CATALOGUE_LMDB_FORMAT_H

/* LMDB's format 1 on 64 bits, in the byte order of the machine, as far as it
 * takes to find all pages and what is in them:
 *
 *     page     0  page number  8      head    0  magic 0xBEEFC0DE       4
 *              8  pad          2              4  format 1               4
 *             10  flags        2              8  address, map length   16
 *             12  lower, upper 4             24  two trees, 48 bytes each
 *             16  the head, or              120  last page in use       8
 *                 offsets of nodes, 2 each  128  transaction            8
 *
 *     tree     0  pad 4, flags 2, depth 2, pages 24, entries 8, root 8
 *     node     0  value length 4, flags 2, key length 2, key, value;
 *                 in a branch the first 6 bytes are the page below
 *
 * A long value lies on pages of its own, the first of which has their number at
 * 12; a value can be a tree, or a small page of values that share a key. Values
 * of one length form an array (LEAF2), `pad` bytes each. */

#include <string.h>

#include "lib/base/packing.h"

enum {
    OG_LMDB_PAGE = 4096, /* the smallest page size */
    OG_LMDB_MOST_PAGE = 1 << 16,
    OG_LMDB_FORMAT = 1,
    OG_LMDB_HEAD_AT = 16,
    OG_LMDB_HEAD_LEN = 136,
    OG_LMDB_PAGE_HEAD = 16,
    OG_LMDB_NODE_HEAD = 8,
    OG_LMDB_TREE_LEN = 48,
    OG_LMDB_TREE_FLAGS_AT = 4,
    OG_LMDB_ROOT_AT = 40,
    OG_LMDB_MOST_DEPTH = 64,
};
#define OG_LMDB_MAGIC   0xBEEFC0DEu
#define OG_LMDB_NO_PAGE UINT64_MAX

/* Flags of pages, nodes and trees. */
enum {
    OG_LMDB_BRANCH = 1,
    OG_LMDB_LEAF = 2,
    OG_LMDB_OVERFLOW = 4,
    OG_LMDB_LEAF2 = 32,
};
enum { OG_LMDB_BIG = 1, OG_LMDB_TREE = 2, OG_LMDB_DUPLICATES = 4 };
enum { OG_LMDB_INTEGER_KEYS = 8 };

/* LMDB's numbers, and the integer keys and values that it sorts. */
static inline unsigned og_lmdb_u16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint32_t og_lmdb_u32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t og_lmdb_u64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

/* The head of a node. The length of its value is in two halves, in the byte
 * order of the machine, so that they form one number; in a branch the flags are
 * the third part of the number of the page below. */
static inline unsigned og_lmdb_node_flags(const uint8_t *node)
{
    return og_lmdb_u16(node + 4);
}

static inline uint64_t og_lmdb_key_len(const uint8_t *node)
{
    return og_lmdb_u16(node + 6);
}

static inline uint64_t og_lmdb_page_below(const uint8_t *node)
{
    return og_lmdb_u32(node) | (uint64_t)og_lmdb_node_flags(node) << 32;
}

/* For pages and small pages: `len` bytes with a valid head and `lower`. */
static inline bool og_lmdb_is_page(const uint8_t *page, uint64_t len,
                                   unsigned *out_flags, uint64_t *out_n)
{
    const unsigned flags = og_lmdb_u16(page + 10);
    const uint64_t pad = og_lmdb_u16(page + 8);
    const uint64_t lower = og_lmdb_u16(page + 12);
    const uint64_t upper = og_lmdb_u16(page + 14);
    *out_flags = flags & (OG_LMDB_BRANCH | OG_LMDB_LEAF | OG_LMDB_LEAF2);
    *out_n = (lower - OG_LMDB_PAGE_HEAD) / 2;
    if (lower < OG_LMDB_PAGE_HEAD || lower > len || upper > len) return false;
    if (*out_flags == (OG_LMDB_LEAF | OG_LMDB_LEAF2))
        return OG_LMDB_PAGE_HEAD + *out_n * pad <= len;
    return (*out_flags == OG_LMDB_LEAF || *out_flags == OG_LMDB_BRANCH) &&
           lower <= upper;
}

#endif
