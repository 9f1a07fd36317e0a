#ifndef OG_SENTENCE_IMAGE_MERGE_H
#define OG_SENTENCE_IMAGE_MERGE_H

#include "lib/sentence/sentence_image.h"

enum { OG_IMAGES_MOST = 48 }; /* in one index, hence in one merge */

/* Makes one image of several, the oldest first: documents stay in their order
 * and equal forms become one. `path` NULL: to memory. Takes 8 bytes of memory
 * for each form and 4 for each word, whatever the length of the texts. */
og_status og_images_merge(const struct og_image *const *images, size_t n,
                          const char *path, const og_allocator *allocator,
                          struct og_image *out, og_error *err);

#endif
