/* Columns of record batches. */

#include "lib/arrow/arrow_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND 1000000
#define DAY    (INT64_C(86400) * SECOND)

/* ---- types ---- */

static const struct plain {
    const char *format;
    struct og_arrow_type type;
    const char *name;
} plain_types[] = {
    {"u", {.kind = OG_ARROW_TEXT}, "string"},
    {"z", {.kind = OG_ARROW_TEXT}, "binary"},
    {"U", {.kind = OG_ARROW_LARGE_TEXT}, "large_string"},
    {"Z", {.kind = OG_ARROW_LARGE_TEXT}, "large_binary"},
    {"vu", {.kind = OG_ARROW_TEXT_VIEW}, "string_view"},
    {"vz", {.kind = OG_ARROW_TEXT_VIEW}, "binary_view"},
    {"c", {.kind = OG_ARROW_SIGNED, .width = 1}, "int8"},
    {"s", {.kind = OG_ARROW_SIGNED, .width = 2}, "int16"},
    {"i", {.kind = OG_ARROW_SIGNED, .width = 4}, "int32"},
    {"l", {.kind = OG_ARROW_SIGNED, .width = 8}, "int64"},
    {"C", {.kind = OG_ARROW_UNSIGNED, .width = 1}, "uint8"},
    {"S", {.kind = OG_ARROW_UNSIGNED, .width = 2}, "uint16"},
    {"I", {.kind = OG_ARROW_UNSIGNED, .width = 4}, "uint32"},
    {"L", {.kind = OG_ARROW_UNSIGNED, .width = 8}, "uint64"},
    {"f", {.kind = OG_ARROW_FLOAT, .width = 4}, "float"},
    {"g", {.kind = OG_ARROW_FLOAT, .width = 8}, "double"},
    {"tdD",
     {.kind = OG_ARROW_MOMENT, .width = 4, .unit = DAY, .parts = 1},
     "date32"},
    {"tdm",
     {.kind = OG_ARROW_MOMENT, .width = 8, .unit = 1000, .parts = 1},
     "date64"},
    {"b", {.kind = OG_ARROW_ABSENT}, "bool"},
    {"n", {.kind = OG_ARROW_ABSENT}, "null"},
    {"e", {.kind = OG_ARROW_ABSENT}, "halffloat"},
    {"+s", {.kind = OG_ARROW_ABSENT}, "struct"},
    {"+l", {.kind = OG_ARROW_ABSENT}, "list"},
    {"+L", {.kind = OG_ARROW_ABSENT}, "large_list"},
    {"+m", {.kind = OG_ARROW_ABSENT}, "map"},
    {"+r", {.kind = OG_ARROW_ABSENT}, "run_end_encoded"},
};

/* Timestamps have their zone after the unit; the value is UTC in any case. */
static const struct plain moments[] = {
    {"tss:",
     {.kind = OG_ARROW_MOMENT, .width = 8, .unit = SECOND, .parts = 1},
     "timestamp[s]"},
    {"tsm:",
     {.kind = OG_ARROW_MOMENT, .width = 8, .unit = 1000, .parts = 1},
     "timestamp[ms]"},
    {"tsu:",
     {.kind = OG_ARROW_MOMENT, .width = 8, .unit = 1, .parts = 1},
     "timestamp[us]"},
    {"tsn:",
     {.kind = OG_ARROW_MOMENT, .width = 8, .unit = 1, .parts = 1000},
     "timestamp[ns]"},
};

static const struct plain *find_type(const char *format)
{
    for (size_t i = 0; i < sizeof(plain_types) / sizeof(plain_types[0]); i++)
        if (strcmp(format, plain_types[i].format) == 0) return &plain_types[i];
    for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++)
        if (strncmp(format, moments[i].format, 4) == 0) return &moments[i];
    return NULL;
}

