/* Answers as tables: the columns of each kind, and the stream that returns
 * their batches. */

#include <errno.h>
#include <string.h>

#include "lib/arrow/arrow_batch.h"
#include "lib/base/memory.h"

#define BATCH_ROWS 65536

static const struct og_arrow_field span_fields[] = {
    {"document", OG_ARROW_OUT_STRING},    {"begin", OG_ARROW_OUT_INT64},
    {"end", OG_ARROW_OUT_INT64},          {"n_tokens", OG_ARROW_OUT_INT64},
    {"n_matching", OG_ARROW_OUT_INT64},   {"how", OG_ARROW_OUT_STRING},
    {"origin", OG_ARROW_OUT_STRING},      {"origin_time", OG_ARROW_OUT_TIME},
    {"origin_begin", OG_ARROW_OUT_INT64}, {"origin_end", OG_ARROW_OUT_INT64},
    {"score", OG_ARROW_OUT_DOUBLE},
};

static const struct og_arrow_field match_fields[] = {
    {"document", OG_ARROW_OUT_STRING}, {"match", OG_ARROW_OUT_STRING},
    {"time", OG_ARROW_OUT_TIME},       {"similarity", OG_ARROW_OUT_DOUBLE},
    {"is_exact", OG_ARROW_OUT_BOOL},   {"distance", OG_ARROW_OUT_INT32},
};

static const struct og_arrow_field decision_fields[] = {
    {"number", OG_ARROW_OUT_INT64},    {"id", OG_ARROW_OUT_STRING},
    {"is_kept", OG_ARROW_OUT_BOOL},    {"duplicate_of", OG_ARROW_OUT_STRING},
    {"of_number", OG_ARROW_OUT_INT64}, {"similarity", OG_ARROW_OUT_DOUBLE},
    {"text", OG_ARROW_OUT_STRING},
};

#define N_FIELDS(fields) (sizeof(fields) / sizeof((fields)[0]))

static const struct kind {
    const struct og_arrow_field *fields;
    size_t n;
} kinds[] = {
    [OG_ARROW_SPANS] = {span_fields, N_FIELDS(span_fields)},
    [OG_ARROW_MATCHES] = {match_fields, N_FIELDS(match_fields)},
    [OG_ARROW_DECISIONS] = {decision_fields, N_FIELDS(decision_fields)},
};

struct og_arrow_table {
    og_arrow_table_kind kind;
    struct og_arrow_batch batch; /* the last one, not whole yet */
    struct ArrowArray *batches;
    size_t n_batches, batches_cap, n_given;
    char message[sizeof(((og_error *)0)->message)]; /* of the stream */
};

og_status og_arrow_table_new(og_arrow_table_kind kind, og_arrow_table **out,
                             og_error *err)
{
    if ((unsigned)kind >= N_FIELDS(kinds))
        return og_error_set(err, OG_ERR_USAGE, "no such kind of table");
    og_arrow_table *t = og_allocate_zero(NULL, sizeof(*t));
    if (t == NULL) return og_error_memory(err, sizeof(*t), "a table");
    t->kind = kind;
    t->batch.fields = kinds[kind].fields;
    t->batch.n_fields = kinds[kind].n;
    *out = t;
    return OG_OK;
}

void og_arrow_table_free(og_arrow_table *t)
{
    if (t == NULL) return;
    for (size_t i = t->n_given; i < t->n_batches; i++)
        t->batches[i].release(&t->batches[i]);
    OG_UNGROW(NULL, t->batches, t->batches_cap);
    og_arrow_batch_release(&t->batch);
    og_release(NULL, t, sizeof(*t));
}

static og_status check_kind(const og_arrow_table *t, og_arrow_table_kind kind,
                            og_error *err)
{
    if (t->kind == kind) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE, "the table is of another kind");
}

static og_status finish_batch(og_arrow_table *t, og_error *err)
{
    if (t->batch.n_rows == 0) return OG_OK;
    if (!OG_GROW(NULL, t->batches, t->batches_cap, t->n_batches + 1))
        return og_error_memory(err, sizeof(*t->batches), "a batch");
    TRY(og_arrow_batch_finish(&t->batch, &t->batches[t->n_batches], err));
    t->n_batches++;
    return OG_OK;
}

static og_status end_row(og_arrow_table *t, og_error *err)
{
    TRY(og_arrow_end_row(&t->batch, err));
    return t->batch.n_rows < BATCH_ROWS ? OG_OK : finish_batch(t, err);
}

/* ---- rows ---- */

static void put_text(struct og_arrow_batch *b, const char *text)
{
    og_arrow_put_string(b, (og_bytes){text, strlen(text)});
}

static void put_time(struct og_arrow_batch *b, bool has_time, int64_t time)
{
    if (has_time)
        og_arrow_put_int(b, time);
    else
        og_arrow_put_null(b);
}

