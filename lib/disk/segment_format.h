#ifndef OG_DISK_SEGMENT_FORMAT_H
#define OG_DISK_SEGMENT_FORMAT_H

/* The byte layout of lib/disk/segment_file.h: numbers are little-endian. */

#include "lib/base/bits.h"
#include "lib/base/status.h"

#define OG_SEGMENT_HEAD_MAGIC "origoseg"
#define OG_SEGMENT_FOOT_MAGIC "origofin"

enum { OG_SEGMENT_LINE = 64 };

struct og_segment_file_head {
    char magic[8];
    char kind[8];
    uint32_t version;
    uint8_t zero[36];
    uint64_t checksum; /* of everything before it */
};
_Static_assert(sizeof(struct og_segment_file_head) == OG_SEGMENT_LINE,
               "drawn in segment_file.h");

struct og_segment_file_section {
    uint64_t off, len;
    uint64_t checksum; /* includes the zeros after it */
    uint64_t zero;
};

struct og_segment_file_foot {
    char magic[8];
    uint64_t n_sections;
    uint64_t directory_off, directory_sum;
    uint64_t file_len;
    uint64_t head_sum;
    uint64_t zero;
    uint64_t checksum; /* of everything before it */
};
_Static_assert(sizeof(struct og_segment_file_foot) == OG_SEGMENT_LINE,
               "drawn in segment_file.h");

static inline uint64_t og_segment_rounded(uint64_t len)
{
    return (len + OG_SEGMENT_LINE - 1) / OG_SEGMENT_LINE * OG_SEGMENT_LINE;
}

#endif
