/* Stemming a word takes 200 ns or more, and most words of a text have occurred
 * before. So the hash of a stem is cached by the hash of its word, in a table
 * where each word has one slot and replaces the previous word there: nine in
 * ten words are found. */

#include "lib/sketch/features/stem.h"

#include <libstemmer.h>
#include <origo/sketch.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/token/tokens.h"

/* Longer words are not those of a language. */
#define LONGEST_WORD 64

enum { N_KNOWN = 4096 };

struct og_stemming {
    const og_allocator *allocator;
    struct sb_stemmer *stemmer;
    uint64_t key;
    struct {
        uint64_t word, stem;
    } known[N_KNOWN];
};

static const struct {
    const char *code, *name;
} languages[] = {
    {"da", "danish"},    {"de", "german"},     {"en", "english"},
    {"es", "spanish"},   {"fi", "finnish"},    {"fr", "french"},
    {"hu", "hungarian"}, {"it", "italian"},    {"nl", "dutch"},
    {"no", "norwegian"}, {"pt", "portuguese"}, {"ro", "romanian"},
    {"ru", "russian"},   {"sv", "swedish"},    {"tr", "turkish"},
};
enum { N_LANGUAGES = sizeof(languages) / sizeof(languages[0]) };

const char *og_stem_languages(void)
{
    return "da de en es fi fr hu it nl no pt ro ru sv tr";
}

static const char *find_algorithm(const char *language)
{
    for (size_t i = 0; i < N_LANGUAGES; i++)
        if (strcmp(languages[i].code, language) == 0) return languages[i].name;
    return NULL;
}

og_status og_stem_check(const char *language, og_error *err)
{
    if (find_algorithm(language) != NULL) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE, "no stems of '%s', only of: %s",
                        language, og_stem_languages());
}

og_status og_stemming_new(const char *language, uint64_t key,
                          const og_allocator *allocator,
                          struct og_stemming **out, og_error *err)
{
    TRY(og_stem_check(language, err));
    struct og_stemming *s = og_allocate_zero(allocator, sizeof(*s));
    if (s == NULL) return og_error_memory(err, sizeof(*s), "stems");
    s->allocator = allocator;
    s->key = key;
    s->stemmer = sb_stemmer_new(find_algorithm(language), NULL);
    if (s->stemmer == NULL) {
        og_release(allocator, s, sizeof(*s));
        return og_error_memory(err, 0, "a stemmer");
    }
    *out = s;
    return OG_OK;
}

void og_stemming_free(struct og_stemming *s)
{
    if (s == NULL) return;
    sb_stemmer_delete(s->stemmer);
    og_release(s->allocator, s, sizeof(*s));
}

static uint64_t stem(struct og_stemming *s, const char *word, size_t len,
                     uint64_t hash)
{
    const sb_symbol *found =
        sb_stemmer_stem(s->stemmer, (const sb_symbol *)word, (int)len);
    if (found == NULL) return hash;
    const int found_len = sb_stemmer_length(s->stemmer);
    if (found_len <= 0) return hash;
    return og_token_hash((const char *)found, (size_t)found_len, s->key);
}

uint64_t og_stemming_hash(struct og_stemming *s, const char *word, size_t len,
                          uint64_t hash)
{
    if (len > LONGEST_WORD) return hash;
    const size_t at = hash % N_KNOWN;
    if (s->known[at].word != hash || hash == 0) {
        s->known[at].stem = stem(s, word, len, hash);
        s->known[at].word = hash;
    }
    return s->known[at].stem;
}
