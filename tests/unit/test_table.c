/* The table as a whole: its size, what it keeps, which document wins a slot,
 * the two ways to query it. Policies and buckets have tests of their own. */

#include "tests/oom/oom_support.h"
#include "tests/unit/table_support.h"

/* ---- sizes ---- */

static const struct og_table_fields every_field[] = {
    {0, 0}, {0, 2}, {1, 0}, {1, 2}, {2, 2}};

static void slots_of_the_paper_take_14_to_19_bytes(void **state)
{
    (void)state;
    struct og_table_options o = {.layout = OG_LAYOUT_PAPER};
    o.evict = OG_EVICT_RANDOM;
    assert_int_equal(og_table_slot_len(&o), 14); /* NB */
    o.evict = OG_EVICT_LRU;
    assert_int_equal(og_table_slot_len(&o), 14);
    o.evict = OG_EVICT_COPY_COUNT;
    assert_int_equal(og_table_slot_len(&o), 15);
    o.evict = OG_EVICT_LUCKY;
    o.fields = (struct og_table_fields){1, 0}; /* B */
    assert_int_equal(og_table_slot_len(&o), 16);
    o.fields = (struct og_table_fields){0, 2}; /* E */
    assert_int_equal(og_table_slot_len(&o), 17);
    o.fields = (struct og_table_fields){1, 2}; /* BE */
    assert_int_equal(og_table_slot_len(&o), 18);
    o.evict = OG_EVICT_LEARN;                  /* no longer the paper's */
    o.fields = (struct og_table_fields){2, 2}; /* CX */
    assert_int_equal(og_table_slot_len(&o), 19);
}

static void packed_slots_take_7_to_12_bytes(void **state)
{
    (void)state;
    struct og_table_options o = {.layout = OG_LAYOUT_PACKED};
    assert_int_equal(og_table_slot_len(&o), 7);
    o.evict = OG_EVICT_LUCKY;
    o.fields = (struct og_table_fields){1, 2};
    assert_int_equal(og_table_slot_len(&o), 11);
    o.evict = OG_EVICT_THIN;
    o.fields = (struct og_table_fields){2, 2};
    assert_int_equal(og_table_slot_len(&o), 12);
}

static void check_size(const struct og_table_options *o)
{
    struct og_table t;
    const og_status status = og_table_init(&t, o, NULL, NULL);
    if (status == OG_ERR_USAGE) { /* not even one bucket fits */
        assert_true(o->memory < og_table_bucket_len(o) + 8);
        return;
    }
    assert_int_equal(status, OG_OK);
    const size_t bucket_len = og_table_bucket_len(o);
    assert_true(t.pages.len <= o->memory);
    assert_true(og_table_len(&t) <= t.pages.len);
    assert_true(t.n_buckets * t.bucket_len <= t.pages.len);
    assert_true(t.n_full * bucket_len <= t.pages.len);
    assert_true(bucket_len >= o->bucket_slots * og_table_slot_len(o));
    if (o->evict != OG_EVICT_S3FIFO) /* which has its ghosts */
        assert_int_equal(bucket_len, o->bucket_slots * og_table_slot_len(o));
    assert_int_equal(og_table_slots(&t), t.n_full * o->bucket_slots);
    /* Not less than fits either. */
    assert_true((t.n_full + 1) * bucket_len + 8 > o->memory);
    og_table_release(&t);
}

static void a_table_never_exceeds_its_memory(void **state)
{
    (void)state;
    static const uint64_t memory[] = {0, 56, 1000, 4096, 65536, 1000003};
    for (size_t p = 0; p < LENGTH(every_policy); p++)
        for (size_t b = 0; b < LENGTH(every_bucket_size); b++)
            for (size_t f = 0; f < LENGTH(every_field); f++)
                for (size_t m = 0; m < 2 * LENGTH(memory); m++)
                    check_size(&(struct og_table_options){
                        .layout = m % 2 ? OG_LAYOUT_PAPER : OG_LAYOUT_PACKED,
                        .evict = every_policy[p],
                        .fields = every_field[f],
                        .bucket_slots = every_bucket_size[b],
                        .memory = memory[m / 2]});
}

