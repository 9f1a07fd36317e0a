/* A table that grows answers as one that has its full size from the start: the
 * same hits, from any thread, the same counts, the same guesses of what was
 * lost, after every document; and when it has grown up it is the same, byte for
 * byte. In between it is written down and read again, as a checkpoint does. */

#include <string.h>

#include "tests/unit/table_support.h"

#include "lib/table/common_fps.h"
#include "lib/table/table_state.h"

#define N_FPS 40

struct pair {
    struct og_table growing, fixed;
    uint8_t *map; /* what the growing one lies in; NULL: its own memory */
};

struct document {
    uint64_t fp[N_FPS];
    uint16_t offset[N_FPS], near[N_FPS];
    uint8_t weight[N_FPS], spare[N_FPS];
    size_t n;
};

/* Some fingerprints are old ones; some streams fill one bucket after the
 * other. */
static void draw(struct document *d, uint64_t n_seen, uint64_t *seed)
{
    d->n = 1 + lot_below(seed, N_FPS);
    for (size_t i = 0; i < d->n; i++) {
        d->fp[i] = lot_below(seed, 4) == 0 ? lot_below(seed, (uint32_t)n_seen)
                                           : n_seen + i;
        d->offset[i] = (uint16_t)og_random_next(seed);
        d->near[i] = (uint16_t)og_random_next(seed);
        d->weight[i] = (uint8_t)lot_below(seed, 60);
        d->spare[i] = lot_below(seed, 3) == 0;
    }
}

static void add(struct og_table *t, const struct document *d, uint32_t number)
{
    og_table_add_many(t, &(struct og_additions){.doc = number,
                                                .fp = d->fp,
                                                .offset = d->offset,
                                                .near = d->near,
                                                .weight = d->weight,
                                                .spare = d->spare,
                                                .n = d->n});
}

static void check_equal(const struct pair *p, const struct document *d)
{
    struct og_hit a[N_FPS], b[N_FPS], shared[N_FPS];
    const struct og_table *g = &p->growing;
    const struct og_table *f = &p->fixed;
    og_table_find_many(g, d->fp, d->n, a);
    og_table_find_many(f, d->fp, d->n, b);
    og_table_find_shared(g, d->fp, d->n, shared);
    for (size_t i = 0; i < d->n; i++) {
        assert_int_equal(a[i].doc, b[i].doc);
        assert_int_equal(a[i].offset, b[i].offset);
        assert_int_equal(a[i].near, b[i].near);
        assert_memory_equal(&a[i], &shared[i], sizeof(a[i]));
        assert_int_equal(og_table_may_have_lost(g, d->fp[i]),
                         og_table_may_have_lost(f, d->fp[i]));
        const uint64_t mixed = og_mix64(d->fp[i]);
        assert_int_equal(
            og_common_fps_get(g->common, g->n_common_lines, mixed),
            og_common_fps_get(f->common, f->n_common_lines, mixed));
    }
    assert_int_equal(g->n_used, f->n_used);
    assert_int_equal(g->n_evicted, f->n_evicted);
}

static void check_same_bytes(const struct pair *p)
{
    struct og_pack a = {0}, b = {0};
    assert_int_equal(p->growing.level, 0);
    assert_int_equal(og_table_len(&p->growing), og_table_len(&p->fixed));
    assert_memory_equal(p->growing.base, p->fixed.base,
                        og_table_len(&p->fixed));
    og_table_state_pack(&p->growing, &a);
    og_table_state_pack(&p->fixed, &b);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
    og_pack_release(&a);
    og_pack_release(&b);
}

/* Cut anywhere, they are refused. */
static void unpack(struct pair *p, const struct og_table_options *options,
                   const struct og_pack *buckets, const uint8_t *map,
                   size_t len)
{
    for (size_t cut = buckets->len < 300 ? 0 : buckets->len - 300;
         cut <= buckets->len; cut += 1 + (buckets->len - cut) / 3) {
        struct og_unpacker from = {.at = buckets->data,
                                   .end = buckets->data + cut};
        assert_int_equal(og_table_init(&p->growing, options, NULL, NULL),
                         OG_OK);
        assert_int_equal(og_table_buckets_unpack(&p->growing, &from),
                         cut == buckets->len);
        if (cut < buckets->len) og_table_release(&p->growing);
    }
    assert_int_equal(og_table_len(&p->growing), len);
    assert_memory_equal(p->growing.base, map, len);
}

