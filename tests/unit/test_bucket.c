/* Inside one bucket: counting, finding, moving. */

#include "tests/unit/table_support.h"

/* Writes a slot as the writer would. */
static void put_slot(const struct og_table *t, uint8_t *bucket, uint32_t slot,
                     uint64_t mixed, uint32_t doc)
{
    uint8_t *payload = og_bucket_payload(t, bucket, slot);
    og_put8(bucket + slot, og_fp_tag(mixed));
    og_put_bytes(payload, og_fp_rest(t, mixed), t->rest_len);
    og_put_bytes(payload + t->doc_off, (uint64_t)doc + 1, t->doc_len);
}

static struct og_table_options options_of(int layout, uint32_t bucket_slots)
{
    return (struct og_table_options){.layout = (og_layout_kind)layout,
                                     .evict = OG_EVICT_LUCKY,
                                     .fields = {1, 2},
                                     .bucket_slots = bucket_slots};
}

#define FOR_EACH_SHAPE(layout, slots)                                          \
    for (int layout = 0; layout < 2; layout++)                                 \
        for (uint32_t slots = 4; slots <= 256; slots *= 2)

static void used_slots_are_counted(void **state)
{
    (void)state;
    FOR_EACH_SHAPE(layout, slots)
    {
        struct og_table t;
        table_of(&t, options_of(layout, slots), 2);
        uint8_t *bucket = og_bucket_at(&t, 1);
        for (uint32_t used = 0; used <= slots; used++) {
            assert_int_equal(og_bucket_used(&t, bucket), used);
            if (used < slots) put_slot(&t, bucket, used, used, 0);
        }
        assert_int_equal(og_bucket_used(&t, og_bucket_at(&t, 0)), 0);
        og_table_release(&t);
    }
}

/* Every slot is found by what it holds, at every level. The fingerprints share
 * tags (only 4 of them), so that a tag alone proves nothing. */
static void every_slot_is_found(void **state)
{
    (void)state;
    FOR_EACH_SHAPE(layout, slots)
    {
        struct og_table t;
        table_of(&t, options_of(layout, slots), 1);
        uint8_t *bucket = og_bucket_at(&t, 0);
        for (uint32_t slot = 0; slot < slots; slot++)
            put_slot(&t, bucket, slot, slot % 4 | (slot + 1u) << 8, slot);
        FOR_EACH_LEVEL(level)
        for (uint32_t slot = 0; slot < slots; slot++) {
            const uint64_t mixed = slot % 4 | (slot + 1u) << 8;
            assert_int_equal(og_bucket_find(&t, bucket, mixed), slot);
            /* The rest alone, and the tag alone. */
            assert_int_equal(og_bucket_find(&t, bucket, mixed ^ 0x80), slots);
            assert_int_equal(og_bucket_find(&t, bucket, mixed ^ 0x800000),
                             slots);
        }
        og_table_release(&t);
    }
    og_cpu_force(OG_CPU_AVX512);
}

/* An empty slot is all zeros, and its tag is not a valid one: the fingerprint
 * of zeros has tag 1 instead and is not found there. */
static void empty_slots_hold_no_fingerprint(void **state)
{
    (void)state;
    FOR_EACH_SHAPE(layout, slots)
    {
        struct og_table t;
        table_of(&t, options_of(layout, slots), 1);
        uint8_t *bucket = og_bucket_at(&t, 0);
        FOR_EACH_LEVEL(level)
        {
            memset(bucket, 0, t.bucket_len);
            assert_int_equal(og_bucket_find(&t, bucket, 0), slots);
            put_slot(&t, bucket, 0, 2, 0);
            assert_int_equal(og_bucket_find(&t, bucket, 0), slots);
            put_slot(&t, bucket, 1, 0, 0);
            assert_int_equal(og_bucket_find(&t, bucket, 0), 1);
        }
        og_table_release(&t);
    }
    og_cpu_force(OG_CPU_AVX512);
}

/* Bits of a fingerprint that a slot keeps: 24 packed, 48 in the paper's layout.
 */
static void fingerprints_are_told_apart_by_the_kept_bits(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        const unsigned n_bits = layout == OG_LAYOUT_PAPER ? 48 : 24;
        struct og_table t;
        table_of(&t, options_of(layout, 64), 1);
        uint8_t *bucket = og_bucket_at(&t, 0);
        put_slot(&t, bucket, 0, 0x123456789abcdef, 0);
        for (unsigned bit = 0; bit < 64; bit++) {
            const uint64_t other = 0x123456789abcdef ^ (uint64_t)1 << bit;
            assert_int_equal(og_bucket_find(&t, bucket, other) == 0,
                             bit >= n_bits);
        }
        og_table_release(&t);
    }
}

/* Moving the slot `from` to `to` in a list of slots, the plain way. */
static void rotate_plain(uint32_t *list, uint32_t from, uint32_t to)
{
    const uint32_t moved = list[from];
    while (from < to) {
        list[from] = list[from + 1];
        from++;
    }
    while (from > to) {
        list[from] = list[from - 1];
        from--;
    }
    list[to] = moved;
}

