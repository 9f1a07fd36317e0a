/* Tables through the C interfaces of Arrow: written and read again, and
 * hand-made columns as others would make them. */

#include "tests/unit/source_support.h"

#include <origo/origo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables out, read again ---- */

static void add_decisions(og_arrow_table *table, size_t n)
{
    og_error err = {0};
    char id[24], text[48];
    for (size_t i = 0; i < n; i++) {
        const int id_len = snprintf(id, sizeof(id), "d%zu", i);
        const int len = snprintf(text, sizeof(text), "the text of %zu", i);
        const og_dedup_decision decision = {
            .number = i,
            .id = {id, (size_t)id_len},
            .is_kept = true,
            .is_cut = i % 3 != 1,
            .text = {text, (size_t)len},
            .of_number = OG_NOT_OF_INPUT,
        };
        assert_int_equal(og_arrow_add_decision(table, &decision, &err), OG_OK);
    }
}

static og_arrow_reader *read_decisions(size_t n, bool keep)
{
    og_arrow_table *table;
    og_arrow_reader *reader;
    struct ArrowArrayStream stream;
    og_error err = {0};
    og_arrow_options o = og_arrow_options_default();
    o.fields = (og_fields){.id = "id", .time = "number", .text = "text"};
    o.keep = keep;
    assert_int_equal(og_arrow_table_new(OG_ARROW_DECISIONS, &table, &err),
                     OG_OK);
    add_decisions(table, n);
    assert_int_equal(og_arrow_table_stream(table, &stream, &err), OG_OK);
    assert_int_equal(og_arrow_reader_open(&stream, &o, &reader, &err), OG_OK);
    return reader;
}

static void expect_all(og_arrow_reader *reader, size_t n)
{
    og_document doc;
    og_error err = {0};
    char text[48];
    for (size_t i = 0; i < n; i++) {
        if (i % 3 == 1) continue; /* it has no text */
        assert_int_equal(og_arrow_reader_next(reader, &doc, &err), OG_OK);
        snprintf(text, sizeof(text), "the text of %zu", i);
        assert_int_equal(doc.text.len, strlen(text));
        assert_memory_equal(doc.text.data, text, doc.text.len);
        assert_true(doc.has_time);
        assert_int_equal(doc.time, (int64_t)i * 1000000);
        assert_int_equal(doc.id.data[0], 'd');
    }
    assert_int_equal(og_arrow_reader_next(reader, &doc, &err), OG_END);
    assert_int_equal(og_arrow_reader_next(reader, &doc, &err), OG_END);
}

static void test_round_trip(void **state)
{
    const size_t sizes[] = {0, 1, 7, 8, 9, 1000, 65536, 65537, 140000};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const size_t n = sizes[i];
        og_arrow_counts counts;
        size_t n_nulls;
        og_arrow_reader *reader = read_decisions(n, false);
        expect_all(reader, n);
        og_arrow_reader_counts(reader, &counts);
        const uint64_t *nulls = og_arrow_reader_nulls(reader, &n_nulls);
        assert_int_equal(counts.n_rows, n);
        assert_int_equal(counts.n_batches, (n + 65535) / 65536);
        assert_int_equal(n_nulls, (n + 1) / 3);
        for (size_t j = 0; j < n_nulls; j++)
            assert_int_equal(nulls[j], j * 3 + 1);
        og_arrow_reader_close(reader);
    }
}

static void test_read_again(void **state)
{
    og_error err = {0};
    og_arrow_reader *reader = read_decisions(70000, true);
    (void)state;
    for (int i = 0; i < 3; i++) {
        expect_all(reader, 70000);
        assert_int_equal(og_arrow_reader_rewind(reader, &err), OG_OK);
    }
    og_arrow_reader_close(reader);
    reader = read_decisions(10, false);
    assert_int_equal(og_arrow_reader_rewind(reader, &err), OG_ERR_USAGE);
    og_arrow_reader_close(reader);
}

