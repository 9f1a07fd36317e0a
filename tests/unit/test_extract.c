/* Features of documents against their definitions, word by word. */

#include <math.h>
#include <stdio.h>

#include "lib/sketch/features/features.h"
#include "lib/sketch/logarithm.h"
#include "tests/unit/stage_support.h"

static const char text_of_tests[] =
    "Now is the time for all good men to come to the aid of the party";

static og_document document(const char *title, const char *text)
{
    return (og_document){.title = {title, strlen(title)},
                         .text = {text, strlen(text)}};
}

/* The hash of a phrase from its words, apart by blanks: the definition. */
static uint64_t phrase(const char *words)
{
    uint64_t hash[OG_SHINGLE_MAX];
    size_t n = 0;
    for (const char *at = words; *at != '\0';) {
        const size_t len = strcspn(at, " ");
        hash[n++] = og_token_hash(at, len, 0);
        at += len + (at[len] == ' ');
    }
    return og_mix64(og_rabin_words(og_rabin_default(), hash, n));
}

static uint64_t token(const char *word)
{
    return og_mix64(og_token_hash(word, strlen(word), 0));
}

static void extract(const og_feature_options *options, const og_document *doc,
                    struct og_features *out)
{
    struct og_extractor x;
    og_error err;
    og_features_init(out, NULL);
    assert_int_equal(og_extractor_init(&x, options, NULL, &err), OG_OK);
    assert_int_equal(og_extract(&x, doc, out, &err), OG_OK);
    assert_int_equal(og_features_check(out, &err), OG_OK);
    /* Once more with warm buffers. */
    struct og_features again;
    og_features_init(&again, NULL);
    assert_int_equal(og_extract(&x, doc, &again, &err), OG_OK);
    assert_int_equal(again.n, out->n);
    for (size_t i = 0; i < again.n; i++)
        assert_int_equal(again.hash[i], out->hash[i]);
    og_features_release(&again);
    og_extractor_release(&x);
}

static og_feature_options options_of(og_feature_kind kind, uint32_t phrase_len)
{
    og_feature_options o = og_feature_options_default();
    o.kind = kind;
    o.phrase_len = phrase_len;
    return o;
}

/* `expected` are phrases, ended by NULL. */
static void check(const og_feature_options *o, const char *text,
                  const char *const *expected, bool are_tokens)
{
    struct og_features f;
    const og_document doc = document("", text);
    extract(o, &doc, &f);
    size_t n = 0;
    for (; expected[n] != NULL; n++) {
        assert_true(n < f.n);
        assert_int_equal(f.hash[n],
                         are_tokens ? token(expected[n]) : phrase(expected[n]));
    }
    assert_int_equal(f.n, n);
    og_features_release(&f);
}

static void tokens(void **state)
{
    (void)state;
    og_feature_options o = options_of(OG_FEATURE_TOKENS, 1);
    check(&o, "Now IS now", (const char *[]){"now", "is", "now", NULL}, true);
    check(&o, " .,; ", (const char *[]){NULL}, true);
    o.tf = OG_TF_ONE;
    check(&o, "Now IS now", (const char *[]){"now", "is", NULL}, true);
}

/* The book's example: three words in a row. */
static void phrases(void **state)
{
    (void)state;
    const og_feature_options o = options_of(OG_FEATURE_PHRASES, 3);
    check(&o, "Now is the time for all good men",
          (const char *[]){"now is the", "is the time", "the time for",
                           "time for all", "for all good", "all good men",
                           NULL},
          false);
    check(&o, "short text", (const char *[]){"short text", NULL}, false);
    check(&o, "one", (const char *[]){"one", NULL}, false);
    check(&o, "", (const char *[]){NULL}, false);
}

/* And the two that go over the end. */
static void wrapped_phrases(void **state)
{
    (void)state;
    const og_feature_options o = options_of(OG_FEATURE_WRAP, 3);
    check(&o, "Now is the time for all good men",
          (const char *[]){"now is the", "is the time", "the time for",
                           "time for all", "for all good", "all good men",
                           "good men now", "men now is", NULL},
          false);
    check(&o, "a b", (const char *[]){"a b a", "b a b", NULL}, false);
    check(&o, "one", (const char *[]){"one one one", NULL}, false);
    check(&o, "", (const char *[]){NULL}, false);
}

