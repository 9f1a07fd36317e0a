#ifndef OG_SENTENCE_INDEX_SEGMENT_PARTS_H
#define OG_SENTENCE_INDEX_SEGMENT_PARTS_H

/* Parts of a segment that are written in the same way from a memtable and from
 * other segments: the directory of words, the signatures and their tables. */

#include "lib/sentence/index/sentence_segment.h"

/* How many words are below each prefix of n_bits bits. */
struct og_directory {
    const og_allocator *allocator;
    unsigned n_bits;
    uint32_t *counts; /* 2^n_bits + 1 */
};
og_status og_directory_init(struct og_directory *directory, uint64_t n_words,
                            const og_allocator *allocator, og_error *err);
void og_directory_release(struct og_directory *directory);
static inline void og_directory_add(struct og_directory *d, uint64_t word)
{
    d->counts[(d->n_bits == 0 ? 0 : word >> (64 - d->n_bits)) + 1]++;
}
/* A whole part. */
void og_directory_write(struct og_directory *directory,
                        struct og_segment_writer *sink);

/* Two parts: the signatures, and the table of each 16 bits of them. */
og_status
og_write_signatures(struct og_segment_writer *sink, uint32_t signature_bits,
                    size_t n_forms, const void *ctx,
                    struct og_signature (*signature)(const void *, size_t),
                    const og_allocator *allocator, og_error *err);

static inline uint32_t og_signature_part(const struct og_signature *s,
                                         unsigned part)
{
    return (uint32_t)(s->half[part / 4] >> 16 * (part % 4)) & 0xffff;
}

#endif
