/* Labels: the weights for the eviction, the additions to the table, the
 * majority, the anchors. */

#include "tests/unit/estimate_support.h"

#include "lib/estimate/anchors.h"
#include "lib/table/table.h"

/* One letter a shingle: '.' new, a letter is a document. */
static void labels_of(struct hits *h, const char *docs)
{
    hits_init(h, strlen(docs), 1, 8);
    for (size_t i = 0; i < h->labels.n; i++) {
        const uint32_t doc =
            docs[i] == '.' ? OG_NO_DOC : (uint32_t)(docs[i] - 'a');
        h->labels.data[i] = (struct og_label){.doc = doc};
        h->labels.hits[i] = (struct og_hit){.doc = doc};
    }
}

static void check_lucky(const char *docs, const uint8_t *expected)
{
    struct hits h;
    labels_of(&h, docs);
    og_labels_weigh(&h.labels, OG_EVICT_LUCKY);
    for (size_t i = 0; i < h.labels.n; i++)
        assert_int_equal(h.labels.weights[i], expected[i]);
    hits_release(&h);
}

/* (a) 1 each; (b) the ends of a copied block of b: the root of b - 2, rounded
 * down; (c) 3 for the first and the last of the document; (d) 1 for every
 * seventh. */
static void lucky_weights_by_hand(void **state)
{
    (void)state;
    /* 0 and 12 are the ends (+3), 0 and 7 are seventh (+1). The block of a is
     * 6 long: +2 at 3 and 8; the block of b 3 long: +1 at 9 and 11. */
    const uint8_t expected[] = {5, 1, 1, 3, 1, 1, 1, 2, 3, 2, 1, 2, 4};
    check_lucky("...aaaaaabbb.", expected);
}

static void blocks_of_one_or_two_have_no_bonus(void **state)
{
    (void)state;
    const uint8_t expected[] = {5, 1, 1, 1, 1, 1, 1, 2, 4};
    check_lucky(".a.bb.cd.", expected);
}

static void a_block_may_be_the_whole_document(void **state)
{
    (void)state;
    /* b = 18: the root of 16 is 4. */
    const uint8_t expected[] = {9, 1, 1, 1, 1, 1, 1, 2, 1,
                                1, 1, 1, 1, 1, 2, 1, 1, 8};
    check_lucky("cccccccccccccccccc", expected);
}

/* What is new makes no block, however long. */
static void new_shingles_make_no_block(void **state)
{
    (void)state;
    const uint8_t expected[] = {5, 1, 1, 1, 1, 1, 1, 2, 1, 1, 4};
    check_lucky("...........", expected);
}

/* "If a shingle is the first or the last shingle of its document its lucky
 * score is additionally incremented by 3": once, be it both. */
static void a_single_shingle_is_first_and_last(void **state)
{
    (void)state;
    const uint8_t expected[] = {5};
    check_lucky(".", expected);
    check_lucky("a", expected);
    check_lucky("", expected);
}

static void weights_do_not_overflow(void **state)
{
    (void)state;
    enum { N = 100000 }; /* the root of N is 316 */
    struct hits h;
    hits_init(&h, N, 1, 8);
    for (size_t i = 0; i < N; i++)
        h.labels.data[i].doc = 1;
    og_labels_weigh(&h.labels, OG_EVICT_LUCKY);
    assert_int_equal(h.labels.weights[0], 255);
    assert_int_equal(h.labels.weights[N - 1], 255);
    assert_int_equal(h.labels.weights[1], 1);
    hits_release(&h);
}

static void other_policies_count_sightings(void **state)
{
    (void)state;
    const og_evict_kind plain[] = {OG_EVICT_RANDOM, OG_EVICT_LRU,
                                   OG_EVICT_COPY_COUNT, OG_EVICT_S3FIFO,
                                   OG_EVICT_LEARN};
    for (size_t p = 0; p < LENGTH(plain); p++) {
        struct hits h;
        labels_of(&h, "..aaa.b");
        og_labels_weigh(&h.labels, plain[p]);
        for (size_t i = 0; i < h.labels.n; i++)
            assert_int_equal(h.labels.weights[i], 1);
        hits_release(&h);
    }
}

