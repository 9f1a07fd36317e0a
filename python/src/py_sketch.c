/* Min-hash and simhash of Python objects. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- functions that sketches of one kind share ---- */

struct functions {
    og_minhash_options options;
    og_minhash *minhash;
    size_t n_uses;
    struct functions *next;
};

/* Functions that nobody uses are kept up to this many of all: a program that
 * makes one sketch after the other would make them anew each time. */
#define FUNCTIONS_KEPT 16

/* Under the GIL. */
static struct functions *all_functions;
static size_t n_functions;

static bool is_same(const og_minhash_options *a, const og_minhash_options *b)
{
    return a->n_samples == b->n_samples && a->seed == b->seed &&
           a->method == b->method;
}

static struct functions *find_functions(const og_minhash_options *options)
{
    for (struct functions *f = all_functions; f != NULL; f = f->next)
        if (is_same(&f->options, options)) {
            f->n_uses++;
            return f;
        }
    og_error err = {0};
    struct functions *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    const og_status status = og_minhash_new(options, &made->minhash, &err);
    if (status != OG_OK) {
        free(made);
        binding_raise(status, &err);
        return NULL;
    }
    made->options = *options;
    made->n_uses = 1;
    made->next = all_functions;
    all_functions = made;
    n_functions++;
    return made;
}

static void leave_functions(struct functions *functions)
{
    if (functions == NULL || --functions->n_uses > 0) return;
    if (n_functions <= FUNCTIONS_KEPT) return;
    struct functions **at = &all_functions;
    while (*at != functions)
        at = &(*at)->next;
    *at = functions->next;
    og_minhash_free(functions->minhash);
    free(functions);
    n_functions--;
}

/* ---- MinHash ---- */

struct minhash {
    PyObject_HEAD struct functions *functions; /* NULL: not made yet */
    PyObject *seed;                            /* an int of any size */
    PyObject *function; /* NULL: elements are str or bytes */
    uint64_t *features; /* NULL of a sketch that came as such */
    float *weights;     /* of a weighted one */
    size_t n, cap;
    uint32_t *samples;
    bool is_made;   /* the samples are those of the features */
    bool is_frozen; /* there are no features to add to */
};

static bool check_made(const struct minhash *m)
{
    if (m->functions != NULL) return true;
    PyErr_SetString(PyExc_TypeError, "the sketch was not made yet");
    return false;
}

static size_t n_samples_of(const struct minhash *m)
{
    return m->functions->options.n_samples;
}

/* How far into a bytes object its data begins: the same in all of them, but
 * the stable ABI does not say it, and a call for each element is a sixth of
 * the time that a sketch takes. */
static size_t bytes_offset;

static bool find_bytes_offset(void)
{
    if (bytes_offset != 0) return true;
    PyObject *some = PyBytes_FromStringAndSize("origo", 5);
    if (some == NULL) return false;
    bytes_offset = (size_t)(PyBytes_AsString(some) - (const char *)some);
    Py_DECREF(some);
    return true;
}

static bool choose_functions(struct minhash *m, Py_ssize_t n_samples,
                             PyObject *seed, bool is_weighted)
{
    og_minhash_options o = og_minhash_options_default();
    if (m->functions != NULL) {
        PyErr_SetString(PyExc_TypeError, "a sketch is made once");
        return false;
    }
    if (n_samples < 1) {
        PyErr_SetString(PyExc_ValueError, "num_perm must be at least 1");
        return false;
    }
    if (!PyLong_Check(seed)) {
        PyErr_Format(PyExc_TypeError, "seed must be an int, not %R",
                     (PyObject *)Py_TYPE(seed));
        return false;
    }
    o.n_samples =
        n_samples < UINT32_MAX ? (uint32_t)n_samples : UINT32_MAX; /* raises */
    o.seed = PyLong_AsUnsignedLongLongMask(seed);
    o.method = is_weighted ? OG_MINHASH_IOFFE : OG_MINHASH_AUTO;
    struct functions *functions =
        find_bytes_offset() ? find_functions(&o) : NULL;
    if (functions == NULL) return false;
    m->samples = malloc(o.n_samples * sizeof(*m->samples));
    if (m->samples == NULL) {
        leave_functions(functions);
        return PyErr_NoMemory() != NULL;
    }
    Py_INCREF(seed);
    m->seed = seed;
    m->functions = functions;
    return true;
}

