/* Input: what a run reads, and what happens to Python while it runs. */

#include "binding.h"

#include <string.h>
#include <time.h>

/* How often a run looks for Ctrl-C and reports its progress. */
#define CHECK_EVERY 50000 /* microseconds */

/* A text that questions can be asked about has at most so many bytes. */
#define TEXT_MOST (1 << 30)

static int64_t now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* ---- a run ---- */

static atomic_bool is_exiting;
static atomic_size_t n_running;

PyObject *binding_stop_all(PyObject *self, PyObject *args)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)self;
    (void)args;
    atomic_store(&is_exiting, true);
    Py_BEGIN_ALLOW_THREADS while (atomic_load(&n_running) > 0)
        nanosleep(&pause, NULL);
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static bool is_stopped(const struct binding_input *in)
{
    return atomic_load(&in->is_stopped) || atomic_load(&is_exiting);
}

void binding_run_fail(struct binding_input *in)
{
    if (in->error_type == NULL)
        PyErr_Fetch(&in->error_type, &in->error_value, &in->error_trace);
    else
        PyErr_Clear();
    atomic_store(&in->is_stopped, true);
}

bool binding_run_begin(struct binding_input *in)
{
    Py_CLEAR(in->error_type);
    Py_CLEAR(in->error_value);
    Py_CLEAR(in->error_trace);
    atomic_store(&in->is_stopped, false);
    in->checked_at = in->shown_at = now();
    if (atomic_load(&is_exiting)) {
        PyErr_SetString(PyExc_RuntimeError, "the interpreter is ending");
        return false;
    }
    atomic_fetch_add(&n_running, 1);
    return true;
}

bool binding_run_end(struct binding_input *in, og_status status,
                     const og_error *err)
{
    atomic_fetch_sub(&n_running, 1);
    binding_document_release(&in->current);
    if (in->error_type != NULL) {
        PyErr_Restore(in->error_type, in->error_value, in->error_trace);
        in->error_type = in->error_value = in->error_trace = NULL;
        return false;
    }
    if (PyErr_CheckSignals() < 0) return false;
    if (status == OG_OK) return true;
    binding_raise(status, err);
    return false;
}

bool binding_run_check(struct binding_input *in)
{
    if (is_stopped(in)) return false;
    const int64_t time = now();
    if (time - in->checked_at < CHECK_EVERY) return true;
    in->checked_at = time;
    const PyGILState_STATE state = PyGILState_Ensure();
    if (PyErr_CheckSignals() < 0) binding_run_fail(in);
    PyGILState_Release(state);
    return !is_stopped(in);
}

static bool should_stop(void *ctx)
{
    return is_stopped(ctx);
}

static void on_progress(void *ctx, const char *step,
                        const og_stream_counts *counts)
{
    struct binding_input *in = ctx;
    const int64_t time = now();
    /* A time of its own: answers, too, look for signals, and more often. */
    if (time - in->shown_at < CHECK_EVERY || is_stopped(in)) return;
    in->shown_at = time;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *result = NULL;
    if (PyErr_CheckSignals() < 0) {
        binding_run_fail(in);
    } else if (in->on_progress != NULL) {
        result =
            PyObject_CallFunction(in->on_progress, "sKK", step,
                                  (unsigned long long)counts->n_documents,
                                  (unsigned long long)counts->n_text_bytes);
        if (result == NULL) binding_run_fail(in);
        Py_XDECREF(result);
    }
    PyGILState_Release(state);
}

static void on_problem(void *ctx, const og_problem *problem)
{
    struct binding_input *in = ctx;
    if (in->on_problem == NULL) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *file = binding_string(problem->file);
    PyObject *result =
        file == NULL
            ? NULL
            : PyObject_CallFunction(in->on_problem, "OKKis", file,
                                    (unsigned long long)problem->line,
                                    (unsigned long long)problem->offset,
                                    (int)problem->skipped, problem->message);
    if (result == NULL) binding_run_fail(in);
    Py_XDECREF(file);
    Py_XDECREF(result);
    PyGILState_Release(state);
}

/* ---- documents of Python objects ---- */

static og_status failed(struct binding_input *in, og_error *err)
{
    binding_run_fail(in);
    if (err != NULL) err->status = OG_ERR_STOPPED;
    return OG_ERR_STOPPED;
}

