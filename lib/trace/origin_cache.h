#ifndef OG_TRACE_ORIGIN_CACHE_H
#define OG_TRACE_ORIGIN_CACHE_H

/*   in:  texts that were fetched, and cut into tokens       (lib/trace)
 *   out: the same, for all threads that trace               (lib/trace)
 *
 * A cache holds one part of each document: the hashes of its tokens, or their
 * places and the text, or the text alone (origin_texts.h).
 *
 * One memory for all threads of a store, however many there are. Its entries do
 * not change, so they are handed out without a copy; each user releases what it
 * took. Eviction is by the clock algorithm: a hand goes round and skips entries
 * that were used since its last visit, and those in use. */

#include "lib/align/confirm.h"
#include "lib/base/memory.h"
#include "lib/text/text.h"
#include "lib/token/tokens.h"

#include <pthread.h>

/* Documents that a table names for the fingerprints of one; a few have more. */
#define OG_NAMED 64

/* Earlier documents that hold passages of a document: confirm.h. */
struct og_ancestors {
    uint64_t
        order; /* og_store_order() when they were found; 0: not found yet */
    uint32_t n;
    uint32_t docs[OG_CONFIRM_ANCESTORS];
    /* Whom the table named, ancestors or not, and the document itself: slots of
     * og_store.changed. More than fit: any change is taken for one of these. */
    uint32_t n_named;
    uint16_t named[OG_NAMED];
};

/* What a look-up reads comes first: it is rarely in the processor's caches. */
struct og_origin_side {
    uint32_t doc;
    /* ---- the cache's own, under its lock ---- */
    uint32_t n_users;
    struct og_origin_side *next_same; /* with the same hash */
    bool was_used;                    /* since the hand came by */
    bool is_listed;                   /* else freed by its last user */
    /* ---- the users' ---- */
    bool has_text;
    uint32_t oldest; /* segment that the text needs: og_text_reader_has() */
    char *block;     /* memory of all that the others point to */
    size_t block_len;
    struct og_tokens tokens;
    uint32_t *samples; /* of these: lib/align/text_seeds.h */
    og_bytes source;
    /* the text as it was given */
    struct og_text text;
    /* ---- the cache's own ---- */
    struct og_origin_side *before, *after; /* in the ring */
    struct og_ancestors ancestors;         /* only in the cache of hashes */
};

#define OG_ORIGIN_HEADS 16384

/* Long blocks of evicted entries, for new ones: allocators return such memory
 * to the system and get it again page by page, which takes longer than to fill
 * it. */
#define OG_ORIGIN_SPARES 64

struct og_spare_block {
    char *data;
    size_t len;
};

struct og_origin_cache {
    const og_allocator *allocator;
    pthread_mutex_t lock;
    struct og_origin_side *heads[OG_ORIGIN_HEADS];
    struct og_origin_side *hand; /* the next one in the ring; NULL: none */
    size_t n, bytes;
    size_t most; /* limit of bytes; entries in use may exceed it */
    struct og_spare_block spares[OG_ORIGIN_SPARES];
    size_t n_spares, spare_bytes; /* included in `bytes` */
};

/* In memory that is zero, as after og_origin_cache_release(): pages of `heads`
 * that are not used are never touched. */
void og_origin_cache_init(struct og_origin_cache *cache, size_t most,
                          const og_allocator *allocator);
/* Every entry must have been given back. */
void og_origin_cache_release(struct og_origin_cache *cache);

/* The entry of a document, to be given back; NULL: not cached. */
struct og_origin_side *og_origin_cache_take(struct og_origin_cache *cache,
                                            uint32_t doc);
/* Prefetches what _take reads of these documents. */
void og_origin_cache_expect(struct og_origin_cache *cache, const uint32_t *docs,
                            size_t n);
/* Adds an entry, which becomes the cache's. Returns the one to use, to be given
 * back: another thread may have added one first, and then `side` is freed. */
struct og_origin_side *og_origin_cache_put(struct og_origin_cache *cache,
                                           struct og_origin_side *side);
void og_origin_cache_give(struct og_origin_cache *cache,
                          struct og_origin_side *side);
/* The entry is not handed out again; its users must still give it back. */
void og_origin_cache_forget(struct og_origin_cache *cache,
                            struct og_origin_side *side);

/* Gets the known ancestors of a document, false if there are none; and stores
 * those that were just found. Both need the document in the cache. */
bool og_origin_cache_recall(struct og_origin_cache *cache, uint32_t doc,
                            struct og_ancestors *out);
void og_origin_cache_remember(struct og_origin_cache *cache, uint32_t doc,
                              const struct og_ancestors *ancestors);

/* An entry to be filled in and put; NULL: no memory. Its block, of `len` bytes
 * or more; false: no memory. Frees one that is not put. */
struct og_origin_side *og_origin_side_new(uint32_t doc,
                                          const og_allocator *allocator);
bool og_origin_side_reserve(struct og_origin_cache *cache,
                            struct og_origin_side *side, size_t len);
void og_origin_side_free(struct og_origin_side *side,
                         const og_allocator *allocator);

#endif
