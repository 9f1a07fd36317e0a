/* The hash table beside a plain list: the same entries are found, also when all
 * hashes are equal, and an allocation that fails changes nothing. */

#include "tests/unit/stage_support.h"

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"

enum { N = 2000 };

struct entries {
    uint64_t keys[N];
    size_t n;
};

static uint64_t few(uint64_t key)
{
    return key % 3;
}

static uint64_t mixed(uint64_t key)
{
    return og_mix64(key);
}

/* The number of the entry, from 1; 0: there is none. */
static size_t plain_find(const struct entries *e, uint64_t key)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->keys[i] == key) return i + 1;
    return 0;
}

static struct og_hash_slot *find(const struct og_hash_table *t,
                                 const struct entries *e, uint64_t key,
                                 uint64_t hash)
{
    struct og_hash_slot *slot;
    OG_HASH_FIND(t, hash, slot)
    if (e->keys[slot->number - 1] == key) break;
    return slot;
}

static void against_a_list(uint64_t (*hash)(uint64_t), uint64_t n_keys)
{
    static struct entries e;
    struct og_hash_table t;
    uint64_t seed = 7;
    e.n = 0;
    og_hash_table_init(&t, NULL);
    for (int i = 0; i < 4000 && e.n < N; i++) {
        const uint64_t key = og_mix64(seed++) % n_keys;
        const size_t expected = plain_find(&e, key);
        assert_true(og_hash_table_reserve(&t));
        struct og_hash_slot *slot = find(&t, &e, key, hash(key));
        assert_int_equal(slot->number, expected);
        if (expected != 0) continue;
        e.keys[e.n++] = key;
        og_hash_table_put(&t, slot, hash(key), e.n);
        assert_int_equal(t.n, e.n);
        assert_true(2 * t.n <= t.n_slots);
    }
    assert_true(e.n > 50);
    og_hash_table_release(&t);
}

static void finds_what_a_list_finds(void **state)
{
    (void)state;
    against_a_list(mixed, 1000000);
    against_a_list(mixed, 300);
    against_a_list(few, 300);
}

/* A large table, then small ones in its memory, emptied in both ways. */
static void is_used_again(void **state)
{
    struct og_hash_table t;
    (void)state;
    og_hash_table_init(&t, NULL);
    for (size_t n = 1000; n > 0; n /= 3) {
        assert_true(og_hash_table_clear(&t, n));
        assert_int_equal(t.n, 0);
        assert_int_equal(t.n_slots, og_hash_slots_for(n, 64));
        for (int round = 0; round < 2; round++) {
            for (uint64_t i = 1; i <= n; i++) {
                struct og_hash_slot *slot =
                    og_hash_table_next(&t, og_mix64(i), og_mix64(i));
                assert_int_equal(slot->number, 0);
                og_hash_table_put(&t, slot, og_mix64(i), i);
            }
            for (uint64_t i = 1; i <= n; i++)
                assert_int_equal(
                    og_hash_table_next(&t, og_mix64(i), og_mix64(i))->number,
                    i);
            og_hash_table_empty(&t);
            assert_int_equal(t.n, 0);
        }
    }
    og_hash_table_release(&t);
    og_hash_table_empty(&t); /* nothing to empty */
}

/* Slots of another shape: the search starts at its home, goes over the end,
 * and stops at the key or at the free slot. */
static void probes_go_round(void **state)
{
    char slots[8] = {'c', 'd', 0, 0, 0, 0, 'a', 'b'};
    size_t at;
    (void)state;
    OG_PROBE(at, 6, 8, slots[at] == 0 || slots[at] == 'd')
    assert_int_equal(at, 1);
    OG_PROBE(at, 6 + 8 * 5, 8, slots[at] == 0 || slots[at] == 'x')
    assert_int_equal(at, 2);
    OG_PROBE(at, 3, 8, slots[at] == 0 || slots[at] == 'x')
    assert_int_equal(at, 3);
    assert_int_equal(og_hash_slots_for(0, 16), 16);
    assert_int_equal(og_hash_slots_for(8, 16), 16);
    assert_int_equal(og_hash_slots_for(9, 16), 32);
}

static void *no_memory(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)ctx, (void)ptr, (void)old_len, (void)new_len;
    return NULL;
}

static void without_memory_nothing_changes(void **state)
{
    const og_allocator none = {NULL, no_memory};
    struct og_hash_table t;
    (void)state;
    og_hash_table_init(&t, &none);
    assert_false(og_hash_table_reserve(&t));
    assert_false(og_hash_table_clear(&t, 10));
    assert_int_equal(t.n_slots, 0);
    assert_null(t.slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_list_finds),
        cmocka_unit_test(is_used_again),
        cmocka_unit_test(probes_go_round),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
