/* Documents of Python objects. */

#include "binding.h"

#include <math.h>
#include <string.h>

/* Takes over the reference. */
static bool hold(struct binding_document *d, PyObject *object)
{
    if (object == NULL) return false;
    d->held[d->n_held++] = object;
    return true;
}

void binding_document_release(struct binding_document *d)
{
    for (size_t i = 0; i < d->n_held; i++)
        Py_DECREF(d->held[i]);
    d->n_held = 0;
}

static bool set_bytes(struct binding_document *d, PyObject *value,
                      const char *place, const char *what, og_bytes *out)
{
    char name[128];
    Py_INCREF(value);
    if (!hold(d, value)) return false;
    PyOS_snprintf(name, sizeof(name), "%.80s: the %s", place, what);
    return binding_bytes(value, name, out);
}

static bool set_id(struct binding_document *d, PyObject *value,
                   const char *place)
{
    if (!PyLong_Check(value))
        return set_bytes(d, value, place, "id", &d->doc.id);
    PyObject *text = PyObject_Str(value);
    if (text == NULL) return false;
    const bool is_set = set_bytes(d, text, place, "id", &d->doc.id);
    Py_DECREF(text);
    return is_set;
}

static bool bad_time(PyObject *value, const char *place)
{
    PyErr_Format(PyExc_ValueError, "%s: %R is not a time", place, value);
    return false;
}

static bool set_seconds(struct binding_document *d, PyObject *value,
                        const char *place)
{
    const double seconds = PyFloat_AsDouble(value);
    if (seconds == -1 && PyErr_Occurred()) return false;
    if (!(fabs(seconds) < 4e11)) return bad_time(value, place);
    d->doc.time = (int64_t)floor(seconds * 1e6 + 0.5);
    return true;
}

/* "2026-11-16T08:00:00+01:00"; a datetime is turned into it. */
static bool set_time_text(struct binding_document *d, PyObject *value,
                          const char *place)
{
    og_bytes text;
    if (!binding_bytes(value, place, &text)) return false;
    return og_time_parse(text, &d->doc.time) || bad_time(value, place);
}

static bool set_date(struct binding_document *d, PyObject *value,
                     const char *place)
{
    PyObject *text = PyObject_CallMethod(value, "isoformat", NULL);
    if (text == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "%s: the time must be a str, a number or a datetime, not "
                     "%R",
                     place, (PyObject *)Py_TYPE(value));
        return false;
    }
    const bool is_set = set_time_text(d, text, place);
    Py_DECREF(text);
    return is_set;
}

static bool set_time(struct binding_document *d, PyObject *value,
                     const char *place)
{
    d->doc.has_time = true;
    d->doc.time_source = OG_TIME_RECORD;
    if (PyUnicode_Check(value) || PyBytes_Check(value))
        return set_time_text(d, value, place);
    if (PyLong_Check(value) || PyFloat_Check(value))
        return set_seconds(d, value, place);
    return set_date(d, value, place);
}

/* A new reference, NULL when it is missing or None. */
static PyObject *field(PyObject *object, const char *name)
{
    if (name == NULL) return NULL;
    PyObject *value = PyMapping_GetItemString(object, name);
    if (value == NULL) {
        PyErr_Clear();
        return NULL;
    }
    if (value != Py_None) return value;
    Py_DECREF(value);
    return NULL;
}

static bool set_fields(PyObject *object, const og_fields *fields,
                       const char *place, struct binding_document *d)
{
    PyObject *text = field(object, fields->text);
    PyObject *id = field(object, fields->id);
    PyObject *time = field(object, fields->time);
    PyObject *title = field(object, fields->title);
    PyObject *url = field(object, fields->url);
    d->is_null = text == NULL;
    const bool is_set =
        (text == NULL ||
         set_bytes(d, text, place, fields->text, &d->doc.text)) &&
        (id == NULL || set_id(d, id, place)) &&
        (time == NULL || set_time(d, time, place)) &&
        (title == NULL || set_bytes(d, title, place, "title", &d->doc.title)) &&
        (url == NULL || set_bytes(d, url, place, "url", &d->doc.url));
    Py_XDECREF(text);
    Py_XDECREF(id);
    Py_XDECREF(time);
    Py_XDECREF(title);
    Py_XDECREF(url);
    return is_set;
}

/* (id, text) */
static bool set_pair(PyObject *pair, const char *place,
                     struct binding_document *d)
{
    PyObject *id = PyTuple_GetItem(pair, 0), *text = PyTuple_GetItem(pair, 1);
    if (id != Py_None && !set_id(d, id, place)) return false;
    d->is_null = text == Py_None;
    return d->is_null || set_bytes(d, text, place, "text", &d->doc.text);
}

bool binding_document(PyObject *object, const og_fields *fields,
                      const char *place, struct binding_document *d)
{
    d->doc = (og_document){.text = {"", 0}};
    d->is_null = false;
    if (object == Py_None) {
        d->is_null = true;
        return true;
    }
    if (PyUnicode_Check(object) || PyBytes_Check(object))
        return set_bytes(d, object, place, "text", &d->doc.text);
    if (PyTuple_Check(object) && PyTuple_Size(object) == 2)
        return set_pair(object, place, d);
    if (PyMapping_Check(object) && !PyTuple_Check(object) &&
        !PyList_Check(object))
        return set_fields(object, fields, place, d);
    PyErr_Format(PyExc_TypeError,
                 "%s must be a str, bytes, a dict or a pair (id, text), not %R",
                 place, (PyObject *)Py_TYPE(object));
    return false;
}
