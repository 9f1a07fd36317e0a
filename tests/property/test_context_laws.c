/* CX over random hits: laws that any form of it must keep. How far it guesses
 * is tuned by measurement; by hand in tests/unit/test_context.c. */

#include "tests/unit/estimate_support.h"

#define MAX_TOKENS 400

/* Selected shingles at random places; few documents and few diagonals, so that
 * copies meet; contexts that agree more often than not. */
static void random_hits(struct hits *h, uint64_t *seed)
{
    const uint32_t n_docs = 1 + lot_below(seed, 4);
    const uint32_t rare = 1 + lot_below(seed, 5);
    uint32_t pos = lot_below(seed, 6);
    for (size_t i = 0; i < h->sel.n; i++) {
        h->sel.pos[i] = pos;
        h->sel.offset[i] = (uint16_t)pos;
        h->sel.near[i] = (uint16_t)og_random_next(seed);
        pos += 1 + lot_below(seed, 9);
        h->labels.hits[i] = (struct og_hit){.doc = OG_NO_DOC};
        if (lot_below(seed, rare)) continue;
        h->labels.hits[i] = (struct og_hit){
            .doc = lot_below(seed, n_docs),
            .offset = (uint16_t)(h->sel.pos[i] + lot_below(seed, 2) * 65000),
            .near = lot_below(seed, 3) ? h->sel.near[i]
                                       : (uint16_t)og_random_next(seed)};
    }
    h->sel.n_shingles = h->sel.n > 0 ? pos + lot_below(seed, 6) : 0;
}

static bool is_same(const struct og_label *a, const struct og_label *b)
{
    if (a->doc == OG_NO_DOC) return b->doc == OG_NO_DOC;
    return a->doc == b->doc && a->hit == b->hit && a->how == b->how;
}

static void check_label(const struct hits *h, size_t pos)
{
    const struct og_label *label = &h->labels.every[pos];
    if (label->doc == OG_NO_DOC) return;
    assert_true(label->hit < h->labels.n);
    assert_int_equal(label->doc, h->labels.hits[label->hit].doc);
    assert_true(label->how == OG_HOW_HIT || label->how == OG_HOW_BRIDGED ||
                label->how == OG_HOW_EXPANDED);
    if (label->how == OG_HOW_HIT) assert_int_equal(h->sel.pos[label->hit], pos);
}

static void check_selected(const struct hits *h, size_t i)
{
    const struct og_label *label = &h->labels.data[i];
    assert_true(is_same(label, &h->labels.every[h->sel.pos[i]]));
    if (h->labels.hits[i].doc == OG_NO_DOC) { /* a guess, if anything */
        assert_true(label->doc == OG_NO_DOC || label->how != OG_HOW_HIT);
        return;
    }
    assert_int_equal(label->doc, h->labels.hits[i].doc); /* it stands */
    assert_int_equal(label->hit, i);
    assert_int_equal(label->how, OG_HOW_HIT);
}

/* Estimated labels of one hit are on one side of it or on both, but always
 * adjacent: nothing else begins between a label and its hit. */
static void check_unbroken(const struct hits *h, size_t pos)
{
    const struct og_label *label = &h->labels.every[pos];
    if (label->doc == OG_NO_DOC) return;
    const size_t hit = h->sel.pos[label->hit];
    const size_t step = pos < hit ? 1 : SIZE_MAX;
    for (size_t i = pos; i != hit; i += step)
        assert_int_equal(h->labels.every[i].doc, label->doc);
}

static void labels_come_from_hits(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 5000; round++) {
        struct hits h;
        hits_init(&h, lot_below(&seed, 40), 1, 8);
        random_hits(&h, &seed);
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        assert_int_equal(h.labels.n_every, h.sel.n_shingles);
        for (size_t pos = 0; pos < h.labels.n_every; pos++) {
            check_label(&h, pos);
            check_unbroken(&h, pos);
        }
        for (size_t i = 0; i < h.labels.n; i++)
            check_selected(&h, i);
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
    assert_int_equal(h.labels.n_every, 148);
    for (size_t i = 0; i < h.labels.n_every; i++)
        assert_int_equal(h.labels.every[i].doc, OG_NO_DOC);
    for (size_t i = 0; i < 50; i++)
        assert_int_equal(h.labels.data[i].doc, OG_NO_DOC);
    hits_release(&h);
}