static void set_function(struct minhash *m, PyObject *function)
{
    if (function == Py_None) return;
    Py_INCREF(function);
    m->function = function;
}

static bool set_samples(struct minhash *m, PyObject *values)
{
    for (size_t i = 0; i < n_samples_of(m); i++) {
        PyObject *item = PySequence_GetItem(values, (Py_ssize_t)i);
        PyObject *number = item != NULL ? PyNumber_Index(item) : NULL;
        const unsigned long value =
            number != NULL ? PyLong_AsUnsignedLong(number) : 0;
        Py_XDECREF(item);
        Py_XDECREF(number);
        if (PyErr_Occurred() != NULL) return false;
        if (value > UINT32_MAX) {
            PyErr_Format(PyExc_ValueError, "hashvalues: %lu has over 32 bits",
                         value);
            return false;
        }
        m->samples[i] = (uint32_t)value;
    }
    m->is_made = m->is_frozen = true;
    return true;
}

/* The names of datasketch. There is nothing that `gpu_mode`, `permutations` and
 * `scheme` could change: they are taken and left alone. */
static int minhash_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *names[] = {"num_perm",     "seed",    "gpu_mode",
                                  "hashfunc",     "hashobj", "hashvalues",
                                  "permutations", "scheme",  NULL};
    struct minhash *m = (struct minhash *)self;
    Py_ssize_t num_perm = 128;
    PyObject *seed = NULL, *function = Py_None, *values = Py_None;
    PyObject *hashobj = Py_None, *unused = Py_None;
    if (!PyArg_ParseTupleAndKeywords(
            args, kwargs, "|nOOOOOOO:MinHash", (char **)names, &num_perm, &seed,
            &unused, &function, &hashobj, &values, &unused, &unused))
        return -1;
    if (hashobj != Py_None) {
        PyErr_SetString(PyExc_TypeError,
                        "hashobj is not known: give a hashfunc");
        return -1;
    }
    if (function != Py_None && !PyCallable_Check(function)) {
        PyErr_SetString(PyExc_TypeError, "hashfunc must be a function");
        return -1;
    }
    if (values != Py_None) num_perm = PySequence_Size(values);
    if (num_perm < 0 && PyErr_Occurred() != NULL) return -1;
    PyObject *one = seed == NULL ? PyLong_FromLong(1) : NULL;
    const bool is_chosen =
        (seed != NULL || one != NULL) &&
        choose_functions(m, num_perm, seed != NULL ? seed : one, false);
    Py_XDECREF(one);
    if (!is_chosen) return -1;
    set_function(m, function);
    return values == Py_None || set_samples(m, values) ? 0 : -1;
}

