#ifndef OG_SENTENCE_INDEX_SEGMENT_PARTS_H
#define OG_SENTENCE_INDEX_SEGMENT_PARTS_H

/* The tables of a segment's signatures: a counting sort of its wordsets by
 * every 16 bits. */

#include "lib/disk/segment_placed.h"
#include "lib/sentence/index/sentence_segment.h"

static inline uint32_t og_signature_part(const struct og_signature *s,
                                         unsigned part)
{
    return (uint32_t)(s->half[part / 4] >> 16 * (part % 4)) & 0xffff;
}

/* Writes table `table` of a segment whose signatures are written. */
og_status og_signature_table_write(const struct og_placed_segment *placed,
                                   const struct og_sentence_totals *totals,
                                   unsigned table, og_error *err);

#endif
