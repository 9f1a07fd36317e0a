#ifndef ORIGO_ARROW_H
#define ORIGO_ARROW_H

/* Reads and writes tables in memory through the C data and C stream interfaces
 * of Apache Arrow. The three structs below are an ABI: any program that
 * implements it (pyarrow, polars, DuckDB, R) can exchange data with origo, and
 * none of their libraries is needed. */

#include <origo/dedup.h>
#include <origo/neighbour.h>
#include <origo/reading.h>
#include <origo/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* ---- tables in ---- */

typedef struct og_arrow_reader og_arrow_reader;

typedef struct og_arrow_options {
    /* The names of the columns. The text column must exist; a column whose
     * name is NULL is not read. The others may be missing, unless they are set
     * in `required`. */
    og_fields fields;
    og_fields required; /* per column: NULL: may be missing */
    /* Keep every batch until the reader is closed, so that the documents can
     * be read again (og_arrow_reader_rewind()). */
    bool keep;
} og_arrow_options;
OG_API og_arrow_options og_arrow_options_default(void);

/* Takes ownership of the stream, also on failure. Texts, ids, titles and
 * addresses may be strings, large strings, string views, binaries of the same
 * kinds (UTF-8), or dictionaries of them; ids also integers; times also
 * timestamps, days and numbers of seconds since 1970. The message of
 * OG_ERR_INPUT names the column, its type and the existing columns. `options`
 * NULL: the default. */
OG_API og_status og_arrow_reader_open(struct ArrowArrayStream *stream,
                                      const og_arrow_options *options,
                                      og_arrow_reader **out, og_error *err);
OG_API void og_arrow_reader_close(og_arrow_reader *reader); /* NULL is fine */

/* For og_input.next and og_input.rewind, with the reader as their ctx. Texts
 * are views into the batches. */
OG_API og_status og_arrow_reader_next(void *reader, og_document *out,
                                      og_error *err);
OG_API og_status og_arrow_reader_rewind(void *reader, og_error *err);
typedef struct og_arrow_counts {
    uint64_t n_rows, n_batches;
    uint64_t n_nulls; /* rows without a text */
    uint64_t
        n_bad_times; /* times that cannot be read: documents without a time */
} og_arrow_counts;
OG_API void og_arrow_reader_counts(const og_arrow_reader *reader,
                                   og_arrow_counts *out);
/* The numbers of the rows without a text, from 0, in order; such rows are not
 * documents. A view, valid until the next call with the reader. */
OG_API const uint64_t *og_arrow_reader_nulls(const og_arrow_reader *reader,
                                             size_t *out_n);

/* ---- tables out ----
 *
 * A table collects answers and becomes a stream of batches of up to 65,536
 * rows. docs/arrow.md describes the columns. One thread at a time. */

typedef struct og_arrow_table og_arrow_table;

typedef enum og_arrow_table_kind {
    OG_ARROW_SPANS,     /* a row for each span of an og_answer */
    OG_ARROW_MATCHES,   /* a row for each og_near_match */
    OG_ARROW_DECISIONS, /* a row for each og_dedup_decision */
} og_arrow_table_kind;

OG_API og_status og_arrow_table_new(og_arrow_table_kind kind,
                                    og_arrow_table **out, og_error *err);
OG_API void og_arrow_table_free(og_arrow_table *table); /* NULL is fine */

/* OG_ERR_USAGE: the table is of another kind. */
OG_API og_status og_arrow_add_answer(og_arrow_table *table,
                                     const og_document *doc,
                                     const og_answer *answer, og_error *err);
OG_API og_status og_arrow_add_matches(og_arrow_table *table,
                                      const og_document *doc,
                                      const og_near_match *matches, size_t n,
                                      og_error *err);
OG_API og_status og_arrow_add_decision(og_arrow_table *table,
                                       const og_dedup_decision *decision,
                                       og_error *err);

/* Returns its rows as a stream and frees the table, also on failure. */
OG_API og_status og_arrow_table_stream(og_arrow_table *table,
                                       struct ArrowArrayStream *out,
                                       og_error *err);

#ifdef __cplusplus
}
#endif

#endif
