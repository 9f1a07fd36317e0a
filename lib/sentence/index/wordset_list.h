#ifndef OG_SENTENCE_INDEX_WORDSET_LIST_H
#define OG_SENTENCE_INDEX_WORDSET_LIST_H

/* Candidate wordsets. */

#include "lib/sentence/index/sentence_segment.h"

struct og_wordset_list {
    const og_allocator *allocator;
    uint32_t *wordsets;
    size_t n, cap;
    uint64_t n_seen;     /* that were examined */
    uint64_t limit;      /* of n_seen */
    uint64_t n_skipped;  /* left out by a limit */
    uint64_t n_kept;     /* candidates, in all segments so far */
    uint64_t most_kept;  /* the most candidates */
    uint64_t n_compared; /* word by word */
    bool no_memory;
};

/* Wordsets with one of the rarest words of the query whose bitmaps do not
 * exclude them; may be repeated. `places` are the indices of the rarest words
 * in the segment (n_words: not there). */
void og_find_by_words(const struct og_sentence_segment *segment,
                      const struct og_question *question, const size_t *places,
                      struct og_wordset_list *list);

/* Wordsets whose signatures are within max_distance bits; may be repeated. */
void og_find_by_signature(const struct og_sentence_segment *segment,
                          const struct og_signature *signature,
                          unsigned max_distance, struct og_wordset_list *list);

/* The same for an array of them: examines every wordset, whatever the limit. */
void og_scan_bitmaps(const struct og_word_bitmap *bitmaps, size_t n,
                     const struct og_question *question,
                     struct og_wordset_list *list);
void og_scan_signatures(const struct og_signature *signatures, size_t n,
                        const struct og_signature *signature,
                        unsigned max_distance, struct og_wordset_list *list);

/* Cuts the list to most_kept and counts the rest: for each segment, after
 * sorting. */
void og_wordset_list_cut(struct og_wordset_list *list);

/* Ascending, each once. */
void og_wordset_list_sort(struct og_wordset_list *list);

#endif