/* To the byte: a bucket and the 8 bytes that a wide load may read too far. */
static void one_bucket_fits_or_not(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++)
        for (size_t b = 0; b < LENGTH(every_bucket_size); b++) {
            struct og_table_options o = {.evict = every_policy[p],
                                         .bucket_slots = every_bucket_size[b]};
            struct og_table t;
            table_of(&t, o, 1);
            o.memory = t.options.memory - 1;
            og_table_release(&t);
            assert_int_equal(og_table_init(&t, &o, NULL, NULL), OG_ERR_USAGE);
        }
}

static void too_little_memory_is_a_wrong_usage(void **state)
{
    (void)state;
    const struct og_table_options o = {.bucket_slots = 64, .memory = 100};
    struct og_table t;
    og_error err;
    assert_int_equal(og_table_init(&t, &o, NULL, &err), OG_ERR_USAGE);
    assert_string_equal(err.message, "a table of 100 bytes has no room for one "
                                     "bucket (456 bytes)");
    og_table_release(&t);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    const struct og_table_options o = {.bucket_slots = 64, .memory = 10000};
    for (int allowed = 0; allowed < 3; allowed++) {
        struct failing failing = {.fail_at = (size_t)allowed + 1,
                                  .for_good = true};
        const og_allocator a = {&failing, failing_resize};
        struct og_table t;
        assert_int_equal(og_table_init(&t, &o, &a, NULL),
                         allowed < 2 ? OG_ERR_MEMORY : OG_OK);
        og_table_release(&t);
    }
}

/* ---- contents ---- */

static void an_empty_table_knows_nothing(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        struct og_table t;
        table_of(&t,
                 (struct og_table_options){.layout = (og_layout_kind)layout,
                                           .bucket_slots = 64},
                 10);
        for (uint64_t fp = 0; fp < 10000; fp++)
            assert_false(table_has(&t, fp)); /* 0 mixes to 0: tag 0 too */
        og_table_release(&t);
    }
}

static void what_goes_in_comes_out(void **state)
{
    (void)state;
    for (size_t f = 0; f < LENGTH(every_field); f++)
        for (int layout = 0; layout < 2; layout++) {
            const struct og_table_fields fields = every_field[f];
            struct og_table t;
            table_of(&t,
                     (struct og_table_options){.layout = (og_layout_kind)layout,
                                               .evict = OG_EVICT_LUCKY,
                                               .fields = fields,
                                               .bucket_slots = 16},
                     4);
            table_add(&t, 0, 111, 0x1234, 0xabcd, 1);
            table_add(&t, OG_NO_DOC - 1, 222, 0xffff, 0xffff, 1);
            const struct og_hit a = table_find(&t, 111);
            const struct og_hit b = table_find(&t, 222);
            const uint16_t mask = (uint16_t)((1u << 8 * fields.offset_len) - 1);
            assert_int_equal(a.doc, 0);
            assert_int_equal(a.offset, 0x1234 & mask);
            assert_int_equal(a.near, fields.near_len == 2 ? 0xabcd : 0);
            assert_int_equal(b.doc, OG_NO_DOC - 1);
            assert_int_equal(b.offset, mask);
            assert_int_equal(t.n_used, 2);
            assert_int_equal(t.n_added, 2);
            assert_int_equal(t.n_evicted, 0);
            og_table_release(&t);
        }
}

static void a_table_without_fields_asks_for_no_arrays(void **state)
{
    (void)state;
    struct og_table t;
    table_of(&t, (struct og_table_options){.bucket_slots = 4}, 1);
    const uint64_t fps[] = {1, 2, 3};
    const struct og_additions add = {.doc = 5, .fp = fps, .n = 3};
    og_table_add_many(&t, &add);
    assert_int_equal(table_find(&t, 2).doc, 5);
    og_table_release(&t);
}

/* Beyond the look-ahead of the memory, at every length. */
static void many_at_once_equal_one_by_one(void **state)
{
    (void)state;
    enum { N = 100 };
    uint64_t fps[N];
    struct og_hit many[N], shared[N];
    struct og_table t;
    uint64_t seed = 1;
    table_of(&t, (struct og_table_options){.bucket_slots = 64}, 3);
    for (size_t i = 0; i < N; i++)
        fps[i] = og_random_next(&seed);
    for (uint32_t i = 0; i < N; i += 2)
        table_add(&t, i, fps[i], 0, 0, 1);
    for (size_t n = 0; n <= N; n++) {
        og_table_find_many(&t, fps, n, many);
        og_table_find_shared(&t, fps, n, shared);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(many[i].doc, i % 2 ? OG_NO_DOC : i);
            assert_int_equal(shared[i].doc, many[i].doc);
        }
    }
    og_table_release(&t);
}

