/* CX by hand: how far a hit reaches, what a bridge needs, the ends of the
 * document; then through the stages, with passages planted in random
 * documents. Laws over random hits: tests/property/test_context_laws.c. */

#include "tests/unit/estimate_support.h"

#include "lib/table/table.h"

enum { A = 7, B = 8 }; /* documents */

#define AGREES UINT16_MAX /* the context of every selected shingle here */
/* From context.c: tokens that a copy is carried on beyond its context. */
#define CARRY_ON    7
#define OVER_LOST   16 /* the same where the table has lost some */
#define BRIDGE_MOST 200

/* ---- pictures
 * ------------------------------------------------------------- */

/* A document of n_shingles, of which those in `selected` are marked: 's' is
 * selected and new, 'a' and 'b' are hits of A and B at the same place there. */
static void document(struct hits *h, const char *selected)
{
    size_t n = 0;
    for (const char *s = selected; *s != 0; s++)
        n += *s != '.';
    hits_init(h, n, 1, 8);
    h->sel.n_shingles = strlen(selected);
    n = 0;
    for (uint32_t pos = 0; selected[pos] != 0; pos++) {
        if (selected[pos] == '.') continue;
        h->sel.pos[n] = pos;
        h->sel.offset[n] = (uint16_t)pos;
        h->sel.near[n] = AGREES;
        if (selected[pos] != 's')
            h->labels.hits[n] =
                (struct og_hit){.doc = selected[pos] == 'a' ? A : B,
                                .offset = (uint16_t)pos,
                                .near = AGREES};
        n++;
    }
}

/* The context of hit i agrees on this many tokens only. */
static void set_reach(struct hits *h, size_t i, unsigned before,
                      unsigned behind)
{
    unsigned near = AGREES;
    if (before < OG_CONTEXT_TOKENS) near ^= 1u << 2 * before;
    if (behind < OG_CONTEXT_TOKENS) near ^= 1u << (8 + 2 * behind);
    h->labels.hits[i].near = (uint16_t)near;
}

/* Every shingle: '.' new, capital letters hits, small letters guesses. */
static void check_picture(struct hits *h, const char *picture)
{
    char seen[256];
    hits_estimate(h, OG_ESTIMATE_CONTEXT, 30);
    assert_int_equal(h->labels.n_every, h->sel.n_shingles);
    assert_true(h->labels.n_every < sizeof(seen));
    for (size_t i = 0; i < h->labels.n_every; i++) {
        const struct og_label *label = &h->labels.every[i];
        const bool hit = label->how == OG_HOW_HIT;
        seen[i] = label->doc == OG_NO_DOC ? '.'
                  : label->doc == A       ? (hit ? 'A' : 'a')
                                          : (hit ? 'B' : 'b');
    }
    seen[h->labels.n_every] = 0;
    assert_string_equal(seen, picture);
    hits_release(h);
}

static void the_context_tells_how_far(void **state)
{
    (void)state;
    static const char *const pictures[] = {
        "............A............", "...........aAa...........",
        "..........aaAaa..........", ".........aaaAaaa........."};
    for (unsigned reach = 0; reach < OG_CONTEXT_TOKENS; reach++) {
        struct hits h;
        document(&h, "............a............");
        set_reach(&h, 0, reach, reach);
        check_picture(&h, pictures[reach]);
    }
    struct hits h;
    document(&h, "............a............");
    set_reach(&h, 0, 1, 3);
    check_picture(&h, "...........aAaaa.........");
}

/* Where all four agree it is extended: by seven, or up to the next selected
 * shingle, which the table should know. */
static void a_copy_is_carried_on(void **state)
{
    (void)state;
    struct hits h;
    document(&h, "..............a.............");
    check_picture(&h, "...aaaaaaaaaaaAaaaaaaaaaaa..");
    document(&h, ".......s......a.......s.....");
    check_picture(&h, "........aaaaaaAaaaaaaa......");
    document(&h, "......s...s...a..ss.....s...");
    set_reach(&h, 2, 4, 4); /* nearer ones lie inside what agrees */
    check_picture(&h, ".......aaaaaaaAaaaaaaaaa....");
    document(&h, ".......s......a.......s.....");
    set_reach(&h, 1, 4, 2);
    check_picture(&h, "........aaaaaaAaa...........");
}

