/* From labels to runs of tokens. */

#include "tests/unit/estimate_support.h"

static void label(struct hits *h, size_t i, uint32_t doc, og_how how)
{
    h->labels.data[i] = (struct og_label){.doc = doc, .how = how};
}

static void join(const struct hits *h, struct og_copies *c)
{
    assert_int_equal(og_labels_join(&h->sel, &h->labels, c, NULL), OG_OK);
}

static void check_copy(const struct og_copies *c, size_t i, uint32_t begin,
                       uint32_t end, uint32_t doc, og_how how)
{
    assert_true(i < c->n);
    assert_int_equal(c->data[i].begin, begin);
    assert_int_equal(c->data[i].end, end);
    assert_int_equal(c->data[i].doc, doc);
    assert_int_equal(c->data[i].how, how);
}

static void overlapping_and_neighbouring_shingles_are_one_copy(void **state)
{
    (void)state;
    struct hits h;
    struct og_copies c;
    og_copies_init(&c, NULL);
    hits_init(&h, 8, 4, 8); /* shingles at 0 4 8 .. 28, tokens up to 36 */
    label(&h, 1, 5, OG_HOW_HIT);
    label(&h, 2, 5, OG_HOW_BRIDGED);
    label(&h, 4, 5, OG_HOW_HIT); /* touches: 8 + 8 = 16 */
    label(&h, 7, 5, OG_HOW_EXPANDED);
    join(&h, &c);
    assert_int_equal(c.n, 2);
    check_copy(&c, 0, 4, 24, 5, OG_HOW_HIT); /* 16 of its 20 tokens */
    check_copy(&c, 1, 28, 36, 5, OG_HOW_EXPANDED);
    assert_int_equal(c.n_old, 28);
    og_copies_release(&c);
    hits_release(&h);
}

static void a_copy_is_known_by_what_most_of_its_tokens_rest_on(void **state)
{
    (void)state;
    struct hits h;
    struct og_copies c;
    og_copies_init(&c, NULL);
    hits_init(&h, 6, 8, 8);
    label(&h, 0, 5, OG_HOW_HIT);
    label(&h, 1, 5, OG_HOW_BRIDGED);
    join(&h, &c);
    check_copy(&c, 0, 0, 16, 5, OG_HOW_HIT); /* half and half */
    label(&h, 2, 5, OG_HOW_EXPANDED);
    join(&h, &c);
    check_copy(&c, 0, 0, 24, 5, OG_HOW_BRIDGED);
    label(&h, 1, 5, OG_HOW_EXPANDED);
    join(&h, &c);
    check_copy(&c, 0, 0, 24, 5, OG_HOW_EXPANDED);
    label(&h, 1, 5, OG_HOW_HIT);
    join(&h, &c);
    check_copy(&c, 0, 0, 24, 5, OG_HOW_HIT);
    og_copies_release(&c);
    hits_release(&h);
}

static void where_two_origins_overlap_the_first_keeps_the_tokens(void **state)
{
    (void)state;
    struct hits h;
    struct og_copies c;
    og_copies_init(&c, NULL);
    hits_init(&h, 4, 4, 8);
    label(&h, 0, 1, OG_HOW_HIT);
    label(&h, 1, 2, OG_HOW_HIT);
    label(&h, 2, 1, OG_HOW_HIT);
    join(&h, &c);
    assert_int_equal(c.n, 3);
    check_copy(&c, 0, 0, 8, 1, OG_HOW_HIT);
    check_copy(&c, 1, 8, 12, 2, OG_HOW_HIT);
    check_copy(&c, 2, 12, 16, 1, OG_HOW_HIT);
    assert_int_equal(c.n_old, 16);
    og_copies_release(&c);
    hits_release(&h);
}

/* Where every shingle has a label, those of the selection say nothing more. */
static void labels_of_every_shingle_come_first(void **state)
{
    (void)state;
    struct hits h;
    struct og_copies c;
    og_copies_init(&c, NULL);
    hits_init(&h, 2, 9, 8); /* shingles at 0 and 9; there are ten of them */
    hits_label_every(&h);
    label(&h, 0, 7, OG_HOW_HIT);
    for (size_t i = 2; i <= 4; i++)
        h.labels.every[i] = (struct og_label){.doc = 3, .how = OG_HOW_BRIDGED};
    h.labels.every[9] = (struct og_label){.doc = 3, .how = OG_HOW_HIT};
    join(&h, &c);
    assert_int_equal(c.n, 1);
    check_copy(&c, 0, 2, 17, 3, OG_HOW_HIT); /* 12 meets 9; 8 of 15 */
    assert_int_equal(c.n_old, 15);
    h.labels.every[4].doc = OG_NO_DOC;
    h.labels.every[3].doc = OG_NO_DOC;
    h.labels.every[2].doc = OG_NO_DOC;
    join(&h, &c);
    assert_int_equal(c.n, 1);
    check_copy(&c, 0, 9, 17, 3, OG_HOW_HIT);
    og_copies_release(&c);
    hits_release(&h);
}

