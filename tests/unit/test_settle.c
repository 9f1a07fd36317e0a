/* What documents of a batch have from each other, where the table, which is
 * elsewhere, says of each fingerprint whether it may have lost it. */

#include "lib/table/settle.h"
#include "tests/unit/table_support.h"

enum { N = 3, PARTS = 3 };

/* All three have fingerprint 7; the table knows 8 and may have lost 9. */
static const uint64_t fps[PARTS][N] = {{7, 8, 9}, {7, 8, 9}, {7, 9, 10}};

static og_status label(void *ctx, void *worker, struct og_table_part *part,
                       og_error *err)
{
    static const uint32_t origins[N] = {OG_NO_DOC, OG_NO_DOC, 4};
    static const uint16_t offsets[N] = {0, 0, 77};
    (void)ctx, (void)worker, (void)err;
    part->additions = (struct og_additions){.doc = part->doc, .n = N};
    if (part->doc != 10) return OG_OK;
    /* The first puts 9 back under its old origin. */
    part->additions.origin = origins;
    part->additions.offset = offsets;
    return OG_OK;
}

static void test_lost(void **state)
{
    static const uint8_t lost[PARTS][N] = {{0, 0, 1}, {0, 0, 1}, {0, 1, 0}};
    const struct og_table_options options = {.layout = OG_LAYOUT_PACKED,
                                             .fields = {2, 2},
                                             .bucket_slots = 64,
                                             .memory = 1 << 20};
    const struct og_phases alone = og_phases_alone(NULL);
    const struct og_table_part_steps steps = {.settled = label};
    struct og_table_part parts[PARTS] = {{0}};
    struct og_selection sels[PARTS];
    struct og_hit hits[PARTS][N];
    struct og_settling s;
    struct og_table shape;
    uint16_t zeros[N] = {0};
    (void)state;
    og_table_shape(&shape, &options);
    assert_true(shape.n_full > 1000);
    og_settling_init(&s, &shape, NULL);
    for (unsigned p = 0; p < PARTS; p++) {
        sels[p] = (struct og_selection){
            .fp = (uint64_t *)fps[p], .offset = zeros, .near = zeros, .n = N};
        parts[p] = (struct og_table_part){.sel = &sels[p],
                                          .doc = 10 + p,
                                          .is_asked = true,
                                          .is_added = true,
                                          .hits = hits[p],
                                          .lost = lost[p]};
        for (unsigned i = 0; i < N; i++)
            hits[p][i] = (struct og_hit){.doc = fps[p][i] == 8 ? 3 : OG_NO_DOC};
    }
    assert_int_equal(
        og_settling_begin(&s, parts, PARTS, PARTS * N, false, NULL), OG_OK);
    for (unsigned p = PARTS; p-- > 0;)
        og_settling_put(&s, parts, p);
    assert_int_equal(og_settling_run(&s, &alone, parts, PARTS, &steps, NULL),
                     OG_OK);
    assert_int_equal(hits[0][0].doc, OG_NO_DOC);
    assert_int_equal(hits[1][0].doc, 10);
    assert_int_equal(hits[2][0].doc, 10);
    assert_int_equal(hits[1][1].doc, 3);
    assert_int_equal(hits[0][2].doc, OG_NO_DOC);
    assert_int_equal(hits[1][2].doc, 4);
    assert_int_equal(hits[1][2].offset, 77);
    assert_int_equal(hits[2][1].doc, 4);
    assert_int_equal(hits[2][2].doc, OG_NO_DOC);
    og_settling_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
