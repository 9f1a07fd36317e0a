/* Builds record batches. Each array owns its buffers, as the interface
 * requires: a consumer may keep a column and release the rest. */

#include "lib/arrow/arrow_batch.h"

#include <string.h>

#include "lib/base/memory.h"

/* ---- values ---- */

static struct og_arrow_values *next_column(struct og_arrow_batch *b,
                                           enum og_arrow_out_kind *kind)
{
    *kind = b->fields[b->at].kind;
    return &b->columns[b->at++];
}

static bool put_bytes(struct og_arrow_values *v, const void *data, size_t len)
{
    if (!OG_GROW(NULL, v->data, v->data_cap, v->data_len + len + 1))
        return false;
    if (len > 0) memcpy(v->data + v->data_len, data, len);
    v->data_len += len;
    return true;
}

static bool put_bit(uint8_t **bits, size_t *cap, int64_t at, bool value)
{
    const size_t byte = (size_t)at / 8;
    if (!OG_GROW(NULL, *bits, *cap, byte + 1)) return false;
    if (at % 8 == 0) (*bits)[byte] = 0;
    (*bits)[byte] = (uint8_t)((*bits)[byte] | (unsigned)value << at % 8);
    return true;
}

/* All rows before the first null were valid. */
static bool begin_validity(struct og_arrow_values *v, int64_t n_rows)
{
    const size_t len = (size_t)n_rows / 8 + 1;
    if (!OG_GROW(NULL, v->valid, v->valid_cap, len)) return false;
    memset(v->valid, 0xff, len);
    v->valid[len - 1] = (uint8_t)((1u << n_rows % 8) - 1);
    return true;
}

static bool note_validity(struct og_arrow_values *v, int64_t row, bool is_valid)
{
    if (is_valid && v->valid == NULL) return true;
    if (v->valid == NULL && !begin_validity(v, row)) return false;
    v->n_nulls += !is_valid;
    return put_bit(&v->valid, &v->valid_cap, row, is_valid);
}

static bool put_end(struct og_arrow_values *v, int64_t row)
{
    if (!OG_GROW(NULL, v->ends, v->ends_cap, (size_t)row + 2)) return false;
    v->ends[0] = 0;
    v->ends[row + 1] = (int64_t)v->data_len;
    return true;
}

static size_t width_of(enum og_arrow_out_kind kind)
{
    return kind == OG_ARROW_OUT_INT32 ? 4 : 8;
}

void og_arrow_put_int(struct og_arrow_batch *b, int64_t value)
{
    enum og_arrow_out_kind kind;
    struct og_arrow_values *v = next_column(b, &kind);
    const int32_t narrow = (int32_t)value;
    const void *data =
        kind == OG_ARROW_OUT_INT32 ? (const void *)&narrow : &value;
    b->failed |= !put_bytes(v, data, width_of(kind)) ||
                 !note_validity(v, b->n_rows, true);
}

void og_arrow_put_double(struct og_arrow_batch *b, double value)
{
    enum og_arrow_out_kind kind;
    struct og_arrow_values *v = next_column(b, &kind);
    b->failed |= !put_bytes(v, &value, sizeof(value)) ||
                 !note_validity(v, b->n_rows, true);
}

static bool put_flag(struct og_arrow_values *v, int64_t row, bool value)
{
    uint8_t *bits = (uint8_t *)v->data;
    size_t cap = v->data_cap;
    const bool is_put = put_bit(&bits, &cap, row, value);
    v->data = (char *)bits;
    v->data_cap = cap;
    v->data_len = (size_t)row / 8 + 1;
    return is_put;
}

void og_arrow_put_bool(struct og_arrow_batch *b, bool value)
{
    enum og_arrow_out_kind kind;
    struct og_arrow_values *v = next_column(b, &kind);
    b->failed |=
        !put_flag(v, b->n_rows, value) || !note_validity(v, b->n_rows, true);
}

void og_arrow_put_string(struct og_arrow_batch *b, og_bytes value)
{
    enum og_arrow_out_kind kind;
    struct og_arrow_values *v = next_column(b, &kind);
    b->failed |= !put_bytes(v, value.data, value.len) ||
                 !put_end(v, b->n_rows) || !note_validity(v, b->n_rows, true);
}

void og_arrow_put_null(struct og_arrow_batch *b)
{
    static const uint64_t nothing = 0;
    enum og_arrow_out_kind kind;
    struct og_arrow_values *v = next_column(b, &kind);
    bool is_put;
    if (kind == OG_ARROW_OUT_STRING)
        is_put = put_bytes(v, NULL, 0) && put_end(v, b->n_rows);
    else if (kind == OG_ARROW_OUT_BOOL)
        is_put = put_flag(v, b->n_rows, false);
    else
        is_put = put_bytes(v, &nothing, width_of(kind));
    b->failed |= !is_put || !note_validity(v, b->n_rows, false);
}

og_status og_arrow_end_row(struct og_arrow_batch *b, og_error *err)
{
    b->at = 0;
    if (b->failed) return og_error_memory(err, sizeof(*b), "a table");
    b->n_rows++;
    return OG_OK;
}

