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

/* Under the GIL. */
static struct functions *all_functions;

static bool is_same(const og_minhash_options *a, const og_minhash_options *b)
{
    return a->n_samples == b->n_samples && a->seed == b->seed &&
           a->method == b->method;
}

static struct functions *find_functions(const og_minhash_options *options)
{
    og_error err = {0};
    for (struct functions *f = all_functions; f != NULL; f = f->next)
        if (is_same(&f->options, options)) {
            f->n_uses++;
            return f;
        }
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
    return made;
}

static void leave_functions(struct functions *functions)
{
    if (functions == NULL || --functions->n_uses > 0) return;
    struct functions **at = &all_functions;
    while (*at != functions)
        at = &(*at)->next;
    *at = functions->next;
    og_minhash_free(functions->minhash);
    free(functions);
}

/* ---- MinHash ---- */

struct minhash {
    PyObject_HEAD struct functions *functions;
    uint64_t *features; /* NULL of a sketch that came as such */
    float *weights;     /* of a weighted one */
    size_t n, cap, weights_cap;
    uint32_t *samples;
    bool is_made;   /* the samples are those of the features */
    bool is_frozen; /* there are no features to add to */
};

static int minhash_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct minhash *m = (struct minhash *)self;
    og_minhash_options o = og_minhash_options_default();
    unsigned n_samples;
    unsigned long long seed;
    int is_weighted = 0;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "IK|p", &n_samples, &seed, &is_weighted))
        return -1;
    if (m->functions != NULL) {
        PyErr_SetString(PyExc_TypeError, "a sketch is made once");
        return -1;
    }
    o.n_samples = n_samples;
    o.seed = seed;
    o.method = is_weighted ? OG_MINHASH_IOFFE : OG_MINHASH_AUTO;
    m->functions = find_functions(&o);
    if (m->functions == NULL) return -1;
    m->samples = calloc(n_samples, sizeof(*m->samples));
    if (m->samples != NULL) return 0;
    PyErr_NoMemory();
    return -1;
}

