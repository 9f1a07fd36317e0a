/* The cover of a report of several parts: counts, shares, the most copied. */

#include "report_support.h"

#include "lib/report/html/page_tally.h"
#include "lib/report/html/web_page.h"

static void add(struct og_tally *t, const char *title, uint64_t n_units,
                uint64_t n_copied, int64_t time, uint64_t number)
{
    const og_document doc = {.id = OG_LITERAL("id"),
                             .title = {title, strlen(title)},
                             .has_time = time != 0,
                             .time = time};
    const struct og_web_page_row row = {
        .doc = &doc, .n_units = n_units, .n_copied = n_copied};
    og_tally_add(t, &row, number);
}

static void counts_and_shares(void **state)
{
    struct og_tally t = {0};
    (void)state;
    add(&t, "none", 100, 0, 50, 1);
    add(&t, "few", 100, 1, 0, 2);
    add(&t, "ten", 100, 10, 20, 3);
    add(&t, "eleven", 100, 11, 90, 4);
    add(&t, "all", 100, 100, 60, 5);
    assert_int_equal(t.bins[0], 1);
    assert_int_equal(t.bins[1], 2); /* up to 10 % */
    assert_int_equal(t.bins[2], 1);
    assert_int_equal(t.bins[10], 1);
    og_tally_end_part(&t);
    add(&t, "next", 10, 5, 0, 1);
    og_tally_end_part(&t);
    assert_int_equal(t.n_parts, 2);
    assert_int_equal(t.parts[0].n_documents, 5);
    assert_int_equal(t.parts[0].n_copying, 4);
    assert_int_equal(t.parts[0].n_units, 500);
    assert_int_equal(t.parts[0].n_copied, 122);
    assert_int_equal(t.parts[0].first, 20);
    assert_int_equal(t.parts[0].last, 90);
    assert_true(t.parts[1].first > t.parts[1].last); /* none is known */
    assert_int_equal(t.top[4].part, 1);
    og_tally_release(&t);
}

/* The hundred that copied most, of equal ones the first. */
static void the_most_copied(void **state)
{
    struct og_tally t = {0};
    char title[16];
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        snprintf(title, sizeof(title), "%u", (unsigned)i);
        add(&t, title, 1000, i * 7 % 500, 0, i + 1);
    }
    assert_int_equal(t.n_top, OG_TALLY_TOP);
    for (size_t i = 1; i < t.n_top; i++) {
        assert_true(t.top[i - 1].n_copied >= t.top[i].n_copied);
        if (t.top[i - 1].n_copied == t.top[i].n_copied)
            assert_true(t.top[i - 1].number < t.top[i].number);
    }
    assert_int_equal(t.top[0].n_copied, 499);
    assert_int_equal(t.top[99].n_copied, 450);
    og_tally_release(&t);
    assert_int_equal(t.n_top, 0);
}

static bool has(const char *text, const char *words)
{
    return strstr(text, words) != NULL;
}

static void the_page(void **state)
{
    struct og_tally t = {0};
    struct og_writer w;
    char *text = NULL;
    size_t len = 0;
    (void)state;
    FILE *file = open_memstream(&text, &len);
    add(&t, "a <b> title", 100, 50, 0, 7);
    og_tally_end_part(&t);
    og_writer_init(&w, og_write_file, file);
    og_tally_write(&t, &w, "word", "my report.html");
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    fclose(file);
    assert_true(has(text, "1 document, 1 with copies"));
    assert_true(has(text, "of all words are copied"));
    assert_true(has(text, "my%20report.html.parts/1.html#d7"));
    assert_true(has(text, "a &lt;b&gt; title"));
    free(text);
    og_tally_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_shares),
        cmocka_unit_test(the_most_copied),
        cmocka_unit_test(the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
