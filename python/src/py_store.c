/* Store: questions about single documents, and streams of them. */

#include "py_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ---- */

bool binding_params(PyObject *options, og_params *p)
{
    const char *preset = NULL, *same = NULL, *fold = NULL, *tokens = NULL;
    const char *select = NULL;
    if (!binding_option_text(options, "preset", &preset)) return false;
    if (preset != NULL &&
        !og_params_preset((og_bytes){preset, strlen(preset)}, p)) {
        PyErr_Format(PyExc_ValueError,
                     "preset '%s': must be prose, short, code or dna", preset);
        return false;
    }
    if (!binding_option_u64(options, "memory", &p->memory) ||
        !binding_option_u32(options, "shingle", &p->shingle_len) ||
        !binding_option_u64(options, "key", &p->key) ||
        !binding_option_bool(options, "no_texts", &p->no_texts) ||
        !binding_option_text(options, "same", &same) ||
        !binding_option_text(options, "fold", &fold) ||
        !binding_option_text(options, "select", &select) ||
        !binding_option_text(options, "tokens", &tokens))
        return false;
    if (tokens != NULL &&
        !og_token_parse((og_bytes){tokens, strlen(tokens)}, &p->tokens)) {
        PyErr_Format(PyExc_ValueError,
                     "tokens '%s': must be words, chars, lines or dna", tokens);
        return false;
    }
    if (select != NULL &&
        !og_select_parse((og_bytes){select, strlen(select)}, &p->select)) {
        PyErr_Format(PyExc_ValueError, "select '%s': no such selection",
                     select);
        return false;
    }
    if (fold != NULL &&
        !og_fold_parse((og_bytes){fold, strlen(fold)}, &p->fold)) {
        PyErr_Format(PyExc_ValueError, "fold '%s': no such folding", fold);
        return false;
    }
    if (same != NULL && strlen(same) >= sizeof(p->same)) {
        PyErr_SetString(PyExc_ValueError, "same: too long a name");
        return false;
    }
    if (same != NULL) strcpy(p->same, same);
    return true;
}

static bool set_indexes(PyObject *options, unsigned *out)
{
    const char *names = NULL;
    if (!binding_option_text(options, "indexes", &names)) return false;
    if (names == NULL ||
        og_indexes_parse((og_bytes){names, strlen(names)}, out))
        return true;
    PyErr_Format(PyExc_ValueError,
                 "indexes '%s': must be of passages, near, sentences", names);
    return false;
}

static int store_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct binding_store *s = (struct binding_store *)self;
    const char *path;
    int access;
    PyObject *options;
    og_params params = og_params_default();
    og_store_options o = {.params = &params};
    og_error err = {0};
    og_store *opened = NULL;
    og_status status;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "yiO!", &path, &access, &PyDict_Type, &options))
        return -1;
    if (s->store != NULL) {
        PyErr_SetString(PyExc_TypeError, "a store is opened once");
        return -1;
    }
    if (!binding_params(options, &params) || !set_indexes(options, &o.indexes))
        return -1;
    Py_BEGIN_ALLOW_THREADS status =
        og_store_open(path, (og_access)access, &o, &opened, &err);
    Py_END_ALLOW_THREADS if (status != OG_OK)
    {
        binding_raise(status, &err);
        return -1;
    }
    s->store = opened;
    s->pid = getpid();
    return 0;
}

/* ---- use ---- */

struct binding_store *binding_store_use(PyObject *self)
{
    struct binding_store *s = (struct binding_store *)self;
    if (s->store == NULL) {
        PyErr_SetString(PyExc_ValueError, "the store is closed");
        return NULL;
    }
    if (s->pid != getpid()) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the store was opened by another process, of which "
                        "this one is a fork: open it again here");
        return NULL;
    }
    s->n_busy++;
    return s;
}

void binding_store_leave(struct binding_store *s)
{
    s->n_busy--;
}

static og_trace *take_trace(struct binding_store *s)
{
    og_trace *trace =
        s->n_traces > 0 ? s->traces[--s->n_traces] : og_trace_new(s->store);
    if (trace == NULL) PyErr_NoMemory();
    return trace;
}