static void nothing_labelled_nothing_copied(void **state)
{
    (void)state;
    struct hits h;
    struct og_copies c;
    og_copies_init(&c, NULL);
    hits_init(&h, 5, 4, 8);
    join(&h, &c);
    assert_int_equal(c.n, 0);
    assert_int_equal(c.n_old, 0);
    hits_release(&h);
    hits_init(&h, 0, 4, 8);
    join(&h, &c);
    assert_int_equal(c.n, 0);
    og_copies_release(&c);
    hits_release(&h);
}

/* ---- random labels against a token by token definition ---- */

#define MAX_TOKENS 300

static void random_labels(struct hits *h, uint64_t *seed)
{
    for (size_t i = 0; i < h->labels.n; i++) {
        if (i > 0) h->sel.pos[i] = h->sel.pos[i - 1] + 1 + lot_below(seed, 12);
        h->labels.data[i] = (struct og_label){
            .doc = lot_below(seed, 2) ? OG_NO_DOC : lot_below(seed, 3),
            .how = (og_how)lot_below(seed, 3)};
    }
}

/* Each token goes to the first label that holds it. */
static void paint(const struct hits *h, size_t n_tokens, uint32_t *owner)
{
    for (size_t i = 0; i < n_tokens; i++)
        owner[i] = OG_NO_DOC;
    for (size_t i = 0; i < h->labels.n; i++) {
        const struct og_label *l = &h->labels.data[i];
        if (l->doc == OG_NO_DOC) continue;
        for (size_t t = h->sel.pos[i]; t < h->sel.pos[i] + h->sel.len[i]; t++)
            if (owner[t] == OG_NO_DOC) owner[t] = l->doc;
    }
}

static void check_against_painting(const struct og_copies *c, size_t n_tokens,
                                   const uint32_t *owner)
{
    uint32_t from_copies[MAX_TOKENS];
    uint64_t n_old = 0;
    for (size_t i = 0; i < n_tokens; i++)
        from_copies[i] = OG_NO_DOC;
    for (size_t i = 0; i < c->n; i++) {
        const struct og_copy *copy = &c->data[i];
        assert_true(copy->begin < copy->end && copy->end <= n_tokens);
        if (i > 0) {
            const struct og_copy *last = &c->data[i - 1];
            assert_true(last->end <= copy->begin); /* in order, apart */
            /* What could be joined was. */
            assert_false(last->end == copy->begin && last->doc == copy->doc);
        }
        for (uint32_t t = copy->begin; t < copy->end; t++)
            from_copies[t] = copy->doc;
        n_old += copy->end - copy->begin;
    }
    assert_memory_equal(from_copies, owner, n_tokens * sizeof(*owner));
    assert_int_equal(c->n_old, n_old);
}

static void copies_are_the_painted_tokens(void **state)
{
    (void)state;
    uint64_t seed = 1;
    struct og_copies c;
    og_copies_init(&c, NULL);
    for (int round = 0; round < 3000; round++) {
        uint32_t owner[MAX_TOKENS];
        struct hits h;
        hits_init(&h, 1 + lot_below(&seed, 20), 1, 8);
        random_labels(&h, &seed);
        const size_t n_tokens = h.sel.pos[h.sel.n - 1] + 8;
        assert_true(n_tokens <= MAX_TOKENS);
        join(&h, &c);
        paint(&h, n_tokens, owner);
        check_against_painting(&c, n_tokens, owner);
        hits_release(&h);
    }
    og_copies_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapping_and_neighbouring_shingles_are_one_copy),
        cmocka_unit_test(a_copy_is_known_by_what_most_of_its_tokens_rest_on),
        cmocka_unit_test(where_two_origins_overlap_the_first_keeps_the_tokens),
        cmocka_unit_test(labels_of_every_shingle_come_first),
        cmocka_unit_test(nothing_labelled_nothing_copied),
        cmocka_unit_test(copies_are_the_painted_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
