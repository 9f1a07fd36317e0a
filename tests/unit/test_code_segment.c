/* A run of codes: what was written is read, in memory and from a file, and
 * every fault is named when it is opened, though its checksums are right. */

#include "tests/unit/code_support.h"

#include "files_support.h"
#include "lib/hamming/code_segment.h"

enum { N = 300 };

static struct og_code_segment segment;
static og_error err;

/* Code i * i has i % 3 + 1 ids, of which one says "no longer". */
static void write_run(struct og_code_writer *w)
{
    for (uint64_t i = 0; i < N; i++)
        for (unsigned k = 0; k <= i % 3; k++) {
            char id[300];
            memset(id, 'a' + (int)k, sizeof(id));
            const struct og_code_entry e = {{id, i == 7 ? 300 : 1 + i % 5},
                                            k == 2};
            assert_int_equal(og_code_writer_add(w, i * i, &e, &err), OG_OK);
        }
}

static void make_run(const char *path, enum og_code_form form,
                     struct og_code_segment *out)
{
    struct og_code_writer *w;
    const struct og_code_choice choice = {UINT64_MAX, OG_CODE_WANT_BEST, form};
    assert_int_equal(og_code_writer_new(path, NULL, &w, &err), OG_OK);
    write_run(w);
    assert_int_equal(og_code_writer_end(w, 3, &choice, out, &err), OG_OK);
}

static int set_up(void **state)
{
    struct og_code_writer *w;
    const struct og_code_choice choice = {UINT64_MAX, 4, OG_CODE_DIRECTORY};
    if (make_folder(state) != 0) return 1;
    assert_int_equal(og_code_writer_new(NULL, NULL, &w, &err), OG_OK);
    write_run(w);
    assert_int_equal(og_code_writer_end(w, 3, &choice, &segment, &err), OG_OK);
    return 0;
}

static int tear_down(void **state)
{
    og_code_segment_release(&segment);
    return remove_folder(state);
}

/* ---- what is in it ---- */

static void check_run(const struct og_code_segment *m)
{
    size_t counts[2] = {0};
    assert_int_equal(m->index.n, N);
    assert_int_equal(m->max_distance, 3);
    for (uint64_t i = 0; i < N; i++) {
        const uint8_t *at = m->ids + m->offsets[i];
        const uint8_t *end = m->ids + m->offsets[i + 1];
        struct og_code_entry e;
        assert_true(m->index.codes[i] == i * i);
        for (unsigned k = 0; k <= i % 3; k++) {
            assert_true(og_code_entry_next(&at, end, &e));
            assert_int_equal(e.id.len, i == 7 ? 300 : 1 + i % 5);
            assert_int_equal(e.id.data[e.id.len - 1], 'a' + (int)k);
            assert_int_equal(e.removed, k == 2);
            counts[e.removed]++;
        }
        assert_ptr_equal(at, end);
        assert_false(og_code_entry_next(&at, end, &e));
    }
    assert_int_equal(m->n_entries, counts[0]);
    assert_int_equal(m->n_removed, counts[1]);
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    for (unsigned form = 0; form < OG_CODE_FORMS; form++) {
        struct og_code_segment m;
        make_run(NULL, (enum og_code_form)form, &m);
        check_run(&m);
        og_code_segment_release(&m);
        make_run(in("run"), (enum og_code_form)form, &m);
        check_run(&m);
        og_code_segment_release(&m);
        assert_int_equal(og_code_segment_open(&m, in("run"), &err), OG_OK);
        check_run(&m);
        assert_int_equal(m.index.design.form, form);
        og_code_segment_release(&m);
    }
}

static void an_empty_run(void **state)
{
    (void)state;
    struct og_code_writer *w;
    struct og_code_segment m;
    const struct og_code_choice choice = {UINT64_MAX, OG_CODE_WANT_BEST, 0};
    assert_int_equal(og_code_writer_new(in("empty"), NULL, &w, &err), OG_OK);
    assert_int_equal(og_code_writer_end(w, 3, &choice, &m, &err), OG_OK);
    assert_int_equal(m.index.n, 0);
    og_code_segment_release(&m);
    assert_int_equal(og_code_segment_open(&m, in("empty"), &err), OG_OK);
    assert_int_equal(m.n_entries, 0);
    og_code_segment_release(&m);
    assert_int_equal(og_code_segment_open(&m, in("none"), &err), OG_ERR_IO);
}

/* A writer that is dropped, or cannot plan its tables, leaves no file. */
static void no_file_is_left(void **state)
{
    (void)state;
    struct og_code_writer *w;
    struct og_code_segment m;
    struct stat st;
    assert_int_equal(og_code_writer_new(in("gone"), NULL, &w, &err), OG_OK);
    write_run(w);
    og_code_writer_drop(w);
    og_code_writer_drop(NULL);
    assert_int_not_equal(stat(in("gone"), &st), 0);
    const struct og_code_choice bad = {0, 17, 0};
    assert_int_equal(og_code_writer_new(in("gone"), NULL, &w, &err), OG_OK);
    write_run(w);
    assert_int_equal(og_code_writer_end(w, 3, &bad, &m, &err), OG_ERR_USAGE);
    assert_int_not_equal(stat(in("gone"), &st), 0);
}

