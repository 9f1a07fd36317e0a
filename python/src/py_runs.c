/* Runs without a store: deduplication, reading, comparing two texts. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>

/* ---- deduplication ---- */

struct deciding {
    struct binding_input *input;
    struct binding_buffer kept; /* a byte for each document */
    struct binding_buffer of;   /* int64: the number of the one that stays */
    struct binding_buffer similarity; /* double */
    PyObject *names; /* number: the id of one that is not of the input */
    PyObject *texts; /* number: what is left of it */
};

/* Few documents are cut, or are copies of one that is not of the input. */
static bool note_string(PyObject *dict, uint64_t number, og_bytes bytes)
{
    PyObject *key = PyLong_FromUnsignedLongLong(number);
    PyObject *value = key != NULL ? binding_string(bytes) : NULL;
    const bool is_noted =
        value != NULL && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return is_noted;
}

static bool note_strings(struct deciding *d, const og_dedup_decision *decision)
{
    const bool has_name = !decision->is_kept && decision->of_id.len > 0 &&
                          decision->of_number == OG_NOT_OF_INPUT;
    if (!has_name && !decision->is_cut) return true;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool is_noted =
        (!has_name ||
         note_string(d->names, decision->number, decision->of_id)) &&
        (!decision->is_cut ||
         note_string(d->texts, decision->number, decision->text));
    if (!is_noted) binding_run_fail(d->input);
    PyGILState_Release(state);
    return is_noted;
}

static bool give_decision(void *ctx, const og_dedup_decision *decision)
{
    struct deciding *d = ctx;
    const char kept = decision->is_kept;
    const int64_t of = decision->of_number == OG_NOT_OF_INPUT
                           ? -1
                           : (int64_t)decision->of_number;
    const double similarity = decision->is_kept ? 0 : decision->similarity;
    if (!binding_append(&d->kept, &kept, sizeof(kept)) ||
        !binding_append(&d->of, &of, sizeof(of)) ||
        !binding_append(&d->similarity, &similarity, sizeof(similarity))) {
        const PyGILState_STATE state = PyGILState_Ensure();
        PyErr_NoMemory();
        binding_run_fail(d->input);
        PyGILState_Release(state);
        return false;
    }
    return note_strings(d, decision) && binding_run_check(d->input);
}

static void release_decisions(struct deciding *d)
{
    free(d->kept.data);
    free(d->of.data);
    free(d->similarity.data);
    Py_XDECREF(d->names);
    Py_XDECREF(d->texts);
}

/* (kept, of, similarity, names, texts) */
static PyObject *decisions_of(const struct deciding *d)
{
    PyObject *kept = binding_buffer_bytes(&d->kept),
             *of = binding_buffer_bytes(&d->of);
    PyObject *similarity = binding_buffer_bytes(&d->similarity);
    if (kept != NULL && of != NULL && similarity != NULL)
        return Py_BuildValue("NNNOO", kept, of, similarity, d->names, d->texts);
    Py_XDECREF(kept);
    Py_XDECREF(of);
    Py_XDECREF(similarity);
    return NULL;
}

bool binding_dedup_options(PyObject *options, og_dedup_options *o)
{
    static const char *const levels[] = {"document", "passage", "sentence",
                                         "line"};
    static const char *const keeps[] = {"first", "last", "longest", "field"};
    static const char *const clusters[] = {"star", "components"};
    static const char *const measures[] = {"jaccard", "containment"};
    static const char *const formats[] = {"tsv", "jsonl"};
    const char *preset = NULL, *tokens = NULL;
    int level = 0, keep = 0, cluster = 0, measure = 0, format = 0;
    if (!binding_option_text(options, "preset", &preset)) return false;
    if (preset != NULL &&
        !og_dedup_preset((og_bytes){preset, strlen(preset)}, o)) {
        PyErr_Format(PyExc_ValueError,
                     "preset '%s': must be datatrove, slimpajama, nemo or "
                     "thorough",
                     preset);
        return false;
    }
    if (!binding_option_name(options, "level", &level, levels, 4) ||
        !binding_option_name(options, "keep", &keep, keeps, 4) ||
        !binding_option_name(options, "cluster", &cluster, clusters, 2) ||
        !binding_option_name(options, "measure", &measure, measures, 2) ||
        !binding_option_name(options, "format", &format, formats, 2) ||
        !binding_option_text(options, "keep_field", &o->keep_field) ||
        !binding_option_text(options, "tokens", &tokens) ||
        !binding_option_u32(options, "shingle", &o->shingle_len) ||
        !binding_option_u32(options, "bands", &o->n_bands) ||
        !binding_option_u32(options, "rows", &o->n_rows) ||
        !binding_option_u32(options, "min_tokens", &o->least_tokens) ||
        !binding_option_u64(options, "memory", &o->memory) ||
        !binding_option_double(options, "threshold", &o->threshold) ||
        !binding_option_text(options, "output", &o->output) ||
        !binding_option_text(options, "report", &o->report) ||
        !binding_option_bool(options, "resume", &o->resume) ||
        !binding_option_bool(options, "annotate", &o->annotate))
        return false;
    o->level = (og_dedup_level)level;
    o->keep = (og_keep_kind)keep;
    o->cluster = (og_cluster_kind)cluster;
    o->measure = (og_measure_kind)measure;
    o->format = format == 1 ? OG_FORMAT_JSON : OG_FORMAT_TSV;
    if (tokens == NULL ||
        og_token_parse((og_bytes){tokens, strlen(tokens)}, &o->tokens))
        return true;
    PyErr_Format(PyExc_ValueError,
                 "tokens '%s': must be words, chars, lines or dna", tokens);
    return false;
}

