/* Repeated passages, compared with counts made in the plain way. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"

#include <origo/phrases.h>
#include <origo/trace.h>

enum { N_DOCS = 300, N_PHRASES = 12, LEN = 8, MOST_TEXT = 4096 };

struct corpus {
    char texts[N_DOCS][MOST_TEXT];
    char ids[N_DOCS][16], urls[N_DOCS][32];
    og_document docs[N_DOCS];
    size_t next;
};

static struct corpus corpus;

static size_t put_words(char *to, size_t len, uint64_t *random, size_t n,
                        unsigned n_words)
{
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(to + len, MOST_TEXT - len, "w%u ",
                                (unsigned)(og_random_next(random) % n_words));
    return len;
}

/* Words of their own between phrases that documents take from a list; the
 * times are not those of arrival. */
static void make_corpus(uint64_t seed)
{
    char phrases[N_PHRASES][512];
    uint64_t random = seed;
    memset(&corpus, 0, sizeof(corpus));
    for (size_t i = 0; i < N_PHRASES; i++)
        put_words(phrases[i], 0, &random, 8 + i, 5000);
    for (size_t i = 0; i < N_DOCS; i++) {
        size_t len = 0;
        for (int part = 0; part < 5; part++) {
            len = put_words(corpus.texts[i], len, &random,
                            og_random_next(&random) % 12, 5000);
            const size_t which = (og_random_next(&random) % N_PHRASES) *
                                 (og_random_next(&random) % N_PHRASES) /
                                 N_PHRASES;
            len += (size_t)snprintf(corpus.texts[i] + len, MOST_TEXT - len,
                                    "%s", phrases[which]);
        }
        snprintf(corpus.ids[i], sizeof(corpus.ids[i]), "d%zu", i);
        snprintf(corpus.urls[i], sizeof(corpus.urls[i]), "http://h%u.org/%zu",
                 (unsigned)(og_random_next(&random) % 7), i);
        corpus.docs[i] =
            (og_document){.id = {corpus.ids[i], strlen(corpus.ids[i])},
                          .url = {corpus.urls[i], strlen(corpus.urls[i])},
                          .text = {corpus.texts[i], len},
                          .has_time = i % 17 != 0,
                          .time = (int64_t)(og_random_next(&random) % 1000) *
                                  86400 * 1000000};
        if (!corpus.docs[i].has_time) corpus.docs[i].time = 0;
    }
}

static og_status next_document(void *ctx, og_document *out, og_error *err)
{
    (void)ctx, (void)err;
    if (corpus.next == N_DOCS) return OG_END;
    *out = corpus.docs[corpus.next++];
    return OG_OK;
}

static og_status rewind_documents(void *ctx, og_error *err)
{
    (void)ctx, (void)err;
    corpus.next = 0;
    return OG_OK;
}

/* Texts are words with a space after each, so a phrase of whole words is there
 * as a string when it begins at a word. */
static const char *find_plainly(const char *text, og_bytes phrase)
{
    char wanted[MOST_TEXT];
    snprintf(wanted, sizeof(wanted), "%.*s ", (int)phrase.len, phrase.data);
    for (const char *at = strstr(text, wanted); at != NULL;
         at = strstr(at + 1, wanted))
        if (at == text || at[-1] == ' ') return at;
    return NULL;
}

static bool is_earlier(size_t a, size_t b)
{
    const og_document *x = &corpus.docs[a], *y = &corpus.docs[b];
    if (x->has_time != y->has_time) return x->has_time;
    if (x->has_time && x->time != y->time) return x->time < y->time;
    return a < b;
}

static void check_phrase(const og_phrases *all, const og_phrase *phrase)
{
    uint64_t n = 0, growth[10] = {0};
    size_t first = N_DOCS;
    for (size_t i = 0; i < N_DOCS; i++) {
        if (find_plainly(corpus.texts[i], phrase->text) == NULL) continue;
        n++;
        growth[i * 10 / N_DOCS]++;
        if (first == N_DOCS || is_earlier(i, first)) first = i;
    }
    assert_int_equal(phrase->n_documents, n);
    assert_true(n >= all->min_documents);
    assert_true(phrase->n_tokens >= all->min_tokens);
    assert_memory_equal(phrase->first.id.data, corpus.ids[first],
                        strlen(corpus.ids[first]));
    assert_ptr_equal(corpus.texts[first] + phrase->first.begin,
                     find_plainly(corpus.texts[first], phrase->text));
    assert_int_equal(phrase->first.end - phrase->first.begin, phrase->text.len);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(phrase->growth[i], growth[i]);
}

