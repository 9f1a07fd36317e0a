/* Entries with an equal band, in fixed memory; those that matched stay longer.
 */

#include "tests/unit/stage_support.h"

#include "lib/base/bits.h"
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
static struct og_near_found found;

static void look(const struct og_near_index *index, const void *sketch)
{
    assert_int_equal(og_near_index_find(index, sketch, NULL, &found, NULL),
                     OG_OK);
}

static unsigned find(const struct og_near_index *index, const char *s)
{
    unsigned bits = 0;
    look(index, s);
    for (size_t i = 0; i < found.n; i++) {
        struct og_near_entry entry;
        og_near_index_get(index, found.entries[i], &entry);
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
        memcpy(sketch, &(uint32_t){(uint32_t)i * 2654435761u}, LEN);
        add(index, 2, sketch);
        look(index, "keep");
        assert_int_equal(found.n, 1);
        og_near_index_touch(index, found.entries[0]);
    }
    assert_int_equal(og_near_index_n(index), room);
    assert_int_equal(og_near_index_n_evicted(index), 2 * room + 1);
    og_near_index_free(index);
}

/* Equal ones are in one chain: the newest are met, and those after them are
 * evicted without visiting all. */
static void long_chains_are_cut(void **state)
{
    enum { MOST = 1024 };
    struct og_near_index *index = new_index(1 << 18);
    const uint32_t room = (uint32_t)og_near_index_room(index);
    (void)state;
    assert_true(room > 2 * MOST);
    for (uint32_t i = 0; i < 3 * room; i++)
        add(index, i, "same");
    look(index, "same");
    assert_int_equal(found.n, MOST);
    for (size_t i = 0; i < found.n; i++) {
        struct og_near_entry entry;
        og_near_index_get(index, found.entries[i], &entry);
        assert_true(entry.document >= 3 * room - MOST);
    }
    og_near_index_free(index);
}

/* Many at once, band by band, are the same as one after another. */
static void compare_moves(uint64_t memory)
{
    enum { N = 3000, AT_ONCE = 37 };
    struct og_near_index *one = new_index(memory), *many = new_index(memory);
    struct og_near_move moves[AT_ONCE];
    uint8_t sketches[AT_ONCE][2 * LEN];
    uint64_t random = 5;
    for (uint32_t i = 0; i < N; i += AT_ONCE) {
        if (og_near_index_reserve(many, AT_ONCE))
            for (size_t b = og_near_index_bands(many); b-- > 0;)
                og_near_index_rechain(many, b);
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            const uint64_t bits = og_random_next(&random) & 0x000f000f;
            const uint32_t sketch = (uint32_t)bits;
            const struct og_near_entry entry = {(const uint8_t *)&sketch,
                                                i + k};
            add(one, i + k, (const char *)&sketch);
            moves[k].sketches = sketches[k];
            og_near_index_place(many, &entry, &moves[k]);
        }
        for (size_t b = 0; b < og_near_index_bands(many); b++)
            og_near_index_chain(many, b, moves, AT_ONCE);
        const uint32_t asked = (uint32_t)(og_random_next(&random) & 0x000f000f);
        look(one, &asked);
        assert_true(found.n > 0 || i < 100);
        const size_t n = found.n;
        uint32_t first[4 * OG_NEAR_MOST_MET];
        memcpy(first, found.entries, n * sizeof(*first));
        look(many, &asked);
        assert_int_equal(found.n, n);
        if (n == 0) continue;
        assert_memory_equal(found.entries, first, n * sizeof(*first));
        og_near_index_touch(one, first[0]);
        og_near_index_touch(many, first[0]);
    }
    assert_int_equal(og_near_index_n_evicted(one),
                     og_near_index_n_evicted(many));
    og_near_index_free(one);
    og_near_index_free(many);
}

static void many_moves_are_single_ones(void **state)
{
    (void)state;
    compare_moves(1 << 14);
    compare_moves(1 << 20); /* which gets more buckets on the way */
}

/* Few entries have few buckets; each stays known when there are more, and the
 * walk goes by place. */
static og_status expect_next(void *ctx, uint32_t place,
                             const struct og_near_entry *entry, og_error *err)
{
    uint32_t *next = ctx;
    (void)err;
    assert_int_equal(place, *next);
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
        look(index, sketch);
        assert_int_equal(found.n, i / (N / EACH));
        for (size_t k = 0; k < found.n; k++)
            assert_int_equal(found.entries[k], kind + k * (N / EACH));
        add(index, i, (const char *)sketch);
    }
    assert_int_equal(og_near_index_walk(index, 0, &next, expect_next, NULL),
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
        cmocka_unit_test(many_moves_are_single_ones),
        cmocka_unit_test(growing_changes_no_answer),
    };
    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    og_near_found_release(&found);
    return n_failed;
}