/* ---- what the table has lost
 * ---------------------------------------------- */

/* A fingerprint of this rank; `n` makes different ones. */
static uint64_t fp_of_rank(uint8_t rank, uint64_t n)
{
    uint64_t fp = n << 32;
    while (og_table_rank(fp) != rank)
        fp++;
    return fp;
}

enum { N_DOCS = 1000, HALF = 1 << 15 };

/* As document(), A being one of N_DOCS. The hits have rank 40, and the table
 * has kept so much of what came in, of 2^16; what it does not know has another
 * rank, and its bucket is full. */
static void document_of_lost(struct hits *h, const char *selected, uint8_t rank,
                             uint16_t kept)
{
    document(h, selected);
    h->n_docs = N_DOCS;
    for (size_t i = 0; i < h->sel.n; i++) {
        const bool hit = h->labels.hits[i].doc != OG_NO_DOC;
        h->sel.fp[i] = fp_of_rank(hit ? 40 : rank, i);
        if (!hit)
            h->labels.hits[i] =
                (struct og_hit){.doc = OG_NO_DOC, .offset = 1, .near = kept};
    }
}

/* Of one text the table keeps what has a low rank: one of high rank that is
 * missing does not end a copy, one of low rank does. One hit of rank 40
 * leaves open what there was up to 120. */
static void what_was_lost_does_not_end_a_copy(void **state)
{
    (void)state;
    struct hits h;
    document_of_lost(&h, ".......s......a.......s.....", 121, HALF);
    check_picture(&h, "aaaaaaaaaaaaaaAaaaaaaaaaaaaa");
    document_of_lost(&h, ".......s......a.......s.....", 120, HALF);
    check_picture(&h, "........aaaaaaAaaaaaaa......");
    /* Beyond one that says nothing, one that does. */
    document_of_lost(&h, "...s...s......a.......s..s..", 200, HALF);
    h.sel.fp[0] = h.sel.fp[4] = fp_of_rank(1, 9);
    check_picture(&h, "....aaaaaaaaaaAaaaaaaaaaa...");
}

/* The more hits a run has, the better its highest rank is known. */
static void a_run_tells_which_ranks_were_kept(void **state)
{
    (void)state;
    struct hits h;
    document_of_lost(&h, "a.a.a.a......s....", 61, HALF);
    check_picture(&h, "AaAaAaAaaaaaaaaaaa");
    document_of_lost(&h, "a.a.a.a......s....", 60, HALF);
    check_picture(&h, "AaAaAaAaaaaaa.....");
}

static void a_copy_is_carried_over_lost_ones_for_a_while(void **state)
{
    (void)state;
    const uint32_t reach = OG_CONTEXT_TOKENS + OVER_LOST;
    struct hits h;
    char selected[64], picture[64];
    memset(selected, '.', 63);
    selected[0] = 'a';
    selected[8] = selected[16] = selected[24] = selected[32] = 's';
    memset(picture, '.', 63);
    memset(picture, 'a', 1 + reach);
    picture[0] = 'A';
    selected[63] = picture[63] = 0;
    document_of_lost(&h, selected, 255, HALF);
    check_picture(&h, picture);
}

/* What came lately is there whole: all that is missing counts. Half of all
 * was kept, so an eighth of the documents is taken to be whole. */
static void of_late_documents_nothing_is_lost(void **state)
{
    (void)state;
    struct hits h;
    for (uint32_t doc = 873; doc <= 876; doc++) {
        document_of_lost(&h, ".......s......a.......s.....", 255, HALF);
        h.labels.hits[1].doc = doc;
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        const bool carried = h.labels.every[22].doc == doc;
        assert_int_equal(carried, doc < N_DOCS - N_DOCS / 8);
        hits_release(&h);
    }
}

