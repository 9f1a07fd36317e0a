/* Columns of others: every type, slices, dictionaries, and values that lead
 * nowhere. */

#include "tests/unit/stage_support.h"

#include <math.h>

#include "lib/arrow/arrow_column.h"

static struct og_arrow_column column;
static struct ArrowArray child, dictionary, batch;
static struct ArrowArray *children[1] = {&child};
static const void *buffers[4], *dictionary_buffers[3];

static void set_column(const char *format, const void *values, int64_t n)
{
    const struct ArrowSchema schema = {.format = format};
    column = (struct og_arrow_column){.child = 0};
    assert_true(og_arrow_type_read(&schema, &column.type));
    memset(buffers, 0, sizeof(buffers));
    buffers[1] = values;
    child =
        (struct ArrowArray){.length = n, .n_buffers = 2, .buffers = buffers};
    batch =
        (struct ArrowArray){.length = n, .n_children = 1, .children = children};
}

static void expect_text(int64_t at, const char *expected)
{
    og_bytes out;
    assert_true(og_arrow_text(&column, &batch, at, &out));
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
}

static void expect_name(int64_t at, const char *expected)
{
    char buffer[24];
    og_bytes out;
    assert_true(og_arrow_name(&column, &batch, at, buffer, &out));
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
}

static void expect_time(int64_t at, int64_t expected)
{
    int64_t out;
    bool is_bad = false;
    assert_true(og_arrow_time(&column, &batch, at, &out, &is_bad));
    assert_false(is_bad);
    assert_true(out == expected);
}

static void expect_bad_time(int64_t at)
{
    int64_t out;
    bool is_bad = false;
    assert_false(og_arrow_time(&column, &batch, at, &out, &is_bad));
    assert_true(is_bad);
}

static void types_are_known_by_their_format(void **state)
{
    struct og_arrow_type type;
    const char *const unread[] = {"b", "n", "e", "+s", "+l", "w:16", "tsx:"};
    struct ArrowSchema values = {.format = "U"}, schema = {.format = "tsn:"};
    (void)state;
    for (size_t i = 0; i < LENGTH(unread); i++) {
        schema.format = unread[i];
        assert_false(og_arrow_type_read(&schema, &type));
    }
    schema.format = "tsm:Europe/Berlin";
    assert_true(og_arrow_type_read(&schema, &type));
    assert_int_equal(type.unit, 1000);
    assert_string_equal(og_arrow_type_name(&schema), "timestamp[ms]");
    schema.format = "w:16";
    assert_string_equal(og_arrow_type_name(&schema), "w:16");
    schema = (struct ArrowSchema){.format = "S", .dictionary = &values};
    assert_true(og_arrow_type_read(&schema, &type));
    assert_true(type.is_dictionary && !type.index_is_signed);
    assert_int_equal(type.index_width, 2);
    assert_string_equal(og_arrow_type_name(&schema), "dictionary");
    schema.format = "g"; /* no index */
    assert_false(og_arrow_type_read(&schema, &type));
}

/* Offsets of the batch and of the column count together; a null is neither a
 * text nor a name nor a time. */
static void slices_and_nulls(void **state)
{
    static const int32_t ends[] = {0, 1, 3, 6, 6, 8};
    static const uint8_t valid = 0x17; /* row 3 is null */
    og_bytes out;
    int64_t time;
    bool is_bad = false;
    (void)state;
    set_column("u", ends, 5);
    child.n_buffers = 3;
    buffers[2] = "abbcccee";
    expect_text(2, "ccc");
    expect_text(3, "");
    buffers[0] = &valid;
    assert_false(og_arrow_text(&column, &batch, 3, &out));
    assert_false(og_arrow_time(&column, &batch, 3, &time, &is_bad));
    assert_false(is_bad);
    child.offset = 1;
    expect_text(0, "bb");
    batch.offset = 1;
    expect_text(0, "ccc");
    assert_false(og_arrow_text(&column, &batch, 1, &out));
    expect_name(2, "ee");
}