/* The runs of LEN words of a text, and how many texts have each. */
static size_t count_plainly(og_bytes run)
{
    size_t n = 0;
    for (size_t i = 0; i < N_DOCS; i++)
        n += find_plainly(corpus.texts[i], run) != NULL;
    return n;
}

static const char *skip_words(const char *at, size_t n)
{
    while (at != NULL && n-- > 0)
        if ((at = strchr(at, ' ')) != NULL) at++;
    return at;
}

/* Every run that is in more documents than it says is in a passage, or shares
 * words with one. */
static void check_complete(const og_phrases *all)
{
    for (size_t i = 0; i < N_DOCS; i += 29)
        for (const char *at = corpus.texts[i];; at = skip_words(at, 1)) {
            const char *end = skip_words(at, LEN);
            if (end == NULL) break;
            const og_bytes run = {at, (size_t)(end - at) - 1};
            const size_t n = count_plainly(run);
            if (n <= all->complete_above || n < all->min_documents) continue;
            bool is_there = false;
            for (size_t w = 0; w < LEN && !is_there; w++) {
                const char *word = skip_words(at, w);
                const size_t len = (size_t)(skip_words(word, 1) - word) - 1;
                for (size_t j = 0; j < all->n_phrases && !is_there; j++) {
                    char text[MOST_TEXT];
                    snprintf(text, sizeof(text), "%.*s ",
                             (int)all->phrases[j].text.len,
                             all->phrases[j].text.data);
                    is_there =
                        find_plainly(text, (og_bytes){word, len}) != NULL;
                }
            }
            assert_true(is_there);
        }
}

static bool has_word_of(size_t doc, const char *word, const og_phrases *all)
{
    for (size_t j = 0; j < all->n_phrases; j++) {
        const char *text = corpus.texts[doc];
        for (const char *at = find_plainly(text, all->phrases[j].text);
             at != NULL; at = find_plainly(at + 1, all->phrases[j].text)) {
            if (at != text && at[-1] != ' ') continue;
            if (word >= at && word < at + all->phrases[j].text.len) return true;
        }
    }
    return false;
}

static void check_documents(const og_phrases *all)
{
    for (size_t k = 0; k < all->n_documents_listed; k++) {
        const og_phrase_document *d = &all->documents[k];
        size_t doc = 0, n_tokens = 0, n_covered = 0;
        while (strlen(corpus.ids[doc]) != d->id.len ||
               memcmp(corpus.ids[doc], d->id.data, d->id.len) != 0)
            doc++;
        for (const char *at = corpus.texts[doc]; *at != '\0';
             at = skip_words(at, 1)) {
            n_tokens++;
            n_covered += has_word_of(doc, at, all);
        }
        assert_int_equal(d->n_tokens, n_tokens);
        assert_int_equal(d->n_covered, n_covered);
        if (k > 0)
            assert_true((double)d->n_covered / (double)d->n_tokens <=
                        (double)d[-1].n_covered / (double)d[-1].n_tokens);
    }
}

static void check_sources(const og_phrases *all)
{
    for (size_t k = 0; k < all->n_sources; k++) {
        const og_phrase_source *s = &all->sources[k];
        uint64_t n_copies = 0, n_tokens = 0;
        for (size_t j = 0; j < all->n_phrases; j++)
            for (size_t i = 0; i < N_DOCS; i++) {
                const og_phrase *phrase = &all->phrases[j];
                if (memcmp(corpus.urls[i] + 7, s->name.data, s->name.len) !=
                        0 ||
                    find_plainly(corpus.texts[i], phrase->text) == NULL)
                    continue;
                if (phrase->first.id.len == strlen(corpus.ids[i]) &&
                    memcmp(phrase->first.id.data, corpus.ids[i],
                           phrase->first.id.len) == 0)
                    continue;
                n_copies++;
                n_tokens += phrase->n_tokens;
            }
        assert_int_equal(s->n_copies, n_copies);
        assert_int_equal(s->n_tokens, n_tokens);
    }
}