/* ---- the earliest wins ---- */

#define N_DOCS 40
#define N_FPS  600

struct stream {
    uint64_t fp[N_DOCS][60];
    size_t n[N_DOCS];
    uint32_t rank[N_DOCS]; /* place of each document in time */
    uint32_t first[N_FPS]; /* the earliest document of each fingerprint */
};

static bool rank_is_earlier(const void *ctx, uint32_t a, uint32_t b)
{
    const struct stream *s = ctx;
    return s->rank[a] < s->rank[b];
}

static uint64_t nth_fp(uint32_t i)
{
    return og_mix64(i + 1000u);
}

static void stream_fill(struct stream *s, uint64_t *seed, bool shuffle_ranks)
{
    memset(s, 0, sizeof(*s));
    for (uint32_t d = 0; d < N_DOCS; d++)
        s->rank[d] = d;
    for (uint32_t d = N_DOCS; shuffle_ranks && d-- > 1;) {
        const uint32_t other = lot_below(seed, d + 1);
        const uint32_t kept = s->rank[d];
        s->rank[d] = s->rank[other];
        s->rank[other] = kept;
    }
    for (uint32_t i = 0; i < N_FPS; i++)
        s->first[i] = OG_NO_DOC;
    for (uint32_t d = 0; d < N_DOCS; d++) {
        s->n[d] = 1 + lot_below(seed, 60);
        for (size_t j = 0; j < s->n[d]; j++) {
            const uint32_t i = lot_below(seed, N_FPS);
            s->fp[d][j] = nth_fp(i);
            if (s->first[i] == OG_NO_DOC || s->rank[d] < s->rank[s->first[i]])
                s->first[i] = d;
        }
    }
}

static void add_in_random_order(struct og_table *t, const struct stream *s,
                                uint64_t *seed, bool ask_rank)
{
    uint32_t order[N_DOCS];
    for (uint32_t d = 0; d < N_DOCS; d++) {
        const uint32_t other = lot_below(seed, d + 1);
        order[d] = order[other];
        order[other] = d;
    }
    for (uint32_t i = 0; i < N_DOCS; i++) {
        const uint32_t d = order[i];
        const struct og_additions add = {.doc = d,
                                         .fp = s->fp[d],
                                         .n = s->n[d],
                                         .earlier =
                                             ask_rank ? rank_is_earlier : NULL,
                                         .ctx = s};
        og_table_add_many(t, &add);
    }
}

static void the_earliest_wins_whatever_the_order_of_arrival(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static struct stream s;
    for (int round = 0; round < 60; round++) {
        const bool ask_rank = round % 2;
        struct og_table t;
        table_of(&t,
                 (struct og_table_options){
                     .layout = (og_layout_kind)(round / 2 % 2),
                     .evict = every_policy[round % LENGTH(every_policy)],
                     .bucket_slots = 64},
                 40);
        stream_fill(&s, &seed, ask_rank);
        add_in_random_order(&t, &s, &seed, ask_rank);
        assert_int_equal(t.n_evicted, 0); /* memory enough for all */
        for (uint32_t i = 0; i < N_FPS; i++)
            assert_int_equal(table_find(&t, nth_fp(i)).doc, s.first[i]);
        check_used_first(&t);
        og_table_release(&t);
    }
}

/* Offset and neighbours go with the document that takes a slot over; a second
 * place in the same document does not. */
static void a_slot_is_taken_over_whole(void **state)
{
    (void)state;
    struct og_table t;
    table_of(&t, (struct og_table_options){.fields = {1, 2}, .bucket_slots = 4},
             1);
    table_add(&t, 7, 1, 10, 100, 1);
    table_add(&t, 7, 1, 11, 101, 1); /* again, further down */
    table_add(&t, 9, 1, 12, 102, 1); /* later */
    struct og_hit hit = table_find(&t, 1);
    assert_int_equal(hit.doc, 7);
    assert_int_equal(hit.offset, 10);
    assert_int_equal(hit.near, 100);
    table_add(&t, 3, 1, 13, 103, 1); /* earlier */
    hit = table_find(&t, 1);
    assert_int_equal(hit.doc, 3);
    assert_int_equal(hit.offset, 13);
    assert_int_equal(hit.near, 103);
    assert_int_equal(t.n_used, 1);
    og_table_release(&t);
}