static void release_values(struct og_arrow_values *v)
{
    OG_UNGROW(NULL, v->valid, v->valid_cap);
    OG_UNGROW(NULL, v->data, v->data_cap);
    OG_UNGROW(NULL, v->ends, v->ends_cap);
    *v = (struct og_arrow_values){.valid = NULL};
}

void og_arrow_batch_release(struct og_arrow_batch *b)
{
    for (size_t i = 0; i < b->n_fields; i++)
        release_values(&b->columns[i]);
    b->n_rows = 0;
    b->at = 0;
}

/* ---- arrays ---- */

/* Private to a column: a consumer may move it out and release it last. */
struct column_data {
    struct og_arrow_values values;
    const void *buffers[3];
};

struct batch_data {
    const void *buffers[1]; /* no row is null as a whole */
    struct ArrowArray *children[OG_ARROW_FIELDS_MOST];
    struct ArrowArray columns[OG_ARROW_FIELDS_MOST];
};

static void release_column(struct ArrowArray *array)
{
    struct column_data *own = array->private_data;
    release_values(&own->values);
    og_release(NULL, own, sizeof(*own));
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
    struct batch_data *own = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (own->columns[i].release != NULL)
            own->columns[i].release(&own->columns[i]);
    og_release(NULL, own, sizeof(*own));
    array->release = NULL;
}

static bool hand_over(struct og_arrow_values *v, enum og_arrow_out_kind kind,
                      int64_t n_rows, struct ArrowArray *out)
{
    struct column_data *own = og_allocate_zero(NULL, sizeof(*own));
    if (own == NULL) return false;
    own->values = *v;
    *v = (struct og_arrow_values){.valid = NULL};
    const bool is_string = kind == OG_ARROW_OUT_STRING;
    own->buffers[0] = own->values.valid;
    own->buffers[1] = is_string ? (const void *)own->values.ends
                                : (const void *)own->values.data;
    own->buffers[2] = own->values.data;
    *out = (struct ArrowArray){.length = n_rows,
                               .null_count = own->values.n_nulls,
                               .n_buffers = is_string ? 3 : 2,
                               .buffers = own->buffers,
                               .release = release_column,
                               .private_data = own};
    return true;
}

og_status og_arrow_batch_finish(struct og_arrow_batch *b,
                                struct ArrowArray *out, og_error *err)
{
    struct batch_data *own = og_allocate_zero(NULL, sizeof(*own));
    if (own == NULL) return og_error_memory(err, sizeof(*own), "a batch");
    *out = (struct ArrowArray){.length = b->n_rows,
                               .n_buffers = 1,
                               .buffers = own->buffers,
                               .children = own->children,
                               .release = release_batch,
                               .private_data = own};
    for (size_t i = 0; i < b->n_fields; i++) {
        own->children[i] = &own->columns[i];
        if (!hand_over(&b->columns[i], b->fields[i].kind, b->n_rows,
                       &own->columns[i])) {
            out->release(out);
            return og_error_memory(err, sizeof(*own), "a batch");
        }
        out->n_children++;
    }
    b->n_rows = 0;
    return OG_OK;
}

/* ---- schemas ---- */

struct schema_data {
    struct ArrowSchema *children[OG_ARROW_FIELDS_MOST];
    struct ArrowSchema columns[OG_ARROW_FIELDS_MOST];
};

/* Formats and names are constants: a column owns nothing. */
static void release_field(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    struct schema_data *own = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (own->columns[i].release != NULL)
            own->columns[i].release(&own->columns[i]);
    og_release(NULL, own, sizeof(*own));
    schema->release = NULL;
}

static const char *format_of(enum og_arrow_out_kind kind)
{
    switch (kind) {
    case OG_ARROW_OUT_INT64: return "l";
    case OG_ARROW_OUT_INT32: return "i";
    case OG_ARROW_OUT_DOUBLE: return "g";
    case OG_ARROW_OUT_BOOL: return "b";
    case OG_ARROW_OUT_STRING: return "U";
    case OG_ARROW_OUT_TIME: return "tsu:UTC";
    }
    return "n";
}

og_status og_arrow_batch_schema(const struct og_arrow_field *fields,
                                size_t n_fields, struct ArrowSchema *out,
                                og_error *err)
{
    struct schema_data *own = og_allocate_zero(NULL, sizeof(*own));
    if (own == NULL) return og_error_memory(err, sizeof(*own), "a schema");
    for (size_t i = 0; i < n_fields; i++) {
        own->children[i] = &own->columns[i];
        own->columns[i] =
            (struct ArrowSchema){.format = format_of(fields[i].kind),
                                 .name = fields[i].name,
                                 .flags = ARROW_FLAG_NULLABLE,
                                 .release = release_field};
    }
    *out = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .n_children = (int64_t)n_fields,
                                .children = own->children,
                                .release = release_schema,
                                .private_data = own};
    return OG_OK;
}