/* For thin only what was found itself can weigh anything. */
static void thin_weighs_nothing_but_hits(void **state)
{
    (void)state;
    struct hits h;
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        labels_of(&h, "..aaaabbb.aa.cc");
        for (size_t i = 0; i < h.labels.n; i++)
            if (lot_below(&seed, 2)) h.labels.hits[i].doc = OG_NO_DOC;
        og_labels_weigh(&h.labels, OG_EVICT_THIN);
        for (size_t i = 0; i < h.labels.n; i++)
            if (h.labels.hits[i].doc == OG_NO_DOC)
                assert_int_equal(h.labels.weights[i], 0);
        hits_release(&h);
    }
}

/* ---- what the table takes in
 * ------------------------------------------------ */

static void which_labels_shape_the_table(void **state)
{
    (void)state;
    for (int e = OG_ESTIMATE_NONE; e <= OG_ESTIMATE_CONTEXT; e++)
        for (int p = OG_EVICT_RANDOM; p <= OG_EVICT_LEARN; p++)
            assert_int_equal(
                og_labels_shape_table((og_estimate_kind)e, (og_evict_kind)p),
                e == OG_ESTIMATE_CONTEXT || p == OG_EVICT_LUCKY ||
                    p == OG_EVICT_THIN);
}

/* Selected at 0 3 6 .. 57, all contexts agree; hits where docs has a letter,
 * 1000 tokens further down there. */
static void context_of(struct hits *h, const char *docs)
{
    hits_init(h, strlen(docs), 3, 8);
    for (size_t i = 0; i < h->sel.n; i++) {
        h->sel.offset[i] = (uint16_t)h->sel.pos[i];
        h->sel.fp[i] = og_mix64(i + 1);
        if (docs[i] == '.') continue;
        h->labels.hits[i].doc = (uint32_t)(docs[i] - 'a');
        h->labels.hits[i].offset = (uint16_t)(h->sel.pos[i] + 1000);
    }
    hits_estimate(h, OG_ESTIMATE_CONTEXT, 30);
}

/* A table of one bucket with four slots, `used` of them taken. */
static void small_table(struct og_table *t, og_evict_kind evict, uint64_t used)
{
    struct og_table_options options = {
        .evict = evict,
        .fields = og_estimate_fields(OG_ESTIMATE_CONTEXT),
        .bucket_slots = 4};
    options.memory = og_table_bucket_len(&options) + 8;
    assert_int_equal(og_table_init(t, &options, NULL, NULL), OG_OK);
    for (uint64_t i = 0; i < used; i++) {
        const uint64_t fp = og_mix64(1000 + i);
        const uint16_t nothing = 0;
        const struct og_additions add = {
            .doc = 0, .fp = &fp, .offset = &nothing, .near = &nothing, .n = 1};
        og_table_add_many(t, &add);
    }
    assert_int_equal(t->n_used, used);
}

static void check_restored(struct hits *h, const char *origins, uint64_t used)
{
    struct og_table t;
    small_table(&t, OG_EVICT_LEARN, used);
    const struct og_additions add =
        og_labels_additions(&h->labels, &h->sel, &t, 40);
    assert_int_equal(add.doc, 40);
    assert_int_equal(add.n, h->sel.n);
    assert_ptr_equal(add.fp, h->sel.fp);
    assert_ptr_equal(add.near, h->sel.near);
    assert_ptr_equal(add.spare, h->sel.spare);
    for (size_t i = 0; i < add.n; i++) {
        const bool lost = origins[i] != '.';
        assert_int_equal(add.weight[i], 1);
        assert_int_equal(add.origin[i],
                         lost ? (uint32_t)(origins[i] - 'a') : OG_NO_DOC);
        assert_int_equal(add.offset[i], h->sel.pos[i] + (lost ? 1000 : 0));
    }
    og_table_release(&t);
}

/* What lies in the reach of a hit but was not found: its old origin, its old
 * place. What was found needs none, what lies beyond is new. */
static void lost_shingles_get_their_origin_back(void **state)
{
    (void)state;
    struct hits h;
    context_of(&h, "c....c........d.....");
    check_restored(&h, ".cccc.c......d.d....", 4);
    hits_release(&h);
    context_of(&h, "....................");
    check_restored(&h, "....................", 4);
    hits_release(&h);
    context_of(&h, "ccccc");
    check_restored(&h, ".....", 4);
    hits_release(&h);
}

/* What a bucket with room does not hold never came: it is new, and so the
 * table does not depend on the order in which documents came. */
