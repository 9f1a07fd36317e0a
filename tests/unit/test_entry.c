/* An entry comes back whole, and no other bytes are one. */

#include "tests/unit/store_support.h"

#include "lib/store/catalogue/entry.h"

static struct og_entry some_entry(void)
{
    struct og_entry e = {
        .id = bytes_of("doc-1"),
        .title = bytes_of("A title"),
        .url = bytes_of(""),
        .extra = bytes_of("{\"a\":1}"),
        .time = -5,
        .has_time = true,
        .text_hash = UINT64_MAX,
        .text_len = 1000000,
        .n_tokens = 300,
        .series = 7,
        .same = 0xffffffff,
        .place = {3, (uint64_t)1 << 40, 99},
        .n_origins = OG_ENTRY_ORIGINS,
    };
    for (uint32_t i = 0; i < OG_ENTRY_ORIGINS; i++)
        e.origins[i] = (struct og_entry_origin){UINT32_MAX - i, i};
    return e;
}

static void assert_same(og_bytes a, og_bytes b)
{
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
}

static void test_comes_back(void **state)
{
    const struct og_entry e = some_entry();
    struct og_entry again = {0};
    struct og_pack pack = {0};
    (void)state;
    og_entry_pack(&e, &pack);
    assert_true(
        og_entry_unpack((og_bytes){(char *)pack.data, pack.len}, &again));
    assert_same(e.id, again.id);
    assert_same(e.title, again.title);
    assert_same(e.url, again.url);
    assert_same(e.extra, again.extra);
    assert_int_equal(again.time, -5);
    assert_true(again.has_time);
    assert_int_equal(again.text_hash, UINT64_MAX);
    assert_int_equal(again.text_len, 1000000);
    assert_int_equal(again.n_tokens, 300);
    assert_int_equal(again.series, 7);
    assert_int_equal(again.same, 0xffffffff);
    assert_int_equal(again.place.segment, 3);
    assert_int_equal(again.place.frame_off, (uint64_t)1 << 40);
    assert_int_equal(again.place.text_off, 99);
    assert_int_equal(again.n_origins, OG_ENTRY_ORIGINS);
    assert_memory_equal(again.origins, e.origins, sizeof(e.origins));
    og_pack_release(&pack);
}

static void test_no_other_bytes_are_one(void **state)
{
    const struct og_entry e = some_entry();
    struct og_entry again;
    struct og_pack pack = {0};
    (void)state;
    og_entry_pack(&e, &pack);
    for (size_t i = 0; i < pack.len; i++) {
        pack.data[i] ^= 4;
        assert_false(
            og_entry_unpack((og_bytes){(char *)pack.data, pack.len}, &again));
        pack.data[i] ^= 4;
        assert_false(og_entry_unpack((og_bytes){(char *)pack.data, i}, &again));
    }
    og_pack_release(&pack);
}

/* Of more documents than fit, those with the most stay, sorted. */
static void test_the_origins_that_count(void **state)
{
    struct og_entry_origin list[OG_ENTRY_ORIGINS];
    uint32_t n = 0;
    (void)state;
    for (uint32_t doc = 0; doc < OG_ENTRY_ORIGINS; doc++)
        og_entry_count_origin(list, &n, doc, 10 + doc % 2);
    assert_int_equal(n, OG_ENTRY_ORIGINS);
    og_entry_count_origin(list, &n, 3, 100);  /* one that is there */
    og_entry_count_origin(list, &n, 77, 5);   /* too little */
    og_entry_count_origin(list, &n, 78, 500); /* takes the place of the least */
    assert_int_equal(n, OG_ENTRY_ORIGINS);
    og_entry_sort_origins(list, n);
    assert_int_equal(list[0].doc, 78);
    assert_int_equal(list[1].doc, 3);
    assert_int_equal(list[1].n_tokens, 111);
    for (uint32_t i = 1; i < n; i++) {
        assert_true(list[i - 1].n_tokens >= list[i].n_tokens);
        assert_int_not_equal(list[i].doc, 77);
        assert_int_not_equal(list[i].doc, 0);
    }
    /* Of equal ones that which was counted first. */
    assert_int_equal(list[2].doc, 1);
    assert_int_equal(list[3].doc, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_no_other_bytes_are_one),
        cmocka_unit_test(test_the_origins_that_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
