/* A batch of documents against documents one by one: the same hits and, to the
 * byte, the same table, on any number of threads. */

#include "tests/unit/table_support.h"

#include "tests/unit/phases_support.h"

#include "lib/base/packing.h"
#include "lib/table/common_fps.h"
#include "lib/table/table_batch.h"
#include "lib/table/table_state.h"

enum { N_DOCS = 260, MOST_FPS = 300, N_POOL = 30000 };

struct doc {
    struct og_selection sel;
    uint64_t fp[MOST_FPS];
    uint16_t offset[MOST_FPS], near[MOST_FPS];
    uint8_t spare[MOST_FPS];
    struct og_hit hits[MOST_FPS]; /* one by one */
};

static struct doc docs[N_DOCS];

/* Some fingerprints are in many documents, some twice in one. */
static void make_docs(void)
{
    uint64_t random = 3;
    for (size_t d = 0; d < N_DOCS; d++) {
        struct doc *doc = &docs[d];
        const size_t n = og_random_next(&random) % MOST_FPS;
        for (size_t i = 0; i < n; i++) {
            const uint64_t lot = og_random_next(&random);
            doc->fp[i] = og_mix64(lot % (lot % 5 == 0 ? 200 : N_POOL));
            doc->offset[i] = (uint16_t)(d * 31 + i);
            doc->near[i] = (uint16_t)(d ^ i << 4);
            doc->spare[i] = lot >> 60 == 0;
        }
        doc->sel = (struct og_selection){.fp = doc->fp,
                                         .offset = doc->offset,
                                         .near = doc->near,
                                         .spare = doc->spare,
                                         .n = n};
    }
}

static struct og_additions additions_of(uint32_t doc)
{
    return (struct og_additions){.doc = doc,
                                 .fp = docs[doc].fp,
                                 .offset = docs[doc].offset,
                                 .near = docs[doc].near,
                                 .spare = docs[doc].spare,
                                 .n = docs[doc].sel.n};
}

static void open_table(struct og_table *t, og_evict_kind evict, uint64_t memory)
{
    const struct og_table_options options = {
        .layout = OG_LAYOUT_PACKED,
        .evict = evict,
        .fields = {.offset_len = 2, .near_len = 2},
        .bucket_slots = 64,
        .memory = memory,
        .common_len = 16 * OG_COMMON_LINE,
        .start = 4};
    assert_int_equal(og_table_init(t, &options, NULL, NULL), OG_OK);
}

static void add_one_by_one(struct og_table *t)
{
    for (uint32_t d = 0; d < N_DOCS; d++) {
        const struct og_additions add = additions_of(d);
        og_table_find_many(t, docs[d].fp, docs[d].sel.n, docs[d].hits);
        og_table_add_many(t, &add);
    }
}

/* ---- batches ---- */

static og_status set_additions(void *ctx, void *worker,
                               struct og_table_part *part, og_error *err)
{
    (void)ctx, (void)worker, (void)err;
    part->additions = additions_of(part->doc);
    return OG_OK;
}

static void check_hits_of(const struct og_table_part *part)
{
    const struct doc *doc = &docs[part->doc];
    for (size_t i = 0; i < doc->sel.n; i++) {
        assert_int_equal(part->hits[i].doc, doc->hits[i].doc);
        if (part->hits[i].doc == OG_NO_DOC) continue;
        assert_int_equal(part->hits[i].offset, doc->hits[i].offset);
        assert_int_equal(part->hits[i].near, doc->hits[i].near);
    }
}

