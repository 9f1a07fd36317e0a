/* The module origo._origo: the C library, plainly. What users see is written
 * in Python above it. */

#include "binding.h"

PyObject *binding_input_type, *binding_minhash_type;

/* verify(path) -> counts */
static PyObject *verify(PyObject *self, PyObject *args)
{
    const char *path;
    og_check check = {0};
    og_error err = {0};
    og_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "y", &path)) return NULL;
    Py_BEGIN_ALLOW_THREADS status =
        og_store_check(path, &check, NULL, NULL, &err);
    Py_END_ALLOW_THREADS if (status != OG_OK) return binding_raise(status,
                                                                   &err);
    return Py_BuildValue("{sKsKsKsKsK}", "n_documents", check.n_documents,
                         "n_removed", check.n_removed, "table_bytes",
                         check.table_bytes, "text_bytes", check.text_bytes,
                         "packed_bytes", check.packed_bytes);
}

static PyMethodDef functions[] = {
    {"dedup", binding_dedup, METH_VARARGS, NULL},
    {"read", binding_read, METH_VARARGS, NULL},
    {"addresses", binding_addresses, METH_O, NULL},
    {"compare", binding_compare, METH_VARARGS, NULL},
    {"band_keys", binding_band_keys, METH_VARARGS, NULL},
    {"compare_pairs", binding_compare_pairs, METH_VARARGS, NULL},
    {"least_equal", binding_least_equal, METH_O, NULL},
    {"fingerprint_keys", binding_fingerprint_keys, METH_VARARGS, NULL},
    {"simhash", binding_simhash, METH_VARARGS, NULL},
    {"stage", binding_stage, METH_VARARGS, NULL},
    {"stop_all", binding_stop_all, METH_NOARGS, NULL},
    {"verify", verify, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_origo",
    .m_doc = "The C library, plainly.",
    .m_size = -1,
    .m_methods = functions,
};

static int add_type(PyObject *module, const char *name, PyType_Spec *spec,
                    PyObject **out)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type == NULL) return -1;
    if (out != NULL) *out = type;
    Py_INCREF(type);
    return PyModule_AddObject(module, name, type);
}

PyMODINIT_FUNC PyInit__origo(void);
PyMODINIT_FUNC PyInit__origo(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    if (binding_add_errors(module) < 0 || !binding_make_cursor_type() ||
        add_type(module, "Input", &binding_input_spec, &binding_input_type) <
            0 ||
        add_type(module, "Store", &binding_store_spec, NULL) < 0 ||
        add_type(module, "Sketch", &binding_minhash_spec,
                 &binding_minhash_type) < 0 ||
        add_type(module, "Bands", &binding_bands_spec, NULL) < 0 ||
        add_type(module, "Hamming", &binding_hamming_spec, NULL) < 0 ||
        PyModule_AddStringConstant(module, "version", og_version()) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