/* ---- entries ---- */

static void entries_that_are_cut(void **state)
{
    (void)state;
    static const uint8_t whole[] = {2 << 1 | 1, 'a', 'b'};
    static const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0};
    static const uint8_t much[] = {0xfe, 0xff, 0xff, 0x7f, 'a'};
    struct og_code_entry e;
    const uint8_t *at = whole;
    assert_true(og_code_entry_next(&at, whole + 3, &e));
    assert_ptr_equal(at, whole + 3);
    assert_true(e.removed);
    assert_int_equal(e.id.len, 2);
    for (size_t len = 0; len < 3; len++) {
        at = whole;
        assert_false(og_code_entry_next(&at, whole + len, &e));
        assert_ptr_equal(at, whole);
    }
    at = endless;
    assert_false(og_code_entry_next(&at, endless + 6, &e));
    at = much;
    assert_false(og_code_entry_next(&at, much + 5, &e));
}

/* ---- faults ---- */

/* The run once more, with the bytes of one section changed. */
static og_status rebuild(unsigned changed, size_t off, uint64_t value,
                         size_t len, size_t more)
{
    struct og_segment_writer *w;
    struct og_segment_file file;
    struct og_code_segment out;
    assert_int_equal(
        og_segment_writer_new(NULL, &og_code_segment_kind, NULL, &w, &err),
        OG_OK);
    for (unsigned i = 0; i < OG_CODE_N_SECTIONS; i++) {
        const size_t n = segment.file.section[i].len;
        uint8_t *data = calloc(n + 16, 1);
        assert_non_null(data);
        memcpy(data, og_segment_section(&segment.file, i), n);
        if (i == changed) {
            assert_true(off + len <= n);
            memcpy(data + off, &value, len);
        }
        og_segment_write(w, data, n + (i == changed ? more : 0));
        og_segment_end_section(w);
        free(data);
    }
    assert_int_equal(og_segment_writer_end(w, &file, &err), OG_OK);
    const og_status status = og_code_segment_take(&out, &file, "it", &err);
    if (status == OG_OK)
        og_code_segment_release(&out);
    else
        og_segment_file_release(&file); /* still the caller's */
    return status;
}

static void check_fault(unsigned section, size_t off, uint64_t value,
                        size_t len, const char *fault)
{
    assert_int_equal(rebuild(section, off, value, len, 0), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "'it'"));
    assert_non_null(strstr(err.message, fault));
}

static void every_fault_is_named(void **state)
{
    (void)state;
#define TOTAL(member) offsetof(struct og_code_totals, member)
    assert_int_equal(rebuild(OG_CODE_N_SECTIONS, 0, 0, 0, 0), OG_OK);
    check_fault(OG_CODE_IDS, 0, 0xff, 1, "the ids of code 0");
    check_fault(OG_CODE_IDS, segment.offsets[4] + 1, 'z', 1,
                "the ids of code 4");
    check_fault(OG_CODE_CODES, 8, 4, 8, "the order of code 2");
    check_fault(OG_CODE_CODES, 8, 5, 8, "the order of code 2");
    check_fault(OG_CODE_OFFSETS, 0, 1, 8, "the first or last offset");
    check_fault(OG_CODE_OFFSETS, 8 * N, 1, 8, "the first or last offset");
    check_fault(OG_CODE_OFFSETS, 8, 0, 8, "the offset of code 0");
    check_fault(OG_CODE_OFFSETS, 8, UINT32_MAX, 8, "the offset of code 0");
    check_fault(OG_CODE_TABLES_SECTION, 0, UINT32_MAX, 4,
                "the directory of table 0");
    check_fault(OG_CODE_TOTALS, TOTAL(n_bits), 63, 4, "63 bits");
    check_fault(OG_CODE_TOTALS, TOTAL(form), OG_CODE_FORMS, 4, "totals");
    check_fault(OG_CODE_TOTALS, TOTAL(max_distance), 65, 4, "totals");
    check_fault(OG_CODE_TOTALS, TOTAL(n_tables), 65, 4, "totals");
    check_fault(OG_CODE_TOTALS, TOTAL(n_codes), N - 1, 8, "lengths");
    check_fault(OG_CODE_TOTALS, TOTAL(n_entries), 1, 8, "the number of ids");
    check_fault(OG_CODE_TOTALS, TOTAL(n_removed), 1, 8, "the number of ids");
    check_fault(OG_CODE_TOTALS, TOTAL(table[1].mask), 0, 8,
                "the mask of table 1");
    check_fault(OG_CODE_TOTALS, TOTAL(table[1].mask), UINT32_MAX, 8,
                "the mask of table 1"); /* a directory of 2^32 */
    check_fault(OG_CODE_TOTALS, TOTAL(table[2].radius), 65, 8,
                "the mask of table 2");
    for (unsigned i = OG_CODE_CODES; i < OG_CODE_N_SECTIONS; i++)
        assert_int_equal(rebuild(i, 0, 0, 0, 16), OG_ERR_STORE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(an_empty_run),
        cmocka_unit_test(no_file_is_left),
        cmocka_unit_test(entries_that_are_cut),
        cmocka_unit_test(every_fault_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
