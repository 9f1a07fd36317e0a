#ifndef OG_BASE_PACKING_H
#define OG_BASE_PACKING_H

/* Bytes of formats and messages: appended to a growing buffer, and read from
 * the front of a view that may be untrusted.
 *
 * Numbers of variable length are base 128, low digits first, the high bit set
 * on all but the last byte (LEB128), at most 10 bytes. Fixed ones are
 * little-endian. A reader that reaches the end, or a malformed number, sets
 * `bad` permanently, returns zeros and no longer advances: checking once at the
 * end is enough. */

#include <stdlib.h>

#include "lib/base/bits.h"
#include "lib/base/memory.h"

struct og_pack {
    const og_allocator *allocator;
    uint8_t *data;
    size_t len, cap;
    bool failed; /* out of memory: nothing more is appended */
};

static inline void og_pack_bytes(struct og_pack *p, const void *data,
                                 size_t len)
{
    if (p->failed || len == 0) return;
    if (len > SIZE_MAX - p->len ||
        !OG_GROW(p->allocator, p->data, p->cap, p->len + len)) {
        p->failed = true;
        return;
    }
    memcpy(p->data + p->len, data, len);
    p->len += len;
}

static inline void og_pack_number(struct og_pack *p, uint64_t v)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; v >= 128; v >>= 7)
        bytes[n++] = (uint8_t)(v | 128);
    bytes[n++] = (uint8_t)v;
    og_pack_bytes(p, bytes, n);
}

/* Small numbers of either sign: 0 -1 1 -2 2 become 0 1 2 3 4. */
static inline void og_pack_signed(struct og_pack *p, int64_t v)
{
    og_pack_number(p, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static inline void og_pack_fixed(struct og_pack *p, uint64_t v, size_t len)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    og_pack_bytes(p, bytes, len);
}

static inline void og_pack_release(struct og_pack *p)
{
    OG_UNGROW(p->allocator, p->data, p->cap);
    p->len = 0;
}

struct og_unpacker {
    const uint8_t *at, *end;
    bool bad;
};

static inline size_t og_unpacker_left(const struct og_unpacker *u)
{
    return (size_t)(u->end - u->at);
}

/* NULL if fewer are left. */
static inline const uint8_t *og_take_bytes(struct og_unpacker *u, uint64_t len)
{
    if (u->bad || len > og_unpacker_left(u)) {
        u->bad = true;
        return NULL;
    }
    const uint8_t *p = u->at;
    u->at += len;
    return p;
}

static inline uint64_t og_take_fixed(struct og_unpacker *u, size_t len)
{
    const uint8_t *p = og_take_bytes(u, len);
    uint64_t v = 0;
    for (size_t i = 0; p != NULL && i < len; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static inline uint64_t og_take_number(struct og_unpacker *u)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        const uint8_t *p = og_take_bytes(u, 1);
        if (p == NULL) return 0;
        if (shift == 63 && *p > 1) break; /* more than 64 bits */
        v |= (uint64_t)(*p & 127) << shift;
        if (*p < 128) return v;
    }
    u->bad = true;
    return 0;
}

static inline int64_t og_take_signed(struct og_unpacker *u)
{
    const uint64_t v = og_take_number(u);
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* A name as a C string, to be freed with free(). NULL: no memory. */
static inline char *og_name_copy(const uint8_t *bytes, size_t len)
{
    char *name = malloc(len + 1);
    if (name == NULL) return NULL;
    memcpy(name, bytes, len);
    name[len] = 0;
    return name;
}

/* A name as a C string, for og_name_release(). NULL: no memory. A zero byte in
 * it is made a '?', so that its length is that of the string. */
static inline char *og_name_new(const og_allocator *a, const void *bytes,
                                size_t len)
{
    char *name = og_allocate(a, len + 1);
    if (name == NULL) return NULL;
    memcpy(name, bytes, len);
    for (size_t i = 0; i < len; i++)
        if (name[i] == 0) name[i] = '?';
    name[len] = 0;
    return name;
}

/* NULL is fine. */
static inline void og_name_release(const og_allocator *a, char *name)
{
    if (name != NULL) og_release(a, name, strlen(name) + 1);
}

#endif