static og_phrases *ask_stream(const og_phrases_options *options)
{
    og_input input = og_input_default();
    og_phrases *phrases = NULL;
    og_error err = {0};
    corpus.next = 0;
    input.next = next_document;
    input.rewind = rewind_documents;
    input.n_threads = 2;
    assert_int_equal(og_stream_phrases(&input, options, &phrases, NULL, &err),
                     OG_OK);
    return phrases;
}

static void test_what_is_reported_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        og_phrases_options options = og_phrases_options_default();
        options.limit = 100;
        if (seed % 2 == 0) options.memory = 32 << 10; /* 2048 counts */
        make_corpus(seed);
        og_phrases *all = ask_stream(&options);
        assert_int_equal(all->n_documents, N_DOCS);
        assert_int_equal(all->complete_above != 0, seed % 2 == 0);
        assert_true(all->n_phrases >= 8);
        for (size_t i = 0; i < all->n_phrases; i++)
            check_phrase(all, &all->phrases[i]);
        check_complete(all);
        check_documents(all);
        check_sources(all);
        assert_int_equal(all->n_sources, 7);
        og_phrases_free(all);
    }
}

static void test_a_store_tells_the_same(void **state)
{
    (void)state;
    const og_phrases_options options = og_phrases_options_default();
    og_store *store;
    og_phrases *of_store = NULL;
    og_error err = {0};
    make_corpus(11);
    assert_int_equal(og_store_open(":memory:", OG_CREATE, NULL, &store, &err),
                     OG_OK);
    for (size_t i = 0; i < N_DOCS; i++)
        assert_int_equal(og_store_add(store, &corpus.docs[i], NULL, &err),
                         OG_OK);
    og_phrases *of_stream = ask_stream(&options);
    assert_int_equal(og_store_phrases(store, &options, &of_store, &err), OG_OK);
    assert_int_equal(of_store->n_phrases, of_stream->n_phrases);
    for (size_t i = 0; i < of_store->n_phrases; i++) {
        const og_phrase *a = &of_store->phrases[i];
        const og_phrase *b = &of_stream->phrases[i];
        assert_int_equal(a->n_documents, b->n_documents);
        assert_int_equal(a->text.len, b->text.len);
        assert_memory_equal(a->text.data, b->text.data, a->text.len);
        assert_memory_equal(a->first.id.data, b->first.id.data,
                            a->first.id.len);
    }
    og_phrases_free(of_stream);
    og_phrases_free(of_store);
    assert_int_equal(og_store_close(store, &err), OG_OK);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    og_input input = og_input_default();
    og_phrases *phrases = NULL;
    og_error err = {0};
    og_phrases_options wrong[5];
    for (size_t i = 0; i < 5; i++)
        wrong[i] = og_phrases_options_default();
    wrong[0].limit = 0;
    wrong[1].min_documents = 1;
    wrong[2].min_tokens = 1;
    wrong[3].memory = 100;
    wrong[4].source = NULL;
    input.next = next_document;
    input.rewind = rewind_documents;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(
            og_stream_phrases(&input, &wrong[i], &phrases, NULL, &err),
            OG_ERR_USAGE);
    input.rewind = NULL;
    const og_phrases_options right = og_phrases_options_default();
    assert_int_equal(og_stream_phrases(&input, &right, &phrases, NULL, &err),
                     OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "only once"));
    assert_null(phrases);
    og_phrases_free(NULL);
}

static void test_nothing_to_tell(void **state)
{
    (void)state;
    og_phrases_options options = og_phrases_options_default();
    make_corpus(3);
    options.has_since = true; /* after the last one */
    options.since = INT64_MAX;
    og_phrases *all = ask_stream(&options);
    assert_int_equal(all->n_documents, 0);
    assert_int_equal(all->n_phrases, 0);
    assert_int_equal(all->n_periods, 0);
    og_phrases_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_reported_is_exact),
        cmocka_unit_test(test_a_store_tells_the_same),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_nothing_to_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