static bool note_number(uint64_t **numbers, size_t *n, size_t *cap,
                        uint64_t number)
{
    if (*n == *cap) {
        const size_t more = *cap > 0 ? *cap * 2 : 64;
        uint64_t *grown = PyMem_Realloc(*numbers, more * sizeof(*grown));
        if (grown == NULL) return PyErr_NoMemory() != NULL;
        *numbers = grown;
        *cap = more;
    }
    (*numbers)[(*n)++] = number;
    return true;
}

static bool note_null(struct binding_input *in)
{
    return note_number(&in->nulls, &in->n_nulls, &in->nulls_cap,
                       in->n_given - 1);
}

static og_status next_object(struct binding_input *in, og_document *out,
                             og_error *err)
{
    char place[40];
    for (;;) {
        binding_document_release(&in->current);
        PyObject *item = PyIter_Next(in->iterator);
        if (item == NULL)
            return PyErr_Occurred() != NULL ? failed(in, err) : OG_END;
        PyOS_snprintf(place, sizeof(place), "document %llu",
                      (unsigned long long)in->n_given++);
        const bool is_read =
            binding_document(item, &in->input.fields, place, &in->current);
        Py_DECREF(item);
        if (!is_read) return failed(in, err);
        if (in->current.is_null) {
            if (!note_null(in)) return failed(in, err);
            continue;
        }
        *out = in->current.doc;
        return OG_OK;
    }
}

static og_status next_text(struct binding_input *in, og_document *out,
                           og_error *err)
{
    if (in->reader != NULL) return og_arrow_reader_next(in->reader, out, err);
    const PyGILState_STATE state = PyGILState_Ensure();
    const og_status status = next_object(in, out, err);
    PyGILState_Release(state);
    return status;
}

/* Reported once, however often the input is read. */
static og_status note_too_long(struct binding_input *in, og_error *err)
{
    const og_problem problem = {.line = in->n_texts + 1,
                                .skipped = true,
                                .message = "the text is too long"};
    const bool is_new = in->n_too_long == in->n_told;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool is_noted = note_number(&in->too_long, &in->n_too_long,
                                      &in->too_long_cap, in->n_texts);
    const og_status status = is_noted ? OG_OK : failed(in, err);
    PyGILState_Release(state);
    if (is_new && is_noted) {
        in->n_told++;
        on_problem(in, &problem);
    }
    return status;
}

/* What the library does not take is left out here, before it is copied. */
static og_status next_document(void *ctx, og_document *out, og_error *err)
{
    struct binding_input *in = ctx;
    for (;; in->n_texts++) {
        const og_status status = next_text(in, out, err);
        if (status != OG_OK) return status;
        if (out->text.len <= in->max_text) break;
        const og_status noted = note_too_long(in, err);
        if (noted != OG_OK) return noted;
    }
    in->n_texts++;
    return OG_OK;
}

static bool begin_items(struct binding_input *in)
{
    Py_CLEAR(in->iterator);
    in->iterator = PyObject_GetIter(in->items);
    in->n_given = 0;
    in->n_nulls = 0;
    in->n_texts = 0;
    in->n_too_long = 0;
    return in->iterator != NULL;
}

static bool open_arrow(struct binding_input *in, PyObject *capsule);

static bool reopen(struct binding_input *in)
{
    PyObject *capsule = PyObject_CallFunctionObjArgs(in->reopen, NULL);
    if (capsule == NULL) return false;
    og_arrow_reader_close(in->reader);
    in->reader = NULL;
    in->n_texts = 0;
    in->n_too_long = 0;
    const bool is_open = open_arrow(in, capsule);
    Py_DECREF(capsule);
    return is_open;
}

static og_status rewind_documents(void *ctx, og_error *err)
{
    struct binding_input *in = ctx;
    if (in->reader != NULL && in->reopen == NULL)
        return og_arrow_reader_rewind(in->reader, err);
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool is_begun = in->reader != NULL ? reopen(in) : begin_items(in);
    const og_status status = is_begun ? OG_OK : failed(in, err);
    PyGILState_Release(state);
    return status;
}

/* ---- the object ---- */

