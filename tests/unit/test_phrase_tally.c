/* First holders, growth, documents and sources of passages that were found. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "lib/base/bits.h"
#include "lib/phrases/phrase_tally.h"

/* The first holder is by time, whatever came first. */
static void test_an_older_document_takes_over(void **state)
{
    (void)state;
    struct og_phrase_periods periods;
    struct og_phrase_tally *tally;
    og_phrases all = {0};
    og_error err;
    og_document docs[3] = {
        {.id = OG_LITERAL("none"), .text = OG_LITERAL("the same")},
        {.id = OG_LITERAL("late"),
         .text = OG_LITERAL("the same"),
         .has_time = true,
         .time = 9},
        {.id = OG_LITERAL("early"),
         .text = OG_LITERAL("The same"),
         .has_time = true,
         .time = 3},
    };
    og_phrase_periods_init(&periods, OG_PERIOD_PARTS, 10);
    assert_int_equal(og_phrase_tally_new(1, 5, 3, &periods, &tally, &err),
                     OG_OK);
    for (uint64_t i = 0; i < 3; i++) {
        const struct og_phrase_found found = {0, 2, 0, 8};
        const struct og_phrase_holding holding = {.doc = &docs[i],
                                                  .number = i,
                                                  .n_tokens = 2,
                                                  .n_covered = 2,
                                                  .found = &found,
                                                  .n_found = 1};
        assert_int_equal(og_phrase_tally_add(tally, &holding, &err), OG_OK);
    }
    og_phrase_tally_finish(tally, 2, &all);
    assert_int_equal(all.n_phrases, 1);
    assert_memory_equal(all.phrases[0].first.id.data, "early", 5);
    assert_memory_equal(all.phrases[0].text.data, "The same", 8);
    assert_int_equal(all.n_periods, 3);
    assert_int_equal(all.n_made, 3);
    og_phrase_tally_free(tally);
    og_phrase_periods_release(&periods);
}

/* ---- against counts that are made the plain way ---- */

enum { N_DOCS = 200, N_PHRASES = 7, LIMIT = 5, N_SOURCES = 4, N_PARTS = 10 };

struct made {
    og_document doc;
    char id[16];
    int source; /* -1: none */
    size_t n_tokens, n_covered, n_found;
    struct og_phrase_found found[N_PHRASES];
};

static struct made made[N_DOCS];
static const char *const source_names[N_SOURCES] = {"a.org", "b.org", "c", "d"};

static void make_documents(uint64_t seed)
{
    uint64_t random = seed;
    for (uint64_t i = 0; i < N_DOCS; i++) {
        struct made *m = &made[i];
        memset(m, 0, sizeof(*m));
        snprintf(m->id, sizeof(m->id), "d%u", (unsigned)i);
        m->doc.id = (og_bytes){m->id, strlen(m->id)};
        m->doc.text = (og_bytes)OG_LITERAL("one two three four five six");
        m->doc.has_time = og_random_next(&random) % 4 != 0;
        m->doc.time = (int64_t)(og_random_next(&random) % 50);
        m->source = (int)(og_random_next(&random) % (N_SOURCES + 1)) - 1;
        m->n_tokens = 20 + og_random_next(&random) % 30;
        for (uint32_t p = 0; p < N_PHRASES; p++)
            if (og_random_next(&random) % (p + 2) == 0)
                m->found[m->n_found++] =
                    (struct og_phrase_found){p, p + 2, p, p + 3};
        if (m->n_found != 0)
            m->n_covered = og_random_next(&random) % (m->n_tokens + 1);
    }
}

static bool has(const struct made *m, uint32_t phrase)
{
    for (size_t i = 0; i < m->n_found; i++)
        if (m->found[i].phrase == phrase) return true;
    return false;
}

/* N_DOCS: nobody has it. */
static size_t true_first(uint32_t phrase)
{
    size_t first = N_DOCS;
    for (size_t i = 0; i < N_DOCS; i++) {
        const og_document *x = &made[i].doc;
        if (!has(&made[i], phrase)) continue;
        if (first == N_DOCS || (x->has_time && !made[first].doc.has_time) ||
            (x->has_time && x->time < made[first].doc.time))
            first = i;
    }
    return first;
}

static void check_phrases(const og_phrases *all, uint64_t least)
{
    size_t n = 0;
    for (uint32_t p = 0; p < N_PHRASES; p++) {
        uint64_t n_documents = 0, growth[N_PARTS] = {0};
        for (size_t i = 0; i < N_DOCS; i++) {
            n_documents += has(&made[i], p);
            growth[i * N_PARTS / N_DOCS] += has(&made[i], p);
        }
        if (n_documents < least) continue;
        n++;
        size_t at = 0;
        while (at < all->n_phrases && all->phrases[at].n_tokens != p + 2)
            at++;
        assert_true(at < all->n_phrases);
        const og_phrase *phrase = &all->phrases[at];
        const og_document *first = &made[true_first(p)].doc;
        assert_int_equal(phrase->n_documents, n_documents);
        assert_int_equal(phrase->first.id.len, first->id.len);
        assert_memory_equal(phrase->first.id.data, first->id.data,
                            first->id.len);
        assert_int_equal(phrase->first.begin, p);
        assert_int_equal(phrase->text.len, 3);
        assert_memory_equal(phrase->text.data, first->text.data + p, 3);
        assert_memory_equal(phrase->growth, growth, sizeof(growth));
    }
    assert_int_equal(all->n_phrases, n);
    for (size_t i = 1; i < n; i++)
        assert_true(all->phrases[i - 1].n_documents >=
                    all->phrases[i].n_documents);
}

