/* Segments of the first layout: their parts are found, and every damage is
 * seen before anybody reads them. */

#include "tests/unit/stage_support.h"

#include "lib/disk/old_sum.h"
#include "lib/sentence/index/old_sentence_segment.h"

enum { N_PARTS = OG_OLD_SEGMENT_PARTS, LEN = 64 * 2 * N_PARTS + 512 };

/* Part i has 5 i bytes. */
static uint8_t segment[LEN];
static size_t segment_len;

static struct og_old_sentence_foot *foot_of(void)
{
    return (void *)(segment + segment_len -
                    sizeof(struct og_old_sentence_foot));
}

static void sign(struct og_old_sentence_foot *foot)
{
    foot->body_sum = og_old_sum(segment, segment_len - sizeof(*foot));
    foot->foot_sum = og_old_sentence_foot_sum(foot);
}

static void make(void)
{
    struct og_old_sentence_foot foot = {.magic = OG_OLD_SEGMENT_MAGIC,
                                        .version = OG_OLD_SEGMENT_VERSION,
                                        .n_documents = 3,
                                        .n_wordsets = 4,
                                        .latest = -5,
                                        .signature_bits = 64,
                                        .no_texts = 1};
    uint64_t at = 0;
    for (unsigned i = 0; i < N_PARTS; i++) {
        foot.part[i].off = at;
        foot.part[i].len = 5 * i;
        memset(segment + at, (int)i, 5 * i);
        at += (5 * i + 63) / 64 * 64;
    }
    segment_len = at + sizeof(foot);
    foot.file_len = segment_len;
    memcpy(segment + at, &foot, sizeof(foot));
    sign(foot_of());
}

static og_status open_segment(struct og_segment_file *out, og_error *err)
{
    *out = (struct og_segment_file){.data = segment, .len = segment_len};
    return og_sentence_segment_open_old(out, "old.segment", err);
}

static void parts_are_found(void **state)
{
    struct og_segment_file file;
    struct og_sentence_totals totals;
    (void)state;
    make();
    assert_int_equal(open_segment(&file, NULL), OG_OK);
    assert_int_equal(file.n_sections, OG_N_PARTS);
    for (unsigned i = 0; i < N_PARTS; i++) {
        assert_int_equal(file.section[i].len, 5 * i);
        if (i > 0) assert_int_equal(segment[file.section[i].off], i);
    }
    assert_int_equal(file.section[OG_PART_TOTALS].len, 0);
    assert_int_equal(file.version, 0);
    og_sentence_segment_old_totals(&file, &totals);
    assert_int_equal(totals.n_documents, 3);
    assert_int_equal(totals.n_wordsets, 4);
    assert_int_equal(totals.latest, -5);
    assert_int_equal(totals.signature_bits, 64);
    assert_int_equal(totals.no_texts, 1);
}

static void every_flip_is_seen(void **state)
{
    struct og_segment_file file;
    og_error err;
    (void)state;
    make();
    for (size_t i = 0; i < segment_len; i++) {
        segment[i] ^= 16;
        assert_int_equal(open_segment(&file, &err), OG_ERR_STORE);
        assert_non_null(strstr(err.message, "old.segment"));
        segment[i] ^= 16;
    }
    assert_int_equal(open_segment(&file, &err), OG_OK);
}

/* Sums that are right do not make lengths right. */
static void lengths_are_checked(void **state)
{
    struct og_segment_file file;
    struct og_old_sentence_foot *foot;
    (void)state;
    for (int what = 0; what < 5; what++) {
        make();
        foot = foot_of();
        if (what == 0) foot->part[3].len = UINT64_MAX;
        if (what == 1) foot->part[3].off += 64;
        if (what == 2) foot->part[N_PARTS - 1].len += 64;
        if (what == 3) foot->file_len += 64;
        if (what == 4) foot->version = OG_OLD_SEGMENT_VERSION + 1;
        sign(foot);
        assert_int_equal(open_segment(&file, NULL), OG_ERR_STORE);
    }
    make();
    segment_len -= 64;
    assert_int_equal(open_segment(&file, NULL), OG_ERR_STORE);
    segment_len = 1;
    assert_int_equal(open_segment(&file, NULL), OG_ERR_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_found),
        cmocka_unit_test(every_flip_is_seen),
        cmocka_unit_test(lengths_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