static void offsets_that_lead_nowhere(void **state)
{
    static const int64_t ends[] = {4, 2, -1, 3};
    (void)state;
    set_column("U", ends, 3);
    child.n_buffers = 3;
    buffers[2] = "abcd";
    for (int64_t i = 0; i < 3; i++)
        expect_text(i, "");
    buffers[2] = NULL;
    expect_text(0, "");
}

struct view {
    int32_t len;
    char front[4];
    int32_t buffer, off;
};

static void views_are_checked(void **state)
{
    static const char text[] = "a text of more than twelve bytes";
    static const int64_t lengths[] = {sizeof(text) - 1};
    const int32_t n = (int32_t)sizeof(text) - 1;
    const struct view views[] = {{n, "a te", 0, 0},      {n - 2, "text", 0, 2},
                                 {n, "a te", 0, 1},      {n, "a te", 1, 0},
                                 {n, "a te", -1, 0},     {n, "a te", 0, -1},
                                 {INT32_MAX, "", 0, 40}, {-1, "", 0, 0}};
    (void)state;
    set_column("vu", views, LENGTH(views));
    child.n_buffers = 4;
    buffers[2] = text;
    buffers[3] = lengths;
    expect_text(0, text);
    expect_text(1, text + 2);
    for (int64_t i = 2; i < (int64_t)LENGTH(views); i++)
        expect_text(i, "");
    const char inside[16] = "\4\0\0\0four";
    set_column("vu", inside, 1);
    expect_text(0, "four");
}

static void dictionaries(void **state)
{
    static const int32_t ends[] = {0, 3, 6};
    static const int8_t indexes[] = {1, 0, 2, -1};
    const struct ArrowSchema values = {.format = "u"};
    const struct ArrowSchema schema = {.format = "c",
                                       .dictionary = (void *)&values};
    og_bytes out;
    (void)state;
    set_column("c", indexes, 4);
    assert_true(og_arrow_type_read(&schema, &column.type));
    dictionary_buffers[1] = ends;
    dictionary_buffers[2] = "onetwo";
    dictionary = (struct ArrowArray){
        .length = 2, .n_buffers = 3, .buffers = dictionary_buffers};
    child.dictionary = &dictionary;
    expect_text(0, "two");
    expect_text(1, "one");
    assert_false(og_arrow_text(&column, &batch, 2, &out));
    assert_false(og_arrow_text(&column, &batch, 3, &out));
}

static void numbers_are_names_and_seconds(void **state)
{
    static const int16_t small[] = {-7, 300};
    static const uint64_t large[] = {UINT64_MAX, 253402300799, 253402300800};
    static const double doubles[] = {1.5, -0.25, NAN, 1e30};
    (void)state;
    set_column("s", small, 2);
    expect_name(0, "-7");
    expect_time(1, 300000000);
    set_column("L", large, 3);
    expect_name(0, "18446744073709551615");
    expect_bad_time(0);
    expect_time(1, INT64_C(253402300799000000));
    expect_bad_time(2);
    set_column("g", doubles, 4);
    expect_time(0, 1500000);
    expect_time(1, -250000);
    expect_bad_time(2);
    expect_bad_time(3);
}

static void moments_of_every_unit(void **state)
{
    static const int32_t days[] = {-1, INT32_MAX};
    static const int64_t moments[] = {1999, -1, INT64_MAX};
    (void)state;
    set_column("tdD", days, 2);
    expect_time(0, INT64_C(-86400000000));
    expect_bad_time(1);
    set_column("tsn:UTC", moments, 3);
    expect_time(0, 1);
    expect_time(1, -1); /* towards the past */
    set_column("tss:", moments, 3);
    expect_time(0, 1999000000);
    expect_bad_time(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_known_by_their_format),
        cmocka_unit_test(slices_and_nulls),
        cmocka_unit_test(offsets_that_lead_nowhere),
        cmocka_unit_test(views_are_checked),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(numbers_are_names_and_seconds),
        cmocka_unit_test(moments_of_every_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
