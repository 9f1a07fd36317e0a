#ifndef OG_SENTENCE_SPLIT_SENTENCE_WORDS_H
#define OG_SENTENCE_SPLIT_SENTENCE_WORDS_H

/*   in:  the text of a document                              (lib/source)
 *   out: its sentences, each with the set of its words       (lib/sentence)
 *
 * A word is a token of the text, or its stem; stop words are left out on
 * request, unless there is nothing else. Scripts without spaces do not separate
 * words, so every two adjacent characters count as one. A sentence without any
 * words (of emoji, say) has its symbols as words. */

#include "lib/sentence/split/split.h"
#include "lib/sketch/features/stem.h"
#include "lib/sketch/features/stop.h"
#include "lib/token/tokens.h"

/* A word is 64 mixed bits. Indexes keep its upper half, the key. */
static inline uint32_t og_word_key(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

struct og_word_place { /* position of a word */
    uint64_t word;
    uint32_t begin, end;
};

struct og_read_sentence {
    uint32_t begin, end;        /* in the text */
    uint32_t n_words, n_places; /* distinct ones; all */
    uint64_t hash;              /* of the set of its words */
    size_t first_word, first_place;
};

struct og_word_reader {
    const og_allocator *allocator;
    struct og_stop_set *stop;     /* NULL: none are left out */
    struct og_stemming *stemming; /* NULL: no stemming */
    struct og_splitter splitter;
    struct og_text text;
    struct og_tokens tokens;
    struct og_read_sentence *sentences;
    size_t n, sentences_cap;
    uint64_t *words; /* of all sentences, ascending in each */
    size_t n_words, words_cap;
    struct og_word_place *places; /* in the order of the text */
    size_t n_places, places_cap;
    size_t n_repaired;
};

/* The words of a text, wherever they are kept. */
struct og_words_read {
    const struct og_read_sentence *sentences;
    size_t n;
    const uint64_t *words;
    size_t n_words;
    const struct og_word_place *places;
    size_t n_places;
    size_t n_cut, n_repaired;
};

/* For qsort() and bsearch() of words. */
int og_compare_words(const void *a, const void *b);

/* Languages, or NULL. OG_ERR_USAGE lists the supported ones. */
og_status og_word_reader_init(struct og_word_reader *reader, const char *stop,
                              const char *stem, const og_allocator *allocator,
                              og_error *err);
void og_word_reader_release(struct og_word_reader *reader);

/* After a long text: clears the content and frees its memory. */
void og_word_reader_trim(struct og_word_reader *reader);

/* Replaces the content by the sentences of `text`. */
og_status og_word_reader_read(struct og_word_reader *reader, og_bytes text,
                              og_error *err);
/* The content, until the next text is read. */
struct og_words_read og_word_reader_view(const struct og_word_reader *reader);
/* Reads the whole text as one sentence. */
og_status og_word_reader_read_one(struct og_word_reader *reader, og_bytes text,
                                  og_error *err);

#endif
