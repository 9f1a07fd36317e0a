/* One pass over the tokens of the document, a sentence at a time.
 *
 * The document is folded and tokenised as a whole; a token belongs to the
 * sentence of its first byte. There are no tokens between sentences, which omit
 * only space and quote marks. */

#include "lib/sentence/split/sentence_words.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "lib/base/bits.h"
#include "lib/base/stopping.h"
#include "lib/text/char_class.h"
#include "lib/text/utf8.h"

og_status og_word_reader_init(struct og_word_reader *r, const char *stop,
                              const char *stem, const og_allocator *allocator,
                              og_error *err)
{
    memset(r, 0, sizeof(*r));
    r->allocator = allocator;
    og_splitter_init(&r->splitter, allocator);
    og_text_init(&r->text, allocator);
    og_tokens_init(&r->tokens, allocator);
    og_status status = OG_OK;
    if (stop != NULL)
        status = og_stop_set_new(stop, 0, allocator, &r->stop, err);
    if (status == OG_OK && stem != NULL)
        status = og_stemming_new(stem, 0, allocator, &r->stemming, err);
    if (status != OG_OK) og_word_reader_release(r);
    return status;
}

static void release_buffers(struct og_word_reader *r)
{
    const og_allocator *a = r->allocator;
    og_splitter_release(&r->splitter);
    og_text_release(&r->text);
    og_tokens_release(&r->tokens);
    OG_UNGROW(a, r->sentences, r->sentences_cap);
    OG_UNGROW(a, r->words, r->words_cap);
    OG_UNGROW(a, r->places, r->places_cap);
}

void og_word_reader_trim(struct og_word_reader *r)
{
    if (r->text.cap <= OG_TEXT_KEEP) return;
    release_buffers(r);
    og_splitter_init(&r->splitter, r->allocator);
    og_text_init(&r->text, r->allocator);
    og_tokens_init(&r->tokens, r->allocator);
    r->n = r->n_words = r->n_places = 0;
}

void og_word_reader_release(struct og_word_reader *r)
{
    const og_allocator *a = r->allocator;
    og_stop_set_free(r->stop);
    og_stemming_free(r->stemming);
    release_buffers(r);
    memset(r, 0, sizeof(*r));
    r->allocator = a;
}

/* ---- the words of one sentence ---- */

static og_status add_place(struct og_word_reader *r, uint64_t word,
                           size_t begin, size_t end, og_error *err)
{
    if (!OG_GROW(r->allocator, r->places, r->places_cap, r->n_places + 1))
        return og_error_memory(err, sizeof(*r->places), "words");
    r->places[r->n_places++] =
        (struct og_word_place){og_mix64(word), (uint32_t)begin, (uint32_t)end};
    return OG_OK;
}

static bool is_alone(const struct og_word_reader *r, size_t token)
{
    const char *at = r->text.data + r->tokens.begin[token];
    if ((unsigned char)*at < 0x80) return false;
    const uint32_t c =
        og_utf8_decode_valid((const unsigned char *)at).code_point;
    return og_char_class_find(c) == OG_CHAR_ALONE;
}

/* A character of a script without spaces forms a word with the next one; the
 * last of a run belongs to the previous word, unless it is the only one. */
static og_status add_pair(struct og_word_reader *r, size_t token, size_t first,
                          size_t end, og_error *err)
{
    const struct og_tokens *t = &r->tokens;
    const bool follows = token > first &&
                         t->end[token - 1] == t->begin[token] &&
                         is_alone(r, token - 1);
    const bool continues = token + 1 < end &&
                           t->end[token] == t->begin[token + 1] &&
                           is_alone(r, token + 1);
    if (!continues && follows) return OG_OK;
    const size_t last = continues ? token + 1 : token;
    const uint64_t word = continues
                              ? og_mix64(t->hash[token]) + t->hash[token + 1]
                              : t->hash[token];
    return add_place(r, word, og_text_source_begin(&r->text, t->begin[token]),
                     og_text_source_end(&r->text, t->end[last]), err);
}

static og_status add_tokens(struct og_word_reader *r, size_t first, size_t end,
                            bool with_stop_words, og_error *err)
{
    const struct og_tokens *t = &r->tokens;
    for (size_t i = first; i < end; i++) {
        if (is_alone(r, i)) {
            TRY(add_pair(r, i, first, end, err));
            continue;
        }
        uint64_t hash = t->hash[i];
        if (!with_stop_words && og_stop_set_has(r->stop, hash)) continue;
        if (r->stemming != NULL)
            hash = og_stemming_hash(r->stemming, r->text.data + t->begin[i],
                                    t->end[i] - t->begin[i], hash);
        TRY(add_place(r, hash, og_text_source_begin(&r->text, t->begin[i]),
                      og_text_source_end(&r->text, t->end[i]), err));
    }
    return OG_OK;
}

/* Emoji and other pictures. */
static og_status add_symbols(struct og_word_reader *r, og_bytes text,
                             const struct og_read_sentence *s, og_error *err)
{
    for (size_t at = s->begin; at < s->end;) {
        const struct og_utf8 c = og_utf8_decode(
            (const unsigned char *)text.data + at, text.len - at);
        if (c.code_point >= 0x80 && c.code_point < 0x110000 &&
            utf8proc_category((utf8proc_int32_t)c.code_point) ==
                UTF8PROC_CATEGORY_SO)
            TRY(add_place(r, c.code_point, at, at + c.len, err));
        at += c.len;
    }
    return OG_OK;
}

