/* Texts that were written to have equal fingerprints: nothing comes of it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <origo/dedup.h>
#include <origo/store.h>
#include <origo/trace.h>

#include "lib/fingerprint/shingler.h"
#include "lib/os/secret.h"
#include "tests/unit/crafted.h"

/* The attack works on public values: the sketches of the two are equal. */
static uint64_t public_fp(const char *text, uint32_t k)
{
    struct og_shingle_factors *key = malloc(sizeof(*key));
    struct og_shingler s;
    og_shingle_factors_init(key, og_rabin_default(), k);
    og_shingler_init(&s, OG_TOKEN_WORDS, key, NULL);
    assert_int_equal(og_shingler_run(&s, (og_bytes){text, strlen(text)}, NULL),
                     OG_OK);
    assert_int_equal(s.fps.n, 1);
    const uint64_t fp = s.fps.data[0];
    og_shingler_release(&s);
    free(key);
    return fp;
}

struct given {
    const char *texts[4];
    size_t n, at;
};

static og_status next_given(void *ctx, og_document *out, og_error *err)
{
    static const char *const ids[] = {"a", "b", "c", "d"};
    struct given *g = ctx;
    (void)err;
    if (g->at == g->n) return OG_END;
    *out = (og_document){.id = {ids[g->at], 1},
                         .text = {g->texts[g->at], strlen(g->texts[g->at])}};
    g->at++;
    return OG_OK;
}

static og_status rewind_given(void *ctx, og_error *err)
{
    struct given *g = ctx;
    (void)err;
    g->at = 0;
    return OG_OK;
}

static bool on_decision(void *ctx, const og_dedup_decision *decision)
{
    (void)ctx, (void)decision;
    return true;
}

static og_dedup_counts dedup(struct given *g, const og_dedup_options *options)
{
    og_input input = og_input_default();
    og_dedup_counts counts = {0};
    og_error err = {0};
    input.ctx = g;
    input.next = next_given;
    input.rewind = rewind_given;
    if (og_dedup_run(&input, options, &counts, &err) != OG_OK)
        fail_msg("%s", err.message);
    return counts;
}

static void no_document_goes(void **state)
{
    (void)state;
    char texts[2][512];
    assert_true(crafted_pair(5, texts));
    assert_true(public_fp(texts[0], 5) == public_fp(texts[1], 5));
    og_dedup_options options = og_dedup_options_default();
    options.output = NULL;
    options.on_decision = on_decision;
    for (int cluster = 0; cluster < 2; cluster++)
        for (int level = 0; level < 4; level++) {
            struct given g = {{texts[0], texts[1], texts[0]}, 3, 0};
            options.cluster = (og_cluster_kind)cluster;
            options.level = (og_dedup_level)level;
            options.least_tokens = level == OG_LEVEL_DOCUMENT ? 0 : 5;
            options.keep = OG_KEEP_FIRST;
            const og_dedup_counts counts = dedup(&g, &options);
            assert_int_equal(counts.n_kept, 2); /* the third is the first */
            assert_int_equal(counts.n_removed, 1);
        }
}

/* Lines of two words whose public hashes all have the same lower bits met in
 * one place of the table. Under the key of a run they are all over it. */
static void lines_do_not_meet(void **state)
{
    (void)state;
    enum { N = 4096 };
    static uint8_t seen[N / 8];
    struct crafted_list lists[2], pairs;
    struct og_shingle_factors *key = malloc(sizeof(*key));
    struct og_shingler s;
    char word[24], line[64];
    for (size_t l = 0; l < 2; l++) {
        lists[l].n = N;
        lists[l].data = malloc(N * sizeof(*lists[l].data));
        for (uint32_t i = 0; i < N; i++) {
            const size_t len = crafted_word(l, i, word);
            lists[l].data[i] =
                (struct crafted_sum){crafted_share(word, len, l, 2), i, 0};
        }
    }
    pairs = crafted_merge(&lists[0], &lists[1], 0, false);
    assert_true(pairs.n > 100);
    og_shingle_factors_init(key, og_rabin_default(), 2);
    og_shingler_init(&s, OG_TOKEN_WORDS, key, NULL);
    uint64_t public_home = 0;
    size_t n_homes = 0;
    for (size_t i = 0; i < pairs.n; i++) {
        const size_t len = crafted_word(0, pairs.data[i].left, line);
        line[len] = ' ';
        crafted_word(1, pairs.data[i].right, line + len + 1);
        const og_bytes text = {line, strlen(line)};
        s.token_key = 0;
        assert_int_equal(og_shingler_run(&s, text, NULL), OG_OK);
        if (i == 0) public_home = s.fps.data[0] % CRAFTED_WORDS;
        assert_true(s.fps.data[0] % CRAFTED_WORDS == public_home);
        s.token_key = og_secret();
        assert_int_equal(og_shingler_run(&s, text, NULL), OG_OK);
        const size_t home = (size_t)(s.fps.data[0] % N);
        n_homes += (seen[home / 8] >> home % 8 & 1) == 0;
        seen[home / 8] |= (uint8_t)(1u << home % 8);
    }
    assert_true(n_homes > pairs.n * 8 / 10);
    og_shingler_release(&s);
    free(key);
    free(pairs.data);
    free(lists[0].data);
    free(lists[1].data);
}

