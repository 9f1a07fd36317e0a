#ifndef OG_HAMMING_SEGMENT_HEAD_H
#define OG_HAMMING_SEGMENT_HEAD_H

/* The first 2,048 bytes of a run, little-endian as the machine. */

#include "lib/hamming/code_design.h"

#define IMAGE_MAGIC   "origoham"
#define IMAGE_VERSION 1
/* The same with a form in the head, and without tables in the file: they are
 * made of the codes when it is opened. */
#define IMAGE_VERSION_FORM 2
#define IMAGE_ROUND(n)     (((n) + 63) / 64 * 64)

struct image_head {
    char magic[8];
    uint32_t version;
    uint32_t n_bits;
    uint32_t max_distance;
    uint32_t n_tables;
    uint64_t n_codes;   /* different ones */
    uint64_t n_entries; /* ids that count */
    uint64_t n_removed; /* ids that say "no longer" */
    uint64_t ids_len;
    uint64_t file_len;
    uint64_t body_sum; /* of all behind the head */
    uint64_t head_sum; /* of the head with 0 here */
    struct {
        uint64_t mask, radius;
    } table[OG_CODE_TABLES];
    uint32_t form; /* enum og_code_form; version 1: 0 */
    uint8_t zero[940];
};
_Static_assert(sizeof(struct image_head) == 2048, "the head has 2,048 bytes");

uint64_t og_code_segment_sum(const struct image_head *head);

#endif