bool og_arrow_type_read(const struct ArrowSchema *schema,
                        struct og_arrow_type *out)
{
    const struct ArrowSchema *values =
        schema->dictionary != NULL ? schema->dictionary : schema;
    const struct plain *found = find_type(values->format);
    if (found == NULL || found->type.kind == OG_ARROW_ABSENT) return false;
    *out = found->type;
    if (schema->dictionary == NULL) return true;
    found = find_type(schema->format);
    if (found == NULL || (found->type.kind != OG_ARROW_SIGNED &&
                          found->type.kind != OG_ARROW_UNSIGNED))
        return false;
    out->is_dictionary = true;
    out->index_width = found->type.width;
    out->index_is_signed = found->type.kind == OG_ARROW_SIGNED;
    return true;
}

const char *og_arrow_type_name(const struct ArrowSchema *schema)
{
    if (schema->dictionary != NULL) return "dictionary";
    const struct plain *found = find_type(schema->format);
    return found != NULL ? found->name : schema->format;
}

/* ---- values ---- */

static bool is_null(const struct ArrowArray *array, int64_t at)
{
    const uint8_t *valid = array->n_buffers > 0 ? array->buffers[0] : NULL;
    return valid != NULL && (valid[at / 8] >> at % 8 & 1) == 0;
}

static int64_t signed_at(const void *values, uint32_t width, int64_t at)
{
    switch (width) {
    case 1: return ((const int8_t *)values)[at];
    case 2: return ((const int16_t *)values)[at];
    case 4: return ((const int32_t *)values)[at];
    default: return ((const int64_t *)values)[at];
    }
}

static uint64_t unsigned_at(const void *values, uint32_t width, int64_t at)
{
    switch (width) {
    case 1: return ((const uint8_t *)values)[at];
    case 2: return ((const uint16_t *)values)[at];
    case 4: return ((const uint32_t *)values)[at];
    default: return ((const uint64_t *)values)[at];
    }
}

/* The array that contains the value of a row, and where it is in it. */
static const struct ArrowArray *find_value(const struct og_arrow_column *column,
                                           const struct ArrowArray *batch,
                                           int64_t *at)
{
    const struct og_arrow_type *type = &column->type;
    const struct ArrowArray *array = batch->children[column->child];
    if (is_null(batch, batch->offset + *at)) return NULL;
    *at += batch->offset + array->offset;
    if (is_null(array, *at)) return NULL;
    if (!type->is_dictionary) return array;
    const void *indexes = array->buffers[1];
    *at = type->index_is_signed
              ? signed_at(indexes, type->index_width, *at)
              : (int64_t)unsigned_at(indexes, type->index_width, *at);
    array = array->dictionary;
    if (*at < 0 || *at >= array->length) return NULL;
    *at += array->offset;
    return is_null(array, *at) ? NULL : array;
}

/* A view has 16 bytes: its length, then up to 12 bytes themselves, or their
 * first four, the number of a buffer and the place in it. The last buffer has
 * the lengths of those before it. */
static og_bytes view_at(const struct ArrowArray *array, int64_t at)
{
    const og_bytes none = {"", 0};
    const char *view = (const char *)array->buffers[1] + at * 16;
    int32_t word[4];
    memcpy(word, view, sizeof(word));
    if (word[0] < 0) return none;
    if (word[0] <= 12) return (og_bytes){view + 4, (size_t)word[0]};
    const int64_t n_data = array->n_buffers - 3;
    const int64_t *lengths = array->buffers[array->n_buffers - 1];
    if (word[2] < 0 || word[2] >= n_data || lengths == NULL || word[3] < 0 ||
        word[3] > lengths[word[2]] - word[0])
        return none;
    const char *data = array->buffers[2 + word[2]];
    return (og_bytes){data + word[3], (size_t)word[0]};
}

static og_bytes text_at(enum og_arrow_kind kind, const struct ArrowArray *array,
                        int64_t at)
{
    const char *data = array->n_buffers > 2 ? array->buffers[2] : NULL;
    int64_t begin, end;
    if (kind == OG_ARROW_TEXT_VIEW) return view_at(array, at);
    if (kind == OG_ARROW_TEXT) {
        begin = ((const int32_t *)array->buffers[1])[at];
        end = ((const int32_t *)array->buffers[1])[at + 1];
    } else {
        begin = ((const int64_t *)array->buffers[1])[at];
        end = ((const int64_t *)array->buffers[1])[at + 1];
    }
    if (data == NULL || begin < 0 || end <= begin) return (og_bytes){"", 0};
    return (og_bytes){data + begin, (size_t)(end - begin)};
}