/* ---- a store ---- */

static og_store *new_store(uint64_t key)
{
    og_params params = og_params_default();
    og_store *store;
    og_error err = {0};
    params.select = (og_select_options){.kind = OG_SELECT_ALL};
    params.memory = 1 << 20;
    params.key = key;
    params.no_texts = true; /* with texts nothing is told unread */
    if (og_store_open(":memory:", OG_CREATE,
                      &(og_store_options){.params = &params}, &store,
                      &err) != OG_OK)
        fail_msg("%s", err.message);
    return store;
}

static void add_text(og_store *store, const char *id, const char *text)
{
    const og_document doc = {.id = {id, strlen(id)},
                             .text = {text, strlen(text)}};
    og_error err = {0};
    if (og_store_add(store, &doc, NULL, &err) != OG_OK)
        fail_msg("%s", err.message);
}

/* Who is the origin of a text, in one letter; '-': it is new. */
static char origin_of(og_store *store, const char *text)
{
    const og_document doc = {.id = {"q", 1}, .text = {text, strlen(text)}};
    og_trace *trace = og_trace_new(store);
    og_error err = {0};
    if (og_store_trace(store, &doc, trace, &err) != OG_OK)
        fail_msg("%s", err.message);
    const og_answer *answer = og_trace_answer(trace);
    const char origin =
        answer->n_spans > 0 ? answer->spans[0].origin_id.data[0] : '-';
    og_trace_free(trace);
    return origin;
}

/* A crafted document with the fingerprint of a passage is added before that
 * passage, and takes its slot in a table of public fingerprints. */
static void no_passage_is_forgotten(void **state)
{
    (void)state;
    char texts[2][512];
    assert_true(crafted_pair(8, texts));
    assert_true(public_fp(texts[0], 8) == public_fp(texts[1], 8));
    for (int is_keyed = 0; is_keyed < 2; is_keyed++) {
        og_store *store = new_store(is_keyed ? 0 : OG_KEY_PUBLIC);
        assert_int_equal(og_store_is_keyed(store), is_keyed);
        add_text(store, "x", texts[1]);
        add_text(store, "o", texts[0]);
        assert_int_equal(origin_of(store, texts[0]), is_keyed ? 'o' : 'x');
        assert_int_equal(og_store_close(store, NULL), OG_OK);
    }
}

/* The selection, and so the result, is the same under every key. */
static void answers_do_not_depend_on_the_key(void **state)
{
    (void)state;
    enum { N = 400 };
    static char text[16 * N];
    uint64_t seed = 9;
    static const uint64_t keys[] = {OG_KEY_PUBLIC, 1, 0xfedcba9876543210u, 0};
    size_t used[4];
    for (size_t k = 0; k < 4; k++) {
        og_params params = og_params_default();
        og_store *store;
        og_store_info info;
        params.memory = 1 << 20;
        params.key = keys[k];
        seed = 9;
        assert_int_equal(og_store_open(":memory:", OG_CREATE,
                                       &(og_store_options){.params = &params},
                                       &store, NULL),
                         OG_OK);
        for (int d = 0; d < 20; d++) {
            char id[16];
            size_t len = 0;
            for (int i = 0; i < N; i++)
                len += (size_t)snprintf(text + len, sizeof(text) - len, "w%d ",
                                        (int)(og_random_next(&seed) % 50));
            snprintf(id, sizeof(id), "d%d", d);
            add_text(store, id, text);
        }
        og_store_info_get(store, &info);
        used[k] = (size_t)info.n_slots_used;
        assert_int_equal(info.n_evicted, 0);
        assert_int_equal(used[k], used[0]);
        assert_int_equal(og_store_close(store, NULL), OG_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_document_goes),
        cmocka_unit_test(lines_do_not_meet),
        cmocka_unit_test(no_passage_is_forgotten),
        cmocka_unit_test(answers_do_not_depend_on_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