static void stop_words_go(void **state)
{
    (void)state;
    og_feature_options o = options_of(OG_FEATURE_PHRASES, 2);
    o.stop = "en";
    check(&o, "Now is the time for all good men",
          (const char *[]){"now time", "time good", "good men", NULL}, false);
    check(&o, "the of and", (const char *[]){NULL}, false);
    o.stop = "de";
    check(&o, "Die Katze und der Hund", (const char *[]){"katze hund", NULL},
          false);
}

static void spots(void **state)
{
    (void)state;
    const og_feature_options o = options_of(OG_FEATURE_SPOT, 3);
    check(&o, "Now is the time for all good men",
          (const char *[]){"is time good", "the time good", "for good men",
                           "all good men", NULL},
          false);
    check(&o, "headlines without any", (const char *[]){NULL}, false);
    check(&o, "the end", (const char *[]){NULL}, false);
}

/* Nothing but stop words: time must not grow with the square. */
static void many_stop_words(void **state)
{
    (void)state;
    enum { N = 400000 };
    char *text = malloc(4 * N + 16);
    struct og_features f;
    const og_feature_options o = options_of(OG_FEATURE_SPOT, 3);
    for (size_t i = 0; i < N; i++)
        memcpy(text + 4 * i, "the ", 4);
    strcpy(text + 4 * N, "big end");
    const og_document doc = document("", text);
    extract(&o, &doc, &f);
    assert_int_equal(f.n, N);
    assert_int_equal(f.hash[0], f.hash[N - 1]);
    og_features_release(&f);
    free(text);
}

static void stems(void **state)
{
    (void)state;
    og_feature_options o = options_of(OG_FEATURE_TOKENS, 1);
    o.stem = "en";
    check(&o, "Connections connected connecting connect",
          (const char *[]){"connect", "connect", "connect", "connect", NULL},
          true);
    o.stop = "en"; /* told before the stem is taken */
    check(&o, "the cats were", (const char *[]){"cat", NULL}, true);
}

static void title_and_text_stay_apart(void **state)
{
    (void)state;
    og_feature_options o = options_of(OG_FEATURE_PHRASES, 2);
    const og_document doc = document("big news", "it rains today");
    struct og_features f;
    o.title_weight = 3;
    extract(&o, &doc, &f);
    assert_int_equal(f.n, 3);
    assert_int_equal(f.hash[0], phrase("big news"));
    assert_int_equal(f.hash[1], phrase("it rains"));
    assert_true(f.is_weighted);
    assert_true(f.weight[0] == 3 && f.weight[1] == 1 && f.weight[2] == 1);
    og_features_release(&f);
    o.title_weight = 0;
    extract(&o, &doc, &f);
    assert_int_equal(f.n, 2);
    assert_false(f.is_weighted);
    og_features_release(&f);
}

static void headings_weigh(void **state)
{
    (void)state;
    og_feature_options o = options_of(OG_FEATURE_TOKENS, 1);
    const og_document doc =
        document("", "# one\r\ntwo\n=====\nthree\n\n4.1.  five\n\nsix\n"
                     "7. eight\nnine #ten");
    const float expected[] = {2, 2, 1, 2, 2, 2, 1, 1, 1, 1, 1};
    struct og_features f;
    o.heading_weight = 2;
    extract(&o, &doc, &f);
    assert_int_equal(f.n, LENGTH(expected));
    for (size_t i = 0; i < f.n; i++)
        assert_true(f.weight[i] == expected[i]);
    og_features_release(&f);
}

static void term_frequencies(void **state)
{
    (void)state;
    og_feature_options o = options_of(OG_FEATURE_TOKENS, 1);
    const og_document doc = document("", "a b a c a a a a a");
    struct og_features f;
    o.tf = OG_TF_LOG;
    extract(&o, &doc, &f);
    assert_int_equal(f.n, 3);
    assert_true(f.weight[0] == 3); /* log2(1 + 7) */
    assert_true(f.weight[1] == 1 && f.weight[2] == 1);
    og_features_release(&f);
}

