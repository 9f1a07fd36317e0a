/* The words of sentences: those of plain English text against a plain reading,
 * and what is done about other scripts, stop words and stems. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>

#include "lib/base/bits.h"
#include "lib/sentence/split/sentence_words.h"

static struct og_word_reader reader;

static og_bytes bytes_of(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

static void open_reader(const char *stop, const char *stem)
{
    assert_int_equal(og_word_reader_init(&reader, stop, stem, NULL, NULL),
                     OG_OK);
}

static struct og_words_read read_text(const char *text)
{
    assert_int_equal(og_word_reader_read(&reader, bytes_of(text), NULL), OG_OK);
    return og_word_reader_view(&reader);
}

static uint64_t word_of(const char *word)
{
    return og_mix64(og_token_hash(word, strlen(word), 0));
}

/* The words of a sentence are these, each once, and no others. */
static void check_words(struct og_words_read r, size_t sentence,
                        const char *const *words, size_t n)
{
    const struct og_read_sentence *s = &r.sentences[sentence];
    assert_int_equal(s->n_words, n);
    for (size_t i = 0; i < n; i++) {
        size_t n_found = 0;
        for (size_t k = 0; k < s->n_words; k++)
            n_found += r.words[s->first_word + k] == word_of(words[i]);
        assert_int_equal(n_found, 1);
    }
    for (size_t k = 1; k < s->n_words; k++)
        assert_true(r.words[s->first_word + k - 1] <
                    r.words[s->first_word + k]);
}
#define CHECK(r, sentence, ...)                                                \
    check_words(r, sentence, (const char *const[]){__VA_ARGS__},               \
                sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

/* ---- plain text ---- */

/* Letters and digits in a row, in small letters. */
static void check_places(const char *text, struct og_words_read r)
{
    size_t place = 0;
    for (size_t at = 0; text[at] != '\0';) {
        char word[64];
        size_t len = 0;
        if (!isalnum((unsigned char)text[at])) {
            at++;
            continue;
        }
        while (isalnum((unsigned char)text[at + len])) {
            word[len] = (char)tolower((unsigned char)text[at + len]);
            len++;
        }
        word[len] = '\0';
        assert_true(place < r.n_places);
        assert_int_equal(r.places[place].begin, at);
        assert_int_equal(r.places[place].end, at + len);
        assert_true(r.places[place].word == word_of(word));
        place++;
        at += len;
    }
    assert_int_equal(place, r.n_places);
}

static void words_are_those_of_a_plain_reading(void **state)
{
    (void)state;
    uint64_t random = 3;
    open_reader(NULL, NULL);
    for (int round = 0; round < 200; round++) {
        char text[4000];
        size_t len = 0;
        const size_t n = og_random_next(&random) % 200;
        for (size_t i = 0; i < n; i++) {
            static const char *const after[] = {" ", ", ", ". ", "! ", "; "};
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%c%u%s",
                                    'A' + (int)(og_random_next(&random) % 26),
                                    (unsigned)(og_random_next(&random) % 30),
                                    after[og_random_next(&random) % 5]);
        }
        text[len] = '\0';
        const struct og_words_read r = read_text(text);
        check_places(text, r);
        uint32_t end = 0;
        size_t n_places = 0;
        for (size_t i = 0; i < r.n; i++) {
            assert_true(r.sentences[i].begin >= end);
            end = r.sentences[i].end;
            assert_int_equal(r.sentences[i].first_place, n_places);
            n_places += r.sentences[i].n_places;
            for (size_t k = 0; k < r.sentences[i].n_places; k++) {
                const struct og_word_place *p =
                    &r.places[r.sentences[i].first_place + k];
                assert_true(p->begin >= r.sentences[i].begin && p->end <= end);
                assert_non_null(bsearch(
                    &p->word, r.words + r.sentences[i].first_word,
                    r.sentences[i].n_words, sizeof(p->word), og_compare_words));
            }
        }
        assert_int_equal(n_places, r.n_places);
    }
    og_word_reader_release(&reader);
}

static void a_set_has_each_word_once(void **state)
{
    (void)state;
    open_reader(NULL, NULL);
    const struct og_words_read r = read_text("To be or not to be. That is it.");
    assert_int_equal(r.n, 2);
    assert_int_equal(r.sentences[0].n_places, 6);
    CHECK(r, 0, "to", "be", "or", "not");
    CHECK(r, 1, "that", "is", "it");
    og_word_reader_release(&reader);
}

/* More than what is sorted by hand. */
static void long_sentences(void **state)
{
    (void)state;
    char text[4000];
    size_t len = 0;
    open_reader(NULL, NULL);
    for (int i = 0; i < 300; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "w%d ", i % 90);
    const struct og_words_read r = read_text(text);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.sentences[0].n_places, 300);
    assert_int_equal(r.sentences[0].n_words, 90);
    for (size_t k = 1; k < 90; k++)
        assert_true(r.words[k - 1] < r.words[k]);
    og_word_reader_release(&reader);
}

/* ---- stop words and stems ---- */

