/* Two texts, and what they have in common. */

#include "tests/unit/align_support.h"

#include <stdio.h>

#include "lib/align/reworded.h"

#define COPIED                                                                 \
    "a lighthouse keeper counts the ships that pass before midnight and "      \
    "writes "                                                                  \
    "each of their names into a book bound in green cloth"

/* Passages as "begin-end origin_begin-origin_end" in tokens, for comparing. */
static void expect(struct pair *p, const char *document, const char *origin,
                   const char *expected)
{
    char seen[512] = "";
    size_t len = 0;
    pair_read(p, document, origin);
    pair_align(p);
    pair_check(p);
    for (size_t i = 0; i < p->found.n_passages; i++) {
        const struct og_passage *q = &p->found.passages[i];
        len += (size_t)snprintf(seen + len, sizeof(seen) - len, "%s%u-%u %u-%u",
                                i == 0 ? "" : ", ", q->begin, q->end,
                                q->origin_begin, q->origin_end);
        assert_true(len < sizeof(seen));
    }
    assert_string_equal(seen, expected);
}

static void test_copies(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    expect(&p, "", "", "");
    expect(&p, "one", "one", "");
    expect(&p, COPIED, COPIED, "0-23 0-23");
    expect(&p, "Before it. " COPIED " and after.",
           "Quite another beginning here. " COPIED "", "2-25 4-27");
    /* Twice in the document: both are copies of the one. */
    expect(&p, COPIED ". Between the two. " COPIED, COPIED,
           "0-23 0-23, 26-49 0-23");
    /* Nothing in common but what everybody writes. */
    expect(&p, "Some say that it is one of the best that there is to see.",
           "She said that one of the two was at the door of the house.", "");
    pair_release(&p);
}

static void test_edits(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    /* Replaced, put in, left out. */
    expect(&p,
           "x1 x2 a lighthouse keeper counts the boats that pass before "
           "midnight and very carefully writes each of their names a book "
           "bound in green cloth y1 y2",
           "z1 z2 z3 " COPIED " z4", "2-26 3-26");
    const struct og_passage *q = &p.found.passages[0];
    assert_int_equal(q->n_runs, 4);
    assert_int_equal(p.found.matches[q->first_run].len, 5);
    assert_true(q->score > 0.88);
    pair_release(&p);
}

/* A hundred changes, one every sixth word: still one passage. */
static void test_pieces_become_one(void **state)
{
    enum { N = 600 };
    static char document[N * 16], origin[N * 16];
    size_t len = 0, origin_len = 0;
    struct pair p;
    (void)state;
    pair_init(&p);
    for (int i = 0; i < N; i++) {
        origin_len += (size_t)snprintf(origin + origin_len,
                                       sizeof(origin) - origin_len, "w%d ", i);
        len += (size_t)snprintf(document + len, sizeof(document) - len,
                                i % 6 == 1 ? "c%d " : "w%d ", i);
    }
    expect(&p, document, origin, "2-600 2-600");
    pair_release(&p);
}

/* ---- bounds ---- */

static void fill(char *text, size_t n_tokens, const char *token)
{
    for (size_t i = 0; i < n_tokens; i++)
        memcpy(text + i * 2, token, 2);
}

static void test_one_repeated_token(void **state)
{
    enum { N = 40000 };
    char *a = calloc(N + 1, 2), *b = calloc(N + 1, 2);
    struct pair p;
    (void)state;
    assert_true(a != NULL && b != NULL);
    pair_init(&p);
    fill(a, N, "a ");
    fill(b, N / 2, "a ");
    pair_read(&p, a, b);
    pair_align(&p);
    pair_check(&p);
    assert_true(p.found.n_passages > 0);
    pair_read(&p, b, b);
    pair_align(&p);
    pair_check(&p);
    assert_int_equal(p.found.n_passages, 1);
    assert_int_equal(p.found.passages[0].end, N / 2);
    free(a);
    free(b);
    pair_release(&p);
}

/* ---- seeds ---- */

static void test_verify(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    pair_read(&p, "Before it. " COPIED " and after.",
              "Quite another beginning here. " COPIED);
    struct og_run seeds[] = {{12, 14, 8}, {900, 3, 8}, {3, 900, 8}, {4, 6, 8}};
    assert_int_equal(og_verify(p.aligner, p.document, p.origin, seeds,
                               LENGTH(seeds), &p.options, &p.found, NULL),
                     OG_OK);
    pair_check(&p);
    assert_int_equal(p.found.n_passages, 1);
    assert_int_equal(p.found.passages[0].begin, 2);
    assert_int_equal(p.found.passages[0].end, 25);
    assert_int_equal(p.found.passages[0].origin_begin, 4);
    assert_int_equal(og_verify(p.aligner, p.document, p.origin, NULL, 0,
                               &p.options, &p.found, NULL),
                     OG_OK);
    assert_int_equal(p.found.n_passages, 0);
    pair_release(&p);
}

