/* A stream of record batches as a stream of documents. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/arrow/arrow_column.h"
#include "lib/base/memory.h"

enum column { ID, TIME, TITLE, URL, TEXT, N_COLUMNS };

struct og_arrow_reader {
    struct ArrowArrayStream stream;
    og_arrow_options options;
    struct og_arrow_column columns[N_COLUMNS];
    size_t n_children; /* of a batch, as the schema has it */
    /* All batches with `keep`, else the one that is read. */
    struct ArrowArray *batches;
    size_t n_batches, batches_cap;
    size_t batch; /* that is read */
    int64_t row;  /* the next one of it */
    bool is_ended;
    char number[24]; /* the id of a document */
    og_arrow_counts counts;
    uint64_t *nulls; /* rows without a text */
    size_t nulls_cap;
};

og_arrow_options og_arrow_options_default(void)
{
    return (og_arrow_options){.fields = OG_FIELDS_DEFAULT};
}

/* ---- the schema ---- */

static void list_columns(const struct ArrowSchema *schema, char *out,
                         size_t cap)
{
    size_t len = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < schema->n_children && len + 1 < cap; i++) {
        const struct ArrowSchema *child = schema->children[i];
        const int n = snprintf(
            out + len, cap - len, "%s%s (%s)", i > 0 ? ", " : "",
            child->name != NULL ? child->name : "", og_arrow_type_name(child));
        if (n < 0) break;
        len += (size_t)n;
    }
    if (schema->n_children == 0) snprintf(out, cap, "none");
}

static const struct ArrowSchema *find_column(const struct ArrowSchema *schema,
                                             const char *name, size_t *out_at)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const char *own = schema->children[i]->name;
        if (own == NULL || strcmp(own, name) != 0) continue;
        *out_at = (size_t)i;
        return schema->children[i];
    }
    return NULL;
}

static bool is_fit(enum column column, const struct og_arrow_type *type)
{
    switch (type->kind) {
    case OG_ARROW_TEXT:
    case OG_ARROW_LARGE_TEXT:
    case OG_ARROW_TEXT_VIEW: return true;
    case OG_ARROW_SIGNED:
    case OG_ARROW_UNSIGNED: return column == ID || column == TIME;
    case OG_ARROW_FLOAT:
    case OG_ARROW_MOMENT: return column == TIME;
    case OG_ARROW_ABSENT: break;
    }
    return false;
}

static og_status read_column(og_arrow_reader *r, enum column column,
                             const char *name, bool is_required,
                             const struct ArrowSchema *schema, og_error *err)
{
    static const char *const uses[] = {"an id", "a time", "a title",
                                       "an address", "a text"};
    char columns[384];
    size_t at = 0;
    if (name == NULL) return OG_OK;
    const struct ArrowSchema *found = find_column(schema, name, &at);
    if (found == NULL && !is_required) return OG_OK;
    list_columns(schema, columns, sizeof(columns));
    if (found == NULL)
        return og_error_set(err, OG_ERR_INPUT,
                            "no column '%s'; the columns are %s", name,
                            columns);
    struct og_arrow_column *own = &r->columns[column];
    own->child = at;
    if (og_arrow_type_read(found, &own->type) && is_fit(column, &own->type))
        return OG_OK;
    return og_error_set(err, OG_ERR_INPUT,
                        "column '%s' is of type %s, which cannot be %s; the "
                        "columns are %s",
                        name, og_arrow_type_name(found), uses[column], columns);
}

static og_status read_columns(og_arrow_reader *r,
                              const struct ArrowSchema *schema, og_error *err)
{
    const og_fields *f = &r->options.fields, *q = &r->options.required;
    if (strcmp(schema->format, "+s") != 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "a stream of %s values is not one of record "
                            "batches",
                            og_arrow_type_name(schema));
    if (f->text == NULL)
        return og_error_set(err, OG_ERR_USAGE, "no text column given");
    r->n_children = (size_t)schema->n_children;
    TRY(read_column(r, ID, f->id, q->id != NULL, schema, err));
    TRY(read_column(r, TIME, f->time, q->time != NULL, schema, err));
    TRY(read_column(r, TITLE, f->title, q->title != NULL, schema, err));
    TRY(read_column(r, URL, f->url, q->url != NULL, schema, err));
    return read_column(r, TEXT, f->text, true, schema, err);
}

/* ---- batches ---- */

static og_status stream_failure(og_arrow_reader *r, int error, og_error *err)
{
    const char *message = r->stream.get_last_error(&r->stream);
    return og_error_set(err, OG_ERR_INPUT, "the stream of batches failed: %s",
                        message != NULL ? message : strerror(error));
}

static void release_batches(og_arrow_reader *r)
{
    for (size_t i = 0; i < r->n_batches; i++)
        if (r->batches[i].release != NULL)
            r->batches[i].release(&r->batches[i]);
    r->n_batches = 0;
}