/* A bucket with room has lost nothing, and other evictions have no ranks. */
static void where_nothing_was_lost_all_counts(void **state)
{
    (void)state;
    struct hits h;
    document_of_lost(&h, ".......s......a.......s.....", 255, HALF);
    h.labels.hits[0].offset = h.labels.hits[2].offset = 0;
    check_picture(&h, "........aaaaaaAaaaaaaa......");
    document_of_lost(&h, ".......s......a.......s.....", 255, 0);
    check_picture(&h, "........aaaaaaAaaaaaaa......");
}

/* A full bucket never takes them in, whatever their rank. */
static void spare_ones_are_not_missed(void **state)
{
    (void)state;
    struct hits h;
    document_of_lost(&h, ".......s......a.......s.....", 1, HALF);
    h.sel.spare[2] = 1;
    check_picture(&h, "........aaaaaaAaaaaaaaaaaaaa");
}

/* Selected shingles that the context reaches are guessed like the others. */
static void what_the_table_lost_is_guessed(void **state)
{
    (void)state;
    struct hits h;
    document(&h, "......s.s.a.s.s.......");
    set_reach(&h, 2, 3, 3);
    check_picture(&h, ".......aaaAaaa........");
}

static void guesses_end_where_something_is_known(void **state)
{
    (void)state;
    struct hits h;
    document(&h, "....a...b....");
    check_picture(&h, "aaaaAaaaBbbbb");
    document(&h, "....a.b......");
    set_reach(&h, 1, 3, 0);
    set_reach(&h, 0, 0, 1);
    check_picture(&h, "....AaB......");
}

/* ---- bridges
 * -------------------------------------------------------------- */

static void a_bridge_joins_two_hits_in_a_row(void **state)
{
    (void)state;
    struct hits h;
    document(&h, "a....s....s....s....s....s....a");
    check_picture(&h, "AaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA");
}

/* Every condition alone is enough to have none: then the hits reach as far as
 * they reach, four and the way to the next selected. */
static void each_condition_of_a_bridge(void **state)
{
    (void)state;
    const char *const doc = "a.......s........s.......s......a";
    const char *const none = "Aaaaaaaa..................aaaaaaA";
    struct hits h;
    document(&h, doc);
    h.labels.hits[4].offset++; /* another diagonal */
    check_picture(&h, none);
    document(&h, doc);
    h.labels.hits[4].doc = B;
    check_picture(&h, "Aaaaaaaa..................bbbbbbB");
    document(&h, doc);
    set_reach(&h, 0, 4, 3); /* the contexts that face each other */
    check_picture(&h, "Aaaa......................aaaaaaA");
    document(&h, doc);
    set_reach(&h, 4, 3, 4);
    check_picture(&h, "Aaaaaaaa.....................aaaA");
    document(&h, doc);
    set_reach(&h, 0, 0, 4); /* those that do not face each other are free */
    set_reach(&h, 4, 4, 0);
    check_picture(&h, "AaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA");
}

/* One hit of something else between two that fit, but not two. */
static void bridges_pass_over_one_other_hit(void **state)
{
    (void)state;
    struct hits h;
    document(&h, "a.......s.......b.......s.......a");
    set_reach(&h, 2, 1, 1);
    check_picture(&h, "AaaaaaaaaaaaaaaaBaaaaaaaaaaaaaaaA");
    document(&h, "a.......s.......a.......s.......a");
    h.labels.hits[2].offset = 3; /* the same document, another place */
    set_reach(&h, 2, 1, 1);
    check_picture(&h, "AaaaaaaaaaaaaaaaAaaaaaaaaaaaaaaaA");
    document(&h, "a.......b.......s.......b.......a");
    set_reach(&h, 1, 1, 1);
    set_reach(&h, 3, 1, 1);
    check_picture(&h, "AaaaaaaaBb.............bBbaaaaaaA");
}

/* The distance here and there is known modulo 2^16. */
static void offsets_wrap(void **state)
{
    (void)state;
    struct hits h;
    document(&h, "a.......s........s.......s......a");
    h.labels.hits[0].offset = UINT16_MAX;
    h.labels.hits[4].offset = (uint16_t)(UINT16_MAX + 32);
    check_picture(&h, "AaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA");
}

