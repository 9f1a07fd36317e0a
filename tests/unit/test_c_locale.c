/* Numbers as text under a locale with a decimal comma. It is generated here, by
 * localedef, so that the test does not depend on what is installed. */

#define _GNU_SOURCE

#include "tests/unit/source_support.h"

#include <locale.h>
#include <origo/origo.h>
#include <stdio.h>

#include "lib/base/c_locale.h"
#include "lib/base/packing.h"
#include "lib/report/writer.h"
#include "lib/sketch/features/features.h"
#include "lib/source/json/json_edit.h"

static struct folder folder;

/* Skips the test, by name, where it cannot be made. */
static int make_comma(void **state)
{
    char command[700], path[300];
    (void)state;
    folder_make(&folder);
    snprintf(path, sizeof(path), "%s/de_DE.UTF-8", folder.path);
    snprintf(command, sizeof(command),
             "localedef -i de_DE -f UTF-8 '%s' >'%s/log' 2>&1", path,
             folder.path);
    if (system(command) != 0)
        fprintf(stderr, "no localedef, or no sources of locales: package "
                        "'locales' is missing\n");
    setenv("LOCPATH", folder.path, 1);
    return 0;
}

static int remove_comma(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    folder_remove(&folder);
    return 0;
}

static void enter_comma(void)
{
    char text[20];
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        fprintf(stderr, "SKIPPED: a locale with a comma cannot be made\n");
        skip();
    }
    snprintf(text, sizeof(text), "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* else nothing is tested */
}

static void formats(void **state)
{
    char text[40];
    (void)state;
    enter_comma();
    og_text_format(text, sizeof(text), "%.9g %g %.2f", 0.5, 1e-7, 1234.5);
    assert_string_equal(text, "0.5 1e-07 1234.50");
    snprintf(text, sizeof(text), "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* the program's own is as it was */
}

static void parses(void **state)
{
    char *end;
    (void)state;
    enter_comma();
    assert_true(og_parse_number("0.75", &end) == 0.75 && *end == '\0');
    assert_true(og_parse_number("0,75", &end) == 0 && *end == ',');
}

static uint64_t rank(const char *s)
{
    char scratch[64];
    uint64_t out = 0;
    assert_true(og_json_rank((og_bytes){s, strlen(s)}, scratch, &out));
    return out;
}

/* Which document stays. */
static void ranks(void **state)
{
    (void)state;
    enter_comma();
    assert_true(rank("0.25") < rank("0.5"));
    assert_true(rank("-0.5") < rank("-0.25"));
    assert_true(rank("-0.25") < rank("0.25"));
    assert_true(rank("1.5e3") > rank("1499.9"));
}

/* What a sketch file says of its parameters. */
static void parameters(void **state)
{
    og_feature_options o = og_feature_options_default();
    char words[OG_FEATURE_WORDS_MAX];
    (void)state;
    enter_comma();
    o.title_weight = 0.5;
    og_feature_words(&o, words, sizeof(words));
    assert_non_null(strstr(words, "title=0.5"));
}

static void messages(void **state)
{
    og_dedup_options o = og_dedup_options_default();
    og_error err;
    (void)state;
    enter_comma();
    o.threshold = 1.5;
    assert_int_equal(og_dedup_options_check(&o, &err), OG_ERR_USAGE);
    assert_string_equal(err.message,
                        "threshold 1.5: must be above 0 and at most 1");
}

static int append(void *ctx, const char *data, size_t len)
{
    string_add(ctx, data, len);
    return 0;
}

/* Reports: JSON with a comma in its numbers is invalid. */
static void reports(void **state)
{
    struct string out = {0};
    struct og_writer w;
    (void)state;
    enter_comma();
    og_writer_init(&w, append, &out);
    og_writer_share(&w, 0.41);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    assert_string_equal(out.data, "0.41");
    string_release(&out);
}

/* What a search by signatures is explained with. */
static void explanations(void **state)
{
    const og_sentences_options made = {.signature_bits = 64};
    const og_store_options options = {.indexes = OG_INDEX_SENTENCES,
                                      .sentence_options = &made};
    const og_document doc = {
        .id = OG_LITERAL("a"),
        .text = OG_LITERAL("The river rose in the night and took the bridge.")};
    og_store *store;
    char text[2000];
    (void)state;
    enter_comma();
    assert_int_equal(
        og_store_open(":memory:", OG_CREATE, &options, &store, NULL), OG_OK);
    assert_int_equal(og_store_add(store, &doc, NULL, NULL), OG_OK);
    assert_int_equal(
        og_store_quote_explain(store, NULL, text, sizeof(text), NULL), OG_OK);
    assert_non_null(strstr(text, "threshold   0."));
    assert_null(strstr(text, "0,"));
    assert_int_equal(og_store_close(store, NULL), OG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),      cmocka_unit_test(parses),
        cmocka_unit_test(ranks),        cmocka_unit_test(parameters),
        cmocka_unit_test(messages),     cmocka_unit_test(reports),
        cmocka_unit_test(explanations),
    };
    return cmocka_run_group_tests(tests, make_comma, remove_comma);
}