static og_status open_stream(og_arrow_reader *r, og_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    const int error = r->stream.get_schema(&r->stream, &schema);
    if (error != 0) return stream_failure(r, error, err);
    const og_status status = read_columns(r, &schema, err);
    if (schema.release != NULL) schema.release(&schema);
    return status;
}

og_status og_arrow_reader_open(struct ArrowArrayStream *stream,
                               const og_arrow_options *options,
                               og_arrow_reader **out, og_error *err)
{
    og_arrow_reader *r = og_allocate_zero(NULL, sizeof(*r));
    if (r == NULL) {
        stream->release(stream);
        return og_error_memory(err, sizeof(*r), "a reader");
    }
    r->stream = *stream;
    stream->release = NULL;
    r->options = options != NULL ? *options : og_arrow_options_default();
    const og_status status = open_stream(r, err);
    if (status == OG_OK)
        *out = r;
    else
        og_arrow_reader_close(r);
    return status;
}

void og_arrow_reader_close(og_arrow_reader *r)
{
    if (r == NULL) return;
    release_batches(r);
    OG_UNGROW(NULL, r->batches, r->batches_cap);
    OG_UNGROW(NULL, r->nulls, r->nulls_cap);
    if (r->stream.release != NULL) r->stream.release(&r->stream);
    og_release(NULL, r, sizeof(*r));
}

/* OG_END after the last one. */
static og_status fetch_batch(og_arrow_reader *r, og_error *err)
{
    struct ArrowArray array = {.release = NULL};
    if (r->is_ended) return OG_END;
    if (!r->options.keep) release_batches(r);
    if (!OG_GROW(NULL, r->batches, r->batches_cap, r->n_batches + 1))
        return og_error_memory(err, sizeof(array), "a batch");
    const int error = r->stream.get_next(&r->stream, &array);
    if (error != 0) return stream_failure(r, error, err);
    r->is_ended = array.release == NULL;
    if (r->is_ended) return OG_END;
    if ((size_t)array.n_children != r->n_children) {
        array.release(&array);
        return og_error_set(err, OG_ERR_INPUT,
                            "a batch has other columns than its schema");
    }
    r->batches[r->n_batches++] = array;
    r->counts.n_batches++;
    r->batch = r->n_batches - 1;
    r->row = 0;
    return OG_OK;
}

static og_status find_row(og_arrow_reader *r, og_error *err)
{
    while (r->batch >= r->n_batches || r->row >= r->batches[r->batch].length) {
        if (r->batch + 1 < r->n_batches) {
            r->batch++;
            r->row = 0;
            continue;
        }
        TRY(fetch_batch(r, err));
    }
    return OG_OK;
}

/* ---- documents ---- */

static void fill_document(og_arrow_reader *r, const struct ArrowArray *batch,
                          int64_t row, og_document *out)
{
    const struct og_arrow_column *c = r->columns;
    bool is_bad = false;
    if (c[ID].type.kind != OG_ARROW_ABSENT)
        og_arrow_name(&c[ID], batch, row, r->number, &out->id);
    if (og_arrow_time(&c[TIME], batch, row, &out->time, &is_bad)) {
        out->has_time = true;
        out->time_source = OG_TIME_RECORD;
    }
    r->counts.n_bad_times += is_bad;
    og_arrow_text(&c[TITLE], batch, row, &out->title);
    og_arrow_text(&c[URL], batch, row, &out->url);
}

static og_status note_null(og_arrow_reader *r, og_error *err)
{
    const uint64_t n = r->counts.n_nulls;
    if (!OG_GROW(NULL, r->nulls, r->nulls_cap, n + 1))
        return og_error_memory(err, sizeof(*r->nulls), "rows without a text");
    r->nulls[n] = r->counts.n_rows - 1;
    r->counts.n_nulls++;
    return OG_OK;
}

og_status og_arrow_reader_next(void *reader, og_document *out, og_error *err)
{
    og_arrow_reader *r = reader;
    for (;;) {
        TRY(find_row(r, err));
        const struct ArrowArray *batch = &r->batches[r->batch];
        const int64_t row = r->row++;
        *out = (og_document){.text = {"", 0}};
        r->counts.n_rows++;
        if (!og_arrow_text(&r->columns[TEXT], batch, row, &out->text)) {
            TRY(note_null(r, err));
            continue;
        }
        fill_document(r, batch, row, out);
        return OG_OK;
    }
}

og_status og_arrow_reader_rewind(void *reader, og_error *err)
{
    og_arrow_reader *r = reader;
    const size_t n_batches = r->n_batches;
    if (!r->options.keep)
        return og_error_set(err, OG_ERR_USAGE,
                            "the batches were not kept: they can be read only "
                            "once");
    r->batch = 0;
    r->row = 0;
    r->counts = (og_arrow_counts){.n_batches = n_batches};
    return OG_OK;
}

void og_arrow_reader_counts(const og_arrow_reader *r, og_arrow_counts *out)
{
    *out = r->counts;
}

const uint64_t *og_arrow_reader_nulls(const og_arrow_reader *r, size_t *out_n)
{
    *out_n = (size_t)r->counts.n_nulls;
    return r->nulls;
}