static void stop_words_are_left_out_unless_alone(void **state)
{
    (void)state;
    open_reader("en", NULL);
    const struct og_words_read r = read_text("The cat is here. And so on.");
    assert_int_equal(r.n, 2);
    for (size_t k = 0; k < r.sentences[0].n_words; k++)
        assert_true(r.words[k] != word_of("the"));
    assert_true(r.sentences[0].n_words >= 1);
    CHECK(read_text("And the."), 0, "and", "the");
    og_word_reader_release(&reader);
}

static void words_are_stems(void **state)
{
    (void)state;
    open_reader(NULL, "en");
    const struct og_words_read r = read_text("Running runs run.");
    assert_int_equal(r.sentences[0].n_places, 3);
    assert_int_equal(r.sentences[0].n_words, 1);
    og_word_reader_release(&reader);
}

static void unknown_languages(void **state)
{
    (void)state;
    og_error err;
    assert_int_equal(og_word_reader_init(&reader, "klingon", NULL, NULL, &err),
                     OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "klingon"));
    assert_non_null(strstr(err.message, "en"));
    assert_int_equal(og_word_reader_init(&reader, NULL, "klingon", NULL, &err),
                     OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "klingon"));
}

/* ---- other scripts ---- */

/* Two characters in a row are a word, at every place; one alone is one. */
static void pairs_of_characters(void **state)
{
    (void)state;
    open_reader(NULL, NULL);
    struct og_words_read r = read_text("\xe6\x98\xa5\xe7\x9c\xa0\xe4\xb8\x8d");
    assert_int_equal(r.n_places, 2);
    assert_int_equal(r.places[0].begin, 0);
    assert_int_equal(r.places[0].end, 6);
    assert_int_equal(r.places[1].begin, 3);
    assert_int_equal(r.places[1].end, 9);
    const uint64_t pair = r.places[0].word;
    r = read_text("\xe6\x98\xa5");
    assert_int_equal(r.n_places, 1);
    assert_true(r.places[0].word == word_of("\xe6\x98\xa5"));
    /* The same pair among Latin words; a space keeps characters apart. */
    r = read_text("a \xe6\x98\xa5\xe7\x9c\xa0 b");
    assert_int_equal(r.n_places, 3);
    assert_true(r.places[1].word == pair);
    r = read_text("\xe6\x98\xa5 \xe7\x9c\xa0");
    assert_int_equal(r.n_places, 2);
    assert_true(r.places[0].word != pair && r.places[1].word != pair);
    og_word_reader_release(&reader);
}

static void symbols_when_there_are_no_words(void **state)
{
    (void)state;
    open_reader(NULL, NULL);
    struct og_words_read r = read_text("\xf0\x9f\x98\x80 \xf0\x9f\x98\x81");
    assert_int_equal(r.n_places, 2);
    assert_int_equal(r.places[0].end, 4);
    assert_int_equal(r.places[1].begin, 5);
    assert_true(r.places[0].word != r.places[1].word);
    r = read_text("a \xf0\x9f\x98\x80");
    assert_int_equal(r.n_places, 1);
    r = read_text("?!");
    assert_int_equal(r.n_places, 0);
    r = read_text("");
    assert_int_equal(r.n, 0);
    og_word_reader_release(&reader);
}

/* ---- the rest ---- */

static void the_whole_text_as_one(void **state)
{
    (void)state;
    open_reader(NULL, NULL);
    assert_int_equal(og_word_reader_read_one(
                         &reader, bytes_of("One two. Three! One?"), NULL),
                     OG_OK);
    const struct og_words_read r = og_word_reader_view(&reader);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.sentences[0].n_places, 4);
    CHECK(r, 0, "one", "two", "three");
    og_word_reader_release(&reader);
}

static void bytes_that_are_not_utf8(void **state)
{
    (void)state;
    open_reader(NULL, NULL);
    assert_int_equal(read_text("one \xff\xfe two").n_repaired, 2);
    assert_int_equal(read_text("one two").n_repaired, 0);
    og_word_reader_release(&reader);
}

static void memory_goes_after_a_long_text(void **state)
{
    (void)state;
    const size_t len = (size_t)OG_TEXT_KEEP + 5000;
    char *text = malloc(len);
    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = i % 8 == 7 ? ' ' : 'a';
    open_reader(NULL, NULL);
    read_text("one two three");
    og_word_reader_trim(&reader);
    assert_int_equal(og_word_reader_view(&reader).n, 1); /* nothing to trim */
    assert_int_equal(og_word_reader_read(&reader, (og_bytes){text, len}, NULL),
                     OG_OK);
    og_word_reader_trim(&reader);
    assert_int_equal(reader.text.cap, 0);
    assert_int_equal(reader.words_cap, 0);
    assert_int_equal(og_word_reader_view(&reader).n, 0);
    CHECK(read_text("one two"), 0, "one", "two");
    og_word_reader_release(&reader);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_a_plain_reading),
        cmocka_unit_test(a_set_has_each_word_once),
        cmocka_unit_test(long_sentences),
        cmocka_unit_test(stop_words_are_left_out_unless_alone),
        cmocka_unit_test(words_are_stems),
        cmocka_unit_test(unknown_languages),
        cmocka_unit_test(pairs_of_characters),
        cmocka_unit_test(symbols_when_there_are_no_words),
        cmocka_unit_test(the_whole_text_as_one),
        cmocka_unit_test(bytes_that_are_not_utf8),
        cmocka_unit_test(memory_goes_after_a_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
