/* The documents of a store, one after the other. */

#include "py_store.h"

#include <unistd.h>

struct cursor {
    PyObject_HEAD struct binding_store *store;
    og_export *exporting; /* NULL: at its end, or the store was closed */
    bool is_at_end;
    bool is_busy;
    struct cursor *next;
};

static PyObject *cursor_type;

/* The parent's files are the parent's business. */
static void close_cursor(struct cursor *c)
{
    if (c->exporting == NULL) return;
    struct cursor **at = &c->store->cursors;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    if (c->store->pid == getpid()) og_export_close(c->exporting);
    c->exporting = NULL;
}

void binding_close_cursors(struct binding_store *s)
{
    while (s->cursors != NULL)
        close_cursor(s->cursors);
}

static void cursor_free(PyObject *self)
{
    struct cursor *c = (struct cursor *)self;
    PyTypeObject *type = Py_TYPE(self);
    close_cursor(c);
    Py_XDECREF((PyObject *)c->store);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* cursor() -> an iterator of (id, time, title, url, text) */
PyObject *binding_store_cursor(PyObject *self, PyObject *args)
{
    og_error err = {0};
    og_status status;
    (void)args;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    PyObject *made = PyObject_CallFunctionObjArgs(cursor_type, NULL);
    struct cursor *c = (struct cursor *)made;
    og_export *exporting = NULL;
    if (made == NULL) {
        binding_store_leave(s);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = og_export_open(s->store, &exporting, &err);
    Py_END_ALLOW_THREADS binding_store_leave(s);
    if (status != OG_OK) {
        Py_DECREF(made);
        return binding_raise(status, &err);
    }
    Py_INCREF(self);
    c->store = s;
    c->exporting = exporting;
    c->next = s->cursors;
    s->cursors = c;
    return made;
}

static PyObject *document_tuple(const og_document *doc)
{
    PyObject *id = binding_string(doc->id), *text = binding_string(doc->text);
    PyObject *title = binding_string(doc->title);
    PyObject *url = binding_string(doc->url);
    PyObject *time = binding_time(doc->has_time, doc->time);
    if (id != NULL && text != NULL && title != NULL && url != NULL &&
        time != NULL)
        return Py_BuildValue("NNNNN", id, time, title, url, text);
    Py_XDECREF(id);
    Py_XDECREF(text);
    Py_XDECREF(title);
    Py_XDECREF(url);
    Py_XDECREF(time);
    return NULL;
}

static PyObject *cursor_next(PyObject *self)
{
    struct cursor *c = (struct cursor *)self;
    og_document doc;
    og_error err = {0};
    og_status status;
    if (c->is_at_end) return NULL;
    if (c->is_busy) {
        PyErr_SetString(PyExc_RuntimeError,
                        "another thread asks this iterator now");
        return NULL;
    }
    struct binding_store *s =
        c->store != NULL ? binding_store_use((PyObject *)c->store) : NULL;
    if (s == NULL) return NULL;
    c->is_busy = true;
    Py_BEGIN_ALLOW_THREADS status = og_export_next(c->exporting, &doc, &err);
    Py_END_ALLOW_THREADS c->is_busy = false;
    binding_store_leave(s);
    if (status == OG_OK) return document_tuple(&doc);
    if (status != OG_END) return binding_raise(status, &err);
    c->is_at_end = true;
    close_cursor(c);
    return NULL;
}

static PyObject *cursor_iter(PyObject *self)
{
    Py_INCREF(self);
    return self;
}

static PyType_Slot cursor_slots[] = {
    {Py_tp_dealloc, cursor_free},
    {Py_tp_iter, cursor_iter},
    {Py_tp_iternext, cursor_next},
    {Py_tp_doc, (void *)"Documents of a store, one after the other."},
    {0, NULL},
};

static PyType_Spec cursor_spec = {
    .name = "origo._origo.Cursor",
    .basicsize = sizeof(struct cursor),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = cursor_slots,
};

bool binding_make_cursor_type(void)
{
    cursor_type = PyType_FromSpec(&cursor_spec);
    return cursor_type != NULL;
}