static int minhash_traverse(PyObject *self, visitproc visit, void *arg)
{
    const struct minhash *m = (const struct minhash *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(m->function);
    return 0;
}

static int minhash_forget(PyObject *self)
{
    Py_CLEAR(((struct minhash *)self)->function);
    return 0;
}

static void minhash_free(PyObject *self)
{
    struct minhash *m = (struct minhash *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    leave_functions(m->functions);
    Py_CLEAR(m->function);
    Py_CLEAR(m->seed);
    free(m->features);
    free(m->weights);
    free(m->samples);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* ---- adding ---- */

static bool make_room(struct minhash *m, size_t n)
{
    if (m->is_frozen) {
        PyErr_SetString(PyExc_TypeError,
                        "a sketch without its features cannot be added to");
        return false;
    }
    m->is_made = false;
    if (m->n + n <= m->cap) return true;
    size_t cap = m->cap > 0 ? m->cap * 2 : 16;
    if (cap < m->n + n) cap = m->n + n;
    uint64_t *grown = realloc(m->features, cap * sizeof(*grown));
    if (grown == NULL) return PyErr_NoMemory() != NULL;
    m->features = grown;
    m->cap = cap;
    return true;
}

static bool hash_of_other(PyObject *item, uint64_t *out)
{
    og_bytes bytes;
    if (PyLong_Check(item)) { /* a hash of the caller's own */
        const unsigned long long value = PyLong_AsUnsignedLongLongMask(item);
        if (PyErr_Occurred() != NULL) return false;
        /* Those of 32 bits are spread over all 64. */
        *out = XXH3_64bits(&value, sizeof(value));
        return true;
    }
    if (!binding_bytes(item, "an element", &bytes)) return false;
    *out = XXH3_64bits(bytes.data, bytes.len);
    return true;
}

/* Most elements are plain bytes or str: no subclasses, no long checks. */
static inline bool hash_of(PyObject *item, uint64_t *out)
{
    Py_ssize_t len = 0;
    if (Py_TYPE(item) == &PyBytes_Type) {
        *out = XXH3_64bits((const char *)item + bytes_offset,
                           (size_t)Py_SIZE(item));
        return true;
    }
    if (Py_TYPE(item) == &PyUnicode_Type) {
        const char *text = PyUnicode_AsUTF8AndSize(item, &len);
        if (text != NULL) {
            *out = XXH3_64bits(text, (size_t)len);
            return true;
        }
        PyErr_Clear();
    }
    return hash_of_other(item, out);
}

static bool hash_by_caller(PyObject *function, PyObject *item, uint64_t *out)
{
    PyObject *value = PyObject_CallFunctionObjArgs(function, item, NULL);
    if (value == NULL) return false;
    const bool is_hashed = hash_of_other(value, out);
    Py_DECREF(value);
    return is_hashed;
}

static PyObject *minhash_update(PyObject *self, PyObject *item)
{
    struct minhash *m = (struct minhash *)self;
    uint64_t hash;
    if (!check_made(m)) return NULL;
    if (!(m->function != NULL ? hash_by_caller(m->function, item, &hash)
                              : hash_of(item, &hash)) ||
        !make_room(m, 1))
        return NULL;
    m->features[m->n++] = hash;
    Py_RETURN_NONE;
}

static bool add_plain(struct minhash *m, PyObject *list)
{
    const Py_ssize_t n = PyList_Size(list);
    if (!make_room(m, (size_t)n)) return false;
    uint64_t *out = m->features + m->n;
    /* No code of the caller's runs here, so the list stays as it is. */
    for (Py_ssize_t i = 0; i < n; i++)
        if (!hash_of(PyList_GetItem(list, i), &out[i])) return false;
    m->n += (size_t)n;
    return true;
}

/* All or nothing: the function may raise, and may change sketch and list. */
static bool add_by_caller(struct minhash *m, PyObject *list)
{
    const Py_ssize_t n = PyList_Size(list);
    uint64_t *hashes = malloc(((size_t)n + 1) * sizeof(*hashes));
    if (hashes == NULL) return PyErr_NoMemory() != NULL;
    Py_ssize_t i = 0;
    for (bool is_hashed = true; is_hashed && i < n; i += is_hashed) {
        PyObject *item = PyList_GetItem(list, i);
        Py_XINCREF(item);
        is_hashed =
            item != NULL && hash_by_caller(m->function, item, &hashes[i]);
        Py_XDECREF(item);
    }
    const bool is_added = i == n && make_room(m, (size_t)n);
    if (is_added) {
        memcpy(m->features + m->n, hashes, (size_t)n * sizeof(*hashes));
        m->n += (size_t)n;
    }
    free(hashes);
    return is_added;
}

static PyObject *minhash_update_batch(PyObject *self, PyObject *items)
{
    struct minhash *m = (struct minhash *)self;
    if (!check_made(m)) return NULL;
    PyObject *list = PyList_Check(items) ? (Py_INCREF(items), items)
                                         : PySequence_List(items);
    if (list == NULL) return NULL;
    const bool is_added =
        m->function != NULL ? add_by_caller(m, list) : add_plain(m, list);
    Py_DECREF(list);
    if (!is_added) return NULL;
    Py_RETURN_NONE;
}

/* ---- samples ---- */

static bool make_samples(struct minhash *m)
{
    if (!check_made(m)) return false;
    if (m->is_made || m->is_frozen) return true;
    og_error err = {0};
    const og_status status = og_minhash_samples(
        m->functions->minhash, m->features, m->weights, m->n, m->samples, &err);
    m->is_made = status == OG_OK;
    return m->is_made || binding_raise(status, &err) != NULL;
}

bool binding_sketch_samples(PyObject *object, const uint32_t **out,
                            size_t *out_n)
{
    struct minhash *m = (struct minhash *)object;
    if (!PyObject_TypeCheck(object, (PyTypeObject *)binding_minhash_type)) {
        PyErr_Format(PyExc_TypeError, "a sketch is needed, not %R",
                     (PyObject *)Py_TYPE(object));
        return false;
    }
    if (!make_samples(m)) return false;
    *out = m->samples;
    *out_n = n_samples_of(m);
    return true;
}

static PyObject *minhash_digest_bytes(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    (void)args;
    if (!make_samples(m)) return NULL;
    return PyBytes_FromStringAndSize(
        (const char *)m->samples,
        (Py_ssize_t)(n_samples_of(m) * sizeof(uint32_t)));
}

/* array.array; kept for good. */
static PyObject *array_type(void)
{
    static PyObject *type;
    if (type != NULL) return type;
    PyObject *module = PyImport_ImportModule("array");
    if (module == NULL) return NULL;
    type = PyObject_GetAttrString(module, "array");
    Py_DECREF(module);
    return type;
}

static PyObject *minhash_digest(PyObject *self, PyObject *args)
{
    static PyObject *code;
    PyObject *type = array_type();
    if (code == NULL) code = PyUnicode_FromString("I");
    PyObject *bytes =
        type != NULL && code != NULL ? minhash_digest_bytes(self, args) : NULL;
    if (bytes == NULL) return NULL;
    PyObject *made = PyObject_CallFunctionObjArgs(type, code, bytes, NULL);
    Py_DECREF(bytes);
    return made;
}

static PyObject *get_digest(PyObject *self, void *closure)
{
    (void)closure;
    return minhash_digest(self, NULL);
}

static struct minhash *other_of(struct minhash *m, PyObject *object)
{
    if (!PyObject_TypeCheck(object, (PyTypeObject *)binding_minhash_type)) {
        PyErr_SetString(PyExc_TypeError, "a sketch of the same kind is needed");
        return NULL;
    }
    struct minhash *other = (struct minhash *)object;
    if (!check_made(m) || !check_made(other)) return NULL;
    if (other->functions == m->functions) return other;
    PyErr_SetString(PyExc_ValueError,
                    "sketches of another kind, seed or number of permutations "
                    "cannot be compared");
    return NULL;
}

static PyObject *minhash_jaccard(PyObject *self, PyObject *object)
{
    struct minhash *m = (struct minhash *)self;
    struct minhash *other = other_of(m, object);
    if (other == NULL || !make_samples(m) || !make_samples(other)) return NULL;
    return PyFloat_FromDouble(
        og_samples_similarity(m->samples, other->samples, n_samples_of(m)));
}

static bool check_frozen(const struct minhash *m)
{
    if (!check_made(m)) return false;
    if (!m->is_frozen) return true;
    PyErr_SetString(PyExc_TypeError,
                    "a sketch without its features cannot be merged");
    return false;
}

static PyObject *minhash_merge(PyObject *self, PyObject *object)
{
    struct minhash *m = (struct minhash *)self;
    struct minhash *other = other_of(m, object);
    if (other == NULL || !check_frozen(other) || !make_room(m, other->n))
        return NULL;
    const size_t n = other->n; /* which may be this one */
    if (n > 0)
        memcpy(m->features + m->n, other->features, n * sizeof(*m->features));
    m->n += n;
    Py_RETURN_NONE;
}

static PyObject *minhash_clear(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    (void)args;
    m->n = 0;
    m->is_made = m->is_frozen = false;
    Py_RETURN_NONE;
}

static int compare_features(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Different elements. */
static PyObject *minhash_count(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    size_t n = 0;
    (void)args;
    if (!check_frozen(m)) return NULL;
    if (m->n > 0)
        qsort(m->features, m->n, sizeof(*m->features), compare_features);
    for (size_t i = 0; i < m->n; i++)
        if (i == 0 || m->features[i] != m->features[n - 1])
            m->features[n++] = m->features[i];
    m->n = n;
    return PyLong_FromSize_t(n);
}

/* ---- as a whole ---- */

/* _state() -> (num_perm, seed, is_weighted, hashfunc, samples, features);
 * _set_state() takes it again. */
static PyObject *minhash_state(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    (void)args;
    PyObject *samples = minhash_digest_bytes(self, NULL);
    if (samples == NULL) return NULL;
    PyObject *features = m->is_frozen || m->weights != NULL
                             ? (Py_INCREF(Py_None), Py_None)
                             : PyBytes_FromStringAndSize(
                                   (const char *)m->features,
                                   (Py_ssize_t)(m->n * sizeof(*m->features)));
    if (features != NULL)
        return Py_BuildValue(
            "nONONN", (Py_ssize_t)n_samples_of(m), m->seed,
            PyBool_FromLong(m->functions->options.method == OG_MINHASH_IOFFE),
            m->function != NULL ? m->function : Py_None, samples, features);
    Py_DECREF(samples);
    return NULL;
}

static PyObject *minhash_set_state(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    Py_ssize_t n_samples, samples_len, features_len;
    PyObject *seed, *function;
    const char *samples, *features;
    int is_weighted;
    if (!PyArg_ParseTuple(args, "nOpOy#z#", &n_samples, &seed, &is_weighted,
                          &function, &samples, &samples_len, &features,
                          &features_len))
        return NULL;
    if (n_samples < 1 || samples_len / 4 != n_samples ||
        features_len % 8 != 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the samples are of another number of permutations");
        return NULL;
    }
    if (!choose_functions(m, n_samples, seed, is_weighted)) return NULL;
    set_function(m, function);
    if (features != NULL) {
        if (!make_room(m, (size_t)features_len / 8)) return NULL;
        if (features_len > 0)
            memcpy(m->features, features, (size_t)features_len);
        m->n = (size_t)features_len / 8;
    }
    m->is_frozen = features == NULL;
    memcpy(m->samples, samples, n_samples_of(m) * sizeof(*m->samples));
    m->is_made = true;
    Py_RETURN_NONE;
}

static bool set_weights(struct minhash *m, PyObject *pairs)
{
    const Py_ssize_t n = PyList_Size(pairs);
    m->weights = malloc(((size_t)n + 1) * sizeof(*m->weights));
    if (m->weights == NULL) return PyErr_NoMemory() != NULL;
    if (!make_room(m, (size_t)n + 1)) return false;
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned long long index;
        double weight;
        PyObject *pair = PyList_GetItem(pairs, i);
        if (pair == NULL || !PyArg_ParseTuple(pair, "Kd", &index, &weight))
            return false;
        m->features[i] = XXH3_64bits(&index, sizeof(index));
        m->weights[i] = (float)weight;
    }
    m->n = (size_t)n;
    return make_samples(m);
}

/* _set_weights(num_perm, seed, [(index, weight), ...]) */
static PyObject *minhash_set_weights(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    Py_ssize_t n_samples;
    PyObject *seed, *pairs;
    if (!PyArg_ParseTuple(args, "nOO!", &n_samples, &seed, &PyList_Type,
                          &pairs) ||
        !choose_functions(m, n_samples, seed, true) || !set_weights(m, pairs))
        return NULL;
    m->is_frozen = true; /* a vector is whole from the start */
    Py_RETURN_NONE;
}

static Py_ssize_t minhash_len(PyObject *self)
{
    const struct minhash *m = (const struct minhash *)self;
    return check_made(m) ? (Py_ssize_t)n_samples_of(m) : -1;
}

static PyObject *minhash_is_empty(PyObject *self, PyObject *args)
{
    const struct minhash *m = (const struct minhash *)self;
    (void)args;
    if (!check_made(m)) return NULL;
    return PyBool_FromLong(m->is_frozen ? m->samples[0] == OG_SAMPLE_NONE
                                        : m->n == 0);
}

static PyObject *get_num_perm(PyObject *self, void *closure)
{
    (void)closure;
    const Py_ssize_t n = minhash_len(self);
    return n >= 0 ? PyLong_FromSsize_t(n) : NULL;
}

static PyObject *get_seed(PyObject *self, void *closure)
{
    const struct minhash *m = (const struct minhash *)self;
    (void)closure;
    if (!check_made(m)) return NULL;
    Py_INCREF(m->seed);
    return m->seed;
}

static PyObject *get_hashfunc(PyObject *self, void *closure)
{
    const struct minhash *m = (const struct minhash *)self;
    PyObject *value = m->function != NULL ? m->function : Py_None;
    (void)closure;
    Py_INCREF(value);
    return value;
}

#define DOC(signature, text) signature "\n--\n\n" text

static PyMethodDef minhash_methods[] = {
    {"update", minhash_update, METH_O,
     DOC("update($self, b, /)",
         "Adds an element: bytes, or a str, which is encoded as UTF-8.")},
    {"update_batch", minhash_update_batch, METH_O,
     DOC("update_batch($self, b, /)", "Adds many elements at once.")},
    {"digest", minhash_digest, METH_NOARGS,
     DOC("digest($self, /)",
         "Returns the samples, an array of unsigned 32-bit integers.")},
    {"jaccard", minhash_jaccard, METH_O,
     DOC("jaccard($self, other, /)", "Returns the estimated similarity.")},
    {"merge", minhash_merge, METH_O,
     DOC("merge($self, other, /)", "Turns this into the sketch of the union.")},
    {"clear", minhash_clear, METH_NOARGS,
     DOC("clear($self, /)", "Turns this into the sketch of the empty set.")},
    {"count", minhash_count, METH_NOARGS,
     DOC("count($self, /)", "Returns the number of distinct elements. It is "
                            "exact, because they are kept.")},
    {"is_empty", minhash_is_empty, METH_NOARGS,
     DOC("is_empty($self, /)", "Whether no element was added.")},
    {"_digest_bytes", minhash_digest_bytes, METH_NOARGS, NULL},
    {"_state", minhash_state, METH_NOARGS, NULL},
    {"_set_state", minhash_set_state, METH_VARARGS, NULL},
    {"_set_weights", minhash_set_weights, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef minhash_properties[] = {
    {"num_perm", get_num_perm, NULL, "The number of samples.", NULL},
    {"seed", get_seed, NULL, "The seed of the samples.", NULL},
    {"hashfunc", get_hashfunc, NULL, "The hash function, or None.", NULL},
    {"hashvalues", get_digest, NULL, "The samples, as digest() gives them.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot minhash_slots[] = {
    {Py_tp_init, minhash_init},
    {Py_tp_dealloc, minhash_free},
    {Py_tp_traverse, minhash_traverse},
    {Py_tp_clear, minhash_forget},
    {Py_tp_methods, minhash_methods},
    {Py_tp_getset, minhash_properties},
    {Py_sq_length, minhash_len},
    {Py_tp_doc, (void *)"The samples of a set."},
    {0, NULL},
};

PyType_Spec binding_minhash_spec = {
    .name = "origo._origo.Sketch",
    .basicsize = sizeof(struct minhash),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = minhash_slots,
};

/* ---- simhash ---- */

/* simhash(document, bits, phrase_len) -> int */
PyObject *binding_simhash(PyObject *self, PyObject *args)
{
    static const og_fields fields = OG_FIELDS_DEFAULT;
    PyObject *object;
    unsigned n_bits, phrase_len;
    struct binding_document d = {.n_held = 0};
    og_feature_options o = og_feature_options_default();
    og_sketcher *sketcher = NULL;
    og_simhash sketch = {{0, 0}};
    og_error err = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "OII", &object, &n_bits, &phrase_len))
        return NULL;
    o.phrase_len = phrase_len;
    o.tf = OG_TF_ONE;
    if (!binding_document(object, &fields, "the document", &d)) {
        binding_document_release(&d);
        return NULL;
    }
    og_status status;
    Py_BEGIN_ALLOW_THREADS status = og_sketcher_new(&o, &sketcher, &err);
    if (status == OG_OK)
        status =
            og_sketcher_simhash(sketcher, &d.doc, n_bits, &sketch, NULL, &err);
    og_sketcher_free(sketcher);
    Py_END_ALLOW_THREADS binding_document_release(&d);
    if (status != OG_OK) return binding_raise(status, &err);
    return Py_BuildValue("KK", sketch.word[0], sketch.word[1]);
}