/* A consumer may keep one column and release the rest. */
static void test_a_moved_column(void **state)
{
    og_arrow_table *table;
    struct ArrowArrayStream stream;
    struct ArrowArray batch, column;
    og_error err = {0};
    (void)state;
    assert_int_equal(og_arrow_table_new(OG_ARROW_DECISIONS, &table, &err),
                     OG_OK);
    add_decisions(table, 5);
    assert_int_equal(og_arrow_table_stream(table, &stream, &err), OG_OK);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    column = *batch.children[1];
    batch.children[1]->release = NULL;
    batch.release(&batch);
    assert_null(batch.release);
    stream.release(&stream);
    const int64_t *ends = column.buffers[1];
    assert_int_equal(ends[5], 10);
    assert_memory_equal(column.buffers[2], "d0d1d2d3d4", 10);
    column.release(&column);
}

static void test_other_kinds(void **state)
{
    og_arrow_table *table;
    og_error err = {0};
    const og_dedup_decision decision = {.is_kept = true};
    (void)state;
    assert_int_equal(og_arrow_table_new(OG_ARROW_SPANS, &table, &err), OG_OK);
    assert_int_equal(og_arrow_add_decision(table, &decision, &err),
                     OG_ERR_USAGE);
    og_arrow_table_free(table);
    og_arrow_table_free(NULL);
    assert_int_equal(og_arrow_table_new((og_arrow_table_kind)9, &table, &err),
                     OG_ERR_USAGE);
}

/* ---- columns made by hand ---- */

/* One batch of one column, "text". Nothing in it is allocated. */
struct hand {
    struct ArrowSchema schema, column, dictionary;
    struct ArrowSchema *columns[1];
    struct ArrowArray batch, array, values;
    struct ArrowArray *arrays[1];
    const void *batch_buffers[1];
    int n_released;
    bool is_given;
};

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    ((struct hand *)array->private_data)->n_released++;
    array->release = NULL;
}

static int hand_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    *out = ((struct hand *)stream->private_data)->schema;
    return 0;
}

static int hand_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct hand *hand = stream->private_data;
    *out = hand->is_given ? (struct ArrowArray){.release = NULL} : hand->batch;
    hand->is_given = true;
    return 0;
}

static const char *hand_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void hand_release(struct ArrowArrayStream *stream)
{
    ((struct hand *)stream->private_data)->n_released++;
    stream->release = NULL;
}

static void make_hand(struct hand *h, const char *format, int64_t n,
                      const void **buffers, int64_t n_buffers)
{
    *h = (struct hand){
        .schema = {.format = "+s",
                   .name = "",
                   .n_children = 1,
                   .release = release_schema},
        .column = {.format = format, .name = "text"},
        .batch = {.length = n,
                  .n_buffers = 1,
                  .n_children = 1,
                  .release = release_array},
        .array = {.length = n, .n_buffers = n_buffers, .buffers = buffers},
    };
    h->columns[0] = &h->column;
    h->schema.children = h->columns;
    h->arrays[0] = &h->array;
    h->batch.children = h->arrays;
    h->batch.buffers = h->batch_buffers;
    h->batch.private_data = h;
}

static og_status open_hand(struct hand *h, og_arrow_reader **reader,
                           og_error *err)
{
    struct ArrowArrayStream stream = {.get_schema = hand_schema,
                                      .get_next = hand_next,
                                      .get_last_error = hand_error,
                                      .release = hand_release,
                                      .private_data = h};
    return og_arrow_reader_open(&stream, NULL, reader, err);
}

/* The texts, with a bar behind each. */
static void expect_texts(struct hand *h, const char *expected)
{
    og_arrow_reader *reader;
    og_document doc;
    og_error err = {0};
    char found[256] = "";
    assert_int_equal(open_hand(h, &reader, &err), OG_OK);
    while (og_arrow_reader_next(reader, &doc, &err) == OG_OK) {
        strncat(found, doc.text.data, doc.text.len);
        strcat(found, "|");
    }
    og_arrow_reader_close(reader);
    assert_string_equal(found, expected);
    assert_int_equal(h->n_released, 2);
}