static bool is_text(const struct og_arrow_column *column)
{
    return column->type.kind == OG_ARROW_TEXT ||
           column->type.kind == OG_ARROW_LARGE_TEXT ||
           column->type.kind == OG_ARROW_TEXT_VIEW;
}

bool og_arrow_text(const struct og_arrow_column *column,
                   const struct ArrowArray *batch, int64_t at, og_bytes *out)
{
    if (!is_text(column)) return false;
    const struct ArrowArray *array = find_value(column, batch, &at);
    if (array == NULL) return false;
    *out = text_at(column->type.kind, array, at);
    return true;
}

bool og_arrow_name(const struct og_arrow_column *column,
                   const struct ArrowArray *batch, int64_t at, char buffer[24],
                   og_bytes *out)
{
    const struct og_arrow_type *type = &column->type;
    if (is_text(column)) return og_arrow_text(column, batch, at, out);
    if (type->kind != OG_ARROW_SIGNED && type->kind != OG_ARROW_UNSIGNED)
        return false;
    const struct ArrowArray *array = find_value(column, batch, &at);
    if (array == NULL) return false;
    const int len =
        type->kind == OG_ARROW_SIGNED
            ? snprintf(buffer, 24, "%" PRId64,
                       signed_at(array->buffers[1], type->width, at))
            : snprintf(buffer, 24, "%" PRIu64,
                       unsigned_at(array->buffers[1], type->width, at));
    *out = (og_bytes){buffer, (size_t)len};
    return true;
}

/* Years -9999 to 9999, as in every other input. */
#define EARLIEST_SECOND INT64_C(-377705116800)
#define LATEST_SECOND   INT64_C(253402300799)
#define EARLIEST        (EARLIEST_SECOND * SECOND)
#define LATEST          (LATEST_SECOND * SECOND + 999999)

static bool is_time(int64_t time)
{
    return time >= EARLIEST && time <= LATEST;
}

static bool moment_at(const struct og_arrow_type *type, const void *values,
                      int64_t at, int64_t *out)
{
    const int64_t value = signed_at(values, type->width, at);
    if (__builtin_mul_overflow(value, type->unit, out)) return false;
    /* Towards the past, also before 1970. */
    const int64_t rest = *out % type->parts;
    *out = *out / type->parts - (rest < 0);
    return is_time(*out);
}

static bool seconds_at(const struct og_arrow_type *type, const void *values,
                       int64_t at, int64_t *out)
{
    double seconds;
    switch (type->kind) {
    case OG_ARROW_SIGNED:
        return !__builtin_mul_overflow(signed_at(values, type->width, at),
                                       SECOND, out) &&
               is_time(*out);
    case OG_ARROW_UNSIGNED: {
        const uint64_t value = unsigned_at(values, type->width, at);
        if (value > LATEST_SECOND) return false;
        *out = (int64_t)value * SECOND;
        return true;
    }
    default: break;
    }
    seconds = type->width == 4 ? (double)((const float *)values)[at]
                               : ((const double *)values)[at];
    if (!(seconds >= (double)EARLIEST_SECOND &&
          seconds <= (double)LATEST_SECOND))
        return false;
    *out = (int64_t)floor(seconds * SECOND + 0.5);
    return true;
}

bool og_arrow_time(const struct og_arrow_column *column,
                   const struct ArrowArray *batch, int64_t at, int64_t *out,
                   bool *is_bad)
{
    const struct og_arrow_type *type = &column->type;
    if (type->kind == OG_ARROW_ABSENT) return false;
    const struct ArrowArray *array = find_value(column, batch, &at);
    if (array == NULL) return false;
    bool is_good;
    if (is_text(column)) {
        const og_bytes text = text_at(type->kind, array, at);
        if (text.len == 0) return false;
        is_good = og_time_parse(text, out);
    } else if (type->kind == OG_ARROW_MOMENT) {
        is_good = moment_at(type, array->buffers[1], at, out);
    } else {
        is_good = seconds_at(type, array->buffers[1], at, out);
    }
    *is_bad |= !is_good;
    return is_good;
}
