/* NB, E, B and BE over random hits against section 2.3 of the paper, written
 * down here condition by condition in quadratic time.
 *
 * The paper leaves one thing open: which bridge has a shingle that lies under
 * two of different origins. bridge.c takes the one that ends first, and
 * bridges come before expansions; the definition here does the same. */

#include "tests/unit/estimate_support.h"

#define MAX_N 400

static uint8_t byte_before(uint16_t near)
{
    return (uint8_t)near;
}

static uint8_t byte_after(uint16_t near)
{
    return (uint8_t)(near >> 8);
}

/* (a) s before s', (b) the same origin, (c) as far apart here as there, where
 * offsets are known modulo 2^8, and less than T. */
static bool fulfils_a_b_c(const struct hits *h, size_t s, size_t s2,
                          uint32_t limit)
{
    const struct og_hit *hit = h->labels.hits;
    const bool a = s < s2;
    const bool b = hit[s].doc != OG_NO_DOC && hit[s].doc == hit[s2].doc;
    const unsigned there = (unsigned)(hit[s2].offset - hit[s].offset) & 0xff;
    const bool c = ((s2 - s) & 0xff) == there && s2 - s < limit;
    return a && b && c;
}

/* (d) no shingle between s and s' fulfils them with either. */
static bool is_bridge(const struct hits *h, size_t s, size_t s2, uint32_t limit)
{
    if (!fulfils_a_b_c(h, s, s2, limit)) return false;
    for (size_t i = s + 1; i < s2; i++)
        if (fulfils_a_b_c(h, s, i, limit)) return false;
    return true;
}

/* (e) the byte after s and (f) the byte before s' agree. */
static bool fulfils_e_f(const struct hits *h, size_t s, size_t s2)
{
    return byte_after(h->sel.near[s]) == byte_after(h->labels.hits[s].near) &&
           byte_before(h->sel.near[s2]) == byte_before(h->labels.hits[s2].near);
}

static void set(struct og_label *label, uint32_t doc, og_how how)
{
    if (label->doc == OG_NO_DOC)
        *label = (struct og_label){.doc = doc, .how = how};
}

static void define_bridges(const struct hits *h, bool ask_neighbours,
                           uint32_t limit, struct og_label *label)
{
    for (size_t s2 = 0; s2 < h->labels.n; s2++)
        for (size_t s = 0; s < s2; s++) {
            if (!is_bridge(h, s, s2, limit)) continue;
            if (ask_neighbours && !fulfils_e_f(h, s, s2)) continue;
            for (size_t i = s + 1; i < s2; i++)
                set(&label[i], h->labels.hits[s].doc, OG_HOW_BRIDGED);
        }
}

static void define_expansion(const struct hits *h, struct og_label *label)
{
    for (size_t s = 0; s < h->labels.n; s++) {
        const struct og_hit *hit = &h->labels.hits[s];
        if (hit->doc == OG_NO_DOC) continue;
        if (s > 0 && byte_before(h->sel.near[s]) == byte_before(hit->near))
            set(&label[s - 1], hit->doc, OG_HOW_EXPANDED);
        if (s + 1 < h->labels.n &&
            byte_after(h->sel.near[s]) == byte_after(hit->near))
            set(&label[s + 1], hit->doc, OG_HOW_EXPANDED);
    }
}

static void define(const struct hits *h, og_estimate_kind kind, uint32_t limit,
                   struct og_label *label)
{
    for (size_t i = 0; i < h->labels.n; i++)
        label[i] =
            (struct og_label){.doc = h->labels.hits[i].doc, .how = OG_HOW_HIT};
    if (kind == OG_ESTIMATE_BRIDGE || kind == OG_ESTIMATE_BOTH)
        define_bridges(h, kind == OG_ESTIMATE_BOTH, limit, label);
    if (kind == OG_ESTIMATE_EXPAND || kind == OG_ESTIMATE_BOTH)
        define_expansion(h, label);
}

/* Few documents and few diagonals, so that bridges meet, nest and cross; few
 * values of bytes, so that neighbours agree half of the time. */