/* Hashes that are equal where words are not, as in crafted text: only what was
 * read in both texts remains of a copy. */
static void test_hashes_are_no_verdict(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    pair_read(&p,
              "one two three four five six seven eight nine ten eleven twelve "
              "thirteen fourteen",
              "uno dos tres cuatro cinco seis siete ocho nueve diez once doce "
              "trece catorce");
    memcpy(p.tokens[0].hash, p.tokens[1].hash, p.tokens[0].n * 8);
    pair_align(&p);
    assert_int_equal(p.found.n_passages, 0);
    struct og_run seed = {0, 0, 8};
    assert_int_equal(og_verify(p.aligner, p.document, p.origin, &seed, 1,
                               &p.options, &p.found, NULL),
                     OG_OK);
    assert_int_equal(p.found.n_passages, 0);

    /* Of 23 words the tenth and the last are others. */
    pair_read(&p, COPIED,
              "a lighthouse keeper counts the ships that pass before sunrise "
              "and writes each of their names into a book bound in green silk");
    assert_int_equal(p.tokens[0].n, p.tokens[1].n);
    memcpy(p.tokens[0].hash, p.tokens[1].hash, p.tokens[0].n * 8);
    pair_align(&p);
    pair_check(&p);
    assert_int_equal(p.found.n_passages, 1);
    const struct og_passage *q = &p.found.passages[0];
    assert_int_equal(q->n_runs, 2);
    assert_int_equal(q->begin, 0);
    assert_int_equal(q->end, 22);
    assert_true(q->score < 1);
    pair_release(&p);
}

enum { N_UNUSUAL = 200 };

/* A text of two words, and in it N_UNUSUAL others. */
static char *two_words(uint64_t random, size_t n, size_t n_before)
{
    char *const text = malloc(2 * n + N_UNUSUAL * 12 + 1);
    size_t len = 0;
    assert_non_null(text);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; i == n_before && k < N_UNUSUAL; k++)
            len += (size_t)sprintf(text + len, "word%d ", k);
        random = random * 6364136223846793005u + 1442695040888963407u;
        text[len++] = random >> 63 ? 'a' : 'b';
        text[len++] = ' ';
    }
    text[len] = 0;
    return text;
}

/* Two long texts of two words have runs everywhere. They are limited, and what
 * was copied is found. */
static void test_few_words(void **state)
{
    enum { N = 150000 };
    (void)state;
    struct pair p;
    pair_init(&p);
    char *const document = two_words(1, N, N / 3);
    char *const origin = two_words(2, N, N / 2);
    pair_read(&p, document, origin);
    pair_align(&p);
    pair_check(&p);
    bool is_found = false;
    for (size_t i = 0; i < p.found.n_passages; i++) {
        const struct og_passage *q = &p.found.passages[i];
        is_found |= q->begin <= N / 3 && q->end >= N / 3 + N_UNUSUAL &&
                    q->origin_begin <= N / 2 &&
                    q->origin_end >= N / 2 + N_UNUSUAL;
    }
    assert_true(is_found);
    /* Nothing large is kept. */
    assert_true(p.aligner->runs.cap <= 1 << 17);
    assert_true(p.aligner->chainer.links_cap <= 1 << 17);
    /* As many as the aligner has at a time. */
    struct og_runs runs;
    og_runs_init(&runs, NULL);
    const struct og_hashes d = {p.tokens[0].hash, (uint32_t)p.tokens[0].n};
    const struct og_hashes o = {p.tokens[1].hash, (uint32_t)p.tokens[1].n};
    const struct og_align_window all = {0, d.n, 0, o.n};
    assert_int_equal(og_runs_find(&p.aligner->finder, d, o, all, &runs, NULL),
                     OG_OK);
    assert_true(runs.n > 1 << 18 && runs.n <= 1 << 20);
    assert_int_equal(runs.cap, 1 << 20);
    og_runs_release(&runs);
    free(document);
    free(origin);
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_hashes_are_no_verdict),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_pieces_become_one),
        cmocka_unit_test(test_one_repeated_token),
        cmocka_unit_test(test_few_words),
        cmocka_unit_test(test_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
