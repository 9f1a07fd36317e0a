#include "lib/trace/origin_cache.h"

#include <assert.h>
#include <string.h>

#include "lib/base/bits.h"

struct og_origin_side *og_origin_side_new(uint32_t doc,
                                          const og_allocator *allocator)
{
    struct og_origin_side *side = og_allocate_zero(allocator, sizeof(*side));
    if (side != NULL) side->doc = doc;
    return side;
}

void og_origin_side_free(struct og_origin_side *side,
                         const og_allocator *allocator)
{
    if (side == NULL) return;
    og_release(allocator, side->block, side->block_len);
    og_release(allocator, side, sizeof(*side));
}

void og_origin_cache_init(struct og_origin_cache *cache, size_t most,
                          const og_allocator *allocator)
{
    assert(cache->hand == NULL && cache->n == 0 && cache->n_spares == 0);
    cache->allocator = allocator;
    cache->most = most;
    pthread_mutex_init(&cache->lock, NULL);
}

/* ---- the lists; with the lock ---- */

static struct og_origin_side **head_of(struct og_origin_cache *cache,
                                       uint32_t doc)
{
    return &cache->heads[og_mix64(doc) % OG_ORIGIN_HEADS];
}

static struct og_origin_side *find_side(struct og_origin_cache *cache,
                                        uint32_t doc)
{
    struct og_origin_side *side = *head_of(cache, doc);
    while (side != NULL && side->doc != doc)
        side = side->next_same;
    return side;
}

static size_t len_of(const struct og_origin_side *side)
{
    return sizeof(*side) + side->block_len;
}

/* Inserts it just before the hand, which reaches it last. */
static void list_side(struct og_origin_cache *cache,
                      struct og_origin_side *side)
{
    struct og_origin_side **head = head_of(cache, side->doc);
    side->next_same = *head;
    *head = side;
    if (cache->hand == NULL) {
        side->before = side->after = side;
        cache->hand = side;
    } else {
        side->after = cache->hand;
        side->before = cache->hand->before;
        side->before->after = side->after->before = side;
    }
    side->is_listed = true;
    cache->n++;
    cache->bytes += len_of(side);
}

static void unlist_side(struct og_origin_cache *cache,
                        struct og_origin_side *side)
{
    struct og_origin_side **link = head_of(cache, side->doc);
    while (*link != side)
        link = &(*link)->next_same;
    *link = side->next_same;
    if (cache->hand == side) cache->hand = side->after;
    if (cache->hand == side) cache->hand = NULL; /* it was the only one */
    side->before->after = side->after;
    side->after->before = side->before;
    side->is_listed = false;
    cache->n--;
    cache->bytes -= len_of(side);
}

/* ---- spare blocks; with the lock ---- */

/* Shorter blocks are kept by the allocator itself. At most an eighth of the
 * cache may be idle blocks. */
#define LEAST_SPARE  ((size_t)64 << 10)
#define SPARE_EIGHTH 8

/* The others stay in the order in which they came. */
static struct og_spare_block take_spare(struct og_origin_cache *cache,
                                        size_t number)
{
    const struct og_spare_block spare = cache->spares[number];
    cache->n_spares--;
    memmove(&cache->spares[number], &cache->spares[number + 1],
            (cache->n_spares - number) * sizeof(spare));
    cache->spare_bytes -= spare.len;
    cache->bytes -= spare.len;
    return spare;
}

/* Keeps the block of an evicted side, in the place of the oldest ones; the side
 * then has none. */
static void keep_spare(struct og_origin_cache *cache,
                       struct og_origin_side *side)
{
    const size_t most = cache->most / SPARE_EIGHTH;
    if (side->block_len < LEAST_SPARE || side->block_len > most) return;
    while (cache->n_spares == OG_ORIGIN_SPARES ||
           cache->spare_bytes + side->block_len > most) {
        const struct og_spare_block oldest = take_spare(cache, 0);
        og_release(cache->allocator, oldest.data, oldest.len);
    }
    cache->spares[cache->n_spares++] =
        (struct og_spare_block){side->block, side->block_len};
    cache->spare_bytes += side->block_len;
    cache->bytes += side->block_len;
    side->block = NULL;
    side->block_len = 0;
}

/* The shortest that is long enough, and not much longer. */
static bool find_spare(struct og_origin_cache *cache, size_t len,
                       struct og_spare_block *out)
{
    size_t best = OG_ORIGIN_SPARES;
    for (size_t i = 0; i < cache->n_spares; i++)
        if (cache->spares[i].len >= len &&
            cache->spares[i].len - len <= len / 2 &&
            (best == OG_ORIGIN_SPARES ||
             cache->spares[i].len < cache->spares[best].len))
            best = i;
    if (best < OG_ORIGIN_SPARES) *out = take_spare(cache, best);
    return best < OG_ORIGIN_SPARES;
}

