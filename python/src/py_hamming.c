/* Codes within k bits of each other. */

#include "binding.h"

#include <string.h>
#include <unistd.h>

struct hamming {
    PyObject_HEAD og_hamming *hamming; /* NULL: closed */
    pid_t pid;                         /* that opened it */
    unsigned n_bits;
};

/* Hamming(folder or None, bits, max_distance, mode): "r", "w" or "a" */
static int hamming_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct hamming *h = (struct hamming *)self;
    og_hamming_options o = og_hamming_options_default();
    const char *folder, *mode;
    og_error err = {0};
    og_status status;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "zIIs", &folder, &o.n_bits, &o.max_distance,
                          &mode))
        return -1;
    if (h->hamming != NULL) {
        PyErr_SetString(PyExc_TypeError, "an index is opened once");
        return -1;
    }
    const og_access access = mode[0] == 'r'   ? OG_READ
                             : mode[0] == 'w' ? OG_WRITE
                                              : OG_CREATE;
    h->pid = getpid();
    Py_BEGIN_ALLOW_THREADS status = og_hamming_open(
        folder != NULL ? folder : ":memory:", access, &o, &h->hamming, &err);
    Py_END_ALLOW_THREADS if (status != OG_OK)
    {
        binding_raise(status, &err);
        return -1;
    }
    og_hamming_info info;
    og_hamming_info_get(h->hamming, &info);
    h->n_bits = info.n_bits;
    return 0;
}

static og_status close_index(struct hamming *h, og_error *err)
{
    og_hamming *const hamming = h->hamming;
    og_status status;
    h->hamming = NULL;
    /* A fork must not write what its parent will write. */
    if (h->pid != getpid()) return OG_OK;
    Py_BEGIN_ALLOW_THREADS status = og_hamming_close(hamming, err);
    Py_END_ALLOW_THREADS return status;
}

static void hamming_free(PyObject *self)
{
    struct hamming *h = (struct hamming *)self;
    PyTypeObject *type = Py_TYPE(self);
    close_index(h, NULL);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static struct hamming *open_one(PyObject *self)
{
    struct hamming *h = (struct hamming *)self;
    if (h->hamming != NULL) return h;
    PyErr_SetString(PyExc_ValueError, "the index is closed");
    return NULL;
}

/* change(low, high, id, add) */
static PyObject *hamming_change(PyObject *self, PyObject *args)
{
    unsigned long long low, high;
    PyObject *name;
    og_bytes id;
    int add;
    og_error err = {0};
    if (!PyArg_ParseTuple(args, "KKOp", &low, &high, &name, &add)) return NULL;
    struct hamming *h = open_one(self);
    if (h == NULL || !binding_bytes(name, "the id", &id)) return NULL;
    const og_wide_code code = {high, low};
    const og_status status =
        add ? og_hamming_add_wide(h->hamming, code, id, &err)
            : og_hamming_remove_wide(h->hamming, code, id, &err);
    if (status != OG_OK) return binding_raise(status, &err);
    Py_RETURN_NONE;
}

static bool give_match(void *ctx, const og_hamming_match *m)
{
    PyObject **list = ctx;
    PyObject *id = binding_string(m->id);
    PyObject *tuple = id != NULL ? Py_BuildValue("NKKI", id, m->code,
                                                 m->code_high, m->distance)
                                 : NULL;
    if (tuple == NULL || PyList_Append(*list, tuple) < 0) Py_CLEAR(*list);
    Py_XDECREF(tuple);
    return *list != NULL;
}

/* ask(low, high, max_distance) -> [(id, low, high, distance), ...] */
static PyObject *hamming_ask(PyObject *self, PyObject *args)
{
    unsigned long long low, high;
    unsigned max_distance;
    og_error err = {0};
    if (!PyArg_ParseTuple(args, "KKI", &low, &high, &max_distance)) return NULL;
    struct hamming *h = open_one(self);
    PyObject *list = h != NULL ? PyList_New(0) : NULL;
    if (list == NULL) return NULL;
    const og_wide_code code = {high, low};
    const og_status status = og_hamming_ask_wide(h->hamming, code, max_distance,
                                                 &list, give_match, &err);
    if (list == NULL) return NULL;
    if (status == OG_OK) return list;
    Py_DECREF(list);
    return binding_raise(status, &err);
}

static PyObject *hamming_commit(PyObject *self, PyObject *args)
{
    og_error err = {0};
    og_status status;
    (void)args;
    struct hamming *h = open_one(self);
    if (h == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = og_hamming_commit(h->hamming, &err);
    Py_END_ALLOW_THREADS if (status != OG_OK) return binding_raise(status,
                                                                   &err);
    Py_RETURN_NONE;
}

static PyObject *hamming_close(PyObject *self, PyObject *args)
{
    og_error err = {0};
    (void)args;
    const og_status status = close_index((struct hamming *)self, &err);
    if (status != OG_OK) return binding_raise(status, &err);
    Py_RETURN_NONE;
}

static PyObject *hamming_info(PyObject *self, PyObject *args)
{
    og_hamming_info info;
    (void)args;
    struct hamming *h = open_one(self);
    if (h == NULL) return NULL;
    og_hamming_info_get(h->hamming, &info);
    return Py_BuildValue(
        "{sIsIsKsK}", "bits", info.n_bits, "max_distance", info.max_distance,
        "n_entries", info.n_entries + info.n_waiting, "n_bytes", info.n_bytes);
}

static PyMethodDef hamming_methods[] = {
    {"change", hamming_change, METH_VARARGS, NULL},
    {"ask", hamming_ask, METH_VARARGS, NULL},
    {"commit", hamming_commit, METH_NOARGS, NULL},
    {"close", hamming_close, METH_NOARGS, NULL},
    {"info", hamming_info, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot hamming_slots[] = {
    {Py_tp_init, hamming_init},
    {Py_tp_dealloc, hamming_free},
    {Py_tp_methods, hamming_methods},
    {Py_tp_doc, (void *)"An index of codes."},
    {0, NULL},
};

PyType_Spec binding_hamming_spec = {
    .name = "origo._origo.Hamming",
    .basicsize = sizeof(struct hamming),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = hamming_slots,
};
