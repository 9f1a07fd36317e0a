/* A store on disk gives back what was added, whatever the documents are: the
 * calls of the library, in any order, against a list. tests/cli has the same
 * for the commands. */

#include "tests/unit/store_support.h"

#include <stdio.h>

#include "origo/origo.h"
#include "tests/property/random_text.h"

enum { MOST_DOCS = 64, TEXT_LEN = 600, N_STORES = 60, N_STEPS = 24 };

struct model {
    struct {
        char id[8];
        char text[TEXT_LEN];
        size_t len;
    } docs[MOST_DOCS];
    size_t n, n_seen;
};

static og_params random_params(uint64_t *seed)
{
    static const char *const presets[] = {"prose", "short", "code", "dna"};
    static const og_select_options selects[] = {
        {.kind = OG_SELECT_ALL},
        {.kind = OG_SELECT_WINNOW, .param = 5},
        {.kind = OG_SELECT_HAILSTORM},
        {.kind = OG_SELECT_HAILSTORM, .sparse = true},
    };
    og_params p = og_params_default();
    assert_true(og_params_preset(bytes_of(presets[random_below(seed, 4)]), &p));
    if (random_below(seed, 2)) p.select = selects[random_below(seed, 4)];
    p.evict = (og_evict_kind)random_below(seed, OG_EVICT_LEARN + 1);
    p.estimate = (og_estimate_kind)random_below(seed, OG_ESTIMATE_CONTEXT + 1);
    p.memory = (uint64_t)4096 << random_below(seed, 6);
    return p;
}

/* Words of the same few letters, random bytes, or nothing. */
static size_t random_document(uint64_t *seed, char *out)
{
    size_t len = 0;
    const uint32_t n = random_below(seed, 41);
    switch (random_below(seed, 4)) {
    case 0: return random_text(seed, out, 8 + random_below(seed, TEXT_LEN - 8));
    case 1: return 0;
    default:
        for (uint32_t i = 0; i < n; i++)
            len += (size_t)snprintf(out + len, TEXT_LEN - len, "w%u ",
                                    random_below(seed, 1 + 10 * n));
        return len;
    }
}

static void add_one(og_store *store, og_trace *trace, struct model *m,
                    uint64_t *seed)
{
    if (m->n == MOST_DOCS) return;
    char *text = m->docs[m->n].text;
    const size_t len = random_document(seed, text);
    m->docs[m->n].len = len;
    snprintf(m->docs[m->n].id, sizeof(m->docs[0].id), "d%zu", m->n_seen++);
    const og_document doc = {.id = bytes_of(m->docs[m->n].id),
                             .text = {text, len}};
    ASSERT_OK(og_store_add(store, &doc, random_below(seed, 2) ? trace : NULL,
                           &story));
    m->n++;
}

static void remove_one(og_store *store, struct model *m, uint64_t *seed)
{
    uint64_t n = 0;
    if (m->n == 0) return;
    const size_t i = random_below(seed, (uint32_t)m->n);
    ASSERT_OK(og_store_remove(store, bytes_of(m->docs[i].id), &n, &story));
    assert_int_equal(n, 1);
    m->n--;
    memmove(&m->docs[i], &m->docs[i + 1], (m->n - i) * sizeof(m->docs[0]));
}

static bool compare_next(void *ctx, const og_document *doc)
{
    struct model *m = ctx;
    assert_true(m->n_seen < m->n);
    assert_int_equal(doc->id.len, strlen(m->docs[m->n_seen].id));
    assert_memory_equal(m->docs[m->n_seen].id, doc->id.data, doc->id.len);
    assert_int_equal(m->docs[m->n_seen].len, doc->text.len);
    assert_memory_equal(m->docs[m->n_seen].text, doc->text.data, doc->text.len);
    m->n_seen++;
    return true;
}

static void check_all(og_store *store, struct model *m)
{
    const size_t n_seen = m->n_seen;
    og_check check;
    m->n_seen = 0;
    ASSERT_OK(og_store_export(store, compare_next, m, &story));
    assert_int_equal(m->n_seen, m->n);
    m->n_seen = n_seen;
    ASSERT_OK(og_store_commit(store, &story));
    ASSERT_OK(og_store_check(in("s"), &check, NULL, NULL, &story));
    assert_int_equal(check.n_documents - check.n_removed, m->n);
}

static void run_steps(struct model *m, const og_params *params, uint64_t *seed)
{
    og_store *store = NULL;
    og_trace *trace = NULL;
    for (int step = 0; step < N_STEPS; step++) {
        if (store == NULL) {
            ASSERT_OK(og_store_open(in("s"), OG_CREATE,
                                    &(og_store_options){.params = params},
                                    &store, &story));
            trace = og_trace_new(store);
        }
        const uint32_t what = random_below(seed, 8);
        if (what < 4) add_one(store, trace, m, seed);
        if (what == 4) remove_one(store, m, seed);
        if (what == 5) check_all(store, m);
        if (what < 6 && step + 1 < N_STEPS) continue;
        check_all(store, m);
        og_trace_free(trace);
        og_store_close(store, NULL);
        store = NULL;
    }
}

static void test_everything_comes_back(void **state)
{
    (void)state;
    static struct model m;
    for (uint64_t i = 0; i < N_STORES; i++) {
        uint64_t seed = 23 + i;
        const og_params params = random_params(&seed);
        m.n = m.n_seen = 0;
        assert_int_equal(make_folder(NULL), 0);
        run_steps(&m, &params, &seed);
        assert_int_equal(remove_folder(NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
