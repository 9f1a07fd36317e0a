/* Statuses as exceptions. */

#include "binding.h"

#include <string.h>

static PyObject *error_base;

static struct kind {
    og_status status;
    const char *name;
    PyObject **also; /* the built-in exception that it is, too */
    PyObject *type;
} kinds[] = {
    {OG_ERR_USAGE, "UsageError", &PyExc_ValueError, NULL},
    {OG_ERR_INPUT, "InputError", &PyExc_ValueError, NULL},
    {OG_ERR_IO, "IOFailure", &PyExc_OSError, NULL},
    {OG_ERR_STORE, "StoreError", NULL, NULL},
    {OG_ERR_LIMIT, "LimitError", &PyExc_ValueError, NULL},
    {OG_ERR_STOPPED, "StoppedError", NULL, NULL},
    {OG_ERR_NO_STORE, "NoStoreError", &PyExc_LookupError, NULL},
    {OG_ERR_BUSY, "BusyError", NULL, NULL},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static PyObject *new_kind(const struct kind *kind)
{
    char name[64];
    PyOS_snprintf(name, sizeof(name), "origo.%s", kind->name);
    PyObject *bases = kind->also != NULL
                          ? PyTuple_Pack(2, error_base, *kind->also)
                          : PyTuple_Pack(1, error_base);
    if (bases == NULL) return NULL;
    PyObject *type = PyErr_NewException(name, bases, NULL);
    Py_DECREF(bases);
    return type;
}

int binding_add_errors(PyObject *module)
{
    error_base = PyErr_NewException("origo.Error", NULL, NULL);
    if (error_base == NULL) return -1;
    Py_INCREF(error_base);
    if (PyModule_AddObject(module, "Error", error_base) < 0) return -1;
    for (size_t i = 0; i < N_KINDS; i++) {
        PyObject *type = new_kind(&kinds[i]);
        if (type == NULL) return -1;
        kinds[i].type = type;
        Py_INCREF(type);
        if (PyModule_AddObject(module, kinds[i].name, type) < 0) return -1;
    }
    return 0;
}

PyObject *binding_raise(og_status status, const og_error *err)
{
    const char *message = err != NULL && err->message[0] != '\0'
                              ? err->message
                              : og_status_name(status);
    if (status == OG_ERR_MEMORY) {
        PyErr_SetString(PyExc_MemoryError, message);
        return NULL;
    }
    for (size_t i = 0; i < N_KINDS; i++) {
        if (kinds[i].status != status) continue;
        /* A name in the message need not be UTF-8. */
        PyObject *text = binding_string((og_bytes){message, strlen(message)});
        if (text != NULL) PyErr_SetObject(kinds[i].type, text);
        Py_XDECREF(text);
        return NULL;
    }
    PyErr_SetString(error_base, message);
    return NULL;
}
