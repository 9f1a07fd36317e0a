/* A run of documents takes up and adds what one after the other would. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/sentence/index/sentences_run.h"

enum { N = 30, N_RUN = 10 };

static char texts[N][400], ids[N][8];
static og_document docs[N];

static void make_documents(void)
{
    for (int i = 0; i < N; i++) {
        sprintf(ids[i], "d%d", i);
        sprintf(texts[i],
                "The ships of harbour %d sail at dawn on Monday. "
                "Nobody has written sentence number x%d before today.",
                i % 4, i);
        docs[i] = (og_document){.id = {ids[i], strlen(ids[i])},
                                .text = {texts[i], strlen(texts[i])}};
    }
}

static og_sentences *open_sentences(void)
{
    const struct og_sentences_place place = {.is_writable = true,
                                             .is_new = true};
    const og_sentences_options options = og_sentences_options_default();
    og_sentences *s;
    assert_int_equal(og_sentences_open(&place, &options, &s, NULL), OG_OK);
    return s;
}

static og_status thread_of(void *ctx, void *worker, size_t i,
                           struct og_quote_thread *out, og_error *err)
{
    (void)ctx, (void)i, (void)err;
    *out = *(struct og_quote_thread *)worker;
    return OG_OK;
}

static size_t compare(const og_quotes *a, const og_quotes *b)
{
    size_t n = 0;
    assert_int_equal(a->n_sentences, b->n_sentences);
    for (size_t i = 0; i < a->n_sentences; i++) {
        const og_quote *x = &a->sentences[i], *y = &b->sentences[i];
        assert_int_equal(x->n_found, y->n_found);
        assert_int_equal(x->n_matches, y->n_matches);
        for (size_t k = 0; k < x->n_matches; k++) {
            assert_int_equal(x->matches[k].id.len, y->matches[k].id.len);
            assert_memory_equal(x->matches[k].id.data, y->matches[k].id.data,
                                x->matches[k].id.len);
            assert_true(x->matches[k].similarity == y->matches[k].similarity);
        }
        n += x->n_matches;
    }
    return n;
}

static void a_run_is_one_by_one(void **state)
{
    const og_quote_options options = og_quote_options_default();
    const struct og_quote_scope all = {.ctx = NULL};
    struct og_quote_asker asker = {.s = NULL};
    struct og_arena arena;
    og_sentences *single = open_sentences(), *s = open_sentences();
    size_t n_found = 0;
    (void)state;
    make_documents();
    og_arena_init(&arena, NULL);
    assert_int_equal(og_quote_asker_init(&asker, s, NULL), OG_OK);
    struct og_quote_thread thread = {&asker, &arena, all};
    const struct og_phases phases = og_phases_alone(&thread);
    struct og_quote_run run = {
        .phases = &phases, .thread_of = thread_of, .options = &options};
    for (uint32_t first = 0; first < N; first += N_RUN) {
        assert_int_equal(og_quote_run_begin(&run, N_RUN, NULL), OG_OK);
        for (uint32_t i = 0; i < N_RUN; i++)
            run.docs[i] = (struct og_quote_run_doc){.doc = &docs[first + i],
                                                    .number = first + i,
                                                    .time = first + i};
        assert_int_equal(og_quote_run_take(&run, s, NULL), OG_OK);
        for (uint32_t i = 0; i < N_RUN; i++) {
            const og_quotes *answer;
            assert_int_equal(og_sentences_ask(single, &docs[first + i],
                                              &options, &all, &answer, NULL),
                             OG_OK);
            n_found += compare(run.docs[i].answer, answer);
            assert_int_equal(og_sentences_add(single, first + i,
                                              &docs[first + i], first + i,
                                              NULL),
                             OG_OK);
        }
    }
    assert_true(n_found > N / 2);
    og_quote_run_release(&run);
    og_quote_asker_release(&asker);
    og_arena_release(&arena);
    og_sentences_close(s);
    og_sentences_close(single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