static void check_sources(const og_phrases *all)
{
    for (int s = 0; s < N_SOURCES; s++) {
        uint64_t n_documents = 0, n_copies = 0, n_tokens = 0;
        for (size_t i = 0; i < N_DOCS; i++) {
            if (made[i].source != s) continue;
            n_documents += made[i].n_found != 0;
            for (uint32_t p = 0; p < N_PHRASES; p++) {
                if (!has(&made[i], p) || true_first(p) == i) continue;
                n_copies++;
                n_tokens += p + 2;
            }
        }
        size_t at = 0;
        while (at < all->n_sources &&
               memcmp(all->sources[at].name.data, source_names[s], 1) != 0)
            at++;
        assert_true(at < all->n_sources);
        assert_int_equal(all->sources[at].n_documents, n_documents);
        assert_int_equal(all->sources[at].n_copies, n_copies);
        assert_int_equal(all->sources[at].n_tokens, n_tokens);
    }
    for (size_t i = 1; i < all->n_sources; i++)
        assert_true(all->sources[i - 1].n_tokens >= all->sources[i].n_tokens);
}

/* The LIMIT largest shares: nobody who is left out has a larger one. */
static void check_documents(const og_phrases *all)
{
    assert_int_equal(all->n_documents_listed, LIMIT);
    double least = 1;
    for (size_t i = 0; i < LIMIT; i++) {
        const og_phrase_document *d = &all->documents[i];
        const double share = (double)d->n_covered / (double)d->n_tokens;
        assert_true(share <= least);
        least = share;
    }
    size_t n_larger = 0, n_made = 0, n_tokens = 0;
    for (size_t i = 0; i < N_DOCS; i++) {
        const struct made *m = &made[i];
        const double share = (double)m->n_covered / (double)m->n_tokens;
        n_larger += m->n_found != 0 && share > least;
        n_made += m->n_found != 0 && share >= 0.5;
        n_tokens += m->n_tokens;
    }
    assert_true(n_larger < LIMIT);
    assert_int_equal(all->n_made, n_made);
    assert_int_equal(all->n_tokens, n_tokens);
    assert_int_equal(all->n_documents, N_DOCS);
}

static void test_counts_are_the_plain_ones(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct og_phrase_periods periods;
        struct og_phrase_tally *tally;
        og_phrases all = {0};
        make_documents(seed);
        og_phrase_periods_init(&periods, OG_PERIOD_PARTS, 100);
        assert_int_equal(og_phrase_tally_new(N_PHRASES, LIMIT, N_DOCS, &periods,
                                             &tally, NULL),
                         OG_OK);
        for (size_t i = 0; i < N_DOCS; i++) {
            const struct made *m = &made[i];
            const char *source = m->source < 0 ? "" : source_names[m->source];
            const struct og_phrase_holding h = {
                .doc = &m->doc,
                .source = {source, strlen(source)},
                .number = i,
                .n_tokens = m->n_tokens,
                .n_covered = m->n_covered,
                .found = m->found,
                .n_found = m->n_found};
            assert_int_equal(og_phrase_tally_add(tally, &h, NULL), OG_OK);
        }
        og_phrase_tally_finish(tally, 30, &all);
        assert_int_equal(all.n_periods, N_PARTS);
        check_phrases(&all, 30);
        check_sources(&all);
        check_documents(&all);
        og_phrase_tally_free(tally);
        og_phrase_periods_release(&periods);
    }
}

/* Days: a document without a time is in none of them. */
static void test_growth_by_days(void **state)
{
    (void)state;
    const int64_t day = INT64_C(86400) * 1000000;
    static const int days[] = {3, 1, 1, -1, 2}; /* -1: no time */
    struct og_phrase_periods periods;
    struct og_phrase_tally *tally;
    og_phrases all = {0};
    og_phrase_periods_init(&periods, OG_PERIOD_DAY, 100);
    for (size_t i = 0; i < 5; i++)
        if (days[i] >= 0)
            assert_int_equal(
                og_phrase_periods_add(&periods, days[i] * day + 7, NULL),
                OG_OK);
    og_phrase_periods_finish(&periods);
    assert_int_equal(og_phrase_tally_new(1, 5, 5, &periods, &tally, NULL),
                     OG_OK);
    for (uint64_t i = 0; i < 5; i++) {
        const og_document doc = {.id = OG_LITERAL("x"),
                                 .text = OG_LITERAL("a b"),
                                 .has_time = days[i] >= 0,
                                 .time = days[i] * day + 7};
        const struct og_phrase_found found = {0, 2, 0, 3};
        const struct og_phrase_holding h = {.doc = &doc,
                                            .number = i,
                                            .n_tokens = 2,
                                            .found = &found,
                                            .n_found = i != 4};
        assert_int_equal(og_phrase_tally_add(tally, &h, NULL), OG_OK);
    }
    og_phrase_tally_finish(tally, 1, &all);
    assert_int_equal(all.n_periods, 3);
    static const uint64_t growth[] = {2, 0, 1}, n[] = {2, 1, 1};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(all.phrases[0].growth[i], growth[i]);
        assert_int_equal(all.periods[i].n_documents, n[i]);
        assert_true(all.periods[i].has_times);
        assert_true(all.periods[i].first == (int64_t)(i + 1) * day + 7);
    }
    assert_int_equal(all.phrases[0].n_documents, 4);
    assert_int_equal(all.n_made, 0);
    og_phrase_tally_free(tally);
    og_phrase_tally_free(NULL);
    og_phrase_periods_release(&periods);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_older_document_takes_over),
        cmocka_unit_test(test_counts_are_the_plain_ones),
        cmocka_unit_test(test_growth_by_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
