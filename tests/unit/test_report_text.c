/* The report for people: what it shows, what it leaves out, what it never
 * lets through. */

#include "report_support.h"

#include <origo/origo.h>
#include <stdio.h>

static char *text_of(const og_document *doc, const og_answer *answer,
                     bool colour, unsigned width)
{
    struct paper p;
    og_error err = {0};
    paper_open(&p);
    assert_int_equal(og_report_text(og_write_file, p.file, doc, answer,
                                    (og_text_style){colour, width}, &err),
                     OG_OK);
    paper_close(&p);
    return p.text;
}

static void test_a_small_report(void **state)
{
    (void)state;
    og_document doc = document_of(
        "gazette-14", "Last night the sea took what the council had promised "
                      "to mend before the first of May and more.");
    doc.title = bytes_of("The pier is gone");
    doc.has_time = true;
    doc.time = INT64_C(1299196800000000); /* 2011-03-04 */
    og_span spans[] = {
        span_of(&doc, "the council had promised to mend", 1, "council-7"),
        span_of(&doc, "the first of May", 2, "almanac"),
    };
    spans[0].n_tokens = 12;
    spans[0].n_matching = 11;
    spans[1].n_matching = 8;
    spans[1].how = OG_HOW_BRIDGED;
    spans[0].origin_has_time = true;
    spans[0].origin_time = INT64_C(893980800000000); /* 1998-05-01 */
    const og_answer answer = {.n_tokens = 40,
                              .n_fresh = 20,
                              .n_matching = 19,
                              .has_dominant = true,
                              .dominant_id = OG_LITERAL("council-7"),
                              .dominant_share = 0.5,
                              .spans = spans,
                              .n_spans = 2};
    char *text = text_of(&doc, &answer, false, 60);
    assert_string_equal(
        text, "gazette-14  2011-03-04  The pier is gone\n"
              "40 tokens, 47.5 % copied, 50.0 % new, mostly from council-7\n"
              "\n"
              "  Last night the sea took what [1 the council had promised\n"
              "  to mend] before [2 the first of May] and more.\n"
              "\n"
              "  [1] council-7  1998-05-01   27.5 %  found by fingerprint\n"
              "  [2] almanac    -            20.0 %  found by fingerprint\n"
              "\n");
    free(text);
}

static void test_a_long_text_is_shortened(void **state)
{
    (void)state;
    enum { N = 10000 };
    char *words = calloc(N, 6);
    assert_non_null(words);
    for (int i = 0; i < N; i++)
        memcpy(words + 5 * i, "word ", 6);
    og_document doc = document_of("long", words);
    const og_answer answer = {.n_tokens = N, .n_fresh = N};
    char *text = text_of(&doc, &answer, false, 80);
    assert_true(strlen(text) < 1000);
    const char *note = strstr(text, "(... 99");
    assert_non_null(note);
    /* The shown and the counted words add up to the whole. */
    long shown = 0, left_out = strtol(note + 5, NULL, 10);
    for (const char *at = text; (at = strstr(at, "word")) != NULL; at += 4)
        shown += at[4] != 's';
    assert_int_equal(shown + left_out, N);
    free(text);
    free(words);
}

static void test_no_escape_gets_through(void **state)
{
    (void)state;
    og_document doc =
        document_of("id\x1b[2J", "a \x1b]0;title\x07 b \xc2\x9b 31m c \xff d");
    doc.title = bytes_of("t\x1bitle\r\n");
    og_span span = span_of(&doc, "b ", 1, "origin\x1b[31m\n");
    const og_answer answer = {.n_tokens = 4,
                              .n_fresh = 3,
                              .has_dominant = true,
                              .dominant_id = span.origin_id,
                              .spans = &span,
                              .n_spans = 1};
    char *text = text_of(&doc, &answer, false, 0);
    for (const char *c = text; *c != '\0'; c++)
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    assert_null(strstr(text, "\xc2\x9b"));
    assert_non_null(strstr(text, "id^[[2J"));
    free(text);
}

static void test_many_passages_are_counted(void **state)
{
    (void)state;
    enum { N = 1000 };
    char *words = calloc(N, 3);
    og_span *spans = calloc(N, sizeof(*spans));
    assert_true(words != NULL && spans != NULL);
    for (int i = 0; i < N; i++) {
        memcpy(words + 2 * i, "x ", 3);
        spans[i] = (og_span){.begin = (uint64_t)(2 * i),
                             .end = (uint64_t)(2 * i + 1),
                             .n_tokens = 1,
                             .origin = (uint64_t)i,
                             .origin_id = OG_LITERAL("o")};
    }
    og_document doc = document_of("many", words);
    const og_answer answer = {.n_tokens = N, .spans = spans, .n_spans = N};
    char *text = text_of(&doc, &answer, false, 80);
    assert_non_null(strstr(text, "(... 960 more passages ...)"));
    assert_non_null(strstr(text, "  and 980 more\n"));
    free(text);
    free(spans);
    free(words);
}

static void test_an_empty_document(void **state)
{
    (void)state;
    og_document doc = document_of("empty", "");
    const og_answer answer = {0};
    char *text = text_of(&doc, &answer, true, 80);
    assert_string_equal(text, "\033[1mempty\033[0m\n0 tokens\n\n");
    free(text);
}

/* From 110 columns on; notes without a line beside them follow at the end. */
static void test_sources_at_the_side(void **state)
{
    (void)state;
    const og_document doc =
        document_of("d", "Before it.\n\none two three four");
    og_span spans[] = {span_of(&doc, "one two", 1, "first"),
                       span_of(&doc, "three", 2, "second"),
                       span_of(&doc, "four", 1, "first")};
    spans[1].n_tokens = 4;
    spans[0].n_matching = spans[2].n_matching = 7;
    spans[1].n_matching = 4;
    spans[1].origin_has_time = true;
    spans[1].origin_time = INT64_C(893980800000000); /* 1998-05-01 */
    const og_answer answer = {.n_tokens = 40,
                              .n_fresh = 20,
                              .n_matching = 18,
                              .spans = spans,
                              .n_spans = 3};
    char *text = text_of(&doc, &answer, false, 110);
    const char *expected = "d\n40 tokens, 45.0 %% copied, 50.0 %% new\n\n"
                           "  Before it.\n\n"
                           "  [1 one two] [2 three] [1 four]%42s| [1] first\n"
                           "%74s| no date  35.0 %%  by fingerprint\n"
                           "%74s| [2] second\n"
                           "%74s| 1998-05-01  10.0 %%  by fingerprint\n\n";
    char wanted[512];
    snprintf(wanted, sizeof(wanted), expected, "", "", "", "");
    assert_string_equal(text, wanted);
    free(text);
    text = text_of(&doc, &answer, false, 109);
    assert_null(strchr(text, '|'));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_small_report),
        cmocka_unit_test(test_sources_at_the_side),
        cmocka_unit_test(test_a_long_text_is_shortened),
        cmocka_unit_test(test_no_escape_gets_through),
        cmocka_unit_test(test_many_passages_are_counted),
        cmocka_unit_test(test_an_empty_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
