#ifndef OG_PHRASES_PHRASE_SET_H
#define OG_PHRASES_PHRASE_SET_H

/*   in:  runs of frequent shingles, with their texts
 *        (lib/phrases/phrase_runs.h)
 *   out: where they occur in a document, word by word
 *        (lib/phrases/phrases.c) */

#include "lib/base/hash_table.h"
#include "lib/fingerprint/shingler.h"

/* A passage that is worth considering. */
struct og_phrase_candidate {
    uint64_t seed;
    uint32_t most, n_tokens; /* the most documents that can contain it */
    uint32_t n;              /* documents that do */
    char *text;
    size_t text_len;
};

/* The best candidates that were offered; of those with one seed the longest. */
struct og_phrase_pool {
    struct og_phrase_candidate *list;
    size_t n, cap, n_kept;
    struct og_hash_table by_seed;
};
void og_phrase_pool_init(struct og_phrase_pool *p, size_t n_kept);
void og_phrase_pool_release(struct og_phrase_pool *p);
og_status og_phrase_pool_add(struct og_phrase_pool *p,
                             const struct og_phrase_candidate *run,
                             og_bytes text, og_error *err);
/* Removes the last of the list. */
void og_phrase_pool_drop(struct og_phrase_pool *p);
/* Sorted by the number of documents that can contain them, and no more than
 * n_kept. */
void og_phrase_pool_sort(struct og_phrase_pool *p);

/* Passages to search for. The tokens of all of them are stored one after the
 * other in `all`. */
struct og_phrase_set {
    struct og_shingler all;
    struct og_shingle_factors key;
    struct og_phrase_place {
        size_t first, n; /* tokens of `all` */
    } * places;
    size_t n, places_cap;
    struct og_hash_table by_first; /* by the fingerprint of their first shingle;
                                      several may have the same */
};
/* From the candidates of the pool, in their order. Left out are parts of longer
 * ones that are in four fifths as many documents, those that consist, for three
 * quarters, of the preceding ones, and those whose tokens cannot be recovered
 * from their text alone. */
og_status og_phrase_set_init(struct og_phrase_set *set,
                             struct og_phrase_pool *pool, og_token_kind kind,
                             uint32_t fold, uint32_t shingle_len,
                             og_error *err);
void og_phrase_set_release(struct og_phrase_set *set);

struct og_phrase_match {
    uint32_t phrase, first; /* its number, and its first token */
    uint32_t n_tokens;
};
/* One per thread; all zero is empty. */
struct og_phrase_matches {
    struct og_phrase_match *list; /* the first occurrence of each passage, in
                                     order */
    size_t n, cap;
    size_t n_covered; /* tokens of the document that some passage covers */
    size_t *next;     /* scratch: a passage is not searched for before this */
    size_t next_cap;
};
void og_phrase_matches_release(struct og_phrase_matches *m);
/* Tokens are compared letter by letter. `doc` has the fingerprints of shingles
 * of the set's length. */
og_status og_phrase_set_find(const struct og_phrase_set *set,
                             const struct og_shingler *doc,
                             struct og_phrase_matches *m, og_error *err);

#endif