static void give_trace(struct binding_store *s, og_trace *trace)
{
    if (trace != NULL && s->n_traces < TRACES_KEPT)
        s->traces[s->n_traces++] = trace;
    else
        og_trace_free(trace);
}

static og_status close_store(struct binding_store *s, og_error *err)
{
    og_store *store = s->store;
    og_status status = OG_OK;
    if (store == NULL) return OG_OK;
    s->store = NULL;
    /* The parent's files are the parent's business. */
    if (s->pid != getpid()) return OG_OK;
    binding_close_cursors(s);
    while (s->n_traces > 0)
        og_trace_free(s->traces[--s->n_traces]);
    Py_BEGIN_ALLOW_THREADS status = og_store_close(store, err);
    Py_END_ALLOW_THREADS return status;
}

static PyObject *store_close(PyObject *self, PyObject *args)
{
    struct binding_store *s = (struct binding_store *)self;
    og_error err = {0};
    (void)args;
    if (s->n_busy > 0) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the store is in use: it cannot be closed now");
        return NULL;
    }
    const og_status status = close_store(s, &err);
    if (status != OG_OK) return binding_raise(status, &err);
    Py_RETURN_NONE;
}

static void store_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    close_store((struct binding_store *)self, NULL);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *store_commit(PyObject *self, PyObject *args)
{
    struct binding_store *s = binding_store_use(self);
    og_error err = {0};
    og_status status;
    (void)args;
    if (s == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = og_store_commit(s->store, &err);
    Py_END_ALLOW_THREADS s->n_busy--;
    if (status != OG_OK) return binding_raise(status, &err);
    Py_RETURN_NONE;
}

/* ---- one document ---- */

static const og_fields plain_fields = OG_FIELDS_DEFAULT;

/* One line of JSON, of an answer or of quotes. */
static PyObject *answer_bytes(const og_document *doc, const og_answer *answer,
                              const og_quotes *quotes,
                              const og_report_options *options)
{
    struct binding_buffer buffer = {0};
    og_report *report = NULL;
    og_error err = {0};
    og_status status =
        og_report_begin(binding_write, &buffer, options, &report, &err);
    if (status == OG_OK) {
        status = answer != NULL
                     ? og_report_add(report, doc, answer, &err)
                     : og_report_add_quotes(report, doc, quotes, &err);
        if (status == OG_OK)
            status = og_report_close(report, &err);
        else
            og_report_discard(report);
    }
    PyObject *bytes = status == OG_OK ? binding_buffer_bytes(&buffer)
                                      : binding_raise(status, &err);
    free(buffer.data);
    return bytes;
}

PyObject *binding_answer_json(const og_document *doc, const og_answer *answer)
{
    og_report_options options = og_report_options_default();
    options.format = OG_FORMAT_JSON;
    options.offsets = OG_OFFSETS_CHAR;
    options.matches = true;
    return answer_bytes(doc, answer, NULL, &options);
}

static const og_origin *origin_of(const og_answer *answer, uint64_t number)
{
    for (size_t i = 0; i < answer->n_origins; i++)
        if (answer->origins[i].number == number) return &answer->origins[i];
    return NULL;
}

/* The passage in its origin, for each span; None where it is not known. */
static PyObject *excerpts(const og_answer *answer)
{
    PyObject *list = PyList_New((Py_ssize_t)answer->n_spans);
    for (size_t i = 0; list != NULL && i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        const og_origin *origin = origin_of(answer, span->origin);
        PyObject *text = Py_None;
        if (origin != NULL && span->origin_end <= origin->text.len &&
            span->origin_begin <= span->origin_end)
            text = binding_string(
                (og_bytes){origin->text.data + span->origin_begin,
                           span->origin_end - span->origin_begin});
        else
            Py_INCREF(text);
        if (text == NULL) Py_CLEAR(list);
        if (list != NULL) PyList_SetItem(list, (Py_ssize_t)i, text);
    }
    return list;
}

static PyObject *answer_of(const og_document *doc, const og_answer *answer)
{
    PyObject *json = binding_answer_json(doc, answer);
    if (json == NULL) return NULL;
    PyObject *texts = excerpts(answer);
    return texts != NULL ? Py_BuildValue("NN", json, texts)
                         : (Py_DECREF(json), NULL);
}

static bool set_trace_options(PyObject *options, og_trace_options *o)
{
    const char *ignored = NULL;
    if (!binding_option_u64(options, "boilerplate_documents",
                            &o->boilerplate_documents) ||
        !binding_option_double(options, "boilerplate_share",
                               &o->boilerplate_share) ||
        !binding_option_u32(options, "min_span", &o->min_span) ||
        !binding_option_bool(options, "compare_same", &o->compare_same) ||
        !binding_option_bool(options, "no_verify", &o->no_verify) ||
        !binding_option_bool(options, "reworded", &o->reworded) ||
        !binding_option_text(options, "ignored", &ignored))
        return false;
    if (ignored != NULL) o->ignored = (og_bytes){ignored, strlen(ignored)};
    return true;
}

/* trace(document, options, add) -> (JSON, excerpts) */
static PyObject *store_trace(PyObject *self, PyObject *args)
{
    PyObject *object, *options, *result = NULL;
    int add;
    struct binding_document d = {.n_held = 0};
    og_trace_options o = {0};
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "OOp", &object, &options, &add)) return NULL;
    if (!set_trace_options(options, &o)) return NULL;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    og_trace *trace = NULL;
    if (binding_document(object, &plain_fields, "the document", &d))
        trace = take_trace(s);
    if (trace != NULL && d.is_null) {
        PyErr_SetString(PyExc_ValueError, "the document has no text");
    } else if (trace != NULL) {
        const bool is_plain = options == Py_None;
        Py_BEGIN_ALLOW_THREADS status =
            og_trace_configure(trace, is_plain ? NULL : &o, &err);
        if (status == OG_OK)
            status = add ? og_store_add(s->store, &d.doc, trace, &err)
                         : og_store_trace(s->store, &d.doc, trace, &err);
        Py_END_ALLOW_THREADS result =
            status == OG_OK ? answer_of(&d.doc, og_trace_answer(trace))
                            : binding_raise(status, &err);
    }
    give_trace(s, trace);
    binding_document_release(&d);
    s->n_busy--;
    return result;
}