static void random_hits(struct hits *h, uint64_t *seed)
{
    const uint32_t n_docs = 1 + lot_below(seed, 4);
    const uint32_t n_diagonals = 1 + lot_below(seed, 3);
    const uint32_t rare = 1 + lot_below(seed, 12);
    for (size_t i = 0; i < h->sel.n; i++) {
        h->sel.near[i] =
            (uint16_t)(lot_below(seed, 2) | lot_below(seed, 2) << 8);
        if (lot_below(seed, rare) != 0) continue;
        h->labels.hits[i] = (struct og_hit){
            .doc = lot_below(seed, n_docs),
            .offset = (uint8_t)(i - 100 * lot_below(seed, n_diagonals)),
            .near = (uint16_t)(lot_below(seed, 2) | lot_below(seed, 2) << 8)};
    }
}

static void check(struct hits *h, og_estimate_kind kind, uint32_t limit)
{
    static struct og_label expected[MAX_N];
    define(h, kind, limit, expected);
    hits_estimate(h, kind, limit);
    for (size_t i = 0; i < h->labels.n; i++) {
        assert_int_equal(h->labels.data[i].doc, expected[i].doc);
        if (expected[i].doc != OG_NO_DOC)
            assert_int_equal(h->labels.data[i].how, expected[i].how);
    }
    assert_int_equal(h->labels.n_every, 0); /* that is for CX alone */
}

static void estimations_are_what_the_paper_says(void **state)
{
    (void)state;
    static const uint32_t limits[] = {1, 2, 5, 30, 255, 1000};
    uint64_t seed = 1;
    for (int round = 0; round < 1500; round++) {
        struct hits h;
        /* Now and then longer than offsets can count. */
        hits_init(&h, lot_below(&seed, round % 20 ? 60 : MAX_N), 1, 8);
        random_hits(&h, &seed);
        const uint32_t limit = limits[round % LENGTH(limits)];
        for (og_estimate_kind k = OG_ESTIMATE_NONE; k <= OG_ESTIMATE_BOTH; k++)
            check(&h, k, limit);
        hits_release(&h);
    }
}

/* The scratch of one document must not shine through into the next. */
static void labels_are_used_again(void **state)
{
    (void)state;
    uint64_t seed = 2;
    struct hits h;
    hits_init(&h, MAX_N, 1, 8);
    for (int round = 0; round < 100; round++) {
        h.sel.n = lot_below(&seed, MAX_N);
        assert_int_equal(og_labels_reserve(&h.labels, h.sel.n, NULL), OG_OK);
        for (size_t i = 0; i < h.sel.n; i++)
            h.labels.hits[i] = (struct og_hit){.doc = OG_NO_DOC};
        random_hits(&h, &seed);
        check(&h, OG_ESTIMATE_BOTH, 30);
    }
    hits_release(&h);
}

/* "the shingle origins that the refined bridging heuristic and the expansion
 * heuristic output never contradict each other": on hits of one passage. */
static void bridges_and_expansions_agree(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 500; round++) {
        struct hits h;
        hits_init(&h, 60, 1, 8);
        for (size_t i = 0; i < 60; i++) {
            h.sel.fp[i] = og_random_next(&seed);
            if (lot_below(&seed, 6) == 0)
                h.labels.hits[i] =
                    (struct og_hit){.doc = 4, .offset = (uint8_t)(i + 9)};
        }
        og_selection_add_context(&h.sel, NULL, OG_CONTEXT_ORDER);
        for (size_t i = 0; i < 60; i++)
            h.labels.hits[i].near = h.sel.near[i];
        hits_estimate(&h, OG_ESTIMATE_BOTH, 30);
        for (size_t i = 0; i < 60; i++)
            assert_true(h.labels.data[i].doc == 4 ||
                        h.labels.data[i].doc == OG_NO_DOC);
        hits_release(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimations_are_what_the_paper_says),
        cmocka_unit_test(labels_are_used_again),
        cmocka_unit_test(bridges_and_expansions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