int og_compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* Up to here moving neighbours is faster than dividing. */
enum { MOST_INSERTED = 96 };

static void sort_words(uint64_t *words, size_t n)
{
    if (n > MOST_INSERTED) {
        qsort(words, n, sizeof(*words), og_compare_words);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint64_t word = words[i];
        size_t k = i;
        for (; k > 0 && words[k - 1] > word; k--)
            words[k] = words[k - 1];
        words[k] = word;
    }
}

static uint64_t hash_words(const uint64_t *words, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++)
        hash = og_mul_fold(hash ^ words[i], 0x9e3779b97f4a7c15u) + words[i];
    return og_mix64(hash);
}

static og_status make_set(struct og_word_reader *r, struct og_read_sentence *s,
                          og_error *err)
{
    s->n_places = (uint32_t)(r->n_places - s->first_place);
    s->first_word = r->n_words;
    /* One more, so that the array exists even for sentences without words. */
    if (!OG_GROW(r->allocator, r->words, r->words_cap,
                 r->n_words + s->n_places + 1))
        return og_error_memory(err, s->n_places * sizeof(*r->words), "words");
    uint64_t *words = r->words + r->n_words;
    for (size_t i = 0; i < s->n_places; i++)
        words[i] = r->places[s->first_place + i].word;
    sort_words(words, s->n_places);
    size_t n = 0;
    for (size_t i = 0; i < s->n_places; i++)
        if (n == 0 || words[n - 1] != words[i]) words[n++] = words[i];
    s->n_words = (uint32_t)n;
    s->hash = hash_words(words, n);
    r->n_words += n;
    return OG_OK;
}

/* Tokens [first, end) belong to it. */
static og_status read_sentence(struct og_word_reader *r, og_bytes text,
                               struct og_sentence_range range, size_t first,
                               size_t end, og_error *err)
{
    if (!OG_GROW(r->allocator, r->sentences, r->sentences_cap, r->n + 1))
        return og_error_memory(err, sizeof(*r->sentences), "a sentence");
    struct og_read_sentence *s = &r->sentences[r->n];
    *s = (struct og_read_sentence){
        .begin = range.begin, .end = range.end, .first_place = r->n_places};
    TRY(add_tokens(r, first, end, r->stop == NULL, err));
    if (r->n_places == s->first_place && r->stop != NULL)
        TRY(add_tokens(r, first, end, true, err));
    if (r->n_places == s->first_place) TRY(add_symbols(r, text, s, err));
    TRY(make_set(r, s, err));
    r->n++;
    return OG_OK;
}

/* ---- the document ---- */

/* A sentence may end inside a token: a combining mark belongs to the full stop
 * before it and to the word after it. It is then extended to the end of its
 * last token, and the next one begins there: each has the same words when it is
 * read by itself. Tokens [first, end) begin in it; false: nothing is left of
 * it. */
static bool take_whole_tokens(const struct og_word_reader *r, size_t first,
                              size_t end, uint32_t begin,
                              struct og_sentence_range *range)
{
    if (range->begin < begin) range->begin = begin;
    if (end > first) {
        const size_t last =
            og_text_source_end(&r->text, r->tokens.end[end - 1]);
        if (range->end < last) range->end = (uint32_t)last;
    }
    return range->begin < range->end;
}

static og_status read_all(struct og_word_reader *r, og_bytes text,
                          const struct og_sentence_range *ranges, size_t n,
                          og_error *err)
{
    r->n = r->n_words = r->n_places = 0;
    TRY(og_text_fold(&r->text, text, err));
    r->n_repaired = r->text.n_repaired;
    TRY(og_text_tokenise(&r->text, OG_TOKEN_WORDS, 0, &r->tokens, err));
    size_t token = 0;
    uint32_t done = 0; /* bytes already assigned to sentences */
    for (size_t i = 0; i < n; i++) {
        struct og_sentence_range range = ranges[i];
        const size_t first = token;
        if (i % 1024 == 0) TRY(og_stop_check(err));
        while (token < r->tokens.n &&
               og_text_source_begin(&r->text, r->tokens.begin[token]) <
                   ranges[i].end)
            token++;
        if (!take_whole_tokens(r, first, token, done, &range)) continue;
        TRY(read_sentence(r, text, range, first, token, err));
        done = range.end;
    }
    return OG_OK;
}

og_status og_word_reader_read(struct og_word_reader *r, og_bytes text,
                              og_error *err)
{
    r->n = 0;
    TRY(og_split(&r->splitter, text, err));
    const og_status status =
        read_all(r, text, r->splitter.ranges, r->splitter.n, err);
    if (status != OG_OK) r->n = 0;
    return status;
}

og_status og_word_reader_read_one(struct og_word_reader *r, og_bytes text,
                                  og_error *err)
{
    const struct og_sentence_range all = {0, (uint32_t)text.len};
    const og_status status = read_all(r, text, &all, 1, err);
    if (status != OG_OK) r->n = 0;
    return status;
}

struct og_words_read og_word_reader_view(const struct og_word_reader *r)
{
    return (struct og_words_read){.sentences = r->sentences,
                                  .n = r->n,
                                  .words = r->words,
                                  .n_words = r->n_words,
                                  .places = r->places,
                                  .n_places = r->n_places,
                                  .n_cut = r->splitter.n_cut,
                                  .n_repaired = r->n_repaired};
}