static void write_and_read(struct pair *p)
{
    struct og_pack state = {0};
    const struct og_table_options options = p->growing.options;
    const size_t len = og_table_len(&p->growing);
    struct og_pack buckets = {0};
    uint8_t *map = malloc(len);
    memcpy(map, p->growing.base, len);
    og_table_state_pack(&p->growing, &state);
    const bool packed = p->growing.level > 0 && p->growing.n_added % 2 == 0;
    if (packed) og_table_buckets_pack(&p->growing, &buckets);
    if (packed)
        assert_int_equal(buckets.len, og_table_buckets_packed_len(&p->growing));
    og_table_release(&p->growing);
    free(p->map);
    p->map = map;
    if (packed) {
        unpack(p, &options, &buckets, map, len);
        og_pack_release(&buckets);
    } else
        assert_int_equal(
            og_table_init_over(&p->growing, &options, map, len, NULL, NULL),
            OG_OK);
    struct og_unpacker from = {.at = state.data, .end = state.data + state.len};
    assert_true(og_table_state_unpack(&p->growing, &from));
    assert_ptr_equal(from.at, from.end);
    og_pack_release(&state);
}

static void run(struct og_table_options options, uint64_t n_buckets,
                uint64_t seed)
{
    struct pair p = {0};
    struct document d;
    uint64_t n_seen = 1;
    const uint64_t slots = n_buckets * options.bucket_slots;
    options.common_len = OG_COMMON_LINE * 4;
    options.memory = n_buckets * og_table_bucket_len(&options) + 8 +
                     options.common_len + OG_COMMON_LINE;
    options.start = 1 + lot_below(&seed, 4);
    assert_int_equal(og_table_init(&p.growing, &options, NULL, NULL), OG_OK);
    options.start = OG_TABLE_FIXED;
    assert_int_equal(og_table_init(&p.fixed, &options, NULL, NULL), OG_OK);
    assert_int_equal(p.fixed.level, 0);
    assert_int_equal(p.growing.n_full, p.fixed.n_buckets);
    assert_true(p.growing.level > 0);
    const unsigned first = p.growing.level;
    unsigned least = first;
    for (uint32_t number = 0; n_seen < 3 * slots; number++) {
        draw(&d, n_seen, &seed);
        check_equal(&p, &d);
        const size_t before = p.growing.n_evicted;
        const bool may_grow = og_table_may_grow(&p.growing, d.fp, d.n);
        const unsigned level = p.growing.level;
        add(&p.growing, &d, number);
        add(&p.fixed, &d, number);
        if (p.growing.level > 0) assert_int_equal(before, 0);
        if (p.growing.level < level) assert_true(may_grow);
        assert_true(og_table_len(&p.growing) <= options.memory);
        check_equal(&p, &d);
        if (p.growing.level < least) {
            check_used_first(&p.growing);
            least = p.growing.level;
        }
        if (lot_below(&seed, 50) == 0) write_and_read(&p);
        n_seen += d.n;
    }
    check_used_first(&p.growing);
    check_same_bytes(&p);
    og_table_release(&p.growing);
    og_table_release(&p.fixed);
    free(p.map);
}

static void a_growing_table_is_a_full_one(void **state)
{
    (void)state;
    static const struct og_table_fields fields[] = {
        {0, 0}, {1, 0}, {0, 2}, {1, 2}, {2, 2}};
    uint64_t seed = 1;
    for (size_t evict = 0; evict < LENGTH(every_policy); evict++)
        for (int layout = 0; layout < 2; layout++)
            for (size_t b = 0; b < LENGTH(every_bucket_size); b++, seed++)
                run((struct og_table_options){.layout = (og_layout_kind)layout,
                                              .evict = every_policy[evict],
                                              .fields = fields[seed % 5],
                                              .bucket_slots =
                                                  every_bucket_size[b]},
                    8 + seed % 57, seed);
}

/* All fall into one bucket: it grows at once to the cap, and only there gives
 * slots up. */
static void one_bucket_makes_it_grow(void **state)
{
    (void)state;
    struct og_table t;
    struct og_table_options options = {.bucket_slots = 4, .start = 1};
    options.memory = 64 * og_table_bucket_len(&options) + 8;
    assert_int_equal(og_table_init(&t, &options, NULL, NULL), OG_OK);
    assert_int_equal(t.level, 6);
    uint32_t n = 0;
    for (uint64_t fp = 0; n < 5; fp++) {
        if (og_home_of(&t, og_mix64(fp)) != 17) continue;
        assert_int_equal(t.n_evicted, 0);
        assert_int_equal(t.level, 6);
        table_add(&t, n++, fp, 0, 0, 1);
    }
    assert_int_equal(t.level, 0);
    assert_int_equal(t.n_evicted, 1);
    og_table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_growing_table_is_a_full_one),
        cmocka_unit_test(one_bucket_makes_it_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