/* add(document) */
static PyObject *store_add(PyObject *self, PyObject *object)
{
    struct binding_document d = {.n_held = 0};
    og_error err = {0};
    og_status status = OG_OK;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    bool is_read = binding_document(object, &plain_fields, "the document", &d);
    if (is_read && d.is_null) {
        PyErr_SetString(PyExc_ValueError, "the document has no text");
        is_read = false;
    }
    if (is_read && d.doc.id.len == 0) {
        PyErr_SetString(PyExc_ValueError, "the document has no id");
        is_read = false;
    }
    if (is_read) {
        Py_BEGIN_ALLOW_THREADS status =
            og_store_add(s->store, &d.doc, NULL, &err);
        Py_END_ALLOW_THREADS
    }
    binding_document_release(&d);
    s->n_busy--;
    if (!is_read) return NULL;
    if (status != OG_OK) return binding_raise(status, &err);
    Py_RETURN_NONE;
}

static PyObject *match_tuple(const og_near_match *m)
{
    PyObject *id = binding_string(m->id);
    PyObject *time = binding_time(m->has_time, m->time);
    PyObject *similarity = m->similarity >= 0
                               ? PyFloat_FromDouble(m->similarity)
                               : (Py_INCREF(Py_None), Py_None);
    PyObject *distance = m->distance < 64 ? PyLong_FromUnsignedLong(m->distance)
                                          : (Py_INCREF(Py_None), Py_None);
    if (id != NULL && time != NULL && similarity != NULL && distance != NULL)
        return Py_BuildValue("NNNNN", id, time, similarity,
                             PyBool_FromLong(m->is_exact), distance);
    Py_XDECREF(id);
    Py_XDECREF(time);
    Py_XDECREF(similarity);
    Py_XDECREF(distance);
    return NULL;
}

static PyObject *match_list(const og_near_match *matches, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *tuple = match_tuple(&matches[i]);
        if (tuple == NULL)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, (Py_ssize_t)i, tuple);
    }
    return list;
}