static void keep(struct binding_input *in, PyObject *object)
{
    Py_INCREF(object);
    in->kept[in->n_kept++] = object;
}

static bool set_field_name(struct binding_input *in, PyObject *fields,
                           const char *name, const char **out)
{
    PyObject *value =
        fields != NULL ? PyDict_GetItemString(fields, name) : NULL;
    if (value == NULL) return true;
    if (value == Py_None) {
        *out = NULL;
        return true;
    }
    keep(in, value);
    return binding_option_text(fields, name, out);
}

static bool set_fields(struct binding_input *in, PyObject *fields)
{
    og_fields *f = &in->input.fields;
    return set_field_name(in, fields, "id", &f->id) &&
           set_field_name(in, fields, "time", &f->time) &&
           set_field_name(in, fields, "title", &f->title) &&
           set_field_name(in, fields, "url", &f->url) &&
           set_field_name(in, fields, "text", &f->text);
}

static bool set_paths(struct binding_input *in, PyObject *paths)
{
    const Py_ssize_t n = PyList_Size(paths);
    if (n < 0) return false;
    in->paths = PyMem_Calloc((size_t)n + 1, sizeof(*in->paths));
    if (in->paths == NULL) return PyErr_NoMemory() != NULL;
    keep(in, paths);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *path = PyList_GetItem(paths, i);
        char *text = PyBytes_AsString(path); /* os.fsencode() made it */
        if (text == NULL) return false;
        in->paths[i] = text;
    }
    in->input.paths = in->paths;
    in->input.n_paths = (size_t)n;
    return true;
}

static bool open_arrow(struct binding_input *in, PyObject *capsule)
{
    PyObject *options = in->options;
    struct ArrowArrayStream *stream =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    og_arrow_options o = og_arrow_options_default();
    og_error err = {0};
    if (stream == NULL) return false;
    if (stream->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "the stream was used before");
        return false;
    }
    PyObject *required = binding_option(options, "required");
    o.fields = in->input.fields;
    if (required != NULL &&
        !(binding_option_text(required, "id", &o.required.id) &&
          binding_option_text(required, "time", &o.required.time) &&
          binding_option_text(required, "title", &o.required.title) &&
          binding_option_text(required, "url", &o.required.url)))
        return false;
    og_status status;
    Py_BEGIN_ALLOW_THREADS status =
        og_arrow_reader_open(stream, &o, &in->reader, &err);
    Py_END_ALLOW_THREADS return status == OG_OK ||
        binding_raise(status, &err) != NULL;
}

static bool set_items(struct binding_input *in, PyObject *items)
{
    Py_INCREF(items);
    in->items = items;
    return begin_items(in);
}

static bool set_callback(PyObject *options, const char *name, PyObject **out)
{
    PyObject *value = binding_option(options, name);
    Py_XINCREF(value);
    *out = value;
    return true;
}

static bool set_reading(struct binding_input *in, PyObject *options)
{
    const char *kind = NULL;
    uint64_t threads = 0;
    if (!binding_option_text(options, "kind", &kind) ||
        !binding_option_u64(options, "threads", &threads) ||
        !binding_option_u64(options, "max_document", &in->input.max_document) ||
        !binding_option_u64(options, "max_text", &in->max_text))
        return false;
    in->input.n_threads = (unsigned)threads;
    if (kind == NULL) return true;
    if (og_file_kind_parse((og_bytes){kind, strlen(kind)},
                           &in->input.reading.kind))
        return true;
    PyErr_Format(PyExc_ValueError, "kind '%s': not one that origo reads", kind);
    return false;
}

static bool set_source(struct binding_input *in, PyObject *options)
{
    PyObject *paths = binding_option(options, "paths");
    PyObject *arrow = binding_option(options, "arrow");
    PyObject *items = binding_option(options, "items");
    if (paths != NULL) return set_paths(in, paths);
    in->input.next = next_document;
    if (arrow != NULL) {
        in->reopen = binding_option(options, "reopen");
        if (in->reopen != NULL) in->input.rewind = rewind_documents;
        return open_arrow(in, arrow);
    }
    if (items == NULL) {
        PyErr_SetString(PyExc_TypeError, "no documents");
        return false;
    }
    if (PySequence_Check(items)) in->input.rewind = rewind_documents;
    return set_items(in, items);
}

