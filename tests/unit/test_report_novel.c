/* What is new in a document: all of it, or the most significant sentences. */

#include "tests/unit/stage_support.h"

#include "lib/report/report_novel.h"

static og_document doc_of(const char *text)
{
    return (og_document){.id = {"d", 1}, .text = {text, strlen(text)}};
}

static void expect(const struct og_novel *novel, size_t i,
                   const og_document *doc, const char *text)
{
    assert_true(i < novel->n);
    assert_int_equal(novel->list[i].end - novel->list[i].begin, strlen(text));
    assert_memory_equal(doc->text.data + novel->list[i].begin, text,
                        strlen(text));
}

static void without_snippets_all_ranges(void **state)
{
    og_range ranges[] = {{0, 3}, {8, 12}};
    const og_document doc = doc_of("new old new again");
    const og_answer answer = {.novel = ranges, .n_novel = 2};
    const og_answer nothing = {.n_novel = 0};
    const og_report_options options = og_report_options_default();
    struct og_novel novel = {0};
    (void)state;
    assert_int_equal(og_novel_find(&novel, &doc, &answer, &options, NULL),
                     OG_OK);
    assert_int_equal(novel.n, 2);
    expect(&novel, 0, &doc, "new");
    expect(&novel, 1, &doc, "new ");
    assert_int_equal(og_novel_find(&novel, &doc, &nothing, &options, NULL),
                     OG_OK);
    assert_int_equal(novel.n, 0);
    og_novel_release(&novel);
}

#define HARBOUR "The old harbour bridge will be closed for repairs."
#define BREAK   "My brother ate seven yellow pears yesterday morning."
#define CLOSED  "Closed bridge repairs make the harbour traffic worse."
#define SHORT   "Harbour bridge."

/* The best are those that mention what others mention, in the order of the
 * text; a short one only when there is nothing else. */
static void the_best_sentences(void **state)
{
    const og_document doc = doc_of(HARBOUR " " BREAK " " SHORT " " CLOSED);
    og_range all = {0, doc.text.len};
    const og_answer answer = {.novel = &all, .n_novel = 1};
    og_report_options options = og_report_options_default();
    struct og_novel novel = {0};
    (void)state;
    options.n_snippets = 2;
    assert_int_equal(og_novel_find(&novel, &doc, &answer, &options, NULL),
                     OG_OK);
    assert_int_equal(novel.n, 2);
    expect(&novel, 0, &doc, HARBOUR);
    expect(&novel, 1, &doc, CLOSED);
    options.n_snippets = 3;
    assert_int_equal(og_novel_find(&novel, &doc, &answer, &options, NULL),
                     OG_OK);
    expect(&novel, 1, &doc, BREAK);
    options.n_snippets = 9;
    assert_int_equal(og_novel_find(&novel, &doc, &answer, &options, NULL),
                     OG_OK);
    assert_int_equal(novel.n, 4);
    og_novel_release(&novel);
}

/* A sentence is new when nine tenths of it are. */
static void half_new_is_not_new(void **state)
{
    const og_document doc = doc_of(HARBOUR " " BREAK);
    og_range ranges[] = {{20, strlen(HARBOUR)},
                         {strlen(HARBOUR) + 2, doc.text.len}};
    const og_answer answer = {.novel = ranges, .n_novel = 2};
    og_report_options options = og_report_options_default();
    struct og_novel novel = {0};
    (void)state;
    options.n_snippets = 5;
    assert_int_equal(og_novel_find(&novel, &doc, &answer, &options, NULL),
                     OG_OK);
    assert_int_equal(novel.n, 1);
    expect(&novel, 0, &doc, BREAK);
    og_novel_release(&novel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_snippets_all_ranges),
        cmocka_unit_test(the_best_sentences),
        cmocka_unit_test(half_new_is_not_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
