/* Entries with an equal band, in fixed memory; those that matched stay longer.
 */

#include "tests/unit/stage_support.h"

#include "lib/near/near_index.h"
#include <string.h>

enum { LEN = 4 };

static const struct og_near_band bands[] = {{0, 2}, {2, 2}};

static struct og_near_index *new_index(uint64_t memory)
{
    struct og_near_index *index;
    assert_int_equal(
        og_near_index_new(bands, 2, LEN, memory, NULL, &index, NULL), OG_OK);
    return index;
}

static void add(struct og_near_index *index, uint32_t document, const char *s)
{
    const struct og_near_entry entry = {(const uint8_t *)s, document};
    og_near_index_add(index, &entry);
}

/* Bit d of the answer: document d has a band of `s`. */
static unsigned find(struct og_near_index *index, const char *s)
{
    const uint32_t *found;
    size_t n;
    unsigned bits = 0;
    assert_int_equal(
        og_near_index_find(index, (const uint8_t *)s, &found, &n, NULL), OG_OK);
    for (size_t i = 0; i < n; i++) {
        struct og_near_entry entry;
        og_near_index_get(index, found[i], &entry);
        assert_int_equal(bits >> entry.document & 1, 0); /* each once */
        bits |= 1u << entry.document;
    }
    return bits;
}

static void equal_bands_meet(void **state)
{
    struct og_near_index *index = new_index(1 << 16);
    (void)state;
    add(index, 1, "aabb");
    add(index, 2, "aacc");
    add(index, 3, "ddbb");
    add(index, 4, "bbaa"); /* the same bytes in other bands */
    assert_int_equal(find(index, "aabb"), 1u << 1 | 1u << 2 | 1u << 3);
    assert_int_equal(find(index, "xxaa"), 1u << 4);
    assert_int_equal(find(index, "xxyy"), 0);
    assert_int_equal(og_near_index_n(index), 4);
    og_near_index_free(index);
}

/* A full index lets one go for each that comes, never one that was just
 * touched. */
static void memory_is_fixed(void **state)
{
    struct og_near_index *index = new_index(1 << 14);
    const size_t room = og_near_index_room(index);
    char sketch[LEN + 1] = "....";
    (void)state;
    assert_true(room > 8);
    add(index, 1, "keep");
    for (size_t i = 0; i < 3 * room; i++) {
        const uint32_t *found;
        size_t n;
        memcpy(sketch, &(uint32_t){(uint32_t)i * 2654435761u}, LEN);
        add(index, 2, sketch);
        assert_int_equal(og_near_index_find(index, (const uint8_t *)"keep",
                                            &found, &n, NULL),
                         OG_OK);
        assert_int_equal(n, 1);
        og_near_index_touch(index, found[0]);
    }
    assert_int_equal(og_near_index_n(index), room);
    assert_int_equal(og_near_index_n_evicted(index), 2 * room + 1);
    og_near_index_free(index);
}

/* Equal ones are in one chain: the newest are met, and those behind them go
 * without a walk over all. */
static void long_chains_are_cut(void **state)
{
    enum { MOST = 1024 };
    struct og_near_index *index = new_index(1 << 18);
    const uint32_t room = (uint32_t)og_near_index_room(index);
    const uint32_t *found;
    size_t n;
    (void)state;
    assert_true(room > 2 * MOST);
    for (uint32_t i = 0; i < 3 * room; i++)
        add(index, i, "same");
    assert_int_equal(
        og_near_index_find(index, (const uint8_t *)"same", &found, &n, NULL),
        OG_OK);
    assert_int_equal(n, MOST);
    for (size_t i = 0; i < n; i++) {
        struct og_near_entry entry;
        og_near_index_get(index, found[i], &entry);
        assert_true(entry.document >= 3 * room - MOST);
    }
    og_near_index_free(index);
}

/* Marks of questions are cleared before their numbers come again. */
static void many_questions_are_answered(void **state)
{
    struct og_near_index *index = new_index(1 << 12);
    (void)state;
    add(index, 1, "aabb");
    for (size_t i = 0; i < 70000; i++)
        assert_int_equal(find(index, "aabb"), 1u << 1);
    og_near_index_free(index);
}

/* Few entries have few buckets; each stays known when there are more, and the
 * walk goes from the oldest on. */
static og_status expect_next(void *ctx, const struct og_near_entry *entry,
                             og_error *err)
{
    uint32_t *next = ctx;
    (void)err;
    assert_int_equal(entry->document, *next);
    *next += 1;
    return OG_OK;
}

static void growing_changes_no_answer(void **state)
{
    enum { N = 20000, EACH = 8 };
    struct og_near_index *index = new_index(1 << 20);
    uint32_t next = 0;
    (void)state;
    assert_true(og_near_index_room(index) > N);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t kind = i % (N / EACH);
        const uint16_t sketch[2] = {(uint16_t)kind, (uint16_t)kind};
        const uint32_t *found;
        size_t n;
        assert_int_equal(og_near_index_find(index, (const uint8_t *)sketch,
                                            &found, &n, NULL),
                         OG_OK);
        assert_int_equal(n, i / (N / EACH));
        for (size_t k = 0; k < n; k++)
            assert_int_equal(found[k], kind + k * (N / EACH));
        add(index, i, (const char *)sketch);
    }
    assert_int_equal(og_near_index_walk(index, &next, expect_next, NULL),
                     OG_OK);
    assert_int_equal(next, N);
    og_near_index_free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bands_meet),
        cmocka_unit_test(memory_is_fixed),
        cmocka_unit_test(long_chains_are_cut),
        cmocka_unit_test(many_questions_are_answered),
        cmocka_unit_test(growing_changes_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