/* ---- what the estimation and the selection ask for
 * ------------------------- */

static void add_spare(struct og_table *t, uint32_t doc, uint64_t fp)
{
    const uint8_t spare = 1;
    const struct og_additions add = {
        .doc = doc, .fp = &fp, .spare = &spare, .n = 1};
    og_table_add_many(t, &add);
}

/* Spare fingerprints fill free slots and evict nothing. */
static void spare_fingerprints_never_evict(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++) {
        struct og_table t;
        table_of(&t,
                 (struct og_table_options){.evict = every_policy[p],
                                           .bucket_slots = 16},
                 1);
        for (uint32_t doc = 0; doc < 10; doc++)
            table_add(&t, doc, 100 + doc, 0, 0, 1);
        for (uint32_t doc = 10; doc < 40; doc++)
            add_spare(&t, doc, 100 + doc);
        assert_int_equal(t.n_used, 16);
        assert_int_equal(t.n_evicted, 0);
        for (uint32_t doc = 0; doc < 40; doc++)
            assert_int_equal(table_has(&t, 100 + doc), doc < 16);
        table_add(&t, 41, 1, 0, 0, 1); /* the others do */
        assert_int_equal(t.n_evicted, 1);
        assert_true(table_has(&t, 1));
        check_used_first(&t);
        og_table_release(&t);
    }
}

/* Once in the table a fingerprint is like any other: seen again, and taken
 * over. */
static void spare_fingerprints_that_are_there_are_renewed(void **state)
{
    (void)state;
    struct og_table t;
    table_of(&t,
             (struct og_table_options){.evict = OG_EVICT_COPY_COUNT,
                                       .bucket_slots = 4},
             1);
    for (uint32_t doc = 5; doc < 9; doc++)
        add_spare(&t, doc, doc);
    uint8_t *bucket = og_bucket_at(&t, 0);
    add_spare(&t, 9, 5);
    const uint32_t slot = og_bucket_find(&t, bucket, og_mix64(5));
    assert_int_equal(og_bucket_state(&t, bucket)[slot], 2);
    add_spare(&t, 1, 6); /* earlier */
    assert_int_equal(table_find(&t, 6).doc, 1);
    assert_int_equal(t.n_evicted, 0);
    og_table_release(&t);
}

/* Missing fingerprints: whether they may have been there, and the share that
 * the table has kept; for readers in other threads, too. */
static void a_miss_says_what_may_be_lost(void **state)
{
    (void)state;
    enum { SLOTS = 16 };
    for (size_t p = 0; p < sizeof(every_policy) / sizeof(*every_policy); p++) {
        const bool by_rank = every_policy[p] == OG_EVICT_LEARN ||
                             every_policy[p] == OG_EVICT_THIN;
        struct og_table t;
        table_of(&t,
                 (struct og_table_options){.evict = every_policy[p],
                                           .bucket_slots = SLOTS},
                 1);
        for (uint32_t i = 0; i < 4 * SLOTS; i++) {
            const uint64_t other = 1000000 + i;
            struct og_hit hit = table_find(&t, other), shared;
            assert_int_equal(hit.doc, OG_NO_DOC);
            assert_int_equal(hit.offset, i >= SLOTS);
            assert_int_equal(hit.near, i < SLOTS || !by_rank ? 0
                                       : i == SLOTS          ? 65535
                                                    : SLOTS * 65536 / i);
            og_table_find_shared(&t, &other, 1, &shared);
            assert_memory_equal(&hit, &shared, sizeof(hit));
            table_add(&t, i, i, 0, 0, 1);
        }
        og_table_release(&t);
    }
}

static void add_with_origin(struct og_table *t, uint32_t doc, uint64_t fp,
                            uint32_t origin)
{
    const struct og_additions add = {
        .doc = doc, .fp = &fp, .origin = &origin, .n = 1};
    og_table_add_many(t, &add);
}

/* What the estimation restores goes into new slots: what the table knows is
 * better than a guess. */
