#ifndef OG_SENTENCE_INDEX_OLD_SENTENCE_SEGMENT_H
#define OG_SENTENCE_INDEX_OLD_SENTENCE_SEGMENT_H

/* Segments of the first layout: the parts, then a footer of 512 bytes with
 * their offsets, the totals and two checksums. They are read, and replaced by
 * today's layout when they are merged. Version 1 had no marks; up to version 2
 * documents had no numbers, and names and texts were always there. */

#include "lib/sentence/index/sentence_segment.h"

#define OG_OLD_SEGMENT_MAGIC UINT64_C(0x31746e65736f676f) /* "ogosent1" */

enum { OG_OLD_SEGMENT_VERSION = 3, OG_OLD_SEGMENT_PARTS = OG_PART_TOTALS };

struct og_old_sentence_foot {
    struct {
        uint64_t off, len; /* bytes, without the padding after them */
    } part[OG_OLD_SEGMENT_PARTS];
    uint64_t n_documents, n_sentences, n_wordsets, n_keys, n_words, n_blocks;
    uint64_t text_len;
    int64_t latest;
    uint32_t directory_bits;
    uint32_t signature_bits, word_bits;
    uint32_t version;
    uint64_t file_len;
    uint64_t body_sum; /* of everything before the footer */
    uint64_t magic;
    uint64_t no_texts;
    uint64_t unused[11];
    uint64_t foot_sum; /* of the footer with 0 here */
};
_Static_assert(sizeof(struct og_old_sentence_foot) == 512, "the file's form");

uint64_t og_old_sentence_foot_sum(const struct og_old_sentence_foot *foot);

/* og_segment_kind.open_old: sections as in enum og_sentence_segment_part,
 * except for the totals. */
og_status og_sentence_segment_open_old(struct og_segment_file *file,
                                       const char *name, og_error *err);
/* The totals of such a file. */
void og_sentence_segment_old_totals(const struct og_segment_file *file,
                                    struct og_sentence_totals *out);

#endif
