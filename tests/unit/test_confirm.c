/* Hits against the texts of their origins, on tokens made by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/align/confirm.h"

enum { N = 60, SHINGLE = 8 };

enum { N_DOCUMENTS = 4 };

static uint64_t hashes[N_DOCUMENTS][N];
static struct og_tokens tokens[N_DOCUMENTS];

static og_status give_side(void *ctx, uint32_t doc, uint32_t side,
                           struct og_align_side *out, og_error *err)
{
    (void)ctx, (void)side, (void)err;
    out->tokens = doc < N_DOCUMENTS ? &tokens[doc] : NULL;
    return OG_OK;
}

static bool comes_before(const void *order, uint32_t a, uint32_t b)
{
    (void)order;
    return a < b;
}

static struct og_confirm_source source = {.side = give_side,
                                          .order = {.earlier = comes_before}};

/* Document 2 is tokens 10 .. 40 of document 0, then 0 .. 20 of document 1. */
static void make_documents(void)
{
    for (uint32_t i = 0; i < N; i++) {
        hashes[0][i] = 1000 + i;
        hashes[1][i] = 2000 + i;
        hashes[3][i] = 4000 + i;
        hashes[2][i] = i < 30   ? 1010 + i
                       : i < 50 ? 2000 + i - 30
                                : 3000 + (uint64_t)i;
    }
    for (size_t d = 0; d < N_DOCUMENTS; d++)
        tokens[d] = (struct og_tokens){.hash = hashes[d], .n = N};
}

static uint32_t least = SHINGLE;

static void confirm(struct og_confirming *c, uint32_t *pos, uint32_t *len,
                    struct og_hit *hits, size_t n)
{
    const struct og_selection sel = {
        .pos = pos, .len = len, .n = n, .shingle_len = SHINGLE};
    const struct og_labels labels = {.hits = hits, .n = n};
    const struct og_align_side document = {.tokens = &tokens[2]};
    og_error err;
    og_confirming_init(c, NULL);
    c->least = least;
    assert_int_equal(og_confirm(c, document, &sel, &labels, &source, &err),
                     OG_OK);
}

/* One hit in the middle is enough for the whole of a copy. */
static void test_one_hit_finds_all(void **state)
{
    (void)state;
    struct og_confirming c;
    uint32_t pos[] = {12, 35};
    uint32_t len[] = {SHINGLE, SHINGLE};
    struct og_hit hits[] = {{.doc = 0, .offset = 22}, {.doc = 1, .offset = 5}};
    make_documents();
    confirm(&c, pos, len, hits, 2);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.data[0].begin, 0);
    assert_int_equal(c.data[0].end, 30);
    assert_int_equal(c.data[0].doc, 0);
    assert_int_equal(c.data[0].origin_begin, 10);
    assert_int_equal(c.data[0].origin_end, 40);
    assert_int_equal(c.data[1].begin, 30);
    assert_int_equal(c.data[1].end, 50);
    assert_int_equal(c.data[1].doc, 1);
    assert_int_equal(c.data[1].origin_begin, 0);
    og_confirming_release(&c);
}

/* Each has something from the document before it. */
static og_status give_ancestors(void *ctx, uint32_t doc,
                                const struct og_tokens *of, uint32_t max,
                                uint32_t *out, uint32_t *out_n, og_error *err)
{
    (void)ctx, (void)of, (void)err;
    assert_true(max > 0);
    *out_n = doc == 1 || doc == 3;
    out[0] = doc == 3 ? 1 : 0;
    return OG_OK;
}

/* The table names a copier of a short passage; its first holder is one of the
 * copier's own origins. */
static void test_an_origin_of_an_origin(void **state)
{
    (void)state;
    struct og_confirming c;
    uint32_t pos[] = {35};
    uint32_t len[] = {SHINGLE};
    struct og_hit hits[] = {{.doc = 1, .offset = 5}};
    make_documents();
    for (uint32_t i = 0; i < 20; i++)
        hashes[0][40 + i] = hashes[1][i];
    confirm(&c, pos, len, hits, 1);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.data[0].doc, 1);
    og_confirming_release(&c);
    source.ancestors = give_ancestors;
    confirm(&c, pos, len, hits, 1);
    source.ancestors = NULL;
    assert_int_equal(c.n, 1);
    assert_int_equal(c.data[0].doc, 0);
    assert_int_equal(c.data[0].begin, 0);
    assert_int_equal(c.data[0].end, 50);
    og_confirming_release(&c);
}

/* The same one step further: document 3 has the passage from 1, and 1 from 0,
 * which neither the table nor the origins of 3 name. */