static void add_in_batches(struct og_table *t, unsigned n_threads,
                           bool same_hits)
{
    struct og_ring *ring = threads_of(n_threads);
    const struct og_phases phases = phases_of(ring);
    const struct og_table_part_steps steps = {.settled = set_additions};
    struct og_table_batch batch;
    struct og_table_part parts[N_DOCS];
    uint64_t random = n_threads;
    og_table_batch_init(&batch, t, NULL);
    const struct og_table_protocol p = og_table_batch_protocol(&batch);
    for (uint32_t first = 0; first < N_DOCS;) {
        size_t n = 1 + og_random_next(&random) % 90;
        if (n > N_DOCS - first) n = N_DOCS - first;
        for (uint32_t i = 0; i < n; i++)
            parts[i] = (struct og_table_part){.sel = &docs[first + i].sel,
                                              .doc = first + i,
                                              .is_asked = true,
                                              .is_added = true};
        assert_int_equal(p.look_up(p.ctx, &phases, parts, n, &steps, NULL),
                         OG_OK);
        assert_int_equal(p.settle(p.ctx, &phases, parts, n, &steps, NULL),
                         OG_OK);
        for (size_t i = 0; i < n && same_hits; i++)
            check_hits_of(&parts[i]);
        assert_int_equal(p.observe(p.ctx, &phases, parts, n, NULL), OG_OK);
        first += (uint32_t)n;
    }
    og_table_batch_release(&batch);
    og_ring_free(ring);
}

static void check_same(const struct og_table *a, const struct og_table *b)
{
    struct og_pack states[2] = {{.allocator = NULL}, {.allocator = NULL}};
    assert_int_equal(a->level, b->level);
    assert_int_equal(a->kept, b->kept);
    assert_int_equal(og_table_len(a), og_table_len(b));
    assert_memory_equal(a->base, b->base, og_table_len(a));
    og_table_state_pack(a, &states[0]);
    og_table_state_pack(b, &states[1]);
    assert_int_equal(states[0].len, states[1].len);
    assert_memory_equal(states[0].data, states[1].data, states[0].len);
    og_pack_release(&states[0]);
    og_pack_release(&states[1]);
}

static const unsigned every_n_threads[] = {1, 2, 3, 9, 32};

static void check_policy(og_evict_kind evict, uint64_t memory, bool evicts)
{
    struct og_table single;
    open_table(&single, evict, memory);
    add_one_by_one(&single);
    assert_true((single.n_evicted > 0) == evicts);
    for (size_t i = 0; i < sizeof(every_n_threads) / sizeof(unsigned); i++) {
        struct og_table t;
        open_table(&t, evict, memory);
        add_in_batches(&t, every_n_threads[i], !evicts);
        check_same(&single, &t);
        og_table_release(&t);
    }
    og_table_release(&single);
}

static void a_batch_is_its_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(every_policy) / sizeof(*every_policy); i++)
        check_policy(every_policy[i], 4 << 20, false);
}

/* Look-ups are then as old as the batch; observations are not. */
static void a_full_table_too(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(every_policy) / sizeof(*every_policy); i++)
        check_policy(every_policy[i], 100 << 10, true);
}

/* A document that is not added is not an origin; one that is apart shares
 * nothing with the batch. */
static void some_only_ask(void **state)
{
    struct og_table t;
    struct og_table_batch batch;
    const struct og_table_part_steps steps = {.settled = set_additions};
    const struct og_phases phases = og_phases_alone(NULL);
    struct og_table_part parts[3];
    (void)state;
    open_table(&t, OG_EVICT_LEARN, 4 << 20);
    for (uint32_t i = 0; i < 3; i++)
        parts[i] = (struct og_table_part){.sel = &docs[1].sel,
                                          .doc = 1,
                                          .is_asked = true,
                                          .is_added = i == 1,
                                          .is_apart = i == 2};
    og_table_batch_init(&batch, &t, NULL);
    const struct og_table_protocol p = og_table_batch_protocol(&batch);
    assert_int_equal(p.look_up(p.ctx, &phases, parts, 3, &steps, NULL), OG_OK);
    assert_int_equal(p.settle(p.ctx, &phases, parts, 3, &steps, NULL), OG_OK);
    for (size_t i = 0; i < docs[1].sel.n; i++)
        for (size_t j = 0; j < 3; j++)
            assert_int_equal(parts[j].hits[i].doc, OG_NO_DOC);
    assert_int_equal(p.observe(p.ctx, &phases, parts, 3, NULL), OG_OK);
    assert_int_equal(t.n_used, parts[1].n_new);
    assert_int_equal(parts[0].n_new + parts[2].n_new, 0);
    og_table_batch_release(&batch);
    og_table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_its_documents),
        cmocka_unit_test(a_full_table_too),
        cmocka_unit_test(some_only_ask),
    };
    make_docs();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
