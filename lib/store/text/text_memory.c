#include "lib/store/text/text_memory.h"

#include <string.h>

/* A sixteenth of what there is goes at a time, or so. */
#define SEGMENTS      16
#define LEAST_SEGMENT ((size_t)64 << 10)
#define MOST_SEGMENT  ((size_t)4 << 20)
/* Places count from here, as in a file: 0 is none. */
#define SEGMENT_BEGIN 64

void og_text_memory_init(struct og_text_memory *memory, size_t most,
                         const og_allocator *allocator)
{
    *memory = (struct og_text_memory){
        .allocator = allocator, .first = 1, .most = most};
    pthread_mutex_init(&memory->lock, NULL);
}

void og_text_memory_release(struct og_text_memory *memory)
{
    for (size_t i = 0; i < memory->n; i++)
        og_pack_release(&memory->segments[i]);
    OG_UNGROW(memory->allocator, memory->segments, memory->cap);
    pthread_mutex_destroy(&memory->lock);
}

/* The caller holds the lock, here and below. */
static void drop_oldest(struct og_text_memory *m)
{
    m->bytes -= m->segments[0].cap;
    m->gone += m->segments[0].len;
    og_pack_release(&m->segments[0]);
    m->n--;
    m->first++;
    memmove(m->segments, m->segments + 1, m->n * sizeof(*m->segments));
}

static void drop_until(struct og_text_memory *m, size_t most)
{
    while (m->n > 0 && m->bytes > most)
        drop_oldest(m);
}

static size_t segment_len(const struct og_text_memory *m)
{
    const size_t len = m->most / SEGMENTS;
    if (len < LEAST_SEGMENT) return LEAST_SEGMENT;
    return len < MOST_SEGMENT ? len : MOST_SEGMENT;
}

/* To the byte: what is not written is not touched either. */
static og_status begin_segment(struct og_text_memory *m, size_t least,
                               og_error *err)
{
    const size_t usual = segment_len(m);
    const size_t len = least > usual ? least : usual;
    struct og_pack segment = {.allocator = m->allocator};
    drop_until(m, m->most > len ? m->most - len : 0);
    if (!OG_GROW(m->allocator, m->segments, m->cap, m->n + 1))
        return og_error_memory(err, m->n * sizeof(*m->segments), "texts");
    segment.data = og_allocate(m->allocator, len);
    if (segment.data == NULL) return og_error_memory(err, len, "texts");
    segment.cap = len;
    m->segments[m->n++] = segment;
    m->bytes += len;
    return OG_OK;
}

og_status og_text_memory_append(struct og_text_memory *memory,
                                const void *frames, size_t len,
                                uint32_t *out_segment, uint64_t *out_base,
                                og_error *err)
{
    og_status status = OG_OK;
    pthread_mutex_lock(&memory->lock);
    const struct og_pack *last =
        memory->n > 0 ? &memory->segments[memory->n - 1] : NULL;
    if (last == NULL || last->cap - last->len < len)
        status = begin_segment(memory, len, err);
    if (status == OG_OK) {
        struct og_pack *segment = &memory->segments[memory->n - 1];
        *out_segment = memory->first + (uint32_t)memory->n - 1;
        *out_base = SEGMENT_BEGIN + segment->len;
        if (len > 0) memcpy(segment->data + segment->len, frames, len);
        segment->len += len;
        drop_until(memory, memory->most);
    }
    pthread_mutex_unlock(&memory->lock);
    return status;
}

og_status og_text_memory_read(struct og_text_memory *memory, uint32_t segment,
                              uint64_t off, void *out, size_t len,
                              og_error *err)
{
    og_status status = OG_OK;
    pthread_mutex_lock(&memory->lock);
    const struct og_pack *from =
        segment >= memory->first && segment - memory->first < memory->n
            ? &memory->segments[segment - memory->first]
            : NULL;
    if (segment < memory->first)
        status = OG_END;
    else if (from == NULL || off < SEGMENT_BEGIN ||
             off - SEGMENT_BEGIN > from->len ||
             len > from->len - (off - SEGMENT_BEGIN))
        status = og_error_set(err, OG_ERR_STORE,
                              "texts in memory: no frame is in segment %u, "
                              "byte %llu",
                              segment, (unsigned long long)off);
    else if (len > 0)
        memcpy(out, from->data + (off - SEGMENT_BEGIN), len);
    pthread_mutex_unlock(&memory->lock);
    return status;
}

void og_text_memory_limit(struct og_text_memory *memory, size_t most)
{
    pthread_mutex_lock(&memory->lock);
    memory->most = most;
    drop_until(memory, most);
    pthread_mutex_unlock(&memory->lock);
}

uint32_t og_text_memory_first(struct og_text_memory *memory)
{
    pthread_mutex_lock(&memory->lock);
    const uint32_t first = memory->first;
    pthread_mutex_unlock(&memory->lock);
    return first;
}