/* near(document, threshold, max_distance) -> matches. The caller lets one
 * thread in at a time. */
static PyObject *store_near(PyObject *self, PyObject *args)
{
    PyObject *object, *result = NULL;
    og_near_query query = {0};
    const og_near_match *matches = NULL;
    size_t n = 0;
    struct binding_document d = {.n_held = 0};
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "OdI", &object, &query.threshold,
                          &query.max_distance))
        return NULL;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    if (binding_document(object, &plain_fields, "the document", &d)) {
        Py_BEGIN_ALLOW_THREADS status =
            og_store_near(s->store, &d.doc, &query, &matches, &n, &err);
        Py_END_ALLOW_THREADS result = status == OG_OK
                                          ? match_list(matches, n)
                                          : binding_raise(status, &err);
    }
    binding_document_release(&d);
    s->n_busy--;
    return result;
}

static PyObject *quote_json(const og_document *doc, const og_quotes *quotes)
{
    og_report_options options = og_report_options_default();
    options.format = OG_FORMAT_JSON;
    options.sentences = true;
    return answer_bytes(doc, NULL, quotes, &options);
}

static bool set_quote_options(PyObject *options, og_quote_options *o)
{
    static const char *const methods[] = {"exact", "qsign", "scan"};
    int method = (int)o->method;
    if (!binding_option_double(options, "threshold", &o->threshold) ||
        !binding_option_u32(options, "min_words", &o->min_words) ||
        !binding_option_u32(options, "limit", &o->max_matches) ||
        !binding_option_bool(options, "later", &o->later) ||
        !binding_option_name(options, "method", &method, methods, 3))
        return false;
    o->method = (og_quote_method)method;
    return true;
}

/* quote(document, options) -> JSON; one thread at a time. */
static PyObject *store_quote(PyObject *self, PyObject *args)
{
    PyObject *object, *options, *result = NULL;
    og_quote_options o = og_quote_options_default();
    const og_quotes *quotes = NULL;
    struct binding_document d = {.n_held = 0};
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "OO", &object, &options)) return NULL;
    if (!set_quote_options(options, &o)) return NULL;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    if (binding_document(object, &plain_fields, "the document", &d)) {
        Py_BEGIN_ALLOW_THREADS status =
            og_store_quote(s->store, &d.doc, &o, &quotes, &err);
        Py_END_ALLOW_THREADS result = status == OG_OK
                                          ? quote_json(&d.doc, quotes)
                                          : binding_raise(status, &err);
    }
    binding_document_release(&d);
    s->n_busy--;
    return result;
}

/* remove(id) -> versions */
static PyObject *store_remove(PyObject *self, PyObject *object)
{
    og_bytes id;
    uint64_t n = 0;
    og_error err = {0};
    og_status status;
    if (!binding_bytes(object, "the id", &id)) return NULL;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = og_store_remove(s->store, id, &n, &err);
    Py_END_ALLOW_THREADS s->n_busy--;
    return status == OG_OK ? PyLong_FromUnsignedLongLong(n)
                           : binding_raise(status, &err);
}

static PyObject *store_info(PyObject *self, PyObject *args)
{
    og_store_info info;
    char indexes[64], select[16];
    (void)args;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    og_store_info_get(s->store, &info);
    const og_params *p = og_store_params(s->store);
    og_indexes_name(og_store_indexes(s->store), indexes);
    og_select_name(&p->select, select);
    s->n_busy--;
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsssIsssssO}", "n_documents", info.n_documents,
        "n_removed", info.n_removed, "table_bytes", info.table_bytes, "n_slots",
        info.n_slots, "n_slots_used", info.n_slots_used, "n_evicted",
        info.n_evicted, "memory", p->memory, "indexes", indexes, "shingle",
        (unsigned)p->shingle_len, "select", select, "tokens",
        og_token_name(p->tokens), "keeps_texts",
        p->no_texts ? Py_False : Py_True);
}

