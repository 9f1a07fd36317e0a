#ifndef OG_SENTENCE_INDEX_SEGMENT_WRITER_H
#define OG_SENTENCE_INDEX_SEGMENT_WRITER_H

/* Writing an image front to back, part after part, to memory or to a file that
 * appears when it is whole. */

#include "lib/os/new_file.h"
#include "lib/sentence/index/sentence_segment.h"

struct og_sentence_segment_sink;

/* `path` NULL: to memory. */
og_status og_sentence_segment_sink_new(const char *path,
                                       const og_allocator *allocator,
                                       struct og_sentence_segment_sink **out,
                                       og_error *err);
void og_sentence_segment_sink_drop(
    struct og_sentence_segment_sink *sink); /* NULL is fine */

/* Appends to the part at hand. The first failure stays: it is enough to look
 * at the end. */
void og_sink_bytes(struct og_sentence_segment_sink *sink, const void *data,
                   size_t len);
static inline void og_sink_u32(struct og_sentence_segment_sink *sink,
                               uint32_t v)
{
    og_sink_bytes(sink, &v, sizeof(v));
}
static inline void og_sink_u64(struct og_sentence_segment_sink *sink,
                               uint64_t v)
{
    og_sink_bytes(sink, &v, sizeof(v));
}
/* Ends the part at hand; the parts come in the order of their names. */
void og_sink_end_part(struct og_sentence_segment_sink *sink);

/* Fills in lengths and sums of `foot`, whose counts are the caller's, and
 * opens what was written. The sink is gone, whatever the status. */
og_status
og_sentence_segment_sink_finish(struct og_sentence_segment_sink *sink,
                                const struct og_sentence_segment_foot *foot,
                                struct og_sentence_segment *out, og_error *err);

#endif
