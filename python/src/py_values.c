/* Values between Python and C. */

#include "binding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool binding_bytes(PyObject *object, const char *what, og_bytes *out)
{
    Py_ssize_t len = 0;
    char *data = NULL;
    if (PyUnicode_Check(object)) {
        const char *text = PyUnicode_AsUTF8AndSize(object, &len);
        if (text == NULL) {
            PyErr_Format(PyExc_ValueError,
                         "%s has a lone surrogate, which is no text", what);
            return false;
        }
        *out = (og_bytes){text, (size_t)len};
        return true;
    }
    if (PyBytes_Check(object)) {
        if (PyBytes_AsStringAndSize(object, &data, &len) < 0) return false;
        *out = (og_bytes){data, (size_t)len};
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s must be str or bytes, not %R", what,
                 (PyObject *)Py_TYPE(object));
    return false;
}

bool binding_append(struct binding_buffer *b, const void *data, size_t len)
{
    if (b->len + len > b->cap) {
        size_t cap = b->cap > 0 ? b->cap * 2 : 4096;
        if (cap < b->len + len) cap = b->len + len;
        char *grown = realloc(b->data, cap);
        if (grown == NULL) return false;
        b->data = grown;
        b->cap = cap;
    }
    memcpy(b->data + b->len, data, len);
    b->len += len;
    return true;
}

int binding_write(void *buffer, const char *data, size_t len)
{
    return binding_append(buffer, data, len) ? 0 : ENOMEM;
}

PyObject *binding_buffer_bytes(const struct binding_buffer *b)
{
    return PyBytes_FromStringAndSize(b->data != NULL ? b->data : "",
                                     (Py_ssize_t)b->len);
}

PyObject *binding_string(og_bytes bytes)
{
    return PyUnicode_DecodeUTF8(bytes.len > 0 ? bytes.data : "",
                                (Py_ssize_t)bytes.len, "replace");
}

PyObject *binding_time(bool has_time, int64_t time)
{
    char text[40];
    if (!has_time) Py_RETURN_NONE;
    const size_t len = og_time_format(time, text);
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)len);
}

/* ---- options ---- */

PyObject *binding_option(PyObject *options, const char *name)
{
    PyObject *value = options != NULL && options != Py_None
                          ? PyDict_GetItemString(options, name)
                          : NULL;
    return value == Py_None ? NULL : value;
}

static bool complain(const char *name, const char *wanted, PyObject *value)
{
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %R", name, wanted,
                 (PyObject *)Py_TYPE(value));
    return false;
}

bool binding_option_text(PyObject *options, const char *name, const char **out)
{
    PyObject *value = binding_option(options, name);
    if (value == NULL) return true;
    if (!PyUnicode_Check(value)) return complain(name, "a str", value);
    Py_ssize_t len;
    const char *text = PyUnicode_AsUTF8AndSize(value, &len);
    if (text == NULL) return false;
    if (strlen(text) != (size_t)len) {
        PyErr_Format(PyExc_ValueError, "%s has a zero byte in it", name);
        return false;
    }
    *out = text;
    return true;
}

bool binding_option_u64(PyObject *options, const char *name, uint64_t *out)
{
    PyObject *value = binding_option(options, name);
    if (value == NULL) return true;
    if (!PyLong_Check(value)) return complain(name, "an int", value);
    const unsigned long long number = PyLong_AsUnsignedLongLong(value);
    if (number == (unsigned long long)-1 && PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%s must be from 0 to 2**64 - 1, not %R",
                     name, value);
        return false;
    }
    *out = number;
    return true;
}

bool binding_option_u32(PyObject *options, const char *name, uint32_t *out)
{
    uint64_t wide = *out;
    if (!binding_option_u64(options, name, &wide)) return false;
    if (wide > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s is too large", name);
        return false;
    }
    *out = (uint32_t)wide;
    return true;
}

bool binding_option_double(PyObject *options, const char *name, double *out)
{
    PyObject *value = binding_option(options, name);
    if (value == NULL) return true;
    const double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred())
        return complain(name, "a number", value);
    *out = number;
    return true;
}

bool binding_option_bool(PyObject *options, const char *name, bool *out)
{
    PyObject *value = binding_option(options, name);
    if (value == NULL) return true;
    const int is_true = PyObject_IsTrue(value);
    if (is_true < 0) return false;
    *out = is_true;
    return true;
}

bool binding_option_name(PyObject *options, const char *name, int *out,
                         const char *const *names, size_t n_names)
{
    const char *text = NULL;
    if (!binding_option_text(options, name, &text)) return false;
    if (text == NULL) return true;
    PyObject *list = PyUnicode_FromString("");
    for (size_t i = 0; i < n_names; i++) {
        if (strcmp(text, names[i]) == 0) {
            Py_XDECREF(list);
            *out = (int)i;
            return true;
        }
        PyObject *longer =
            PyUnicode_FromFormat("%U%s%s", list, i > 0 ? ", " : "", names[i]);
        Py_XDECREF(list);
        list = longer;
        if (list == NULL) return false;
    }
    PyErr_Format(PyExc_ValueError, "%s '%s': must be one of %U", name, text,
                 list);
    Py_XDECREF(list);
    return false;
}