/* index_add(names), index_drop(names) */
static PyObject *change_indexes(PyObject *self, PyObject *args, bool add)
{
    const char *names;
    unsigned indexes;
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "s", &names)) return NULL;
    if (!og_indexes_parse((og_bytes){names, strlen(names)}, &indexes))
        return PyErr_Format(PyExc_ValueError,
                            "indexes '%s': must be of passages, near, "
                            "sentences",
                            names);
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        add ? og_store_index_add(s->store, indexes, NULL, &err)
            : og_store_index_drop(s->store, indexes, &err);
    Py_END_ALLOW_THREADS s->n_busy--;
    if (status != OG_OK) return binding_raise(status, &err);
    Py_RETURN_NONE;
}

static PyObject *store_index_add(PyObject *self, PyObject *args)
{
    return change_indexes(self, args, true);
}

static PyObject *store_index_drop(PyObject *self, PyObject *args)
{
    return change_indexes(self, args, false);
}

/* ---- streams ---- */

PyObject *binding_table(og_arrow_table *table)
{
    struct ArrowArrayStream *stream = malloc(sizeof(*stream));
    og_error err = {0};
    if (stream == NULL) {
        og_arrow_table_free(table);
        return PyErr_NoMemory();
    }
    const og_status status = og_arrow_table_stream(table, stream, &err);
    if (status != OG_OK) {
        free(stream);
        return binding_raise(status, &err);
    }
    extern void binding_free_stream(PyObject *);
    PyObject *capsule =
        PyCapsule_New(stream, "arrow_array_stream", binding_free_stream);
    if (capsule == NULL) {
        stream->release(stream);
        free(stream);
    }
    return capsule;
}

void binding_free_stream(PyObject *capsule);
void binding_free_stream(PyObject *capsule)
{
    struct ArrowArrayStream *stream =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream->release != NULL) stream->release(stream);
    free(stream);
}

struct running {
    struct binding_input *input;
    PyObject *on_answer; /* NULL: nobody asks */
    bool only_copied;    /* answers without a passage are left out */
    uint64_t n_answers;
    og_arrow_table *table; /* NULL: none is made */
};

static bool give_answer(void *ctx, const og_document *doc,
                        const og_answer *answer)
{
    struct running *r = ctx;
    if (r->table != NULL) {
        og_error err = {0};
        const og_status status =
            og_arrow_add_answer(r->table, doc, answer, &err);
        if (status != OG_OK) {
            const PyGILState_STATE state = PyGILState_Ensure();
            binding_raise(status, &err);
            binding_run_fail(r->input);
            PyGILState_Release(state);
        }
    }
    const uint64_t number = r->n_answers++;
    if (r->on_answer == NULL || (r->only_copied && answer->n_spans == 0))
        return binding_run_check(r->input);
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *pair = answer_of(doc, answer);
    PyObject *text = pair != NULL ? binding_string(doc->text) : NULL;
    PyObject *result =
        text != NULL ? PyObject_CallFunction(r->on_answer, "OOK", pair, text,
                                             (unsigned long long)number)
                     : NULL;
    const bool goes_on = result != NULL && result != Py_False;
    if (result == NULL) binding_run_fail(r->input);
    Py_XDECREF(pair);
    Py_XDECREF(text);
    Py_XDECREF(result);
    PyGILState_Release(state);
    return goes_on && binding_run_check(r->input);
}

static bool new_table(og_arrow_table_kind kind, bool is_wanted,
                      og_arrow_table **out)
{
    og_error err = {0};
    if (!is_wanted) return true;
    const og_status status = og_arrow_table_new(kind, out, &err);
    return status == OG_OK || binding_raise(status, &err) != NULL;
}

static PyObject *run_result(struct binding_input *in,
                            const og_stream_counts *counts,
                            og_arrow_table *table)
{
    PyObject *numbers = binding_counts(counts, in);
    if (numbers == NULL) {
        og_arrow_table_free(table);
        return NULL;
    }
    PyObject *capsule =
        table != NULL ? binding_table(table) : (Py_INCREF(Py_None), Py_None);
    if (capsule != NULL) return Py_BuildValue("NN", numbers, capsule);
    Py_DECREF(numbers);
    return NULL;
}

/* run(input, options, add, on_answer, as_table, only_copied)
 * -> (counts, stream); on_answer gets (JSON, excerpts), the text and the number
 * of the document. */
