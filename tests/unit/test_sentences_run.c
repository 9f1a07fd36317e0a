/* A run of documents takes up and adds what one after the other would. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/sentence/index/sentences_run.h"
#include "tests/unit/phases_support.h"

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

/* ---- many documents on several threads ---- */

enum { MANY = 2600, MANY_RUN = 90, ASKED_AT = 50, THREADS = 5 };

static char many_texts[MANY][700], many_ids[MANY][8];
static og_document many[MANY];

/* Eight sentences each: more than the memtable takes while nothing is asked.
 * Many have all but one of their words in common with an earlier one. */
static void make_many(void)
{
    uint64_t random = 4;
    for (int i = 0; i < MANY; i++) {
        size_t len = 0;
        for (int k = 0; k < 8; k++) {
            uint64_t kind = og_random_next(&random) % 15000, own = random;
            for (int w = 0; w < 8; w++)
                len += (size_t)sprintf(
                    many_texts[i] + len, "W%u%s",
                    (unsigned)(og_random_next(w < 7 ? &kind : &own) % 9000),
                    w < 7 ? " " : ". ");
        }
        sprintf(many_ids[i], "d%d", i);
        many[i] = (og_document){.id = {many_ids[i], strlen(many_ids[i])},
                                .text = {many_texts[i], len}};
    }
}

enum { THREADS_MOST = THREADS + 3 }; /* with the caller */

/* An asker for each thread that takes pieces. */
struct asker_pool {
    struct og_quote_asker askers[THREADS_MOST];
    struct og_arena arenas[THREADS_MOST];
    pthread_t owner[THREADS_MOST];
    size_t n;
    pthread_mutex_t lock;
};

static og_status pooled(void *ctx, void *worker, size_t i,
                        struct og_quote_thread *out, og_error *err)
{
    struct asker_pool *p = ctx;
    const struct og_quote_scope all = {.ctx = NULL};
    size_t k = 0;
    (void)worker, (void)i, (void)err;
    pthread_mutex_lock(&p->lock);
    while (k < p->n && !pthread_equal(p->owner[k], pthread_self()))
        k++;
    if (k == p->n && p->n < THREADS_MOST) p->owner[p->n++] = pthread_self();
    assert_true(k < p->n);
    pthread_mutex_unlock(&p->lock);
    *out = (struct og_quote_thread){&p->askers[k], &p->arenas[k], all};
    return OG_OK;
}

static void take_many(og_sentences *s, og_sentences *single, unsigned n_threads,
                      const og_quote_options *options)
{
    static struct asker_pool pool;
    struct og_ring *ring = threads_of(n_threads);
    const struct og_phases phases = phases_of(ring);
    struct og_quote_run run = {.phases = &phases,
                               .thread_of = pooled,
                               .ctx = &pool,
                               .options = options};
    memset(&pool, 0, sizeof(pool));
    pthread_mutex_init(&pool.lock, NULL);
    for (size_t i = 0; i < THREADS_MOST; i++) {
        assert_int_equal(og_quote_asker_init(&pool.askers[i], s, NULL), OG_OK);
        og_arena_init(&pool.arenas[i], NULL);
    }
    for (uint32_t first = 0, n; first < MANY; first += n) {
        n = MANY - first < MANY_RUN ? MANY - first : MANY_RUN;
        assert_int_equal(og_quote_run_begin(&run, n, NULL), OG_OK);
        for (uint32_t i = 0; i < n; i++)
            run.docs[i] = (struct og_quote_run_doc){.doc = &many[first + i],
                                                    .number = first + i,
                                                    .time = first + i};
        assert_int_equal(og_quote_run_take(&run, s, NULL), OG_OK);
        for (uint32_t i = 0; i < n; i++) {
            const og_quotes *answer;
            if (options != NULL && i % ASKED_AT == 0) {
                assert_int_equal(og_sentences_ask(single, &many[first + i],
                                                  options, NULL, &answer, NULL),
                                 OG_OK);
                compare(run.docs[i].answer, answer);
            }
            assert_int_equal(og_sentences_add(single, first + i,
                                              &many[first + i], first + i,
                                              NULL),
                             OG_OK);
        }
    }
    og_quote_run_release(&run);
    for (size_t i = 0; i < THREADS_MOST; i++) {
        og_quote_asker_release(&pool.askers[i]);
        og_arena_release(&pool.arenas[i]);
    }
    pthread_mutex_destroy(&pool.lock);
    og_ring_free(ring);
}

static void check_many(unsigned n_threads, const og_quote_options *options)
{
    og_sentences *single = open_sentences(), *s = open_sentences();
    size_t n_found = 0;
    take_many(s, single, n_threads, options);
    assert_int_equal(s->n_documents, MANY);
    assert_int_equal(s->n_sentences, single->n_sentences);
    assert_true(s->n_segments > 0 && single->n_segments > 0);
    for (uint32_t i = 0; i < MANY; i += ASKED_AT) {
        const og_quotes *a, *b;
        assert_int_equal(og_sentences_ask(s, &many[i], NULL, NULL, &a, NULL),
                         OG_OK);
        assert_int_equal(
            og_sentences_ask(single, &many[i], NULL, NULL, &b, NULL), OG_OK);
        n_found += compare(a, b);
    }
    assert_true(n_found > 20);
    og_sentences_close(s);
    og_sentences_close(single);
}

static void many_are_one_by_one(void **state)
{
    const og_quote_options options = og_quote_options_default();
    (void)state;
    make_many();
    check_many(1, NULL);
    check_many(THREADS, NULL);
    check_many(2, &options);
    check_many(THREADS, &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_one_by_one),
        cmocka_unit_test(many_are_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