static void put_place(struct og_arrow_batch *b, uint64_t place)
{
    if (place == OG_UNKNOWN)
        og_arrow_put_null(b);
    else
        og_arrow_put_int(b, (int64_t)place);
}

static og_status add_span(og_arrow_table *t, const og_document *doc,
                          const og_span *span, og_error *err)
{
    struct og_arrow_batch *b = &t->batch;
    og_arrow_put_string(b, doc->id);
    og_arrow_put_int(b, (int64_t)span->begin);
    og_arrow_put_int(b, (int64_t)span->end);
    og_arrow_put_int(b, (int64_t)span->n_tokens);
    og_arrow_put_int(b, (int64_t)span->n_matching);
    put_text(b, og_how_name(span->how));
    og_arrow_put_string(b, span->origin_id);
    put_time(b, span->origin_has_time, span->origin_time);
    put_place(b, span->origin_begin);
    put_place(b, span->origin_end);
    if (span->how == OG_HOW_VERIFIED)
        og_arrow_put_double(b, span->score);
    else
        og_arrow_put_null(b);
    return end_row(t, err);
}

og_status og_arrow_add_answer(og_arrow_table *t, const og_document *doc,
                              const og_answer *answer, og_error *err)
{
    TRY(check_kind(t, OG_ARROW_SPANS, err));
    for (size_t i = 0; i < answer->n_spans; i++)
        TRY(add_span(t, doc, &answer->spans[i], err));
    return OG_OK;
}

og_status og_arrow_add_matches(og_arrow_table *t, const og_document *doc,
                               const og_near_match *matches, size_t n,
                               og_error *err)
{
    struct og_arrow_batch *b = &t->batch;
    TRY(check_kind(t, OG_ARROW_MATCHES, err));
    for (size_t i = 0; i < n; i++) {
        og_arrow_put_string(b, doc->id);
        og_arrow_put_string(b, matches[i].id);
        put_time(b, matches[i].has_time, matches[i].time);
        if (matches[i].similarity >= 0)
            og_arrow_put_double(b, matches[i].similarity);
        else
            og_arrow_put_null(b);
        og_arrow_put_bool(b, matches[i].is_exact);
        if (matches[i].distance < 64)
            og_arrow_put_int(b, matches[i].distance);
        else
            og_arrow_put_null(b);
        TRY(end_row(t, err));
    }
    return OG_OK;
}

static void put_original(struct og_arrow_batch *b, const og_dedup_decision *d)
{
    if (d->is_kept) {
        og_arrow_put_null(b);
        og_arrow_put_null(b);
        og_arrow_put_null(b);
        return;
    }
    if (d->of_id.len > 0)
        og_arrow_put_string(b, d->of_id);
    else
        og_arrow_put_null(b);
    put_place(b, d->of_number);
    if (d->similarity >= 0)
        og_arrow_put_double(b, d->similarity);
    else
        og_arrow_put_null(b);
}

og_status og_arrow_add_decision(og_arrow_table *t, const og_dedup_decision *d,
                                og_error *err)
{
    struct og_arrow_batch *b = &t->batch;
    TRY(check_kind(t, OG_ARROW_DECISIONS, err));
    og_arrow_put_int(b, (int64_t)d->number);
    og_arrow_put_string(b, d->id);
    og_arrow_put_bool(b, d->is_kept);
    put_original(b, d);
    if (d->is_cut)
        og_arrow_put_string(b, d->text);
    else
        og_arrow_put_null(b);
    return end_row(t, err);
}

/* ---- the stream ---- */

static int fail(og_arrow_table *t, const og_error *err)
{
    memcpy(t->message, err->message, sizeof(t->message));
    return err->status == OG_ERR_MEMORY ? ENOMEM : EINVAL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    og_arrow_table *t = stream->private_data;
    og_error err = {0};
    if (og_arrow_batch_schema(t->batch.fields, t->batch.n_fields, out, &err) !=
        OG_OK)
        return fail(t, &err);
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    og_arrow_table *t = stream->private_data;
    if (t->n_given == t->n_batches) {
        *out = (struct ArrowArray){.release = NULL};
        return 0;
    }
    *out = t->batches[t->n_given++];
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const og_arrow_table *t = stream->private_data;
    return t->message[0] != '\0' ? t->message : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    og_arrow_table_free(stream->private_data);
    stream->release = NULL;
}

og_status og_arrow_table_stream(og_arrow_table *t, struct ArrowArrayStream *out,
                                og_error *err)
{
    const og_status status = finish_batch(t, err);
    if (status != OG_OK) {
        og_arrow_table_free(t);
        return status;
    }
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release_stream,
                                     .private_data = t};
    return OG_OK;
}
