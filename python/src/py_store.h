#ifndef ORIGO_PYTHON_STORE_H
#define ORIGO_PYTHON_STORE_H

/* The object behind Store, for the parts that read it. */

#include "binding.h"

#include <sys/types.h>

/* Questions that threads ask at the same time each need an og_trace. */
#define TRACES_KEPT 16

struct cursor;

struct binding_store {
    PyObject_HEAD og_store *store; /* NULL: closed */
    pid_t pid;                     /* that opened it */
    struct cursor *cursors;        /* that read it */
    og_trace *traces[TRACES_KEPT];
    size_t n_traces;
    size_t n_busy; /* calls that use the store now */
};

/* Before and after a call that uses the store: NULL with an exception when it
 * is closed, or was opened before a fork. */
struct binding_store *binding_store_use(PyObject *self);
void binding_store_leave(struct binding_store *store);

/* ---- py_cursor.c ---- */

PyObject *binding_store_cursor(PyObject *self, PyObject *args);
/* Before the store is closed. */
void binding_close_cursors(struct binding_store *store);

/* ---- py_phrases.c ---- */

PyObject *binding_store_phrases(PyObject *self, PyObject *args);

#endif
