#ifndef OG_TRACE_ORIGIN_CACHE_H
#define OG_TRACE_ORIGIN_CACHE_H

/*   in:  texts that were fetched, and cut into tokens       (lib/trace)
 *   out: the same, for all threads that trace               (lib/trace)
 *
 * One memory for all threads of a store, however many they are. What is in it
 * does not change any more, so it is handed out without a copy; whoever has it
 * gives it back. A clock decides what goes: a hand goes round, passes by what
 * was used since it came last, and what somebody has. */

#include "lib/base/memory.h"
#include "lib/text/text.h"
#include "lib/token/tokens.h"

#include <pthread.h>

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
};

#define OG_ORIGIN_HEADS 4096

struct og_origin_cache {
    const og_allocator *allocator;
    pthread_mutex_t lock;
    struct og_origin_side *heads[OG_ORIGIN_HEADS];
    struct og_origin_side *hand; /* the next one in the ring; NULL: none */
    size_t n, bytes;
    size_t most; /* bytes that are kept beside what somebody has */
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

/* One to be filled in and put; NULL: no memory. And one that is not put. */
struct og_origin_side *og_origin_side_new(uint32_t doc,
                                          const og_allocator *allocator);
void og_origin_side_free(struct og_origin_side *side,
                         const og_allocator *allocator);

#endif
