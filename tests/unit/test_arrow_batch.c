/* Record batches: the buffers are those that Arrow describes, and a consumer
 * may keep any column as long as it likes. */

#include "tests/unit/stage_support.h"

#include "lib/arrow/arrow_batch.h"

static const struct og_arrow_field fields[] = {
    {"number", OG_ARROW_OUT_INT64}, {"small", OG_ARROW_OUT_INT32},
    {"share", OG_ARROW_OUT_DOUBLE}, {"is", OG_ARROW_OUT_BOOL},
    {"name", OG_ARROW_OUT_STRING},  {"time", OG_ARROW_OUT_TIME},
};

enum { N_FIELDS = LENGTH(fields), N_ROWS = 20 };

static void put_rows(struct og_arrow_batch *b, int n)
{
    char name[8];
    for (int i = 0; i < n; i++) {
        const int len = snprintf(name, sizeof(name), "n%d", i);
        og_arrow_put_int(b, (int64_t)i << 40);
        og_arrow_put_int(b, -i);
        og_arrow_put_double(b, i / 4.0);
        og_arrow_put_bool(b, i % 3 == 0);
        if (i % 5 == 4)
            og_arrow_put_null(b);
        else
            og_arrow_put_string(b, (og_bytes){name, (size_t)len});
        og_arrow_put_int(b, i);
        assert_int_equal(og_arrow_end_row(b, NULL), OG_OK);
    }
}

static bool bit_at(const void *bits, int i)
{
    return (((const uint8_t *)bits)[i / 8] >> i % 8 & 1) != 0;
}

static void check_strings(const struct ArrowArray *array)
{
    const int64_t *ends = array->buffers[1];
    const char *data = array->buffers[2];
    assert_int_equal(array->n_buffers, 3);
    assert_int_equal(array->null_count, N_ROWS / 5);
    assert_int_equal(ends[0], 0);
    for (int i = 0; i < N_ROWS; i++) {
        char name[8];
        const int len = i % 5 == 4 ? 0 : snprintf(name, sizeof(name), "n%d", i);
        assert_int_equal(bit_at(array->buffers[0], i), i % 5 != 4);
        assert_int_equal(ends[i + 1] - ends[i], len);
        assert_memory_equal(data + ends[i], name, (size_t)len);
    }
}

static void columns_have_the_buffers_of_arrow(void **state)
{
    struct og_arrow_batch b = {.fields = fields, .n_fields = N_FIELDS};
    struct ArrowArray array;
    (void)state;
    put_rows(&b, N_ROWS);
    assert_int_equal(og_arrow_batch_finish(&b, &array, NULL), OG_OK);
    assert_int_equal(array.length, N_ROWS);
    assert_int_equal(array.n_children, N_FIELDS);
    for (int i = 0; i < N_ROWS; i++) {
        struct ArrowArray **c = array.children;
        assert_true(((const int64_t *)c[0]->buffers[1])[i] == (int64_t)i << 40);
        assert_int_equal(((const int32_t *)c[1]->buffers[1])[i], -i);
        assert_true(((const double *)c[2]->buffers[1])[i] == i / 4.0);
        assert_int_equal(bit_at(c[3]->buffers[1], i), i % 3 == 0);
        assert_int_equal(((const int64_t *)c[5]->buffers[1])[i], i);
    }
    assert_null(array.children[0]->buffers[0]); /* no null: no bits */
    assert_int_equal(array.children[0]->null_count, 0);
    check_strings(array.children[4]);
    array.release(&array);
    assert_null(array.release);
    og_arrow_batch_release(&b);
}

/* Nulls of every kind keep their place, also before the first value. */
static void nulls_keep_their_place(void **state)
{
    struct og_arrow_batch b = {.fields = fields, .n_fields = N_FIELDS};
    struct ArrowArray array;
    (void)state;
    for (size_t i = 0; i < N_FIELDS; i++)
        og_arrow_put_null(&b);
    assert_int_equal(og_arrow_end_row(&b, NULL), OG_OK);
    put_rows(&b, 1);
    assert_int_equal(og_arrow_batch_finish(&b, &array, NULL), OG_OK);
    for (size_t i = 0; i < N_FIELDS; i++) {
        assert_int_equal(array.children[i]->null_count, 1);
        assert_false(bit_at(array.children[i]->buffers[0], 0));
        assert_true(bit_at(array.children[i]->buffers[0], 1));
    }
    assert_int_equal(((const int32_t *)array.children[1]->buffers[1])[1], 0);
    assert_true(bit_at(array.children[3]->buffers[1], 1));
    array.release(&array);
}

/* A column that was moved out outlives its batch; the next batch is empty. */
static void a_column_may_be_moved_out(void **state)
{
    struct og_arrow_batch b = {.fields = fields, .n_fields = N_FIELDS};
    struct ArrowArray array, names;
    (void)state;
    put_rows(&b, N_ROWS);
    assert_int_equal(og_arrow_batch_finish(&b, &array, NULL), OG_OK);
    names = *array.children[4];
    array.children[4]->release = NULL;
    array.release(&array);
    check_strings(&names);
    names.release(&names);
    assert_int_equal(b.n_rows, 0);
    put_rows(&b, 3);
    assert_int_equal(og_arrow_batch_finish(&b, &array, NULL), OG_OK);
    assert_int_equal(array.length, 3);
    assert_int_equal(((const int64_t *)array.children[4]->buffers[1])[3], 6);
    array.release(&array);
    put_rows(&b, 2);
    og_arrow_batch_release(&b); /* rows that nobody took */
}

static void the_schema_names_the_types(void **state)
{
    static const char *const formats[] = {"l", "i", "g", "b", "U", "tsu:UTC"};
    struct ArrowSchema schema;
    (void)state;
    assert_int_equal(og_arrow_batch_schema(fields, N_FIELDS, &schema, NULL),
                     OG_OK);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, N_FIELDS);
    for (size_t i = 0; i < N_FIELDS; i++) {
        assert_string_equal(schema.children[i]->format, formats[i]);
        assert_string_equal(schema.children[i]->name, fields[i].name);
        assert_true((schema.children[i]->flags & ARROW_FLAG_NULLABLE) != 0);
    }
    schema.release(&schema);
    assert_null(schema.release);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_the_buffers_of_arrow),
        cmocka_unit_test(nulls_keep_their_place),
        cmocka_unit_test(a_column_may_be_moved_out),
        cmocka_unit_test(the_schema_names_the_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
