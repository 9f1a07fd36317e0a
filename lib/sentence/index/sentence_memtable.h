#ifndef OG_SENTENCE_INDEX_SENTENCE_MEMTABLE_H
#define OG_SENTENCE_INDEX_SENTENCE_MEMTABLE_H

/* Sentences that are not in a segment yet: a few thousand, so that a query can
 * scan all of them. */

#include "lib/sentence/index/sentence_segment.h"
#include "lib/sentence/split/sentence_words.h"

#include <origo/document.h>

struct og_memtable_wordset {
    uint64_t hash;
    uint32_t first_word, n_words;
    uint32_t n_places;
};

struct og_memtable {
    const og_allocator *allocator;
    uint32_t signature_bits, word_bits;
    bool no_texts; /* names and texts are in the store */
    struct og_sentence_segment_document *documents;
    struct og_sentence_segment_sentence *sentences;
    struct og_memtable_wordset *forms;
    uint64_t *words; /* of the forms */
    struct og_word_bitmap *bitmaps;
    struct og_signature *signatures;
    char *names, *texts;
    size_t n_documents, n_sentences, n_forms, n_words, names_len, texts_len;
    size_t documents_cap, sentences_cap, forms_cap, words_cap, bitmaps_cap,
        signatures_cap, names_cap, texts_cap;
    int64_t latest;
    /* Forms by hash, and the number of sentences with a word: open
     * addressing. */
    uint32_t *form_slots; /* form + 1 */
    size_t n_form_slots;
    struct og_memtable_count {
        uint64_t word;
        uint64_t n;
    } * count_slots; /* n 0: free */
    size_t n_count_slots, n_counted;
};

void og_memtable_init(struct og_memtable *heap, const og_allocator *allocator,
                      uint32_t signature_bits, uint32_t word_bits);
void og_memtable_release(struct og_memtable *heap);
void og_memtable_clear(struct og_memtable *heap); /* keeps its memory */

/* Adds a document with its sentences. If memory runs out, the memtable is
 * unchanged. */
og_status og_memtable_add(struct og_memtable *heap, uint32_t number,
                          const og_document *doc, int64_t time,
                          const struct og_words_read *reader, og_error *err);

uint64_t og_memtable_df(const struct og_memtable *heap, uint64_t word);
bool og_memtable_has_id(const struct og_memtable *heap, og_bytes id);
uint64_t og_id_hash(og_bytes id);

/* Builds a segment from it, in memory. */
og_status og_memtable_build(const struct og_memtable *heap,
                            struct og_sentence_segment *out, og_error *err);

#endif