static void merging_adds_up(void **state)
{
    (void)state;
    struct og_features f;
    og_error err;
    og_features_init(&f, NULL);
    const uint64_t hash[] = {5, 9, 5, 0, 9, 5, 0};
    for (size_t i = 0; i < LENGTH(hash); i++)
        assert_int_equal(og_features_add(&f, hash[i], i == 3 ? 0.5f : 1, &err),
                         OG_OK);
    assert_int_equal(og_features_merge(&f, &err), OG_OK);
    assert_int_equal(f.n, 3);
    assert_int_equal(f.hash[0], 5);
    assert_int_equal(f.hash[1], 9);
    assert_int_equal(f.hash[2], 0);
    assert_true(f.weight[0] == 3 && f.weight[1] == 2 && f.weight[2] == 1.5f);
    og_features_release(&f);
}

static void check_refused(og_feature_options o, const char *words)
{
    og_error err;
    struct og_extractor x;
    assert_int_equal(og_extractor_init(&x, &o, NULL, &err), OG_ERR_USAGE);
    if (strstr(err.message, words) == NULL) fail_msg("%s", err.message);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    og_feature_options o = og_feature_options_default();
    o.stop = "klingon";
    check_refused(o, "klingon");
    o = og_feature_options_default();
    o.stem = "xx";
    check_refused(o, "da de en");
    o = og_feature_options_default();
    o.phrase_len = 0;
    check_refused(o, "1 to 32");
    o.phrase_len = 33;
    check_refused(o, "33");
    o = og_feature_options_default();
    o.title_weight = NAN;
    check_refused(o, "title weight");
    o.title_weight = -1;
    check_refused(o, "title weight");
    o = og_feature_options_default();
    o.heading_weight = 0;
    check_refused(o, "heading weight");
    o = og_feature_options_default();
    o.tokens = OG_TOKEN_DNA;
    o.stop = "en";
    check_refused(o, "dna");
}

static void words_tell_options_apart(void **state)
{
    (void)state;
    char a[OG_FEATURE_WORDS_MAX], b[OG_FEATURE_WORDS_MAX];
    og_feature_options o = og_feature_options_default();
    og_feature_words(&o, a, sizeof(a));
    assert_string_equal(a, "tokens=words features=phrases phrase=3 tf=count");
    o.key = 1234567;
    og_feature_words(&o, b, sizeof(b));
    assert_string_not_equal(a, b);
    o.key = 0;
    o.stem = "en";
    o.title_weight = 2.5;
    o.heading_weight = 2;
    o.kind = OG_FEATURE_SPOT;
    o.tf = OG_TF_LOG;
    og_feature_words(&o, b, sizeof(b));
    assert_string_equal(b, "tokens=words features=spot phrase=3 stop=en "
                           "stem=en tf=log title=2.5 heading=2");
}

static void a_key_changes_all(void **state)
{
    (void)state;
    og_feature_options o = options_of(OG_FEATURE_PHRASES, 3);
    const og_document doc = document("", text_of_tests);
    struct og_features a, b;
    extract(&o, &doc, &a);
    o.key = 99;
    extract(&o, &doc, &b);
    assert_int_equal(a.n, b.n);
    for (size_t i = 0; i < a.n; i++)
        assert_true(a.hash[i] != b.hash[i]);
    og_features_release(&a);
    og_features_release(&b);
}

static void logarithms(void **state)
{
    (void)state;
    for (int e = -60; e <= 60; e++)
        assert_true(og_log2(ldexp(1, e)) == e);
    for (double x = 1e-9; x < 1e12; x *= 1.0137)
        assert_true(fabs(og_log2(x) - log2(x)) <= 4e-15 * (1 + fabs(log2(x))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),
        cmocka_unit_test(phrases),
        cmocka_unit_test(wrapped_phrases),
        cmocka_unit_test(stop_words_go),
        cmocka_unit_test(spots),
        cmocka_unit_test(many_stop_words),
        cmocka_unit_test(stems),
        cmocka_unit_test(title_and_text_stay_apart),
        cmocka_unit_test(headings_weigh),
        cmocka_unit_test(term_frequencies),
        cmocka_unit_test(merging_adds_up),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(words_tell_options_apart),
        cmocka_unit_test(a_key_changes_all),
        cmocka_unit_test(logarithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
