/* Readers beside the writer: what og_table_find_shared() returns is always
 * one whole slot, never parts of two. Runs under the thread sanitizer too. */

#include <pthread.h>
#include <stdatomic.h>

#include "tests/unit/table_support.h"

#define N_FPS     600
#define N_READERS 2

/* Document, offset and neighbours of a fingerprint depend on each other, so
 * that a mixture of two writings shows. */
static uint16_t offset_for(uint64_t fp, uint32_t doc)
{
    return (uint16_t)og_mix64(fp << 32 | doc);
}

static uint16_t near_for(uint64_t fp, uint32_t doc)
{
    return (uint16_t)(og_mix64(fp << 32 | doc) >> 16);
}

struct scene {
    struct og_table table;
    atomic_bool done;
    atomic_uint n_torn;
    atomic_uint n_hits;
    atomic_uint n_readers;
};

static void check_hits(struct scene *s, const uint64_t *fp,
                       const struct og_hit *hit, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (hit[i].doc == OG_NO_DOC) continue;
        const bool whole = hit[i].offset == offset_for(fp[i], hit[i].doc) &&
                           hit[i].near == near_for(fp[i], hit[i].doc);
        if (!whole) atomic_fetch_add(&s->n_torn, 1);
        atomic_fetch_add(&s->n_hits, 1);
    }
}

static void *read_on(void *ctx)
{
    enum { AT_ONCE = 40 };
    struct scene *s = ctx;
    uint64_t seed = atomic_fetch_add(&s->n_readers, 1);
    while (!atomic_load(&s->done)) {
        uint64_t fp[AT_ONCE];
        struct og_hit hit[AT_ONCE];
        for (size_t i = 0; i < AT_ONCE; i++)
            fp[i] = lot_below(&seed, N_FPS);
        og_table_find_shared(&s->table, fp, AT_ONCE, hit);
        check_hits(s, fp, hit, AT_ONCE);
    }
    return NULL;
}

static void write_on(struct scene *s, uint32_t n_rounds)
{
    uint64_t seed = 1;
    for (uint32_t i = 0; i < n_rounds; i++) {
        const uint64_t fp = lot_below(&seed, N_FPS);
        const uint32_t doc = lot_below(&seed, 100000);
        table_add(&s->table, doc, fp, offset_for(fp, doc), near_for(fp, doc),
                  (uint8_t)(doc % 2));
    }
}

static void init_scene(struct scene *s, og_layout_kind layout,
                       og_evict_kind evict, uint32_t bucket_slots)
{
    memset(s, 0, sizeof(*s));
    table_of(&s->table,
             (struct og_table_options){.layout = layout,
                                       .evict = evict,
                                       .fields = {2, 2},
                                       .bucket_slots = bucket_slots},
             512 / bucket_slots);
}

static void run_scene(og_layout_kind layout, og_evict_kind evict,
                      uint32_t bucket_slots)
{
    static struct scene s;
    pthread_t reader[N_READERS];
    init_scene(&s, layout, evict, bucket_slots);
    write_on(&s, N_FPS); /* something to read from the start */
    for (size_t i = 0; i < N_READERS; i++)
        assert_int_equal(pthread_create(&reader[i], NULL, read_on, &s), 0);
    /* Until the readers have seen enough, however slow the machine is. */
    do
        write_on(&s, 2000);
    while (atomic_load(&s.n_hits) < 5000);
    atomic_store(&s.done, true);
    for (size_t i = 0; i < N_READERS; i++)
        assert_int_equal(pthread_join(reader[i], NULL), 0);
    assert_int_equal(atomic_load(&s.n_torn), 0);
    og_table_release(&s.table);
}

static void readers_see_whole_slots(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++)
        for (uint32_t slots = 4; slots <= 256; slots *= 8) {
            run_scene(OG_LAYOUT_PAPER, every_policy[p], slots);
            run_scene(OG_LAYOUT_PACKED, every_policy[p], slots);
        }
}

/* What was added stays to be found while the table grows, also out of a file's
 * map. */
static void *look_for_first(void *ctx)
{
    struct scene *s = ctx;
    uint64_t fp[32];
    struct og_hit hit[LENGTH(fp)];
    for (uint64_t i = 0; i < LENGTH(fp); i++)
        fp[i] = i;
    while (!atomic_load(&s->done)) {
        og_table_find_shared(&s->table, fp, LENGTH(fp), hit);
        for (uint64_t i = 0; i < LENGTH(fp); i++)
            if (hit[i].doc != i || hit[i].offset != offset_for(i, (uint32_t)i))
                atomic_fetch_add(&s->n_torn, 1);
        atomic_fetch_add(&s->n_hits, 1);
    }
    return NULL;
}

static void grow_beside_readers(struct og_table_options options)
{
    static struct scene s;
    pthread_t reader[N_READERS];
    memset(&s, 0, sizeof(s));
    options.memory = 4096 * og_table_bucket_len(&options) + 8;
    assert_int_equal(og_table_init(&s.table, &options, NULL, NULL), OG_OK);
    for (uint32_t i = 0; i < 32; i++)
        table_add(&s.table, i, i, offset_for(i, i), near_for(i, i), 1);
    const size_t len = og_table_len(&s.table);
    uint8_t *map = malloc(len);
    memcpy(map, s.table.base, len);
    og_table_release(&s.table);
    assert_int_equal(
        og_table_init_over(&s.table, &options, map, len, NULL, NULL), OG_OK);
    for (size_t i = 0; i < N_READERS; i++)
        assert_int_equal(pthread_create(&reader[i], NULL, look_for_first, &s),
                         0);
    for (uint32_t i = 32; s.table.level > 0; i++)
        table_add(&s.table, i, i, offset_for(i, i), near_for(i, i), 1);
    while (atomic_load(&s.n_hits) == 0)
        ;
    atomic_store(&s.done, true);
    for (size_t i = 0; i < N_READERS; i++)
        assert_int_equal(pthread_join(reader[i], NULL), 0);
    assert_int_equal(atomic_load(&s.n_torn), 0);
    og_table_release(&s.table);
    free(map);
}

static void a_table_grows_beside_readers(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++)
        grow_beside_readers(
            (struct og_table_options){.layout = (og_layout_kind)(p % 2),
                                      .evict = every_policy[p],
                                      .fields = {2, 2},
                                      .bucket_slots = 16,
                                      .start = 4});
}

/* The stripes end even: no change was left open. */
static void stripes_end_even(void **state)
{
    (void)state;
    struct og_table t;
    table_of(
        &t,
        (struct og_table_options){.evict = OG_EVICT_S3FIFO, .bucket_slots = 4},
        OG_TABLE_STRIPES + 7);
    for (uint64_t fp = 0; fp < 20000; fp++)
        table_add(&t, 1, fp, 0, 0, 1);
    uint64_t n_changes = 0;
    for (size_t i = 0; i < OG_TABLE_STRIPES; i++) {
        assert_int_equal(t.stripes[i] % 2, 0);
        n_changes += t.stripes[i] / 2;
    }
    assert_int_equal(n_changes, 20000);
    og_table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_see_whole_slots),
        cmocka_unit_test(a_table_grows_beside_readers),
        cmocka_unit_test(stripes_end_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
