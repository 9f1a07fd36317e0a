/* Keys of documents, for engines that shuffle. */

#include "binding.h"

#include <stdlib.h>

struct noting {
    struct binding_input *input;
    struct binding_buffer key;      /* uint64 */
    struct binding_buffer token;    /* uint32: of fingerprints */
    struct binding_buffer n;        /* int64: keys of each document */
    struct binding_buffer n_tokens; /* int64: of each document */
    struct binding_buffer sample;   /* uint8: of bands */
};

static bool note_keys(void *ctx, const og_document_keys *keys)
{
    struct noting *n = ctx;
    const int64_t n_keys = (int64_t)keys->n;
    const int64_t n_tokens = (int64_t)keys->n_tokens;
    if (binding_append(&n->n, &n_keys, sizeof(n_keys)) &&
        binding_append(&n->n_tokens, &n_tokens, sizeof(n_tokens)) &&
        (keys->n_samples == 0 ||
         binding_append(&n->sample, keys->sample, keys->n_samples)) &&
        (keys->n == 0 ||
         binding_append(&n->key, keys->key, keys->n * sizeof(*keys->key))) &&
        (keys->n == 0 || keys->token == NULL ||
         binding_append(&n->token, keys->token,
                        keys->n * sizeof(*keys->token))))
        return binding_run_check(n->input);
    const PyGILState_STATE state = PyGILState_Ensure();
    PyErr_NoMemory();
    binding_run_fail(n->input);
    PyGILState_Release(state);
    return false;
}

static void release_notes(struct noting *n)
{
    free(n->key.data);
    free(n->token.data);
    free(n->n.data);
    free(n->n_tokens.data);
    free(n->sample.data);
}

/* (counts, keys, tokens, n, n_tokens, samples) */
static PyObject *notes_of(struct noting *n, const og_stream_counts *counts)
{
    PyObject *parts[] = {
        binding_counts(counts, n->input),   binding_buffer_bytes(&n->key),
        binding_buffer_bytes(&n->token),    binding_buffer_bytes(&n->n),
        binding_buffer_bytes(&n->n_tokens), binding_buffer_bytes(&n->sample)};
    PyObject *result = NULL;
    if (parts[0] != NULL && parts[1] != NULL && parts[2] != NULL &&
        parts[3] != NULL && parts[4] != NULL && parts[5] != NULL)
        result = PyTuple_Pack(6, parts[0], parts[1], parts[2], parts[3],
                              parts[4], parts[5]);
    for (size_t i = 0; i < 6; i++)
        Py_XDECREF(parts[i]);
    return result;
}

/* Both functions: (input, options) with the options of dedup() or those of a
 * Store. */
static PyObject *keys_of(PyObject *args, bool wants_bands)
{
    PyObject *object, *options, *result = NULL;
    og_dedup_options dedup = og_dedup_options_default();
    og_params params = og_params_default();
    og_stream_counts counts = {0};
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "OO!", &object, &PyDict_Type, &options))
        return NULL;
    struct noting n = {.input = binding_input_of(object)};
    const bool is_read =
        n.input != NULL && (wants_bands ? binding_dedup_options(options, &dedup)
                                        : binding_params(options, &params));
    if (!is_read || !binding_run_begin(n.input)) return NULL;
    const og_input *input = &n.input->input;
    Py_BEGIN_ALLOW_THREADS;
    status =
        wants_bands
            ? og_band_keys(input, &dedup, note_keys, &n, &counts, &err)
            : og_fingerprint_keys(input, &params, note_keys, &n, &counts, &err);
    Py_END_ALLOW_THREADS;
    if (binding_run_end(n.input, status, &err)) result = notes_of(&n, &counts);
    release_notes(&n);
    return result;
}

PyObject *binding_band_keys(PyObject *self, PyObject *args)
{
    (void)self;
    return keys_of(args, true);
}

PyObject *binding_fingerprint_keys(PyObject *self, PyObject *args)
{
    (void)self;
    return keys_of(args, false);
}

/* compare_pairs(input, options, pairs) -> similarities: of two int64 for each
 * pair a double; both are bytes. */
PyObject *binding_compare_pairs(PyObject *self, PyObject *args)
{
    PyObject *object, *options, *pairs, *result = NULL;
    og_dedup_options o = og_dedup_options_default();
    og_error err = {0};
    og_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO!S", &object, &PyDict_Type, &options,
                          &pairs))
        return NULL;
    const size_t n = (size_t)PyBytes_Size(pairs) / sizeof(og_document_pair);
    const void *data = PyBytes_AsString(pairs);
    struct binding_input *in = binding_input_of(object);
    if (in == NULL || !binding_dedup_options(options, &o)) return NULL;
    double *out = malloc(n * sizeof(*out) + 1);
    if (out == NULL) return PyErr_NoMemory();
    if (binding_run_begin(in)) {
        Py_BEGIN_ALLOW_THREADS;
        status = og_dedup_compare(&in->input, &o, data, n, out, NULL, &err);
        Py_END_ALLOW_THREADS;
        if (binding_run_end(in, status, &err))
            result = PyBytes_FromStringAndSize((const char *)out,
                                               (Py_ssize_t)(n * sizeof(*out)));
    }
    free(out);
    return result;
}

/* least_equal(options) -> samples */
PyObject *binding_least_equal(PyObject *self, PyObject *options)
{
    og_dedup_options o = og_dedup_options_default();
    (void)self;
    if (!PyDict_Check(options))
        return PyErr_Format(PyExc_TypeError, "options: must be a dict");
    if (!binding_dedup_options(options, &o)) return NULL;
    return PyLong_FromUnsignedLong(og_dedup_least_equal(&o));
}