static void test_an_origin_of_that_one(void **state)
{
    (void)state;
    struct og_confirming c;
    uint32_t pos[] = {35};
    uint32_t len[] = {SHINGLE};
    struct og_hit hits[] = {{.doc = 3, .offset = 5}};
    make_documents();
    for (uint32_t i = 0; i < 20; i++) {
        hashes[0][40 + i] = hashes[1][i];
        hashes[3][i] = hashes[1][i];
    }
    source.ancestors = give_ancestors;
    confirm(&c, pos, len, hits, 1);
    source.ancestors = NULL;
    assert_int_equal(c.n, 1);
    assert_int_equal(c.data[0].doc, 0);
    assert_int_equal(c.data[0].begin, 0);
    assert_int_equal(c.data[0].end, 50);
    og_confirming_release(&c);
}

/* A hit that the text does not bear out finds nothing at its place, whatever
 * the table says. What the document really has of that origin is found although
 * the table has forgotten it. */
static void test_a_wrong_origin(void **state)
{
    (void)state;
    struct og_confirming c;
    struct og_copy copy = {.begin = 0, .end = 20, .doc = 1};
    const struct og_copies copies = {.data = &copy, .n = 1};
    uint32_t pos[] = {4};
    uint32_t len[] = {SHINGLE};
    struct og_hit hits[] = {{.doc = 1, .offset = 4}};
    og_error err;
    make_documents();
    confirm(&c, pos, len, hits, 1);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.data[0].begin, 30);
    assert_int_equal(c.data[0].end, 50);
    assert_int_equal(c.data[0].origin_begin, 0);
    assert_int_equal(og_confirm_rest(&c, &copies, N, &err), OG_OK);
    assert_int_equal(c.rest.n, 0);
    og_confirming_release(&c);
}

/* A copy of document 0 with `n` words of its own in the middle. */
static void insert_words(uint32_t at, uint32_t n)
{
    for (uint32_t i = 0; i < N; i++)
        hashes[2][i] = i < at       ? 1000 + (uint64_t)i
                       : i < at + n ? 3000 + (uint64_t)i
                                    : 1000 + (uint64_t)i - n;
}

/* A few words are an edit; more of them divide the passage. */
static void test_a_gap(void **state)
{
    (void)state;
    struct og_confirming c;
    uint32_t pos[] = {4};
    uint32_t len[] = {SHINGLE};
    struct og_hit hits[] = {{.doc = 0, .offset = 4}};
    make_documents();
    insert_words(20, 4);
    confirm(&c, pos, len, hits, 1);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.data[0].end, N);
    assert_int_equal(c.data[0].n_runs, 2);
    og_confirming_release(&c);
    insert_words(20, 12);
    confirm(&c, pos, len, hits, 1);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.data[0].end, 20);
    assert_int_equal(c.data[1].begin, 32);
    assert_int_equal(c.data[1].origin_begin, 20);
    og_confirming_release(&c);
}

/* The rest of a copy is reported if it is long enough. */
static void test_the_least(void **state)
{
    (void)state;
    struct og_confirming c;
    uint32_t pos[] = {12, 35};
    uint32_t len[] = {SHINGLE, SHINGLE};
    struct og_hit hits[] = {{.doc = 0, .offset = 22}, {.doc = 1, .offset = 5}};
    make_documents();
    least = 21;
    confirm(&c, pos, len, hits, 2);
    least = SHINGLE;
    assert_int_equal(c.n, 1);
    assert_int_equal(c.data[0].doc, 0);
    og_confirming_release(&c);
}

/* Without a text the labels stay as they are. */
static void test_no_text(void **state)
{
    (void)state;
    struct og_confirming c;
    struct og_copy copy = {.begin = 0, .end = 20, .doc = 9};
    const struct og_copies copies = {.data = &copy, .n = 1};
    uint32_t pos[] = {4};
    uint32_t len[] = {SHINGLE};
    struct og_hit hits[] = {{.doc = 9, .offset = 4}};
    og_error err;
    make_documents();
    confirm(&c, pos, len, hits, 1);
    assert_int_equal(c.n, 0);
    assert_int_equal(og_confirm_rest(&c, &copies, N, &err), OG_OK);
    assert_int_equal(c.rest.n_old, 20);
    og_confirming_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_hit_finds_all),
        cmocka_unit_test(test_an_origin_of_an_origin),
        cmocka_unit_test(test_an_origin_of_that_one),
        cmocka_unit_test(test_a_wrong_origin),
        cmocka_unit_test(test_a_gap),
        cmocka_unit_test(test_the_least),
        cmocka_unit_test(test_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