static void check_order(const struct og_table *t, uint8_t *bucket,
                        const uint32_t *list)
{
    for (uint32_t slot = 0; slot < t->options.bucket_slots; slot++) {
        const uint8_t *payload = og_bucket_payload(t, bucket, slot);
        assert_int_equal(bucket[slot], og_fp_tag(list[slot]));
        assert_int_equal(og_own_doc(t, payload), list[slot] + 1);
        assert_int_equal(og_own_rest(t, payload), list[slot]);
        assert_int_equal(og_bucket_state(t, bucket)[slot],
                         (uint8_t)(list[slot] * 7));
        assert_int_equal(payload[t->near_off], (uint8_t)(list[slot] * 3));
    }
}

static void rotating_moves_all_parts_of_a_slot(void **state)
{
    (void)state;
    uint64_t seed = 1;
    FOR_EACH_SHAPE(layout, slots)
    {
        struct og_table t;
        uint32_t list[256];
        table_of(&t, options_of(layout, slots), 3);
        uint8_t *bucket = og_bucket_at(&t, 1);
        for (uint32_t slot = 0; slot < slots; slot++) {
            list[slot] = slot;
            put_slot(&t, bucket, slot, slot << 8 | slot, slot);
            og_bucket_state(&t, bucket)[slot] = (uint8_t)(slot * 7);
            og_bucket_payload(&t, bucket, slot)[t.near_off] =
                (uint8_t)(slot * 3);
        }
        for (int round = 0; round < 200; round++) {
            const uint32_t from = lot_below(&seed, slots);
            const uint32_t to = lot_below(&seed, slots);
            og_slots_rotate(&t, bucket, from, to);
            rotate_plain(list, from, to);
            check_order(&t, bucket, list);
        }
        /* The buckets beside it were not touched. */
        assert_int_equal(og_bucket_used(&t, og_bucket_at(&t, 0)), 0);
        assert_int_equal(og_bucket_used(&t, og_bucket_at(&t, 2)), 0);
        og_table_release(&t);
    }
}

static void numbers_of_any_length_at_any_place(void **state)
{
    (void)state;
    uint8_t bytes[24];
    for (size_t len = 0; len <= 8; len++)
        for (size_t at = 1; at < 9; at++) {
            const uint64_t v = 0x1122334455667788;
            const uint64_t mask = len == 0 ? 0 : UINT64_MAX >> (64 - 8 * len);
            memset(bytes, 0xee, sizeof(bytes));
            og_put_bytes(bytes + at, v, len);
            assert_true(og_get_bytes(bytes + at, len) == (v & mask));
            assert_int_equal(bytes[at - 1], 0xee);
            assert_int_equal(bytes[at + len], 0xee);
        }
}

static void pieces_of_every_length(void **state)
{
    (void)state;
    uint8_t from[24], to[26];
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (uint8_t)(i + 1);
    for (size_t len = 4; len <= sizeof(from); len++) {
        memset(to, 0xee, sizeof(to));
        og_put_piece(to + 1, from, len);
        assert_memory_equal(to + 1, from, len);
        assert_int_equal(to[0], 0xee);
        assert_int_equal(to[len + 1], 0xee);
    }
}

/* Fingerprints that a rule favours (even ones, small ones) fill all buckets
 * evenly. */
static void buckets_fill_alike(void **state)
{
    (void)state;
    enum { N_BUCKETS = 100, PER_BUCKET = 1000 };
    struct og_table t;
    uint32_t count[N_BUCKETS] = {0};
    table_of(&t, options_of(0, 4), N_BUCKETS);
    for (uint64_t i = 0; i < N_BUCKETS * PER_BUCKET; i++)
        count[og_bucket_of(&t, og_mix64(8 * i))]++;
    for (size_t b = 0; b < N_BUCKETS; b++)
        assert_in_range(count[b], PER_BUCKET - 200, PER_BUCKET + 200);
    og_table_release(&t);
}

/* One look returns the first slot with a tag, and where the empty ones begin.
 * Few tags, so that some are repeated many times; the bytes after them are not
 * tags. */
static void a_look_is_the_same_on_every_processor(void **state)
{
    uint8_t bucket[256 + 64];
    (void)state;
    FOR_EACH_LEVEL(level)
    for (uint32_t n = 4; n <= 256; n *= 2) {
        const struct og_table t = {.options = {.bucket_slots = n}};
        uint64_t random = n;
        memset(bucket, 7, sizeof(bucket));
        for (uint32_t used = 0; used <= n; used++) {
            for (uint32_t i = 0; i < n; i++)
                bucket[i] =
                    i < used ? (uint8_t)(1 + lot_below(&random, 40)) : 0;
            for (uint8_t tag = 1; tag <= 42; tag++) {
                const struct og_look look = og_bucket_look(&t, bucket, tag);
                const uint8_t *first = memchr(bucket, tag, n);
                assert_int_equal(look.slot, first != NULL ? first - bucket : n);
                assert_int_equal(look.used, used);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(used_slots_are_counted),
        cmocka_unit_test(every_slot_is_found),
        cmocka_unit_test(a_look_is_the_same_on_every_processor),
        cmocka_unit_test(empty_slots_hold_no_fingerprint),
        cmocka_unit_test(fingerprints_are_told_apart_by_the_kept_bits),
        cmocka_unit_test(rotating_moves_all_parts_of_a_slot),
        cmocka_unit_test(numbers_of_any_length_at_any_place),
        cmocka_unit_test(pieces_of_every_length),
        cmocka_unit_test(buckets_fill_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
