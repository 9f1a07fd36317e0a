/* With room for everything, answers do not depend on the order in which
 * documents arrive, only on their times. Documents that quote, reword and
 * repeat each other are added in many orders, and each is queried as of its own
 * time. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <origo/origo.h>

#include "lib/base/bits.h"
#include "tests/unit/files_support.h"

enum { N_DOCUMENTS = 80, N_ORDERS = 6, TEXT_CAP = 8192 };

static struct {
    char id[16];
    char text[TEXT_CAP];
} made[N_DOCUMENTS];

/* Passages of `from`, word by word; one word in nine becomes another, so that
 * contexts agree where shingles do not. */
static size_t quote(char *out, size_t at, const char *from, uint64_t *random)
{
    const size_t len = strlen(from);
    size_t begin = len > 400 ? og_random_next(random) % (len - 300) : 0;
    while (begin > 0 && from[begin - 1] != ' ')
        begin--;
    const char *word = from + begin;
    for (int n = 0; n < 60 && *word != 0 && at + 64 < TEXT_CAP; n++) {
        const size_t word_len = strcspn(word, " ");
        if (og_random_next(random) % 9 == 0)
            at += (size_t)sprintf(out + at, "x%u ",
                                  (unsigned)(og_random_next(random) % 50));
        else
            at += (size_t)sprintf(out + at, "%.*s ", (int)word_len, word);
        word += word_len + (word[word_len] != 0);
    }
    return at;
}

static void make_documents(void)
{
    uint64_t random = 5;
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        size_t at = 0;
        sprintf(made[i].id, "d%02u", i);
        for (int part = 0; part < 6; part++) {
            for (int n = 0; n < 30; n++)
                at +=
                    (size_t)sprintf(made[i].text + at, "w%u ",
                                    (unsigned)(og_random_next(&random) % 400));
            if (i == 0) continue;
            const unsigned from = (unsigned)(og_random_next(&random) % i);
            at = quote(made[i].text, at, made[from].text, &random);
        }
    }
}

/* Two documents of one time would be ordered by their arrival. */
static og_document document(unsigned i)
{
    return (og_document){.id = {made[i].id, strlen(made[i].id)},
                         .text = {made[i].text, strlen(made[i].text)},
                         .time = 1000 + i,
                         .has_time = true};
}

static void shuffle(unsigned *order, unsigned seed)
{
    uint64_t random = seed;
    for (unsigned i = 0; i < N_DOCUMENTS; i++)
        order[i] = seed == 1 ? N_DOCUMENTS - 1 - i : i;
    for (unsigned i = N_DOCUMENTS; i > 1 && seed > 1; i--) {
        const unsigned other = (unsigned)(og_random_next(&random) % i);
        const unsigned kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* All but the other copiers: they are what the store knew when each came. */
static void print_answer(FILE *out, const og_answer *a)
{
    fprintf(out, "%d fresh, dominant %.*s %f\n", (int)a->n_fresh,
            (int)a->dominant_id.len, a->dominant_id.data, a->dominant_share);
    for (size_t i = 0; i < a->n_spans; i++) {
        const og_span *s = &a->spans[i];
        fprintf(out, "%d-%d %s %.*s %lld-%lld\n", (int)s->begin, (int)s->end,
                og_how_name(s->how), (int)s->origin_id.len, s->origin_id.data,
                (long long)s->origin_begin, (long long)s->origin_end);
    }
    for (size_t i = 0; i < a->n_origins; i++)
        fprintf(out, "%.*s %d\n", (int)a->origins[i].id.len,
                a->origins[i].id.data, (int)a->origins[i].n_tokens);
}

/* All answers of a store as text; free() it. */
static char *answers(og_store *store)
{
    char *text = NULL;
    size_t len = 0;
    og_error err;
    FILE *out = open_memstream(&text, &len);
    og_trace *trace = og_trace_new(store);
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = document(i);
        assert_int_equal(og_store_trace(store, &doc, trace, &err), OG_OK);
        print_answer(out, og_trace_answer(trace));
    }
    og_trace_free(trace);
    fclose(out);
    return text;
}

static char *answers_in_order(const char *path, const og_params *params,
                              unsigned seed)
{
    unsigned order[N_DOCUMENTS];
    og_store *store;
    og_store_info info;
    og_error err;
    shuffle(order, seed);
    assert_int_equal(og_store_open(path, OG_CREATE,
                                   &(og_store_options){.params = params},
                                   &store, &err),
                     OG_OK);
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = document(order[i]);
        assert_int_equal(og_store_add(store, &doc, NULL, &err), OG_OK);
    }
    og_store_info_get(store, &info);
    assert_int_equal(info.n_evicted, 0);
    char *text = answers(store);
    og_store_close(store, NULL);
    return text;
}

/* One key for all stores: without texts, two fingerprints that share a tag are
 * taken for one, and under a random key those are others in each store. */
static og_params params_for_all(void)
{
    og_params params = og_params_default();
    params.memory = 4 << 20;
    params.key = OG_KEY_PUBLIC;
    return params;
}

/* With texts, spans are verified. */
static void check_orders(const char *path, const og_params *params)
{
    char name[300];
    snprintf(name, sizeof(name), "%s", path);
    char *right = answers_in_order(name, params, 0);
    assert_non_null(strstr(right, params->no_texts ? "hit d" : "verified d"));
    for (unsigned seed = 1; seed < N_ORDERS; seed++) {
        if (path[0] != ':') snprintf(name, sizeof(name), "%s-%u", path, seed);
        char *other = answers_in_order(name, params, seed);
        assert_string_equal(other, right);
        free(other);
    }
    free(right);
}

static void arrival_changes_no_answer(void **state)
{
    (void)state;
    static const char *const selects[] = {"SHs", "NHs", "All", "W8"};
    make_documents();
    for (int kind = OG_ESTIMATE_NONE; kind <= OG_ESTIMATE_CONTEXT; kind++)
        for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++) {
            og_params params = params_for_all();
            params.estimate = (og_estimate_kind)kind;
            params.no_texts = true;
            assert_true(og_select_parse(
                (og_bytes){selects[i], strlen(selects[i])}, &params.select));
            check_orders(":memory:", &params);
        }
}

static void arrival_changes_no_verified_answer(void **state)
{
    (void)state;
    const og_params params = params_for_all();
    make_documents();
    check_orders(in("store"), &params);
    check_orders(":memory:", &params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrival_changes_no_answer),
        cmocka_unit_test(arrival_changes_no_verified_answer),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