static void bridges_have_a_longest_span(void **state)
{
    (void)state;
    for (size_t between = BRIDGE_MOST - 1; between <= BRIDGE_MOST + 1;
         between++) {
        char doc[9 * (BRIDGE_MOST + 2) + 2] = "a";
        for (size_t i = 0; i < between; i++)
            strcat(doc, "........s");
        strcat(doc, "........a");
        struct hits h;
        document(&h, doc);
        hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
        const bool bridged = h.labels.data[between / 2].doc == A;
        assert_int_equal(bridged, between <= BRIDGE_MOST);
        hits_release(&h);
    }
}

/* ---- the ends of the document
 * ----------------------------------------------- */

static void nothing_reaches_out_of_the_document(void **state)
{
    (void)state;
    enum { N = 30 };
    for (uint32_t at = 0; at < N; at++) {
        char doc[N + 1], picture[N + 1];
        memset(doc, '.', N);
        doc[at] = 'a';
        doc[N] = 0;
        for (uint32_t i = 0; i < N; i++) {
            const uint32_t far = i < at ? at - i : i - at;
            picture[i] = far <= OG_CONTEXT_TOKENS + CARRY_ON ? 'a' : '.';
        }
        picture[at] = 'A';
        picture[N] = 0;
        struct hits h;
        document(&h, doc);
        check_picture(&h, picture);
    }
    struct hits h;
    document(&h, "a"); /* both ends */
    check_picture(&h, "A");
    document(&h, "");
    check_picture(&h, "");
    document(&h, "....");
    check_picture(&h, "....");
}

static void segments_have_their_hits_alone(void **state)
{
    (void)state;
    struct hits h;
    document(&h, "..a...s...a..");
    h.sel.shingle_len = 0;
    hits_estimate(&h, OG_ESTIMATE_CONTEXT, 30);
    assert_int_equal(h.labels.n_every, 0);
    assert_string_equal(hits_picture(&h), "h.h");
    hits_release(&h);
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
        .evict = OG_EVICT_LEARN,
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
    og_selection_add_context(&s->sel, &s->tokens, OG_CONTEXT_BITS);
}

static void trace_run(struct trace *t)
{
    const struct og_selection *a = &t->origin.sel;
    const struct og_selection *b = &t->copy.sel;
    const struct og_estimate_options options = {.kind = OG_ESTIMATE_CONTEXT,
                                                .bridge_limit = 30};
    note(&t->origin);
    note(&t->copy);
    const struct og_additions add = {
        .doc = 0, .fp = a->fp, .offset = a->offset, .near = a->near, .n = a->n};
    og_table_add_many(&t->table, &add);
    assert_int_equal(og_labels_reserve(&t->labels, b->n, NULL), OG_OK);
    og_table_find_many(&t->table, b->fp, b->n, t->labels.hits);
    assert_int_equal(og_estimate(b, &options, &t->labels, NULL), OG_OK);
    assert_int_equal(og_labels_join(b, &t->labels, &t->copies, NULL), OG_OK);
}

static void a_whole_copy_is_found_whole(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int round = 0; round < 200; round++) {
        struct trace t;
        trace_init(&t);
        const size_t n = 16 + lot_below(&seed, 300);
        stage_fill(&t.origin, n, 0, &seed);
        stage_resize(&t.copy, n);
        memcpy(t.copy.tokens.hash, t.origin.tokens.hash, n * 8);
        trace_run(&t);
        assert_int_equal(t.copies.n, 1);
        assert_int_equal(t.copies.data[0].begin, 0);
        assert_int_equal(t.copies.data[0].end, n);
        trace_release(&t);
    }
}

/* How many tokens too many a span has at either end. */
struct ends {
    uint32_t n, n_within_1, n_within_2;
};

static void count_end(struct ends *ends, int64_t too_many)
{
    /* Nothing is missed: in a passage all selected shingles are found, and
     * Lemma 1 has one within the reach of each end. */
    assert_true(too_many >= 0);
    /* Nor is more added than the context and the carrying on allow. */
    assert_true(too_many <= OG_CONTEXT_TOKENS + CARRY_ON);
    ends->n++;
    ends->n_within_1 += too_many <= 1;
    ends->n_within_2 += too_many <= 2;
}

