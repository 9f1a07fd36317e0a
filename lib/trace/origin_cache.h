#ifndef OG_TRACE_ORIGIN_CACHE_H
#define OG_TRACE_ORIGIN_CACHE_H

/*   in:  texts that were fetched, and cut into tokens       (lib/trace)
 *   out: the same, for all threads that trace               (lib/trace)
 *
 * A cache holds one part of each document: the hashes of its tokens, or their
 * places and the text, or the text alone (origin_texts.h).
 *
 * One memory for all threads of a store, however many they are. What is in it
 * does not change any more, so it is handed out without a copy; whoever has it
 * gives it back. A clock decides what goes: a hand goes round, passes by what
 * was used since it came last, and what somebody has. */

#include "lib/align/confirm.h"
#include "lib/base/memory.h"
#include "lib/text/text.h"
#include "lib/token/tokens.h"

#include <pthread.h>

/* The documents that hold passages of a document before it: confirm.h. */
struct og_ancestors {
    uint64_t
        order; /* og_store_order() when they were found; 0: they were not */
    uint32_t n;
    uint32_t docs[OG_CONFIRM_ANCESTORS];
};

struct og_origin_side {
    uint32_t doc;
    bool has_text;
    uint32_t oldest; /* segment that the text rests on: og_text_reader_has() */
    char *block;     /* all that the others point to */
    size_t block_len;
    og_bytes source; /* the text as it was given */
    struct og_text text;
    struct og_tokens tokens;
    /* ---- of the cache, under its lock ---- */
    uint32_t n_users;
    bool was_used;                         /* since the hand came by */
    bool is_listed;                        /* else it goes with its last user */
    struct og_origin_side *next_same;      /* with the same hash */
    struct og_origin_side *before, *after; /* in the ring */
    struct og_ancestors ancestors;         /* of the hashes alone */
};

#define OG_ORIGIN_HEADS 16384

/* Long blocks of those that went, for those that come: allocators give such
 * memory back to the system and get it again page by page, which takes longer
 * than to fill it. */
#define OG_ORIGIN_SPARES 16

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
    size_t most; /* bytes that are kept beside what somebody has */
    struct og_spare_block spares[OG_ORIGIN_SPARES];
    size_t n_spares, spare_bytes; /* of `bytes`, too */
};

void og_origin_cache_init(struct og_origin_cache *cache, size_t most,
                          const og_allocator *allocator);
/* Everything was given back. */
void og_origin_cache_release(struct og_origin_cache *cache);

/* Those of a document, to be given back; NULL: it is not here. */
struct og_origin_side *og_origin_cache_take(struct og_origin_cache *cache,
                                            uint32_t doc);
/* A new one, which becomes the cache's. Gives the one that counts, to be given
 * back: another thread may have been faster. */
struct og_origin_side *og_origin_cache_put(struct og_origin_cache *cache,
                                           struct og_origin_side *side);
void og_origin_cache_give(struct og_origin_cache *cache,
                          struct og_origin_side *side);
/* It is not handed out again; whoever has it still gives it back. */
void og_origin_cache_forget(struct og_origin_cache *cache,
                            struct og_origin_side *side);

/* What is known of the ancestors of a document, if the cache has it; and what
 * was found just now. */
bool og_origin_cache_recall(struct og_origin_cache *cache, uint32_t doc,
                            struct og_ancestors *out);
void og_origin_cache_remember(struct og_origin_cache *cache, uint32_t doc,
                              const struct og_ancestors *ancestors);

/* One to be filled in and put; NULL: no memory. Its block, of `len` bytes or
 * more; false: no memory. And one that is not put. */
struct og_origin_side *og_origin_side_new(uint32_t doc,
                                          const og_allocator *allocator);
bool og_origin_side_reserve(struct og_origin_cache *cache,
                            struct og_origin_side *side, size_t len);
void og_origin_side_free(struct og_origin_side *side,
                         const og_allocator *allocator);

#endif
