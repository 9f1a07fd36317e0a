#ifndef OG_SENTENCE_SPLIT_SENTENCE_WORDS_H
#define OG_SENTENCE_SPLIT_SENTENCE_WORDS_H

/*   in:  the text of a document                              (lib/source)
 *   out: its sentences, each with the set of its words       (lib/sentence)
 *
 * A word is a token of the text, or its stem; stop words are left out when
 * asked for, unless nothing else is there. Scripts without spaces have no
 * words to see, so two characters in a row count as one, at every place. A
 * sentence without any word (of emoji, say) has its symbols for words. */

#include "lib/sentence/split/split.h"
#include "lib/sketch/features/stem.h"
#include "lib/sketch/features/stop.h"
#include "lib/token/tokens.h"

/* A word is 64 mixed bits. Indexes keep the upper half of it, its key. */
static inline uint32_t og_word_key(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

struct og_word_place { /* where a word is in the text */
    uint64_t word;
    uint32_t begin, end;
};

struct og_read_sentence {
    uint32_t begin, end;        /* in the text */
    uint32_t n_words, n_places; /* different ones; all */
    size_t first_word, first_place;
};

struct og_word_reader {
    const og_allocator *allocator;
    struct og_stop_set *stop;     /* NULL: none are left out */
    struct og_stemming *stemming; /* NULL: words as they are */
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

/* What was read of a text, wherever it is kept. */
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

/* Languages, or NULL. OG_ERR_USAGE names those there are. */
og_status og_word_reader_init(struct og_word_reader *reader, const char *stop,
                              const char *stem, const og_allocator *allocator,
                              og_error *err);
void og_word_reader_release(struct og_word_reader *reader);

/* After a long text: what it held goes, with the memory for it. */
void og_word_reader_trim(struct og_word_reader *reader);

/* Replaces what it held by the sentences of `text`. */
og_status og_word_reader_read(struct og_word_reader *reader, og_bytes text,
                              og_error *err);
/* What it holds, until it reads again. */
struct og_words_read og_word_reader_view(const struct og_word_reader *reader);
/* Takes the whole text for one sentence. */
og_status og_word_reader_read_one(struct og_word_reader *reader, og_bytes text,
                                  og_error *err);

#endif
