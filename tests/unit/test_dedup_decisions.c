/* og_dedup_run() for programs: documents by callback, decisions by callback. */

#include <origo/origo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/given_texts.h"
#include "tests/unit/source_support.h"

#define N_WORDS 60

struct told {
    og_dedup_decision decision[8];
    char of[8][16];
    char text[8][1024];
    size_t n, stop_at;
};

static void put_text(char *out, unsigned first, const char *last)
{
    strcpy(out + put_words(out, first, N_WORDS), last);
}

static bool on_decision(void *ctx, const og_dedup_decision *d)
{
    struct told *t = ctx;
    t->decision[t->n] = *d;
    snprintf(t->of[t->n], sizeof(t->of[0]), "%.*s", (int)d->of_id.len,
             d->of_id.data);
    snprintf(t->text[t->n], sizeof(t->text[0]), "%.*s", (int)d->text.len,
             d->text.data);
    t->n++;
    return t->n != t->stop_at;
}

/* The first, one of its own, a copy of the first, a copy of the second. */
static void fill(struct given *g)
{
    *g = (struct given){.n = 4};
    put_text(g->text[0], 0, "end");
    put_text(g->text[1], 1000, "end");
    put_text(g->text[2], 0, "other");
    put_text(g->text[3], 1000, "last");
}

static og_status run(struct given *g, og_dedup_options *o, struct told *told,
                     og_error *err)
{
    const og_input input = input_of_texts(g, 2);
    o->output = NULL;
    o->ctx = told;
    o->on_decision = on_decision;
    return og_dedup_run(&input, o, NULL, err);
}

static void test_first_stays(void **state)
{
    struct given g;
    struct told told = {0};
    og_dedup_options o = og_dedup_options_default();
    og_error err = {0};
    (void)state;
    fill(&g);
    assert_int_equal(run(&g, &o, &told, &err), OG_OK);
    assert_int_equal(told.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(told.decision[i].number, i);
        assert_int_equal(told.decision[i].is_kept, i < 2);
    }
    assert_int_equal(told.decision[2].of_number, 0);
    assert_int_equal(told.decision[3].of_number, 1);
    assert_string_equal(told.of[2], "document:1");
    assert_true(told.decision[3].similarity > 0.8);
}

/* Two passes, and still in the order of the input. */
static void test_last_stays(void **state)
{
    struct given g;
    struct told told = {0};
    og_dedup_options o = og_dedup_options_default();
    og_error err = {0};
    (void)state;
    fill(&g);
    o.keep = OG_KEEP_LAST;
    assert_int_equal(run(&g, &o, &told, &err), OG_OK);
    assert_int_equal(told.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(told.decision[i].is_kept, i >= 2);
    assert_int_equal(told.decision[0].of_number, 2);
    assert_int_equal(told.decision[1].of_number, 3);
}

/* Pieces cut out of a document, and one of which nothing is left. */
static void test_lines(void **state)
{
    struct given g = {.n = 3};
    struct told told = {0};
    og_dedup_options o = og_dedup_options_default();
    og_error err = {0};
    (void)state;
    strcpy(g.text[0], "the first line of all\nand the second line of it\n");
    strcpy(g.text[1], "the first line of all\na line of its own, though\n");
    strcpy(g.text[2], "and the second line of it\n");
    o.level = OG_LEVEL_LINE;
    assert_int_equal(run(&g, &o, &told, &err), OG_OK);
    assert_int_equal(told.n, 3);
    assert_true(told.decision[0].is_kept && !told.decision[0].is_cut);
    assert_true(told.decision[1].is_kept && told.decision[1].is_cut);
    assert_string_equal(told.text[1], "a line of its own, though\n");
    assert_false(told.decision[2].is_kept);
    assert_true(told.decision[2].of_number == OG_NOT_OF_INPUT);
}

static void test_stopped(void **state)
{
    struct given g;
    struct told told = {.stop_at = 2};
    og_dedup_options o = og_dedup_options_default();
    og_error err = {0};
    (void)state;
    fill(&g);
    assert_int_equal(run(&g, &o, &told, &err), OG_ERR_STOPPED);
    assert_int_equal(told.n, 2);
}

static void test_no_resuming(void **state)
{
    struct given g;
    struct told told = {0};
    og_dedup_options o = og_dedup_options_default();
    og_error err = {0};
    (void)state;
    fill(&g);
    o.resume = true;
    assert_int_equal(run(&g, &o, &told, &err), OG_ERR_USAGE);
    assert_int_equal(told.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_stays), cmocka_unit_test(test_last_stays),
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_no_resuming),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