static PyObject *store_run(PyObject *self, PyObject *args)
{
    PyObject *object, *options, *on_answer;
    int add, as_table, only_copied = 0;
    og_stream_options o = og_stream_options_default();
    og_stream_counts counts = {0};
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "OOpOp|p", &object, &options, &add, &on_answer,
                          &as_table, &only_copied))
        return NULL;
    struct binding_input *in = binding_input_of(object);
    struct running r = {.input = in,
                        .on_answer = on_answer == Py_None ? NULL : on_answer,
                        .only_copied = only_copied};
    if (in == NULL || !set_trace_options(options, &o.asking) ||
        !new_table(OG_ARROW_SPANS, as_table, &r.table))
        return NULL;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) {
        og_arrow_table_free(r.table);
        return NULL;
    }
    o.add = add;
    o.ctx = &r;
    o.on_answer = give_answer;
    if (!binding_run_begin(in)) {
        s->n_busy--;
        og_arrow_table_free(r.table);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        og_stream_run(s->store, &in->input, &o, &counts, &err);
    Py_END_ALLOW_THREADS s->n_busy--;
    if (!binding_run_end(in, status, &err)) {
        og_arrow_table_free(r.table);
        return NULL;
    }
    return run_result(in, &counts, r.table);
}

static bool give_matches(void *ctx, const og_document *doc,
                         const og_near_match *matches, size_t n)
{
    struct running *r = ctx;
    og_error err = {0};
    const og_status status =
        og_arrow_add_matches(r->table, doc, matches, n, &err);
    if (status == OG_OK) return binding_run_check(r->input);
    const PyGILState_STATE state = PyGILState_Ensure();
    binding_raise(status, &err);
    binding_run_fail(r->input);
    PyGILState_Release(state);
    return false;
}

/* near_run(input, threshold, max_distance, add) -> (counts, stream) */
static PyObject *store_near_run(PyObject *self, PyObject *args)
{
    PyObject *object;
    int add;
    og_near_stream_options ask = og_near_stream_options_default();
    og_stream_counts counts = {0};
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "OdIp", &object, &ask.threshold,
                          &ask.max_distance, &add))
        return NULL;
    struct binding_input *in = binding_input_of(object);
    struct running r = {.input = in};
    if (in == NULL || !new_table(OG_ARROW_MATCHES, true, &r.table)) return NULL;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) {
        og_arrow_table_free(r.table);
        return NULL;
    }
    ask.add = add;
    ask.ctx = &r;
    ask.on_answer = give_matches;
    if (!binding_run_begin(in)) {
        s->n_busy--;
        og_arrow_table_free(r.table);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        og_near_stream(s->store, &in->input, &ask, &counts, &err);
    Py_END_ALLOW_THREADS s->n_busy--;
    if (!binding_run_end(in, status, &err)) {
        og_arrow_table_free(r.table);
        return NULL;
    }
    return run_result(in, &counts, r.table);
}

static PyMethodDef store_methods[] = {
    {"close", store_close, METH_NOARGS, NULL},
    {"commit", store_commit, METH_NOARGS, NULL},
    {"trace", store_trace, METH_VARARGS, NULL},
    {"add", store_add, METH_O, NULL},
    {"near", store_near, METH_VARARGS, NULL},
    {"quote", store_quote, METH_VARARGS, NULL},
    {"remove", store_remove, METH_O, NULL},
    {"info", store_info, METH_NOARGS, NULL},
    {"index_add", store_index_add, METH_VARARGS, NULL},
    {"index_drop", store_index_drop, METH_VARARGS, NULL},
    {"cursor", binding_store_cursor, METH_NOARGS, NULL},
    {"phrases", binding_store_phrases, METH_VARARGS, NULL},
    {"run", store_run, METH_VARARGS, NULL},
    {"near_run", store_near_run, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot store_slots[] = {
    {Py_tp_init, store_init},
    {Py_tp_dealloc, store_free},
    {Py_tp_methods, store_methods},
    {Py_tp_doc, (void *)"A store, as the C library has it."},
    {0, NULL},
};

PyType_Spec binding_store_spec = {
    .name = "origo._origo.Store",
    .basicsize = sizeof(struct binding_store),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = store_slots,
};
