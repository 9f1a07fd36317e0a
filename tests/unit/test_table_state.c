/* With its bytes and its state a table is the same table: it continues without
 * a difference. */

#include "tests/unit/store_support.h"

#include "lib/table/table_state.h"

enum { N = 3000 };

static void fill(struct og_table *table, uint32_t doc, uint64_t *random)
{
    uint64_t fps[N];
    const uint16_t zero[N] = {0};
    for (size_t i = 0; i < N; i++)
        fps[i] = og_random_next(random) % (4 * N);
    og_table_add_many(
        table,
        &(struct og_additions){
            .doc = doc, .fp = fps, .offset = zero, .near = zero, .n = N});
}

static void test_continues(void **state)
{
    (void)state;
    for (int evict = 0; evict <= OG_EVICT_LEARN; evict++) {
        const struct og_table_options options = {.evict = (og_evict_kind)evict,
                                                 .bucket_slots = 16,
                                                 .memory = 16 << 10};
        struct og_table table, again;
        struct og_pack pack = {0};
        uint64_t random = 5, same = 5;
        if (og_table_init(&table, &options, NULL, &story) != OG_OK) continue;
        ASSERT_OK(og_table_init(&again, &options, NULL, &story));
        const size_t len = og_table_bytes(&options);
        for (uint32_t doc = 0; doc < 5; doc++)
            fill(&table, doc, &random);
        same = random;
        og_table_state_pack(&table, &pack);
        memcpy(again.base, table.base, len);
        struct og_unpacker from = {.at = pack.data,
                                   .end = pack.data + pack.len};
        assert_true(og_table_state_unpack(&again, &from));
        assert_ptr_equal(from.at, from.end);
        for (uint32_t doc = 5; doc < 9; doc++) {
            fill(&table, doc, &random);
            fill(&again, doc, &same);
        }
        assert_memory_equal(table.base, again.base, len);
        assert_int_equal(table.n_used, again.n_used);
        assert_int_equal(table.n_evicted, again.n_evicted);
        assert_true(table.n_evicted > 0);
        /* Shorter ones are none. */
        for (size_t n = 0; n < pack.len; n += 1 + n / 7) {
            from = (struct og_unpacker){.at = pack.data, .end = pack.data + n};
            assert_false(og_table_state_unpack(&again, &from));
        }
        og_pack_release(&pack);
        og_table_release(&again);
        og_table_release(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_continues)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
