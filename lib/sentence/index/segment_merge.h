#ifndef OG_SENTENCE_INDEX_SEGMENT_MERGE_H
#define OG_SENTENCE_INDEX_SEGMENT_MERGE_H

#include "lib/disk/manifest.h"
#include "lib/sentence/index/sentence_segment.h"

/* In one index, hence in one merge. */
enum { OG_IMAGES_MOST = OG_SEGMENTS_MOST };

/* Makes one image of several, the oldest first: documents stay in their order
 * and equal forms become one. `path` NULL: to memory. Takes 8 bytes of memory
 * for each form and 4 for each word, whatever the length of the texts. */
og_status
og_sentence_segments_merge(const struct og_sentence_segment *const *images,
                           size_t n, const char *path,
                           const og_allocator *allocator,
                           struct og_sentence_segment *out, og_error *err);

#endif