#define AGAINST_MOST 256

/* Paths that os.fsencode() made. */
static bool set_against(PyObject *options, const char **paths,
                        og_dedup_options *o)
{
    PyObject *list = binding_option(options, "against");
    if (list == NULL) return true;
    const Py_ssize_t n = PyList_Size(list);
    if (n < 0) return false;
    if (n > AGAINST_MOST) {
        PyErr_Format(PyExc_ValueError, "against: more than %d paths",
                     AGAINST_MOST);
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        paths[i] = PyBytes_AsString(PyList_GetItem(list, i));
        if (paths[i] == NULL) return false;
    }
    o->against = paths;
    o->n_against = (size_t)n;
    return true;
}

static PyObject *dedup_counts(const og_dedup_counts *c,
                              const struct binding_input *in)
{
    PyObject *stream = binding_counts(&c->stream, in);
    if (stream == NULL) return NULL;
    return Py_BuildValue("{sNsKsKsKsKsKsKsKsKsK}", "stream", stream,
                         "n_against", c->n_against, "n_kept", c->n_kept,
                         "n_removed", c->n_removed, "n_clusters", c->n_clusters,
                         "n_candidates", c->n_candidates, "n_compared",
                         c->n_compared, "n_cut", c->n_cut, "cut_bytes",
                         c->cut_len, "kept_bytes", c->kept_len);
}

static PyObject *run_dedup(struct deciding *d, og_dedup_options *o, bool decide)
{
    og_dedup_counts counts = {0};
    og_error err = {0};
    og_status status;
    d->names = PyDict_New();
    d->texts = PyDict_New();
    if (d->names == NULL || d->texts == NULL) return NULL;
    if (decide) {
        o->ctx = d;
        o->on_decision = give_decision;
    }
    if (!binding_run_begin(d->input)) return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        og_dedup_run(&d->input->input, o, &counts, &err);
    Py_END_ALLOW_THREADS if (!binding_run_end(d->input, status,
                                              &err)) return NULL;
    PyObject *numbers = dedup_counts(&counts, d->input);
    PyObject *decisions = numbers != NULL ? decisions_of(d) : NULL;
    if (decisions != NULL) return Py_BuildValue("NN", numbers, decisions);
    Py_XDECREF(numbers);
    return NULL;
}

/* dedup(input, options, decide) -> (counts, decisions) */
PyObject *binding_dedup(PyObject *self, PyObject *args)
{
    PyObject *object, *options;
    int decide;
    const char *against[AGAINST_MOST];
    og_dedup_options o = og_dedup_options_default();
    (void)self;
    if (!PyArg_ParseTuple(args, "OO!p", &object, &PyDict_Type, &options,
                          &decide))
        return NULL;
    struct deciding d = {.input = binding_input_of(object)};
    o.output = NULL;
    if (d.input == NULL || !binding_dedup_options(options, &o) ||
        !set_against(options, against, &o))
        return NULL;
    PyObject *result = run_dedup(&d, &o, decide);
    release_decisions(&d);
    return result;
}

/* ---- reading ---- */

struct reading {
    struct binding_input *input;
    PyObject *function;
};

