/* Additions come back as they were, with all their parts or few of them. */

#include "tests/unit/store_support.h"

#include "lib/store/additions.h"

enum { N = 21 };

struct parts {
    uint64_t print[N];
    uint16_t offset[N], near[N];
    uint8_t weight[N], spare[N];
    uint32_t origin[N];
};

static struct og_additions some_additions(struct parts *p, unsigned which)
{
    for (size_t i = 0; i < N; i++) {
        p->print[i] = og_mix64(i);
        p->offset[i] = (uint16_t)(i * 1000);
        p->near[i] = (uint16_t)(60000 - i);
        p->weight[i] = (uint8_t)i;
        p->spare[i] = i % 3 == 0;
        p->origin[i] = i % 4 == 0 ? (uint32_t)i : OG_NO_DOC;
    }
    return (struct og_additions){
        .doc = 99,
        .print = p->print,
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
        assert_part(u.add.print, a.print, sizeof(p.print));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_come_back),
        cmocka_unit_test(test_no_other_bytes_are_any),
        cmocka_unit_test(test_a_table_gets_its_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