static void plant(struct trace *t, uint32_t n, uint32_t from, uint32_t to,
                  struct ends *ends)
{
    memcpy(t->copy.tokens.hash + to, t->origin.tokens.hash + from, n * 8);
    trace_run(t);
    assert_int_equal(t->copies.n, 1);
    count_end(ends, (int64_t)to - t->copies.data[0].begin);
    count_end(ends, (int64_t)t->copies.data[0].end - (to + n));
}

/* Everything is in the table. An end is off by more than a token when the next
 * selected shingle lies far outside the passage, or when tokens agree by
 * accident (1 in 4 each). */
static void the_ends_of_a_passage(void **state)
{
    (void)state;
    enum { N_TOKENS = 300, ROUNDS = 3000 };
    uint64_t seed = 5;
    struct ends ends = {0, 0, 0};
    for (int round = 0; round < ROUNDS; round++) {
        struct trace t;
        trace_init(&t);
        stage_fill(&t.origin, N_TOKENS, 0, &seed);
        stage_fill(&t.copy, N_TOKENS, 0, &seed);
        const uint32_t n = 16 + lot_below(&seed, 100);
        plant(&t, n, lot_below(&seed, N_TOKENS - n + 1),
              lot_below(&seed, N_TOKENS - n + 1), &ends);
        trace_release(&t);
    }
    assert_true(ends.n_within_1 > ends.n * 0.84);
    assert_true(ends.n_within_2 > ends.n * 0.95);
}

/* At tokens 0 to 3 and as near to the end, here or there: the context has
 * nothing to compare with on that side. */
static void passages_at_the_ends_of_documents(void **state)
{
    (void)state;
    enum { N_TOKENS = 120, N = 40 };
    uint64_t seed = 6;
    struct ends ends = {0, 0, 0};
    for (uint32_t round = 0; round < 2000; round++) {
        struct trace t;
        trace_init(&t);
        stage_fill(&t.origin, N_TOKENS, 0, &seed);
        stage_fill(&t.copy, N_TOKENS, 0, &seed);
        const uint32_t edge = round % 4;
        const uint32_t near_end = N_TOKENS - N - edge;
        const uint32_t middle = 20 + lot_below(&seed, 40);
        const uint32_t place[] = {edge, near_end, middle};
        plant(&t, N, place[round / 4 % 3], place[round / 12 % 3], &ends);
        assert_true(t.copies.data[0].end <= N_TOKENS);
        trace_release(&t);
    }
    assert_true(ends.n_within_2 > ends.n * 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_context_tells_how_far),
        cmocka_unit_test(a_copy_is_carried_on),
        cmocka_unit_test(what_was_lost_does_not_end_a_copy),
        cmocka_unit_test(a_run_tells_which_ranks_were_kept),
        cmocka_unit_test(a_copy_is_carried_over_lost_ones_for_a_while),
        cmocka_unit_test(of_late_documents_nothing_is_lost),
        cmocka_unit_test(where_nothing_was_lost_all_counts),
        cmocka_unit_test(spare_ones_are_not_missed),
        cmocka_unit_test(what_the_table_lost_is_guessed),
        cmocka_unit_test(guesses_end_where_something_is_known),
        cmocka_unit_test(a_bridge_joins_two_hits_in_a_row),
        cmocka_unit_test(each_condition_of_a_bridge),
        cmocka_unit_test(bridges_pass_over_one_other_hit),
        cmocka_unit_test(offsets_wrap),
        cmocka_unit_test(bridges_have_a_longest_span),
        cmocka_unit_test(nothing_reaches_out_of_the_document),
        cmocka_unit_test(segments_have_their_hits_alone),
        cmocka_unit_test(a_whole_copy_is_found_whole),
        cmocka_unit_test(the_ends_of_a_passage),
        cmocka_unit_test(passages_at_the_ends_of_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