bool og_origin_side_reserve(struct og_origin_cache *cache,
                            struct og_origin_side *side, size_t len)
{
    struct og_spare_block block = {NULL, len};
    bool is_found = false;
    if (len >= LEAST_SPARE) {
        pthread_mutex_lock(&cache->lock);
        is_found = find_spare(cache, len, &block);
        pthread_mutex_unlock(&cache->lock);
    }
    if (!is_found) block.data = og_allocate(cache->allocator, len);
    side->block = block.data;
    side->block_len = block.data != NULL ? block.len : 0;
    return block.data != NULL;
}

/* Sides in use stay, so this may free too little; then the cache is larger for
 * a while. */
static void make_room(struct og_origin_cache *cache)
{
    for (size_t i = 2 * cache->n; i > 0 && cache->bytes > cache->most; i--) {
        struct og_origin_side *side = cache->hand;
        cache->hand = side->after;
        if (side->n_users > 0) continue;
        if (side->was_used) {
            side->was_used = false;
            continue;
        }
        unlist_side(cache, side);
        keep_spare(cache, side);
        og_origin_side_free(side, cache->allocator);
    }
}

/* ---- in and out ---- */

void og_origin_cache_release(struct og_origin_cache *cache)
{
    while (cache->hand != NULL) {
        struct og_origin_side *side = cache->hand;
        assert(side->n_users == 0);
        unlist_side(cache, side);
        og_origin_side_free(side, cache->allocator);
    }
    while (cache->n_spares > 0) {
        const struct og_spare_block spare = take_spare(cache, 0);
        og_release(cache->allocator, spare.data, spare.len);
    }
    pthread_mutex_destroy(&cache->lock);
}

struct og_origin_side *og_origin_cache_take(struct og_origin_cache *cache,
                                            uint32_t doc)
{
    pthread_mutex_lock(&cache->lock);
    struct og_origin_side *side = find_side(cache, doc);
    if (side != NULL) {
        side->n_users++;
        side->was_used = true;
    }
    pthread_mutex_unlock(&cache->lock);
    return side;
}

void og_origin_cache_expect(struct og_origin_cache *cache, const uint32_t *docs,
                            size_t n)
{
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(head_of(cache, docs[i]));
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(*head_of(cache, docs[i]), 1);
    pthread_mutex_unlock(&cache->lock);
}

struct og_origin_side *og_origin_cache_put(struct og_origin_cache *cache,
                                           struct og_origin_side *side)
{
    pthread_mutex_lock(&cache->lock);
    struct og_origin_side *known = find_side(cache, side->doc);
    struct og_origin_side *one = known != NULL ? known : side;
    one->n_users++;
    one->was_used = true;
    if (known == NULL) {
        make_room(cache);
        list_side(cache, side);
    }
    pthread_mutex_unlock(&cache->lock);
    if (known != NULL) og_origin_side_free(side, cache->allocator);
    return one;
}

void og_origin_cache_give(struct og_origin_cache *cache,
                          struct og_origin_side *side)
{
    pthread_mutex_lock(&cache->lock);
    const bool is_last = --side->n_users == 0 && !side->is_listed;
    pthread_mutex_unlock(&cache->lock);
    if (is_last) og_origin_side_free(side, cache->allocator);
}

void og_origin_cache_forget(struct og_origin_cache *cache,
                            struct og_origin_side *side)
{
    pthread_mutex_lock(&cache->lock);
    if (side->is_listed) unlist_side(cache, side);
    pthread_mutex_unlock(&cache->lock);
}

/* ---- ancestors ---- */

bool og_origin_cache_recall(struct og_origin_cache *cache, uint32_t doc,
                            struct og_ancestors *out)
{
    pthread_mutex_lock(&cache->lock);
    const struct og_origin_side *side = find_side(cache, doc);
    if (side != NULL) *out = side->ancestors;
    pthread_mutex_unlock(&cache->lock);
    return side != NULL && out->order != 0;
}

void og_origin_cache_remember(struct og_origin_cache *cache, uint32_t doc,
                              const struct og_ancestors *ancestors)
{
    pthread_mutex_lock(&cache->lock);
    struct og_origin_side *side = find_side(cache, doc);
    if (side != NULL) side->ancestors = *ancestors;
    pthread_mutex_unlock(&cache->lock);
}