static int input_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct binding_input *in = (struct binding_input *)self;
    PyObject *options;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &options)) return -1;
    if (in->n_kept > 0 || in->items != NULL || in->reader != NULL) {
        PyErr_SetString(PyExc_TypeError, "an input is made once");
        return -1;
    }
    in->input = og_input_default();
    in->input.ctx = in;
    in->input.max_document = INT32_MAX;
    in->max_text = TEXT_MOST;
    in->input.should_stop = should_stop;
    in->input.on_progress = on_progress;
    in->input.on_problem = on_problem;
    keep(in, options);
    in->options = options;
    return set_reading(in, options) &&
                   set_fields(in, binding_option(options, "fields")) &&
                   set_callback(options, "on_progress", &in->on_progress) &&
                   set_callback(options, "on_problem", &in->on_problem) &&
                   set_source(in, options)
               ? 0
               : -1;
}

static void input_free(PyObject *self)
{
    struct binding_input *in = (struct binding_input *)self;
    PyTypeObject *type = Py_TYPE(self);
    binding_document_release(&in->current);
    for (size_t i = 0; i < in->n_kept; i++)
        Py_DECREF(in->kept[i]);
    Py_XDECREF(in->items);
    Py_XDECREF(in->iterator);
    Py_XDECREF(in->on_progress);
    Py_XDECREF(in->on_problem);
    Py_XDECREF(in->error_type);
    Py_XDECREF(in->error_value);
    Py_XDECREF(in->error_trace);
    PyMem_Free(in->paths);
    PyMem_Free(in->nulls);
    PyMem_Free(in->too_long);
    og_arrow_reader_close(in->reader);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

PyObject *binding_counts(const og_stream_counts *c,
                         const struct binding_input *in)
{
    og_arrow_counts arrow = {0};
    if (in->reader != NULL) og_arrow_reader_counts(in->reader, &arrow);
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsKsKsKsK}", "n_documents", c->n_documents, "n_skipped",
        c->n_skipped + in->n_too_long, "n_repaired", c->n_repaired, "n_added",
        c->n_added, "n_repeated_ids", c->n_repeated_ids, "n_known", c->n_known,
        "n_bad_times", c->n_bad_times + arrow.n_bad_times, "n_text_bytes",
        c->n_text_bytes, "n_tokens", c->n_tokens, "n_files", c->n_files,
        "n_nulls", (unsigned long long)in->n_nulls + arrow.n_nulls);
}

struct binding_input *binding_input_of(PyObject *object)
{
    if ((PyObject *)Py_TYPE(object) == binding_input_type)
        return (struct binding_input *)object;
    PyErr_SetString(PyExc_TypeError, "an Input is needed");
    return NULL;
}

/* nulls() -> the numbers of rows without a text, as bytes of uint64 */
static PyObject *input_nulls(PyObject *self, PyObject *args)
{
    const struct binding_input *in = (const struct binding_input *)self;
    const uint64_t *nulls = in->nulls;
    size_t n = in->n_nulls;
    (void)args;
    if (in->reader != NULL) nulls = og_arrow_reader_nulls(in->reader, &n);
    return PyBytes_FromStringAndSize((const char *)nulls,
                                     (Py_ssize_t)(n * sizeof(*nulls)));
}

/* too_long() -> the numbers, among rows with a text, of those that were left
 * out, as bytes of uint64 */
static PyObject *input_too_long(PyObject *self, PyObject *args)
{
    const struct binding_input *in = (const struct binding_input *)self;
    (void)args;
    return PyBytes_FromStringAndSize(
        (const char *)in->too_long,
        (Py_ssize_t)(in->n_too_long * sizeof(*in->too_long)));
}

static PyMethodDef input_methods[] = {
    {"too_long", input_too_long, METH_NOARGS, NULL},
    {"nulls", input_nulls, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot input_slots[] = {
    {Py_tp_methods, input_methods},
    {Py_tp_init, input_init},
    {Py_tp_dealloc, input_free},
    {Py_tp_doc, (void *)"What a run reads."},
    {0, NULL},
};

PyType_Spec binding_input_spec = {
    .name = "origo._origo.Input",
    .basicsize = sizeof(struct binding_input),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = input_slots,
};