static void an_origin_is_written_for_new_slots_only(void **state)
{
    (void)state;
    struct og_table t;
    table_of(&t, (struct og_table_options){.bucket_slots = 4}, 1);
    add_with_origin(&t, 9, 1, 3);
    assert_int_equal(table_find(&t, 1).doc, 3);
    add_with_origin(&t, 9, 2, OG_NO_DOC); /* none: the document itself */
    assert_int_equal(table_find(&t, 2).doc, 9);
    add_with_origin(&t, 12, 2, 4); /* known: stays */
    assert_int_equal(table_find(&t, 2).doc, 9);
    add_with_origin(&t, 12, 1, OG_NO_DOC);
    assert_int_equal(table_find(&t, 1).doc, 3);
    add_with_origin(&t, 2, 1, OG_NO_DOC); /* earlier: takes over */
    assert_int_equal(table_find(&t, 1).doc, 2);
    og_table_release(&t);
}

static uint8_t state_after_repeats(og_evict_kind evict, uint32_t next_doc)
{
    struct og_table t;
    table_of(&t, (struct og_table_options){.evict = evict, .bucket_slots = 4},
             1);
    table_add(&t, 5, 77, 0, 0, 1);
    table_add(&t, 5, 77, 0, 0, 1);
    table_add(&t, next_doc, 77, 0, 0, 1);
    const uint8_t state = og_bucket_state(&t, og_bucket_at(&t, 0))[0];
    og_table_release(&t);
    return state;
}

/* A document that repeats itself is not a copy; the paper counts it. */
static void learn_does_not_count_own_repeats(void **state)
{
    (void)state;
    assert_int_equal(state_after_repeats(OG_EVICT_LEARN, 5), 0);
    assert_int_equal(state_after_repeats(OG_EVICT_LEARN, 6), 1);
    assert_int_equal(state_after_repeats(OG_EVICT_COPY_COUNT, 5), 3);
    assert_int_equal(state_after_repeats(OG_EVICT_COPY_COUNT, 6), 3);
}

/* A tag of 0 marks an empty slot. A fingerprint whose last byte is 0 has
 * another. */
static void fingerprints_whose_tag_would_be_0(void **state)
{
    (void)state;
    struct og_table t;
    uint32_t n = 0;
    table_of(&t, (struct og_table_options){.bucket_slots = 64}, 4);
    for (uint64_t fp = 0; n < 50; fp++) {
        if ((og_mix64(fp) & 0xff) != 0) continue;
        assert_false(table_has(&t, fp));
        table_add(&t, n, fp, 0, 0, 1);
        assert_int_equal(table_find(&t, fp).doc, n);
        n++;
        assert_int_equal(t.n_used, n);
        check_used_first(&t);
    }
    og_table_release(&t);
}

static void the_same_run_gives_the_same_table(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++) {
        struct og_table t[2];
        for (int i = 0; i < 2; i++) {
            uint64_t seed = 3;
            og_cpu_force(i == 0 ? OG_CPU_PLAIN : OG_CPU_AVX512);
            table_of(&t[i],
                     (struct og_table_options){.evict = every_policy[p],
                                               .bucket_slots = 64},
                     3);
            for (uint32_t doc = 0; doc < 3000; doc++)
                table_add(&t[i], doc, lot_below(&seed, 700), 0, 0,
                          (uint8_t)(1 + doc % 4));
        }
        assert_memory_equal(t[0].base, t[1].base, 3 * t[0].bucket_len);
        assert_int_equal(t[0].n_evicted, t[1].n_evicted);
        og_table_release(&t[0]);
        og_table_release(&t[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_of_the_paper_take_14_to_19_bytes),
        cmocka_unit_test(packed_slots_take_7_to_12_bytes),
        cmocka_unit_test(a_table_never_exceeds_its_memory),
        cmocka_unit_test(one_bucket_fits_or_not),
        cmocka_unit_test(too_little_memory_is_a_wrong_usage),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(an_empty_table_knows_nothing),
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(a_table_without_fields_asks_for_no_arrays),
        cmocka_unit_test(many_at_once_equal_one_by_one),
        cmocka_unit_test(the_earliest_wins_whatever_the_order_of_arrival),
        cmocka_unit_test(a_slot_is_taken_over_whole),
        cmocka_unit_test(spare_fingerprints_never_evict),
        cmocka_unit_test(spare_fingerprints_that_are_there_are_renewed),
        cmocka_unit_test(a_miss_says_what_may_be_lost),
        cmocka_unit_test(an_origin_is_written_for_new_slots_only),
        cmocka_unit_test(learn_does_not_count_own_repeats),
        cmocka_unit_test(fingerprints_whose_tag_would_be_0),
        cmocka_unit_test(the_same_run_gives_the_same_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
