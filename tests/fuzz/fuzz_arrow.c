/* A table of Arrow whose types, lengths and values are any. Its buffers are as
 * long as its lengths say, as the interface wants it; what they hold is not
 * believed: offsets that fall, indexes and views that lead out of their
 * buffers. Every text that comes out is read to its end. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <origo/arrow.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { N_COLUMNS = 3, MOST_ROWS = 20, MOST_OFFSET = 4, DATA_LEN = 256 };

static const char *const formats[] = {
    "u", "z",   "U",   "Z",    "vu",    "vz",   "c",    "s",    "i",
    "l", "C",   "S",   "I",    "L",     "f",    "g",    "n",    "+s",
    "b", "tdD", "tdm", "tss:", "tsm:x", "tsu:", "tsn:", "what",
};
enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

struct input {
    const uint8_t *at, *end;
};

static uint8_t take_byte(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* ---- one column ---- */

struct column {
    struct ArrowSchema schema, dictionary_schema;
    struct ArrowArray array, dictionary;
    const void *buffers[2][4];
};

static void *random_buffer(struct input *in, size_t len)
{
    uint8_t *out = calloc(1, len + 1);
    if (out == NULL) abort();
    for (size_t i = 0; i < len; i++)
        out[i] = take_byte(in);
    return out;
}

/* Offsets inside the data, that may fall. */
static void *random_offsets(struct input *in, size_t n, size_t width)
{
    uint8_t *out = calloc(n + 1, width);
    if (out == NULL) abort();
    int64_t at = 0;
    for (size_t i = 0; i <= n; i++) {
        at += (int8_t)take_byte(in);
        if (at > DATA_LEN) at = DATA_LEN;
        memcpy(out + i * width, &at, width);
    }
    return out;
}

static void fill_array(struct input *in, const char *format, size_t n,
                       struct ArrowArray *array, const void *buffers[4])
{
    const size_t offset = take_byte(in) % MOST_OFFSET, all = n + offset;
    const bool is_view = format[0] == 'v';
    const bool is_text = strchr("uzUZ", format[0]) != NULL;
    *array = (struct ArrowArray){.length = (int64_t)n,
                                 .offset = (int64_t)offset,
                                 .n_buffers = is_view   ? 4
                                              : is_text ? 3
                                                        : 2,
                                 .buffers = buffers};
    buffers[0] = take_byte(in) % 2 == 0 ? NULL : random_buffer(in, all / 8 + 1);
    if (is_view) {
        int64_t *sizes = malloc(sizeof(*sizes));
        if (sizes == NULL) abort();
        *sizes = DATA_LEN;
        buffers[1] = random_buffer(in, all * 16);
        buffers[3] = sizes;
    } else if (is_text) {
        buffers[1] = random_offsets(
            in, all, format[0] == 'u' || format[0] == 'z' ? 4 : 8);
    } else {
        buffers[1] = random_buffer(in, all * 8);
    }
    buffers[2] = is_view || is_text ? random_buffer(in, DATA_LEN) : NULL;
}

static void keep_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void keep_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void make_column(struct input *in, const char *name, size_t n,
                        struct column *c)
{
    const char *format = formats[take_byte(in) % N_FORMATS];
    const bool is_dictionary = take_byte(in) % 4 == 0;
    *c = (struct column){.schema = {.format = format, .name = name}};
    fill_array(in, format, n, &c->array, c->buffers[0]);
    if (is_dictionary) {
        const char *values = formats[take_byte(in) % N_FORMATS];
        c->dictionary_schema =
            (struct ArrowSchema){.format = values, .name = ""};
        fill_array(in, values, take_byte(in) % MOST_ROWS, &c->dictionary,
                   c->buffers[1]);
        c->schema.dictionary = &c->dictionary_schema;
        c->array.dictionary = &c->dictionary;
        c->dictionary_schema.release = keep_schema;
        c->dictionary.release = keep_array;
    }
    c->schema.release = keep_schema;
    c->array.release = keep_array;
}

static void free_column(struct column *c)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 4; k++)
            free((void *)c->buffers[i][k]);
}

/* ---- the table ---- */

struct table {
    struct column columns[N_COLUMNS];
    struct ArrowSchema *schemas[N_COLUMNS];
    struct ArrowArray *arrays[N_COLUMNS];
    const void *buffers[1];
    struct ArrowSchema schema;
    struct ArrowArray batch;
    unsigned n_batches;
};

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    *out = ((struct table *)stream->private_data)->schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct table *t = stream->private_data;
    *out = (struct ArrowArray){.release = NULL};
    if (t->n_batches++ == 0) *out = t->batch;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static void make_table(struct input *in, struct table *t)
{
    static const char *const names[N_COLUMNS] = {"text", "id", "time"};
    const size_t n = take_byte(in) % MOST_ROWS;
    *t = (struct table){.n_batches = 0};
    for (unsigned i = 0; i < N_COLUMNS; i++) {
        make_column(in, names[i], n + MOST_OFFSET, &t->columns[i]);
        t->schemas[i] = &t->columns[i].schema;
        t->arrays[i] = &t->columns[i].array;
    }
    t->schema = (struct ArrowSchema){.format = "+s",
                                     .name = "",
                                     .n_children = N_COLUMNS,
                                     .children = t->schemas,
                                     .release = keep_schema};
    t->batch = (struct ArrowArray){.length = (int64_t)n,
                                   .offset = take_byte(in) % MOST_OFFSET,
                                   .n_buffers = 1,
                                   .n_children = N_COLUMNS,
                                   .buffers = t->buffers,
                                   .children = t->arrays,
                                   .release = keep_array};
}

static volatile uint8_t last_byte;

static void read_bytes(og_bytes bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        last_byte = (uint8_t)bytes.data[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct input in = {data, data + len};
    struct table table;
    make_table(&in, &table);
    struct ArrowArrayStream stream = {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release_stream,
                                      .private_data = &table};
    og_arrow_reader *reader = NULL;
    og_error err;
    if (og_arrow_reader_open(&stream, NULL, &reader, &err) == OG_OK) {
        og_document doc = {0};
        while (og_arrow_reader_next(reader, &doc, &err) == OG_OK) {
            read_bytes(doc.text);
            read_bytes(doc.id);
            doc = (og_document){0};
        }
    }
    og_arrow_reader_close(reader);
    for (unsigned i = 0; i < N_COLUMNS; i++)
        free_column(&table.columns[i]);
    return 0;
}