static void nothing_is_lost_where_there_is_room(void **state)
{
    (void)state;
    struct hits h;
    for (uint64_t used = 0; used < 4; used++) {
        context_of(&h, "c....c........d.....");
        check_restored(&h, "....................", used);
        hits_release(&h);
    }
}

/* Only CX is sure enough. */
static void other_estimations_restore_nothing(void **state)
{
    (void)state;
    for (int kind = OG_ESTIMATE_NONE; kind < OG_ESTIMATE_CONTEXT; kind++) {
        struct hits h;
        hits_init(&h, 10, 1, 8);
        h.labels.hits[2] = (struct og_hit){.doc = 1, .offset = 2};
        h.labels.hits[6] = (struct og_hit){.doc = 1, .offset = 6};
        hits_estimate(&h, (og_estimate_kind)kind, 30);
        struct og_table t;
        small_table(&t, OG_EVICT_RANDOM, 4);
        const struct og_additions add =
            og_labels_additions(&h.labels, &h.sel, &t, 40);
        assert_null(add.origin);
        assert_ptr_equal(add.offset, h.sel.offset);
        og_table_release(&t);
        hits_release(&h);
    }
}

/* Spare fingerprints fill empty slots and drive nothing out. */
static void fill_up(struct og_table *t)
{
    static const uint16_t nothing = 0;
    static const uint8_t spare = 1;
    for (uint64_t i = 0; t->n_used < og_table_slots(t); i++) {
        const uint64_t fp = og_mix64(1000000 + i);
        const struct og_additions add = {.doc = 0,
                                         .fp = &fp,
                                         .offset = &nothing,
                                         .near = &nothing,
                                         .spare = &spare,
                                         .n = 1};
        og_table_add_many(t, &add);
    }
}

/* Through a table that has lost four fingerprints of five: after the copy was
 * added all of the passage names its origin, with its position there. */
static void a_copy_restores_its_origin_in_the_table(void **state)
{
    (void)state;
    enum { ORIGIN = 3, COPY = 9, N = 20 };
    const struct og_table_options options = {
        .fields = og_estimate_fields(OG_ESTIMATE_CONTEXT),
        .bucket_slots = 64,
        .memory = 10000};
    struct og_table t;
    struct hits h;
    struct og_hit hits[N];
    assert_int_equal(og_table_init(&t, &options, NULL, NULL), OG_OK);
    context_of(&h, "....................");
    for (size_t i = 0; i < N; i += 5) {
        const uint16_t there = (uint16_t)(h.sel.pos[i] + 1000);
        const struct og_additions add = {.doc = ORIGIN,
                                         .fp = &h.sel.fp[i],
                                         .offset = &there,
                                         .near = &h.sel.near[i],
                                         .n = 1};
        og_table_add_many(&t, &add);
    }
    fill_up(&t);
    og_table_find_many(&t, h.sel.fp, N, h.labels.hits);
    hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
    const struct og_additions add =
        og_labels_additions(&h.labels, &h.sel, &t, COPY);
    og_table_add_many(&t, &add);
    og_table_find_many(&t, h.sel.fp, N, hits);
    for (size_t i = 0; i < 17; i++) { /* 15 is the last that was there */
        assert_int_equal(hits[i].doc, ORIGIN);
        assert_int_equal(hits[i].offset, h.sel.pos[i] + 1000);
    }
    assert_int_equal(hits[N - 1].doc, COPY); /* out of reach: new */
    assert_int_equal(hits[N - 1].offset, h.sel.pos[N - 1]);
    hits_release(&h);
    og_table_release(&t);
}

/* ---- the majority ---- */

static bool largest_first(const void *ctx, uint32_t a, uint32_t b)
{
    (void)ctx;
    return a > b;
}

/* Numbers are given by arrival, and that is not the order of time. */
static void the_earlier_one_wins_ties(void **state)
{
    (void)state;
    static const char *const docs[] = {"aabb", "bbaa", "abab", "baab"};
    for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
        struct hits h;
        struct og_dominant dominant;
        labels_of(&h, docs[i]);
        h.labels.earlier = largest_first;
        assert_int_equal(og_labels_dominant(&h.labels, &dominant, NULL), OG_OK);
        assert_int_equal(dominant.doc, 1);
        assert_int_equal(dominant.n, 2);
        hits_release(&h);
    }
}