static bool give_document(void *ctx, const og_document *doc)
{
    struct reading *r = ctx;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *id = binding_string(doc->id), *text = binding_string(doc->text);
    PyObject *title = binding_string(doc->title);
    PyObject *url = binding_string(doc->url);
    PyObject *language = binding_string(doc->language);
    PyObject *time = binding_time(doc->has_time, doc->time);
    PyObject *source =
        PyUnicode_FromString(og_time_source_name(doc->time_source));
    PyObject *result =
        id != NULL && text != NULL && title != NULL && url != NULL &&
                language != NULL && time != NULL && source != NULL
            ? PyObject_CallFunctionObjArgs(r->function, id, time, source, title,
                                           url, language, text, NULL)
            : NULL;
    const bool goes_on = result != NULL && result != Py_False;
    if (result == NULL) binding_run_fail(r->input);
    Py_XDECREF(id);
    Py_XDECREF(text);
    Py_XDECREF(title);
    Py_XDECREF(url);
    Py_XDECREF(language);
    Py_XDECREF(time);
    Py_XDECREF(source);
    Py_XDECREF(result);
    PyGILState_Release(state);
    return goes_on && binding_run_check(r->input);
}

/* read(input, function) -> counts */
PyObject *binding_read(PyObject *self, PyObject *args)
{
    PyObject *object, *function;
    og_stream_counts counts = {0};
    og_error err = {0};
    og_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &object, &function)) return NULL;
    struct reading r = {binding_input_of(object), function};
    if (r.input == NULL) return NULL;
    if (!binding_run_begin(r.input)) return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        og_input_read(&r.input->input, give_document, &r, &counts, &err);
    Py_END_ALLOW_THREADS if (!binding_run_end(r.input, status,
                                              &err)) return NULL;
    return binding_counts(&counts, r.input);
}

static bool give_address(void *ctx, const og_document *doc)
{
    struct reading *r = ctx;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *pair =
        Py_BuildValue("NK", PyLong_FromVoidPtr((void *)doc->text.data),
                      (unsigned long long)doc->text.len);
    const bool is_added = pair != NULL && PyList_Append(r->function, pair) == 0;
    if (!is_added) binding_run_fail(r->input);
    Py_XDECREF(pair);
    PyGILState_Release(state);
    return is_added;
}

/* addresses(input) -> [(address, length)] of the texts of an Arrow stream or
 * of objects, as the library is given them: for the test that nothing is
 * copied on the way. */
PyObject *binding_addresses(PyObject *self, PyObject *object)
{
    struct binding_input *in = binding_input_of(object);
    og_document doc;
    og_error err = {0};
    og_status status;
    (void)self;
    if (in == NULL) return NULL;
    if (in->input.next == NULL) {
        PyErr_SetString(PyExc_TypeError, "files have no addresses");
        return NULL;
    }
    struct reading r = {in, PyList_New(0)};
    if (r.function == NULL) return NULL;
    while ((status = in->input.next(in->input.ctx, &doc, &err)) == OG_OK &&
           give_address(&r, &doc))
        ;
    binding_document_release(&in->current);
    if (status == OG_END) return r.function;
    Py_DECREF(r.function);
    return PyErr_Occurred() != NULL ? NULL : binding_raise(status, &err);
}

/* ---- two texts ---- */

static const og_fields plain_fields = OG_FIELDS_DEFAULT;

static PyObject *compare(const og_document *doc, const og_document *origin,
                         const og_compare_options *options)
{
    og_error err = {0};
    og_status status = OG_ERR_MEMORY;
    og_comparison *comparison = og_comparison_new();
    if (comparison == NULL) return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS status =
        og_compare(comparison, doc, origin, options, &err);
    Py_END_ALLOW_THREADS PyObject *json =
        status == OG_OK
            ? binding_answer_json(doc, og_comparison_answer(comparison))
            : binding_raise(status, &err);
    og_comparison_free(comparison);
    return json;
}

/* compare(document, origin, options) -> JSON */
PyObject *binding_compare(PyObject *self, PyObject *args)
{
    PyObject *a, *b, *options, *json = NULL;
    struct binding_document doc = {.n_held = 0}, origin = {.n_held = 0};
    og_compare_options o = og_compare_options_default();
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &a, &b, &options)) return NULL;
    if (!binding_option_u32(options, "min_copy", &o.min_copy) ||
        !binding_option_bool(options, "reworded", &o.reworded))
        return NULL;
    if (binding_document(a, &plain_fields, "the document", &doc) &&
        binding_document(b, &plain_fields, "the origin", &origin)) {
        if (doc.is_null || origin.is_null)
            PyErr_SetString(PyExc_ValueError, "a text is missing");
        else
            json = compare(&doc.doc, &origin.doc, &o);
    }
    binding_document_release(&doc);
    binding_document_release(&origin);
    return json;
}
