#ifndef ORIGO_PYTHON_BINDING_H
#define ORIGO_PYTHON_BINDING_H

/* What the parts of the extension share. It uses the stable ABI of Python 3.9,
 * so that one file serves every later version. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <origo/origo.h>
#include <stdatomic.h>

/* In the stable ABI since 3.10, and in every Python 3 before it: the UTF-8 of a
 * string, which the string keeps. For ASCII it is the string itself. */
PyAPI_FUNC(const char *) PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *);

/* ---- py_errors.c ---- */

int binding_add_errors(PyObject *module);
/* Raises the exception of a status; always NULL. */
PyObject *binding_raise(og_status status, const og_error *err);

/* ---- py_values.c ---- */

/* A str or bytes as bytes; false with a TypeError that names `what`. The view
 * lasts as long as the object. */
bool binding_bytes(PyObject *object, const char *what, og_bytes *out);
/* Bytes that grow and become an object. */
struct binding_buffer {
    char *data;
    size_t len, cap;
};
bool binding_append(struct binding_buffer *buffer, const void *data,
                    size_t len); /* false: no memory */
/* An og_write_fn. */
int binding_write(void *buffer, const char *data, size_t len);
PyObject *binding_buffer_bytes(const struct binding_buffer *buffer);
/* A str from bytes that are UTF-8 or were repaired to be. */
PyObject *binding_string(og_bytes bytes);
/* None, or RFC 3339. */
PyObject *binding_time(bool has_time, int64_t time);
/* An item of a dict; NULL when it is missing or None, without an exception.
 * Borrowed. */
PyObject *binding_option(PyObject *options, const char *name);
/* These leave *out alone when the option is missing; false: exception set. */
bool binding_option_text(PyObject *options, const char *name, const char **out);
bool binding_option_u64(PyObject *options, const char *name, uint64_t *out);
bool binding_option_u32(PyObject *options, const char *name, uint32_t *out);
bool binding_option_double(PyObject *options, const char *name, double *out);
bool binding_option_bool(PyObject *options, const char *name, bool *out);
/* A name that `parse` knows, one of og_..._parse(). */
bool binding_option_name(PyObject *options, const char *name, int *out,
                         const char *const *names, size_t n_names);

/* ---- py_document.c ---- */

/* A document of a Python object: a str, bytes, a dict, or a pair (id, text).
 * Its strings are views of objects that `held` keeps. */
struct binding_document {
    og_document doc;
    PyObject *held[12];
    size_t n_held;
    bool is_null; /* it has no text */
};
/* `place` is for messages: "document 3". */
bool binding_document(PyObject *object, const og_fields *fields,
                      const char *place, struct binding_document *out);
void binding_document_release(struct binding_document *document);

/* ---- py_input.c ---- */

extern PyType_Spec binding_input_spec;

struct binding_input {
    PyObject_HEAD og_input input;
    PyObject *kept[16]; /* strings that the options point to */
    size_t n_kept;
    const char **paths;
    PyObject *items;    /* what is iterated */
    PyObject *iterator; /* over it */
    og_arrow_reader *reader;
    PyObject *options; /* of the object; kept */
    PyObject *reopen;  /* gives the stream of tables anew; may be NULL */
    struct binding_document current;
    uint64_t n_given;
    uint64_t *nulls; /* the numbers of objects without a text */
    size_t n_nulls, nulls_cap;
    uint64_t max_text;  /* bytes: longer ones are left out */
    uint64_t n_texts;   /* that came from next_document() or were too long */
    uint64_t *too_long; /* the numbers of those among them */
    size_t n_too_long, too_long_cap, n_told;
    PyObject *on_progress, *on_problem;
    PyObject *error_type, *error_value, *error_trace;
    atomic_bool is_stopped;
    int64_t checked_at; /* microseconds: when signals were looked for last */
    int64_t shown_at;   /* when progress was shown last */
};

/* Before and after a run without the GIL. _begin: false with an exception when
 * the interpreter is about to end. _end raises what a callback raised, a
 * signal, or the status; false then. */
bool binding_run_begin(struct binding_input *input);
bool binding_run_end(struct binding_input *input, og_status status,
                     const og_error *err);
/* In a callback, with the GIL: keeps the exception that is set and stops. */
void binding_run_fail(struct binding_input *input);
/* In a callback of the calling thread, without the GIL: signals, sometimes.
 * False: stop. */
bool binding_run_check(struct binding_input *input);
PyObject *binding_counts(const og_stream_counts *counts,
                         const struct binding_input *input);
/* stop_all(): ends all runs and waits for them, before the interpreter goes.
 * Threads of the library that ask for the GIL after that would crash. */
PyObject *binding_stop_all(PyObject *self, PyObject *args);
/* Whether an object is one; else a TypeError. */
struct binding_input *binding_input_of(PyObject *object);

/* ---- the rest ---- */

extern PyType_Spec binding_store_spec;
bool binding_make_cursor_type(void); /* of Store.cursor() */
extern PyType_Spec binding_minhash_spec;
extern PyType_Spec binding_bands_spec;
extern PyType_Spec binding_hamming_spec;
PyObject *binding_dedup(PyObject *self, PyObject *args);
PyObject *binding_compare(PyObject *self, PyObject *args);
PyObject *binding_stage(PyObject *self, PyObject *args);
PyObject *binding_band_keys(PyObject *self, PyObject *args);
PyObject *binding_fingerprint_keys(PyObject *self, PyObject *args);
PyObject *binding_compare_pairs(PyObject *self, PyObject *args);
PyObject *binding_least_equal(PyObject *self, PyObject *options);
/* The options of dedup() and of a new store; false: exception set. */
bool binding_dedup_options(PyObject *options, og_dedup_options *out);
bool binding_params(PyObject *options, og_params *out);
PyObject *binding_simhash(PyObject *self, PyObject *args);
/* The samples of a Sketch, valid until it changes; false with a TypeError for
 * anything else. Runs no code of the caller's. */
bool binding_sketch_samples(PyObject *object, const uint32_t **out,
                            size_t *out_n);
PyObject *binding_read(PyObject *self, PyObject *args);
PyObject *binding_addresses(PyObject *self, PyObject *object);
/* A capsule with a stream; frees the table. */
PyObject *binding_table(og_arrow_table *table);
/* An answer as bytes of JSON, offsets in characters. */
PyObject *binding_answer_json(const og_document *doc, const og_answer *answer);

/* The types that the module made; borrowed. */
extern PyObject *binding_input_type, *binding_minhash_type;

#endif