static void check_dominant(const char *docs, char doc, size_t n)
{
    struct hits h;
    struct og_dominant dominant;
    labels_of(&h, docs);
    assert_int_equal(og_labels_dominant(&h.labels, &dominant, NULL), OG_OK);
    assert_int_equal(dominant.doc,
                     doc == '.' ? OG_NO_DOC : (uint32_t)(doc - 'a'));
    assert_int_equal(dominant.n, n);
    assert_int_equal(dominant.total, strlen(docs));
    hits_release(&h);
}

static void the_dominant_origin(void **state)
{
    (void)state;
    check_dominant("aab.", 'a', 2);
    check_dominant("abb.", 'b', 2);
    check_dominant("aab...", '.', 3); /* itself */
    check_dominant("aa..", '.', 2);   /* it wins ties */
    check_dominant("....", '.', 4);
    check_dominant("", '.', 0);
    check_dominant("a", 'a', 1);
    check_dominant("bbaa", 'a', 2); /* among origins the earlier one */
    check_dominant("aabb", 'a', 2);
    check_dominant("cabcabcab", 'a', 3);
    check_dominant("cabcabcabb", 'b', 4);
}

static void the_dominant_origin_by_counting(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int round = 0; round < 2000; round++) {
        char docs[40];
        size_t count[27] = {0};
        const size_t n = lot_below(&seed, sizeof(docs));
        const uint32_t n_docs = 1 + lot_below(&seed, 8);
        for (size_t i = 0; i < n; i++) {
            const uint32_t doc = lot_below(&seed, n_docs + 1);
            docs[i] = doc == n_docs ? '.' : (char)('a' + doc);
            count[doc == n_docs ? 26 : doc]++;
        }
        docs[n] = 0;
        size_t best = 26;
        for (size_t doc = 26; doc-- > 0;)
            if (count[doc] > count[26] && count[doc] >= count[best]) best = doc;
        check_dominant(docs, best == 26 ? '.' : (char)('a' + best),
                       count[best]);
    }
}

/* ---- anchors ---- */

static void anchors_keep_their_keys_apart(void **state)
{
    (void)state;
    struct hits h;
    hits_init(&h, 0, 1, 1);
    for (uint32_t n = 0; n <= 3000; n = n * 3 + 1) {
        assert_int_equal(og_anchors_reset(&h.labels, n, NULL), OG_OK);
        for (uint32_t i = 0; i < n; i++) {
            struct og_anchor *anchor = og_anchors_at(&h.labels, i * 256);
            assert_int_equal(anchor->last, 0); /* nothing is left over */
            assert_int_equal(anchor->count, 0);
            anchor->last = i + 1;
        }
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(og_anchors_at(&h.labels, i * 256)->last, i + 1);
    }
    hits_release(&h);
}

static void *no_memory(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)ctx, (void)ptr, (void)old_len, (void)new_len;
    return NULL;
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    const og_allocator none = {.resize = no_memory};
    struct og_labels labels;
    og_error err;
    og_labels_init(&labels, &none);
    assert_int_equal(og_labels_reserve(&labels, 10, &err), OG_ERR_MEMORY);
    assert_int_equal(labels.n, 0);
    assert_int_equal(og_anchors_reset(&labels, 10, &err), OG_ERR_MEMORY);
    og_labels_release(&labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lucky_weights_by_hand),
        cmocka_unit_test(blocks_of_one_or_two_have_no_bonus),
        cmocka_unit_test(a_block_may_be_the_whole_document),
        cmocka_unit_test(new_shingles_make_no_block),
        cmocka_unit_test(a_single_shingle_is_first_and_last),
        cmocka_unit_test(weights_do_not_overflow),
        cmocka_unit_test(other_policies_count_sightings),
        cmocka_unit_test(thin_weighs_nothing_but_hits),
        cmocka_unit_test(which_labels_shape_the_table),
        cmocka_unit_test(lost_shingles_get_their_origin_back),
        cmocka_unit_test(nothing_is_lost_where_there_is_room),
        cmocka_unit_test(other_estimations_restore_nothing),
        cmocka_unit_test(a_copy_restores_its_origin_in_the_table),
        cmocka_unit_test(the_dominant_origin),
        cmocka_unit_test(the_dominant_origin_by_counting),
        cmocka_unit_test(the_earlier_one_wins_ties),
        cmocka_unit_test(anchors_keep_their_keys_apart),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