static void minhash_free(PyObject *self)
{
    struct minhash *m = (struct minhash *)self;
    PyTypeObject *type = Py_TYPE(self);
    leave_functions(m->functions);
    free(m->features);
    free(m->weights);
    free(m->samples);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

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

static bool hash_of(PyObject *item, uint64_t *out)
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

/* update(element) */
static PyObject *minhash_update(PyObject *self, PyObject *item)
{
    struct minhash *m = (struct minhash *)self;
    if (!make_room(m, 1) || !hash_of(item, &m->features[m->n])) return NULL;
    m->n++;
    Py_RETURN_NONE;
}

static bool add_list(struct minhash *m, PyObject *list, Py_ssize_t n)
{
    const size_t before = m->n;
    if (!make_room(m, (size_t)n)) return false;
    /* The list may change while an element is looked at: it is asked anew. */
    for (Py_ssize_t i = 0; i < n && i < PyList_Size(list); i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (item == NULL || !hash_of(item, &m->features[m->n])) {
            m->n = before;
            return false;
        }
        m->n++;
    }
    return true;
}

/* update_batch(elements) */
static PyObject *minhash_update_batch(PyObject *self, PyObject *items)
{
    struct minhash *m = (struct minhash *)self;
    PyObject *list = PyList_Check(items) ? (Py_INCREF(items), items)
                                         : PySequence_List(items);
    if (list == NULL) return NULL;
    const bool is_added = add_list(m, list, PyList_Size(list));
    Py_DECREF(list);
    if (!is_added) return NULL;
    Py_RETURN_NONE;
}

static bool make_samples(struct minhash *m)
{
    og_error err = {0};
    if (m->is_made || m->is_frozen) return true;
    const og_status status = og_minhash_samples(
        m->functions->minhash, m->features, m->weights, m->n, m->samples, &err);
    m->is_made = status == OG_OK;
    return m->is_made || binding_raise(status, &err) != NULL;
}

static PyObject *minhash_digest(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    (void)args;
    if (!make_samples(m)) return NULL;
    return PyBytes_FromStringAndSize(
        (const char *)m->samples,
        (Py_ssize_t)(m->functions->options.n_samples * sizeof(uint32_t)));
}

static struct minhash *other_of(struct minhash *m, PyObject *object)
{
    if (Py_TYPE(object) != Py_TYPE((PyObject *)m)) {
        PyErr_SetString(PyExc_TypeError, "a sketch of the same kind is needed");
        return NULL;
    }
    struct minhash *other = (struct minhash *)object;
    if (other->functions == m->functions) return other;
    PyErr_SetString(PyExc_ValueError,
                    "sketches of another seed or number of permutations cannot "
                    "be compared");
    return NULL;
}

static PyObject *minhash_jaccard(PyObject *self, PyObject *object)
{
    struct minhash *m = (struct minhash *)self;
    struct minhash *other = other_of(m, object);
    if (other == NULL || !make_samples(m) || !make_samples(other)) return NULL;
    return PyFloat_FromDouble(og_samples_similarity(
        m->samples, other->samples, m->functions->options.n_samples));
}

static bool check_frozen(const struct minhash *m)
{
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

/* state() -> (samples, features); set_state() takes it again. */
static PyObject *minhash_state(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    (void)args;
    PyObject *samples = minhash_digest(self, NULL);
    if (samples == NULL) return NULL;
    PyObject *features = m->is_frozen
                             ? (Py_INCREF(Py_None), Py_None)
                             : PyBytes_FromStringAndSize(
                                   (const char *)m->features,
                                   (Py_ssize_t)(m->n * sizeof(*m->features)));
    if (features != NULL) return Py_BuildValue("NN", samples, features);
    Py_DECREF(samples);
    return NULL;
}

static PyObject *minhash_set_state(PyObject *self, PyObject *args)
{
    struct minhash *m = (struct minhash *)self;
    const char *samples, *features;
    Py_ssize_t samples_len, features_len;
    if (!PyArg_ParseTuple(args, "y#z#", &samples, &samples_len, &features,
                          &features_len))
        return NULL;
    const size_t len = m->functions->options.n_samples * sizeof(uint32_t);
    if ((size_t)samples_len != len || features_len % 8 != 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the samples are of another number of permutations");
        return NULL;
    }
    m->n = 0;
    m->is_frozen = false;
    if (features != NULL) {
        if (!make_room(m, (size_t)features_len / 8)) return NULL;
        if (features_len > 0)
            memcpy(m->features, features, (size_t)features_len);
        m->n = (size_t)features_len / 8;
    }
    m->is_frozen = features == NULL;
    memcpy(m->samples, samples, len);
    m->is_made = true;
    Py_RETURN_NONE;
}

/* set_weights([(index, weight), ...]) */
static PyObject *minhash_set_weights(PyObject *self, PyObject *pairs)
{
    struct minhash *m = (struct minhash *)self;
    if (!PyList_Check(pairs)) {
        PyErr_SetString(PyExc_TypeError, "a list of pairs is needed");
        return NULL;
    }
    const Py_ssize_t n = PyList_Size(pairs);
    float *weights = malloc(((size_t)n + 1) * sizeof(*weights));
    if (weights == NULL) return PyErr_NoMemory();
    free(m->weights);
    m->weights = weights;
    m->n = 0;
    if (!make_room(m, (size_t)n + 1)) return NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned long long index;
        double weight;
        if (!PyArg_ParseTuple(PyList_GetItem(pairs, i), "Kd", &index, &weight))
            return NULL;
        m->features[i] = XXH3_64bits(&index, sizeof(index));
        m->weights[i] = (float)weight;
    }
    m->n = (size_t)n;
    if (!make_samples(m)) return NULL;
    Py_RETURN_NONE;
}

static Py_ssize_t minhash_len(PyObject *self)
{
    return (Py_ssize_t)((struct minhash *)self)->functions->options.n_samples;
}

static PyObject *minhash_is_empty(PyObject *self, PyObject *args)
{
    const struct minhash *m = (const struct minhash *)self;
    (void)args;
    return PyBool_FromLong(m->is_frozen ? m->samples[0] == OG_SAMPLE_NONE
                                        : m->n == 0);
}

static PyMethodDef minhash_methods[] = {
    {"update", minhash_update, METH_O, NULL},
    {"update_batch", minhash_update_batch, METH_O, NULL},
    {"digest_bytes", minhash_digest, METH_NOARGS, NULL},
    {"similarity", minhash_jaccard, METH_O, NULL},
    {"merge", minhash_merge, METH_O, NULL},
    {"clear", minhash_clear, METH_NOARGS, NULL},
    {"count_distinct", minhash_count, METH_NOARGS, NULL},
    {"state", minhash_state, METH_NOARGS, NULL},
    {"set_state", minhash_set_state, METH_VARARGS, NULL},
    {"set_weights", minhash_set_weights, METH_O, NULL},
    {"is_empty", minhash_is_empty, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot minhash_slots[] = {
    {Py_tp_init, minhash_init},
    {Py_tp_dealloc, minhash_free},
    {Py_tp_methods, minhash_methods},
    {Py_sq_length, minhash_len},
    {Py_tp_doc, (void *)"The samples of a set."},
    {0, NULL},
};

PyType_Spec binding_minhash_spec = {
    .name = "origo._origo.Sketch",
    .basicsize = sizeof(struct minhash),
    .flags = Py_TPFLAGS_DEFAULT,
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