static void test_offsets(void **state)
{
    const int32_t ends[] = {0, 1, 3, 3, 6, 10};
    const uint8_t valid = 0x1b; /* all but the third */
    const void *buffers[] = {&valid, ends, "abbcccdddd"};
    struct hand h;
    (void)state;
    make_hand(&h, "u", 5, buffers, 3);
    expect_texts(&h, "a|bb|ccc|dddd|");
    make_hand(&h, "u", 3, buffers, 3);
    h.array.offset = 2;
    expect_texts(&h, "ccc|dddd|");
    make_hand(&h, "u", 2, buffers, 3);
    h.batch.offset = 1;
    h.array.offset = 2;
    expect_texts(&h, "ccc|dddd|");
}

static void test_null_rows(void **state)
{
    const int32_t ends[] = {0, 1, 2, 3};
    const uint8_t rows = 0x5;
    const void *buffers[] = {NULL, ends, "abc"};
    struct hand h;
    (void)state;
    make_hand(&h, "u", 3, buffers, 3);
    h.batch_buffers[0] = &rows;
    expect_texts(&h, "a|c|");
}

static void test_views(void **state)
{
    const char *const data = "the long text in a buffer of its own";
    char views[3 * 16] = {0};
    const int32_t lens[] = {12, 0, (int32_t)strlen(data) - 4};
    const int32_t place[] = {0, 4}; /* buffer, offset */
    const int64_t sizes[] = {64};
    const void *buffers[] = {NULL, views, data, sizes};
    struct hand h;
    (void)state;
    for (int i = 0; i < 3; i++)
        memcpy(views + i * 16, &lens[i], 4);
    memcpy(views + 4, "twelve bytes", 12);
    memcpy(views + 32 + 8, place, 8);
    make_hand(&h, "vu", 3, buffers, 4);
    expect_texts(&h, "twelve bytes||long text in a buffer of its own|");
}

static void test_dictionaries(void **state)
{
    const int32_t ends[] = {0, 3, 6};
    const uint8_t values_valid = 0x1;
    const void *values[] = {&values_valid, ends, "onetwo"};
    const int8_t indexes[] = {0, 1, 0};
    const void *buffers[] = {NULL, indexes};
    struct hand h;
    (void)state;
    make_hand(&h, "c", 3, buffers, 2);
    h.dictionary = (struct ArrowSchema){.format = "u"};
    h.column.dictionary = &h.dictionary;
    h.values =
        (struct ArrowArray){.length = 2, .n_buffers = 3, .buffers = values};
    h.array.dictionary = &h.values;
    expect_texts(&h, "one|one|");
}

static void test_bad_columns(void **state)
{
    static const char *const formats[] = {"l", "+l", "tdD", "b", "w:16", "?"};
    og_arrow_reader *reader;
    struct hand h;
    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        og_error err = {0};
        make_hand(&h, formats[i], 0, NULL, 0);
        assert_int_equal(open_hand(&h, &reader, &err), OG_ERR_INPUT);
        assert_non_null(strstr(err.message, "column 'text'"));
        assert_int_equal(h.n_released, 1);
    }
    og_error err = {0};
    make_hand(&h, "u", 0, NULL, 0);
    h.column.name = "body";
    assert_int_equal(open_hand(&h, &reader, &err), OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "the columns are body (string)"));
    make_hand(&h, "u", 0, NULL, 0);
    h.schema.format = "u";
    assert_int_equal(open_hand(&h, &reader, &err), OG_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_read_again),
        cmocka_unit_test(test_a_moved_column),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_null_rows),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_dictionaries),
        cmocka_unit_test(test_bad_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
