/* CX: what any form of it must keep. How far it guesses is tuned by
 * measurement, so nothing here says which guesses it makes. */

#include "tests/unit/estimate_support.h"

#include "lib/table/bucket.h"

static void random_hits(struct hits *h, uint64_t *seed)
{
    const uint32_t n_docs = 1 + lot_below(seed, 4);
    for (size_t i = 0; i < h->sel.n; i++) {
        if (i > 0) h->sel.pos[i] = h->sel.pos[i - 1] + 1 + lot_below(seed, 9);
        h->sel.offset[i] = (uint16_t)h->sel.pos[i];
        h->sel.near[i] = (uint16_t)og_random_next(seed);
        if (lot_below(seed, 3)) continue;
        h->labels.hits[i] = (struct og_hit){
            .doc = lot_below(seed, n_docs),
            .offset = (uint16_t)(h->sel.pos[i] + lot_below(seed, 2) * 7),
            .near = lot_below(seed, 3) ? h->sel.near[i]
                                       : (uint16_t)og_random_next(seed)};
    }
}

static bool is_found_somewhere(const struct hits *h, uint32_t doc)
{
    for (size_t i = 0; i < h->labels.n; i++)
        if (h->labels.hits[i].doc == doc) return true;
    return false;
}

static void check_label(const struct hits *h, size_t i)
{
    const struct og_label *label = &h->labels.data[i];
    const uint32_t found = h->labels.hits[i].doc;
    if (found != OG_NO_DOC) { /* what the table said stands */
        assert_int_equal(label->doc, found);
        assert_int_equal(label->how, OG_HOW_HIT);
    } else if (label->doc != OG_NO_DOC) {
        assert_true(is_found_somewhere(h, label->doc));
        assert_true(label->how == OG_HOW_BRIDGED ||
                    label->how == OG_HOW_EXPANDED);
    }
    assert_true(label->before <= OG_CONTEXT_TOKENS);
    assert_true(label->behind <= OG_CONTEXT_TOKENS);
}

static void guesses_add_to_the_hits(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 5000; round++) {
        struct hits h;
        hits_init(&h, lot_below(&seed, 30), 1, 8);
        random_hits(&h, &seed);
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        for (size_t i = 0; i < h.labels.n; i++)
            check_label(&h, i);
        hits_release(&h);
    }
}

static void nothing_found_nothing_guessed(void **state)
{
    (void)state;
    uint64_t seed = 2;
    struct hits h;
    hits_init(&h, 50, 3, 8);
    for (size_t i = 0; i < 50; i++)
        h.sel.near[i] = (uint16_t)og_random_next(&seed);
    hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(h.labels.data[i].doc, OG_NO_DOC);
    hits_release(&h);
}

static void the_same_hits_give_the_same_labels(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 200; round++) {
        struct hits h;
        struct og_label first[40];
        hits_init(&h, 40, 1, 8);
        random_hits(&h, &seed);
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        memcpy(first, h.labels.data, sizeof(first));
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        for (size_t i = 0; i < 40; i++) {
            assert_int_equal(first[i].doc, h.labels.data[i].doc);
            assert_int_equal(first[i].how, h.labels.data[i].how);
            assert_int_equal(first[i].before, h.labels.data[i].before);
            assert_int_equal(first[i].behind, h.labels.data[i].behind);
        }
        hits_release(&h);
    }
}

/* ---- through the stages: one document copies a passage of another
 * ------------ */

struct trace {
    struct stage origin, copy;
    struct og_table table;
    struct og_labels labels;
    struct og_copies copies;
};

static void trace_init(struct trace *t)
{
    const struct og_table_options options = {
        .evict = OG_EVICT_THIN,
        .fields = og_estimate_fields(OG_ESTIMATE_CONTEXT),
        .bucket_slots = 64,
        .memory = 100000};
    stage_init(&t->origin, 8);
    stage_init(&t->copy, 8);
    assert_int_equal(og_table_init(&t->table, &options, NULL, NULL), OG_OK);
    og_labels_init(&t->labels, NULL);
    og_copies_init(&t->copies, NULL);
}

static void trace_release(struct trace *t)
{
    stage_release(&t->origin);
    stage_release(&t->copy);
    og_table_release(&t->table);
    og_labels_release(&t->labels);
    og_copies_release(&t->copies);
}

static void note(struct stage *s)
{
    stage_print(s);
    stage_select(s, (og_select_options){.kind = OG_SELECT_HAILSTORM});
    og_selection_note(&s->sel, &s->tokens, OG_NOTE_CONTEXT);
}

static void trace_run(struct trace *t)
{
    const struct og_selection *a = &t->origin.sel;
    const struct og_selection *b = &t->copy.sel;
    const struct og_estimate_options options = {.kind = OG_ESTIMATE_CONTEXT,
                                                .bridge_limit = 30};
    note(&t->origin);
    note(&t->copy);
    const struct og_additions add = {.doc = 0,
                                     .print = a->print,
                                     .offset = a->offset,
                                     .near = a->near,
                                     .n = a->n};
    og_table_add_many(&t->table, &add);
    assert_int_equal(og_labels_reserve(&t->labels, b->n, NULL), OG_OK);
    og_table_find_many(&t->table, b->print, b->n, t->labels.hits);
    assert_int_equal(og_estimate(b, &options, &t->labels, NULL), OG_OK);
    assert_int_equal(
        og_labels_join(b, &t->labels, t->copy.tokens.n, &t->copies, NULL),
        OG_OK);
}

/* A copy of all of it, nothing forgotten: one run over all that the selection
 * covers. */
static void a_whole_copy_is_found_whole(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int round = 0; round < 100; round++) {
        struct trace t;
        trace_init(&t);
        const size_t n = 60 + lot_below(&seed, 300);
        stage_fill(&t.origin, n, 0, &seed);
        stage_resize(&t.copy, n);
        memcpy(t.copy.tokens.hash, t.origin.tokens.hash, n * 8);
        trace_run(&t);
        assert_int_equal(t.copies.n, 1);
        assert_true(t.copies.data[0].begin < 8);
        assert_true(t.copies.data[0].end > n - 8);
        trace_release(&t);
    }
}

/* A passage in the middle: Lemma 1 says that all but its first and last k - 1
 * tokens are found, and what is marked beyond it is no more than the context
 * may guess wrong. */
static void a_passage_is_found_where_it_stands(void **state)
{
    (void)state;
    enum { BEGIN = 100, N = 80 };
    uint64_t seed = 5;
    for (int round = 0; round < 200; round++) {
        struct trace t;
        trace_init(&t);
        stage_fill(&t.origin, 300, 0, &seed);
        stage_fill(&t.copy, 300, 0, &seed);
        memcpy(t.copy.tokens.hash + BEGIN, t.origin.tokens.hash + 20, N * 8);
        trace_run(&t);
        assert_int_equal(t.copies.n, 1);
        assert_true(t.copies.data[0].begin <= BEGIN + 7);
        assert_true(t.copies.data[0].end >= BEGIN + N - 7);
        assert_true(t.copies.data[0].begin >= BEGIN - OG_CONTEXT_TOKENS);
        assert_true(t.copies.data[0].end <= BEGIN + N + OG_CONTEXT_TOKENS);
        trace_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_add_to_the_hits),
        cmocka_unit_test(nothing_found_nothing_guessed),
        cmocka_unit_test(the_same_hits_give_the_same_labels),
        cmocka_unit_test(a_whole_copy_is_found_whole),
        cmocka_unit_test(a_passage_is_found_where_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
