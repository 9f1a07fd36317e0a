/* Several runs read as one: the newest entry of an id counts. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_merge.h"

static void compare_ids(void **state)
{
    (void)state;
    assert_true(og_code_id_compare((og_bytes){"a", 1}, (og_bytes){"b", 1}) < 0);
    assert_true(og_code_id_compare((og_bytes){"b", 1}, (og_bytes){"a", 1}) > 0);
    assert_true(og_code_id_compare((og_bytes){"a", 1}, (og_bytes){"aa", 2}) <
                0);
    assert_true(og_code_id_compare((og_bytes){"\xff", 1}, (og_bytes){"a", 1}) >
                0);
    assert_int_equal(
        og_code_id_compare((og_bytes){"ab", 2}, (og_bytes){"ab", 2}), 0);
    assert_int_equal(og_code_id_compare((og_bytes){0}, (og_bytes){0}), 0);
}

struct entry {
    uint64_t code;
    const char *id;
    bool removed;
};

static void make_run(const struct entry *entries, size_t n,
                     struct og_code_segment *out)
{
    struct og_code_writer *w;
    assert_int_equal(og_code_writer_new(NULL, NULL, &w, NULL), OG_OK);
    for (size_t i = 0; i < n; i++) {
        const struct og_code_entry e = {{entries[i].id, strlen(entries[i].id)},
                                        entries[i].removed};
        assert_int_equal(og_code_writer_add(w, entries[i].code, &e, NULL),
                         OG_OK);
    }
    assert_int_equal(
        og_code_writer_end(w, 3, &(struct og_code_choice){UINT64_MAX, 0, 0},
                           out, NULL),
        OG_OK);
}

/* "code:id" or "code:-id" of every entry, in order. */
static void list(const struct og_code_segment *m, char *out)
{
    *out = '\0';
    for (size_t i = 0; i < m->index.n; i++) {
        const uint8_t *at = m->ids + m->offsets[i];
        struct og_code_entry e;
        while (og_code_entry_next(&at, m->ids + m->offsets[i + 1], &e))
            out += sprintf(out, "%llu:%s%.*s ",
                           (unsigned long long)m->index.codes[i],
                           e.removed ? "-" : "", (int)e.id.len, e.id.data);
    }
}

static void the_newest_counts(void **state)
{
    static const struct entry old[] = {
        {1, "a", false}, {1, "b", false}, {5, "c", false}, {9, "z", true}};
    static const struct entry middle[] = {
        {1, "a", true}, {2, "n", false}, {5, "c", true}};
    static const struct entry new[] = {{1, "a", false}, {7, "m", true}};
    struct og_code_segment run[3], merged;
    const struct og_code_segment *const runs[] = {&run[0], &run[1], &run[2]};
    char text[200];
    (void)state;
    make_run(old, LENGTH(old), &run[0]);
    make_run(middle, LENGTH(middle), &run[1]);
    make_run(new, LENGTH(new), &run[2]);
    for (int drops = 0; drops < 2; drops++) {
        struct og_code_writer *w;
        assert_int_equal(og_code_writer_new(NULL, NULL, &w, NULL), OG_OK);
        assert_int_equal(og_code_segments_merge(runs, 3, drops, w, NULL),
                         OG_OK);
        assert_int_equal(
            og_code_writer_end(w, 3, &(struct og_code_choice){UINT64_MAX, 0, 0},
                               &merged, NULL),
            OG_OK);
        list(&merged, text);
        assert_string_equal(text, drops ? "1:a 1:b 2:n "
                                        : "1:a 1:b 2:n 5:-c 7:-m 9:-z ");
        assert_int_equal(merged.n_entries, 3);
        assert_int_equal(merged.n_removed, drops ? 0 : 3);
        og_code_segment_release(&merged);
    }
    for (size_t i = 0; i < 3; i++)
        og_code_segment_release(&run[i]);
}

static bool stop_at_once(void *ctx, const struct og_code_entry *entry)
{
    (void)entry;
    ++*(int *)ctx;
    return false;
}

static void a_merge_can_be_stopped(void **state)
{
    static const struct entry some[] = {{1, "a", false}, {1, "b", false}};
    struct og_code_segment run;
    struct og_code_cursor cursor;
    int n = 0;
    (void)state;
    make_run(some, LENGTH(some), &run);
    og_code_cursor_init(&cursor, run.ids, run.ids + run.offsets[1]);
    assert_true(cursor.live);
    assert_false(og_code_entries_merge(&cursor, 1, &n, stop_at_once));
    assert_int_equal(n, 1);
    og_code_segment_release(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_ids),
        cmocka_unit_test(the_newest_counts),
        cmocka_unit_test(a_merge_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