/* The scratch of one document must not shine through into the next. */
static void labels_are_used_again(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct hits used;
    hits_init(&used, 60, 1, 8);
    for (int round = 0; round < 500; round++) {
        const size_t n = lot_below(&seed, 60);
        const uint64_t document = og_random_next(&seed);
        struct hits fresh;
        hits_init(&fresh, n, 1, 8);
        used.sel.n = n;
        assert_int_equal(og_labels_reserve(&used.labels, n, NULL), OG_OK);
        random_hits(&used, &(uint64_t){document});
        random_hits(&fresh, &(uint64_t){document});
        hits_estimate(&used, OG_ESTIMATE_CONTEXT, 30);
        hits_estimate(&fresh, OG_ESTIMATE_CONTEXT, 30);
        assert_int_equal(used.labels.n_every, fresh.labels.n_every);
        for (size_t i = 0; i < fresh.labels.n_every; i++)
            assert_true(is_same(&used.labels.every[i], &fresh.labels.every[i]));
        hits_release(&fresh);
    }
    hits_release(&used);
}

/* Each token goes to the first labelled shingle that holds it. */
static void paint(const struct hits *h, size_t n_tokens, uint32_t *owner)
{
    for (size_t i = 0; i < n_tokens; i++)
        owner[i] = OG_NO_DOC;
    for (size_t pos = 0; pos < h->labels.n_every; pos++) {
        const uint32_t doc = h->labels.every[pos].doc;
        if (doc == OG_NO_DOC) continue;
        for (size_t t = pos; t < pos + h->sel.shingle_len; t++)
            if (owner[t] == OG_NO_DOC) owner[t] = doc;
    }
}

static void check_painting(const struct og_copies *c, size_t n_tokens,
                           const uint32_t *owner)
{
    uint32_t seen[MAX_TOKENS];
    uint64_t n_old = 0;
    for (size_t i = 0; i < n_tokens; i++)
        seen[i] = OG_NO_DOC;
    for (size_t i = 0; i < c->n; i++) {
        assert_true(c->data[i].begin < c->data[i].end);
        assert_true(c->data[i].end <= n_tokens);
        assert_true(i == 0 || c->data[i - 1].end <= c->data[i].begin);
        for (uint32_t t = c->data[i].begin; t < c->data[i].end; t++)
            seen[t] = c->data[i].doc;
        n_old += c->data[i].end - c->data[i].begin;
    }
    assert_memory_equal(seen, owner, n_tokens * sizeof(*owner));
    assert_int_equal(c->n_old, n_old);
}

static void copies_are_the_painted_tokens(void **state)
{
    (void)state;
    uint64_t seed = 4;
    struct og_copies c;
    og_copies_init(&c, NULL);
    for (int round = 0; round < 3000; round++) {
        uint32_t owner[MAX_TOKENS];
        struct hits h;
        hits_init(&h, 1 + lot_below(&seed, 30), 1, 8);
        random_hits(&h, &seed);
        const size_t n_tokens = h.sel.n_shingles + 7;
        assert_true(n_tokens <= MAX_TOKENS);
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        assert_int_equal(og_labels_join(&h.sel, &h.labels, &c, NULL), OG_OK);
        paint(&h, n_tokens, owner);
        check_painting(&c, n_tokens, owner);
        hits_release(&h);
    }
    og_copies_release(&c);
}

/* The majority is that of all shingles, not only the selected ones. */
static void the_dominant_origin_by_counting(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 3000; round++) {
        enum { N_DOCS = 4 };
        size_t count[N_DOCS] = {0}, n_own = 0;
        struct og_dominant dominant;
        struct hits h;
        hits_init(&h, lot_below(&seed, 40), 1, 8);
        random_hits(&h, &seed);
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        for (size_t i = 0; i < h.labels.n_every; i++)
            if (h.labels.every[i].doc == OG_NO_DOC)
                n_own++;
            else
                count[h.labels.every[i].doc]++;
        uint32_t best = OG_NO_DOC;
        size_t most = n_own;
        for (uint32_t doc = 0; doc < N_DOCS; doc++)
            if (count[doc] > most) {
                best = doc;
                most = count[doc];
            }
        assert_int_equal(og_labels_dominant(&h.labels, &dominant, NULL), OG_OK);
        assert_int_equal(dominant.doc, best);
        assert_int_equal(dominant.n, most);
        assert_int_equal(dominant.total, h.sel.n_shingles);
        hits_release(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_come_from_hits),
        cmocka_unit_test(nothing_found_nothing_guessed),
        cmocka_unit_test(labels_are_used_again),
        cmocka_unit_test(copies_are_the_painted_tokens),
        cmocka_unit_test(the_dominant_origin_by_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
