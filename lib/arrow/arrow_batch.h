#ifndef OG_ARROW_ARROW_BATCH_H
#define OG_ARROW_ARROW_BATCH_H

/*   in:  values, row after row
 *   out: record batches and their schema                     (Arrow's C ABI) */

#include <origo/arrow.h>

enum og_arrow_out_kind {
    OG_ARROW_OUT_INT64,
    OG_ARROW_OUT_INT32,
    OG_ARROW_OUT_DOUBLE,
    OG_ARROW_OUT_BOOL,
    OG_ARROW_OUT_STRING, /* large: offsets of 64 bits */
    OG_ARROW_OUT_TIME,   /* microseconds, UTC */
};

struct og_arrow_field {
    const char *name;
    enum og_arrow_out_kind kind;
};

#define OG_ARROW_FIELDS_MOST 12

struct og_arrow_values {
    uint8_t *valid; /* a bit each; made at the first null */
    size_t valid_cap;
    char *data; /* of a string: its bytes */
    size_t data_len, data_cap;
    int64_t *ends; /* of a string: n + 1 */
    size_t ends_cap;
    int64_t n_nulls;
};

/* A batch being built. `fields` must outlive all batches. */
struct og_arrow_batch {
    const struct og_arrow_field *fields;
    size_t n_fields;
    struct og_arrow_values columns[OG_ARROW_FIELDS_MOST];
    int64_t n_rows;
    size_t at;   /* the column that the next value is for */
    bool failed; /* out of memory */
};

/* One value for each field, in their order. */
void og_arrow_put_int(struct og_arrow_batch *batch, int64_t value);
void og_arrow_put_double(struct og_arrow_batch *batch, double value);
void og_arrow_put_bool(struct og_arrow_batch *batch, bool value);
void og_arrow_put_string(struct og_arrow_batch *batch, og_bytes value);
void og_arrow_put_null(struct og_arrow_batch *batch);
og_status og_arrow_end_row(struct og_arrow_batch *batch, og_error *err);

void og_arrow_batch_release(struct og_arrow_batch *batch);
/* Moves the rows to *out and begins a new batch. */
og_status og_arrow_batch_finish(struct og_arrow_batch *batch,
                                struct ArrowArray *out, og_error *err);
/* Of such batches. */
og_status og_arrow_batch_schema(const struct og_arrow_field *fields,
                                size_t n_fields, struct ArrowSchema *out,
                                og_error *err);

#endif
