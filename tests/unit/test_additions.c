/* Additions come back as they were, with all their parts or few of them. */

#include "tests/unit/store_support.h"

#include "lib/store/table/additions.h"

enum { N = 21 };

struct parts {
    uint64_t fp[N];
    uint16_t offset[N], near[N];
    uint8_t weight[N], spare[N];
    uint32_t origin[N];
};

static struct og_additions some_additions(struct parts *p, unsigned which)
{
    for (size_t i = 0; i < N; i++) {
        p->fp[i] = og_mix64(i);
        p->offset[i] = (uint16_t)(i * 1000);
        p->near[i] = (uint16_t)(60000 - i);
        p->weight[i] = (uint8_t)i;
        p->spare[i] = i % 3 == 0;
        p->origin[i] = i % 4 == 0 ? (uint32_t)i : OG_NO_DOC;
    }
    return (struct og_additions){
        .doc = 99,
        .fp = p->fp,
        .offset = which & 1 ? p->offset : NULL,
        .near = which & 2 ? p->near : NULL,
        .weight = which & 4 ? p->weight : NULL,
        .spare = which & 8 ? p->spare : NULL,
        .origin = which & 16 ? p->origin : NULL,
        .n = N,
    };
}

static void assert_part(const void *a, const void *b, size_t len)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) assert_memory_equal(a, b, len);
}

static void test_come_back(void **state)
{
    const struct og_table_fields none = {0};
    struct og_unpacked_additions u = {0};
    (void)state;
    for (unsigned which = 0; which < 32; which++) {
        struct parts p;
        struct og_pack pack = {0};
        const struct og_additions a = some_additions(&p, which);
        og_additions_pack(&a, &pack);
        ASSERT_OK(og_additions_unpack(&u, pack.data, pack.len, none, &story));
        assert_int_equal(u.add.doc, 99);
        assert_int_equal(u.add.n, N);
        assert_part(u.add.fp, a.fp, sizeof(p.fp));
        assert_part(u.add.offset, a.offset, sizeof(p.offset));
        assert_part(u.add.near, a.near, sizeof(p.near));
        assert_part(u.add.weight, a.weight, sizeof(p.weight));
        assert_part(u.add.spare, a.spare, sizeof(p.spare));
        assert_part(u.add.origin, a.origin, sizeof(p.origin));
        og_pack_release(&pack);
    }
    og_unpacked_additions_release(&u);
}

/* Shorter, longer, with other counts: none of them is read past its end (which
 * ASan sees, the bytes are of exact length). */
static void test_no_other_bytes_are_any(void **state)
{
    const struct og_table_fields none = {0};
    struct og_unpacked_additions u = {0};
    struct parts p;
    struct og_pack pack = {0};
    const struct og_additions a = some_additions(&p, 31);
    (void)state;
    og_additions_pack(&a, &pack);
    for (size_t len = 0; len <= pack.len + 1; len++) {
        uint8_t *copy = calloc(1, len == 0 ? 1 : len);
        memcpy(copy, pack.data, len < pack.len ? len : pack.len);
        const og_status status = og_additions_unpack(&u, copy, len, none, NULL);
        assert_int_equal(status, len == pack.len ? OG_OK : OG_ERR_STORE);
        free(copy);
    }
    for (size_t i = 4; i < 16; i++) {
        pack.data[i] ^= 0x40;
        assert_int_equal(
            og_additions_unpack(&u, pack.data, pack.len, none, NULL),
            OG_ERR_STORE);
        pack.data[i] ^= 0x40;
    }
    og_pack_release(&pack);
    og_unpacked_additions_release(&u);
}

static void test_a_table_gets_its_fields(void **state)
{
    struct og_unpacked_additions u = {0};
    struct parts p;
    struct og_pack pack = {0};
    const struct og_additions a = some_additions(&p, 1);
    (void)state;
    og_additions_pack(&a, &pack);
    ASSERT_OK(og_additions_unpack(&u, pack.data, pack.len,
                                  (struct og_table_fields){.offset_len = 2},
                                  &story));
    assert_int_equal(
        og_additions_unpack(&u, pack.data, pack.len,
                            (struct og_table_fields){.near_len = 2}, &story),
        OG_ERR_STORE);
    og_pack_release(&pack);
    og_unpacked_additions_release(&u);
}

/* A document without a fingerprint has no arrays, or arrays of no length: its
 * record is the same and every table takes it. */
static void test_nothing_is_added(void **state)
{
    const struct og_table_fields both = {.offset_len = 2, .near_len = 2};
    struct og_unpacked_additions u = {0};
    struct parts p;
    struct og_additions full = some_additions(&p, 31);
    const struct og_additions bare = {.doc = 99};
    struct og_pack of_full = {0}, of_bare = {0};
    (void)state;
    full.n = 0;
    og_additions_pack(&full, &of_full);
    og_additions_pack(&bare, &of_bare);
    assert_int_equal(of_full.len, 16);
    assert_int_equal(of_bare.len, 16);
    assert_memory_equal(of_full.data, of_bare.data, 16);
    for (uint8_t parts = 0; parts < 16; parts++) {
        of_bare.data[12] = parts; /* earlier versions wrote any of them */
        ASSERT_OK(og_additions_unpack(&u, of_bare.data, 16, both, &story));
        assert_int_equal(u.add.n, 0);
        assert_int_equal(u.add.doc, 99);
    }
    og_pack_release(&of_full);
    og_pack_release(&of_bare);
    og_unpacked_additions_release(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_come_back),
        cmocka_unit_test(test_no_other_bytes_are_any),
        cmocka_unit_test(test_a_table_gets_its_fields),
        cmocka_unit_test(test_nothing_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
