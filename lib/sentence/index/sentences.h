#ifndef OG_SENTENCE_INDEX_SENTENCES_H
#define OG_SENTENCE_INDEX_SENTENCES_H

/* The inside of an og_sentences. sentences_open.c opens and closes it,
 * sentences.c takes documents in and keeps images, sentences_ask.c answers. */

#include "lib/sentence/index/sentence_journal.h"
#include "lib/sentence/index/sentence_manifest.h"
#include "lib/sentence/index/sentence_memtable.h"
#include "lib/sentence/index/wordset_list.h"

/* A form that reaches the threshold. */
struct og_found_form {
    uint32_t image; /* n_images: the heap */
    uint32_t form;
    uint32_t n_shared;
    double similarity;
};

/* A sentence that is told, while the answer is being made. */
struct og_found_place {
    int64_t time;
    uint32_t image, sentence;
    size_t found; /* its form */
};

struct og_sentences {
    const og_allocator *allocator;
    char *folder; /* NULL: in memory */
    bool is_writable;
    int lock_fd;
    uint64_t memory;
    struct og_sentence_manifest manifest; /* its images are not kept up */
    struct og_sentence_journal journal;

    struct og_word_reader reader, match_reader;
    struct og_memtable heap;
    struct og_sentence_segment image[OG_IMAGES_MOST]; /* the oldest first */
    uint64_t number[OG_IMAGES_MOST];                  /* 0: not on disk */
    size_t n_images;
    uint64_t n_sentences;
    int64_t latest;

    /* The question at hand, and the answer. */
    struct og_question question;
    size_t *places; /* of the question's words in every image */
    size_t places_cap;
    struct og_wordset_list list;
    struct og_found_form *found;
    size_t n_found, found_cap;
    struct og_found_place *told;
    size_t n_told, told_cap;
    struct og_text_cache cache;
    og_quotes answer;
    og_quote *quotes;
    size_t quotes_cap;
    og_quote_match *matches;
    size_t n_matches, matches_cap;
    og_range *ranges;
    size_t n_ranges, ranges_cap;
    char *texts;
    size_t texts_len, texts_cap;
};

/* Looks for one sentence: fills in `found` with the forms that reach the
 * threshold, in no order, and counts in `list`. */
og_status og_sentences_find(struct og_sentences *s, const uint64_t *words,
                            size_t n_words, const og_quote_options *options,
                            og_error *err);

/* Makes one image of everything. For measurements, and only in memory. */
og_status og_sentences_settle(struct og_sentences *s, og_error *err);

/* The distance that qSign searches for a sentence of n words. */
int og_sentences_distance(const struct og_sentences *s, size_t n_words,
                          const og_quote_options *options);

#endif
