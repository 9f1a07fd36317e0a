/* What the scripts of a page say about it. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/page_data.h"

static struct og_bump bump;
static struct og_page_data data;

static int begin(void **state)
{
    (void)state;
    og_bump_init(&bump, NULL);
    og_bump_clear(&bump, 1 << 20);
    data = (struct og_page_data){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    og_bump_release(&bump);
    return 0;
}

static void read_script(const char *script)
{
    assert_true(
        og_page_data_read(&data, (og_bytes){script, strlen(script)}, &bump));
}

static void expect(og_bytes field, const char *expected)
{
    assert_int_equal(field.len, strlen(expected));
    if (field.len == 0) return;
    assert_memory_equal(field.data, expected, field.len + 1);
}

/* The headline of a script that has nothing else. */
static void expect_headline(const char *script, const char *expected)
{
    data = (struct og_page_data){0};
    read_script(script);
    expect(data.headline, expected);
}

static void test_fields(void **state)
{
    (void)state;
    read_script("{\"@type\": \"Article\", \"headline\" : \"One\",\n"
                "\"datePublished\":\"2020-01-02\", \"image\": {\"headline\":"
                "\"Two\"}, \"dateModified\":\"2020-01-03\","
                "\"articleBody\":\"Text.\"}");
    expect(data.headline, "One"); /* the first counts */
    expect(data.published, "2020-01-02");
    expect(data.modified, "2020-01-03");
    expect(data.body, "Text.");
    expect(data.created, "");
    /* A later script adds what is not known yet. */
    read_script("{\"headline\":\"Three\",\"created_at\":\"2020-01-01\"}");
    expect(data.headline, "One");
    expect(data.created, "2020-01-01");
}

static void test_names_of_creation(void **state)
{
    const char *const scripts[] = {
        "\"dateCreated\":\"d\"", "\"uploadDate\":\"d\"",
        "\"publishedAt\":\"d\"", "\"published_at\":\"d\"",
        "\"publishDate\":\"d\"", "\"publicationDate\":\"d\"",
        "\"createdAt\":\"d\"",   "\"created_at\":\"d\""};
    (void)state;
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        data = (struct og_page_data){0};
        read_script(scripts[i]);
        expect(data.created, "d");
        expect(data.published, "");
    }
}

static void test_what_is_no_field(void **state)
{
    (void)state;
    expect_headline("", "");
    expect_headline("{\"Headline\":\"x\",\"headlines\":\"x\",\"head\":\"x\"}",
                    "");
    expect_headline("{\"headline\":{\"text\":\"x\"}}", "");
    expect_headline("{\"headline\":17}", "");
    expect_headline("[\"headline\",\"x\"]", "");
    /* A name in a value. */
    expect_headline("{\"a\":\"headline\",\"b\":\"x\"}", "");
    expect_headline("{\"a\":\"\\\"headline\\\":\\\"x\\\"\"}", "");
    /* An empty one does not count as the first. */
    expect_headline("{\"headline\":\"\",\"headline\":\"x\"}", "x");
    /* Broken off. */
    expect_headline("{\"headline", "");
    expect_headline("{\"headline\"", "");
    expect_headline("{\"headline\": ", "");
    expect_headline("{\"headline\":\"", "");
    expect_headline("{\"headline\":\"x", "x");
    expect_headline("{\"headline\":\"x\\", "x\\");
}

static void test_escapes(void **state)
{
    (void)state;
    expect_headline("\"headline\":\"a\\n\\t\\r\\b\\f\\/\\\\\\\"b\"",
                    "a\n\t   /\\\"b");
    expect_headline("\"headline\":\"\\u0041\\u00e9\\u20AC\"",
                    "A\xc3\xa9\xe2\x82\xac");
    expect_headline("\"headline\":\"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80");
    /* A half of a pair and a zero are left out. */
    expect_headline("\"headline\":\"a\\ud83d\"", "a");
    expect_headline("\"headline\":\"a\\ude00b\"", "ab");
    expect_headline("\"headline\":\"a\\ud83d\\u0041\"", "aA");
    expect_headline("\"headline\":\"a\\u0000b\"", "ab");
    /* No digits. */
    expect_headline("\"headline\":\"\\u12\"", "12");
    expect_headline("\"headline\":\"\\u12g4\"", "12g4");
}

static void test_limit(void **state)
{
    static char script[5000];
    static const char head[] = "\"headline\":\"";
    (void)state;
    memset(script, 'x', sizeof(script));
    memcpy(script, head, strlen(head));
    script[sizeof(script) - 1] = '"';
    og_bump_clear(&bump, 1000);
    assert_false(
        og_page_data_read(&data, (og_bytes){script, sizeof(script)}, &bump));
    assert_true(bump.is_over);
    expect(data.headline, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fields, begin, end),
        cmocka_unit_test_setup_teardown(test_names_of_creation, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_no_field, begin, end),
        cmocka_unit_test_setup_teardown(test_escapes, begin, end),
        cmocka_unit_test_setup_teardown(test_limit, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
