#ifndef OG_SENTENCE_INDEX_SENTENCE_MEMTABLE_H
#define OG_SENTENCE_INDEX_SENTENCE_MEMTABLE_H

/* Sentences that are not in a segment yet: a few thousand, so that a query can
 * scan all of them. */

#include "lib/sentence/index/sentence_segment.h"
#include "lib/sentence/split/sentence_words.h"
#include "lib/stream/phases.h"

#include <origo/document.h>
#include <stdatomic.h>

struct og_memtable_wordset {
    uint64_t hash;
    uint32_t first_word, n_words;
    uint32_t n_places;
    uint32_t first_sentence; /* whose words these are */
};

struct og_memtable {
    const og_allocator *allocator;
    uint32_t signature_bits, word_bits;
    bool no_texts; /* names and texts are in the store */
    struct og_sentence_segment_document *documents;
    struct og_sentence_segment_sentence *sentences;
    struct og_memtable_wordset *wordsets;
    uint64_t *words; /* of the wordsets */
    struct og_word_bitmap *bitmaps;
    struct og_signature *signatures;
    char *names, *texts;
    size_t n_documents, n_sentences, n_wordsets, n_words, names_len, texts_len;
    size_t documents_cap, sentences_cap, wordsets_cap, words_cap, bitmaps_cap,
        signatures_cap, names_cap, texts_cap;
    int64_t latest;
    /* Wordsets by hash, and the number of sentences with a word, up to sentence
     * n_sentences_counted: open addressing. */
    uint32_t *wordset_slots; /* wordset + 1 */
    size_t n_wordset_slots;
    struct og_memtable_count {
        uint64_t word;
        uint64_t n;
    } * count_slots; /* n 0: free */
    size_t n_count_slots, n_counted;
    _Atomic size_t n_sentences_counted;
};

void og_memtable_init(struct og_memtable *memtable,
                      const og_allocator *allocator, uint32_t signature_bits,
                      uint32_t word_bits);
void og_memtable_release(struct og_memtable *memtable);
void og_memtable_clear(struct og_memtable *memtable); /* keeps its memory */

/* Adds a document with its sentences. If memory runs out, the memtable is
 * unchanged. */
og_status og_memtable_add(struct og_memtable *memtable, uint32_t number,
                          const og_document *doc, int64_t time,
                          const struct og_words_read *reader, og_error *err);

/* The same in three steps: _place, of one document after the other, makes room
 * for it and finds its wordsets; _fill, of documents placed and in any order,
 * also at the same time, copies what only they need; then words can be counted,
 * which only queries need. *out_first is the first sentence of the document. */
og_status og_memtable_place(struct og_memtable *memtable, uint32_t number,
                            const og_document *doc, int64_t time,
                            const struct og_words_read *reader,
                            size_t *out_first, og_error *err);
void og_memtable_fill(struct og_memtable *memtable, size_t first,
                      const struct og_words_read *reader);
/* Counts the words of all sentences that were filled. */
og_status og_memtable_count(struct og_memtable *memtable, og_error *err);
/* The same for the document placed last, all before it being counted; its
 * words need not be filled. Room for it is made before it is placed. */
og_status og_memtable_count_room(struct og_memtable *memtable,
                                 const struct og_words_read *reader,
                                 og_error *err);
void og_memtable_count_placed(struct og_memtable *memtable,
                              const struct og_words_read *reader);

/* The number of sentences with this word that were counted. */
uint64_t og_memtable_df(const struct og_memtable *memtable, uint64_t word);
bool og_memtable_has_id(const struct og_memtable *memtable, og_bytes id);
uint64_t og_id_hash(og_bytes id);

/* Builds a segment from it, in memory, in phases. */
og_status og_memtable_build(const struct og_memtable *memtable,
                            const struct og_phases *phases,
                            struct og_sentence_segment *out, og_error *err);

#endif
