#ifndef OG_STORE_TEXT_TEXT_MEMORY_H
#define OG_STORE_TEXT_TEXT_MEMORY_H

/*   in:  frames of packed texts                   (lib/store/text/texts.c)
 *   out: their bytes, as long as they are kept (lib/store/text/text_reader.c)
 *
 * The segments of a store in memory. They have numbers, as files have; when
 * they take more than they may, the oldest goes, and with it its texts. Any
 * thread may call any of it. */

#include <pthread.h>

#include "lib/base/packing.h"
#include "lib/base/status.h"

struct og_text_memory {
    const og_allocator *allocator;
    pthread_mutex_t lock;
    struct og_pack *segments; /* each of the length that it may have */
    size_t n, cap;
    uint32_t first; /* the number of segments[0] */
    size_t bytes;   /* of all of them */
    size_t most;    /* bytes that they may have */
    uint64_t gone;  /* bytes of frames in those that went */
};

void og_text_memory_init(struct og_text_memory *memory, size_t most,
                         const og_allocator *allocator);
void og_text_memory_release(struct og_text_memory *memory);

/* As og_texts_append(). Frames that have no room even alone go at once. */
og_status og_text_memory_append(struct og_text_memory *memory,
                                const void *frames, size_t len,
                                uint32_t *out_segment, uint64_t *out_base,
                                og_error *err);

/* OG_END: they were kept and are no more. OG_ERR_STORE: no such bytes were
 * kept. */
og_status og_text_memory_read(struct og_text_memory *memory, uint32_t segment,
                              uint64_t off, void *out, size_t len,
                              og_error *err);

/* The oldest segment still there. */
uint32_t og_text_memory_first(struct og_text_memory *memory);

/* Limits their total size from now on. */
void og_text_memory_limit(struct og_text_memory *memory, size_t most);

#endif
