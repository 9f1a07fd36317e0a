#ifndef OG_SENTENCE_INDEX_SEGMENT_MERGE_H
#define OG_SENTENCE_INDEX_SEGMENT_MERGE_H

#include "lib/disk/manifest.h"
#include "lib/sentence/index/sentence_segment.h"
#include "lib/stream/phases.h"

/* The most in one index, hence in one merge. */
enum { OG_SENTENCE_SEGMENTS_MOST = OG_SEGMENTS_MOST };

/* Merges several segments, the oldest first, into one: documents stay in their
 * order and equal wordsets become one. `path` NULL: in memory. In phases; the
 * bytes are the same for any number of threads. Takes 4 bytes of memory per
 * wordset and some 400 KiB per thread, whatever the length of the texts. */
og_status
og_sentence_segments_merge(const struct og_sentence_segment *const *segments,
                           size_t n, const char *path,
                           const struct og_phases *phases,
                           const og_allocator *allocator,
                           struct og_sentence_segment *out, og_error *err);

#endif
