/* Bands: which sketches have a run of samples in common.
 *
 * A sketch is cut into bands of some rows; each band is hashed to 64 bits,
 * with its number. One table of open addressing over all bands leads to the
 * keys: a slot holds half of the hash and the first of a chain, and link
 *
 *     entry * n_bands + band
 *
 * says which one follows. An entry is a key of the caller's and the hashes of
 * its bands: what a slot says is compared with them, and by them it is found
 * again when it is removed. Two bands with the
 * same hash by chance (2^-64 for a pair) make a candidate too many, which is
 * what candidates are for. Everything is under the GIL; code of the caller's
 * runs only where keys are hashed and compared, which the dict does. */

#include "binding.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define NO_LINK     UINT32_MAX
#define LEAST_SLOTS 64

/* Eight bytes: what a question costs is how much of the table is in a cache. */
struct slot {
    uint32_t high;  /* half of the hash; the low half is where it begins */
    uint32_t first; /* NO_LINK: the slot is free */
};

struct entry {
    PyObject *key;   /* NULL: free, or about to be used */
    uint64_t seen;   /* the last question that found it, or one of its key */
    size_t previous; /* of the same key, inserted without a check */
    size_t first;    /* the first of the same key: itself, most often */
};

struct lsh {
    PyObject_HEAD size_t n_bands, n_rows, n_samples;
    struct slot *slots; /* a power of two of them */
    size_t n_slots, n_used;
    struct entry *entries;
    uint64_t *hashes; /* of each entry's bands */
    uint32_t *links;  /* the next with the same hash, of each entry's bands */
    size_t n_entries, entries_cap;
    size_t *spare; /* numbers of entries that are free; entries_cap */
    size_t n_spare;
    PyObject *numbers; /* key: number of its entry; NULL: not made yet */
    uint64_t n_questions;
    size_t *found;   /* entries_cap */
    uint64_t *asked; /* the bands of a question */
};

#define NO_ENTRY SIZE_MAX

/* ---- the table ---- */

static struct slot *find_slot(const struct lsh *l, uint64_t hash)
{
    const uint32_t high = (uint32_t)(hash >> 32);
    size_t i = hash & (l->n_slots - 1);
    while (l->slots[i].first != NO_LINK &&
           (l->slots[i].high != high || l->hashes[l->slots[i].first] != hash))
        i = (i + 1) & (l->n_slots - 1);
    return &l->slots[i];
}

static bool make_slots(struct lsh *l, size_t n)
{
    struct slot *old = l->slots;
    const size_t n_old = l->n_slots;
    struct slot *made = malloc(n * sizeof(*made));
    if (made == NULL) return PyErr_NoMemory() != NULL;
    for (size_t i = 0; i < n; i++)
        made[i].first = NO_LINK;
    l->slots = made;
    l->n_slots = n;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].first != NO_LINK)
            *find_slot(l, l->hashes[old[i].first]) = old[i];
    free(old);
    return true;
}

/* Room for one more entry: half of the slots stay free. */
static bool make_slots_for_entry(struct lsh *l)
{
    const size_t n = l->n_used + l->n_bands;
    size_t n_slots = l->n_slots > 0 ? l->n_slots : LEAST_SLOTS;
    while (n_slots < 2 * n)
        n_slots *= 2;
    return n_slots == l->n_slots || make_slots(l, n_slots);
}

/* Those after a slot that becomes free may have been pushed there by it. */
static void free_slot(struct lsh *l, struct slot *slot)
{
    const size_t mask = l->n_slots - 1;
    size_t hole = (size_t)(slot - l->slots);
    l->n_used--;
    for (size_t i = (hole + 1) & mask; l->slots[i].first != NO_LINK;
         i = (i + 1) & mask) {
        const size_t home = l->hashes[l->slots[i].first] & mask;
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        l->slots[hole] = l->slots[i];
        hole = i;
    }
    l->slots[hole].first = NO_LINK;
}

static void link_band(struct lsh *l, size_t number, size_t band)
{
    const uint32_t link = (uint32_t)(number * l->n_bands + band);
    struct slot *slot = find_slot(l, l->hashes[link]);
    l->n_used += slot->first == NO_LINK;
    l->links[link] = slot->first;
    slot->high = (uint32_t)(l->hashes[link] >> 32);
    slot->first = link;
}

static void unlink_band(struct lsh *l, size_t number, size_t band)
{
    const uint32_t link = (uint32_t)(number * l->n_bands + band);
    struct slot *slot = find_slot(l, l->hashes[link]);
    uint32_t *at = &slot->first;
    while (*at != link)
        at = &l->links[*at];
    *at = l->links[link];
    if (slot->first == NO_LINK) free_slot(l, slot);
}

/* ---- sketches and entries ---- */

static bool check_made(const struct lsh *l)
{
    if (l->numbers != NULL) return true;
    PyErr_SetString(PyExc_TypeError, "the index was not made yet");
    return false;
}

static bool hash_bands(const struct lsh *l, PyObject *sketch, uint64_t *out)
{
    const uint32_t *samples;
    size_t n;
    if (!binding_sketch_samples(sketch, &samples, &n)) return false;
    if (n != l->n_samples) {
        PyErr_Format(PyExc_ValueError,
                     "a sketch of %zu samples, where %zu are expected", n,
                     l->n_samples);
        return false;
    }
    for (size_t i = 0; i < l->n_bands; i++)
        out[i] = XXH3_64bits_withSeed(samples + i * l->n_rows,
                                      l->n_rows * sizeof(*samples), i);
    return true;
}

/* What realloc() gave is kept, whether the others succeed or not. */
static bool resize(void *array, size_t n, size_t size)
{
    void **at = array;
    void *grown = realloc(*at, n * size);
    if (grown != NULL) *at = grown;
    return grown != NULL;
}

static bool grow_entries(struct lsh *l)
{
    const size_t cap = l->entries_cap > 0 ? l->entries_cap * 2 : 16;
    if (cap * l->n_bands > NO_LINK) {
        PyErr_SetString(PyExc_OverflowError,
                        "an index has at most 4,294,967,295 bands");
        return false;
    }
    if (!resize(&l->entries, cap, sizeof(*l->entries)) ||
        !resize(&l->hashes, cap * l->n_bands, sizeof(*l->hashes)) ||
        !resize(&l->links, cap * l->n_bands, sizeof(*l->links)) ||
        !resize(&l->spare, cap, sizeof(*l->spare)) ||
        !resize(&l->found, cap, sizeof(*l->found)))
        return PyErr_NoMemory() != NULL;
    l->entries_cap = cap;
    return true;
}

static bool reserve_entry(struct lsh *l, size_t *out)
{
    if (l->n_spare > 0) {
        *out = l->spare[--l->n_spare];
        return true;
    }
    if (l->n_entries == l->entries_cap && !grow_entries(l)) return false;
    *out = l->n_entries++;
    l->entries[*out] = (struct entry){NULL, 0, NO_ENTRY, *out};
    return true;
}

/* The number of a key's entry, or NO_ENTRY; false with an exception. */
static bool find_entry(const struct lsh *l, PyObject *key, size_t *out)
{
    PyObject *number = PyDict_GetItemWithError(l->numbers, key);
    *out = number != NULL ? PyLong_AsSize_t(number) : NO_ENTRY;
    return number != NULL || PyErr_Occurred() == NULL;
}

static bool note_number(struct lsh *l, PyObject *key, size_t number)
{
    PyObject *value = PyLong_FromSize_t(number);
    const bool is_noted =
        value != NULL && PyDict_SetItem(l->numbers, key, value) == 0;
    Py_XDECREF(value);
    return is_noted;
}

/* The entry is reserved and has its hashes. The dict runs code of the
 * caller's, which may do anything to the index: the entry is linked after
 * it. */
static bool settle_entry(struct lsh *l, size_t number, PyObject *key,
                         size_t previous)
{
    if (!note_number(l, key, number)) return false;
    if (!make_slots_for_entry(l)) return false;
    Py_INCREF(key);
    const size_t first =
        previous < l->n_entries ? l->entries[previous].first : number;
    l->entries[number] = (struct entry){key, 0, previous, first};
    for (size_t i = 0; i < l->n_bands; i++)
        link_band(l, number, i);
    return true;
}

static bool insert_hashes(struct lsh *l, PyObject *key, PyObject *sketch,
                          const char *hashes, bool check)
{
    size_t number, previous;
    if (!check_made(l) || !find_entry(l, key, &previous)) return false;
    if (check && previous != NO_ENTRY) {
        PyErr_Format(PyExc_ValueError, "the key %R is there already", key);
        return false;
    }
    if (!reserve_entry(l, &number)) return false;
    uint64_t *row = l->hashes + number * l->n_bands;
    if (hashes != NULL) memcpy(row, hashes, l->n_bands * sizeof(*row));
    if ((hashes != NULL || hash_bands(l, sketch, row)) &&
        settle_entry(l, number, key, previous))
        return true;
    l->spare[l->n_spare++] = number;
    return false;
}

static PyObject *lsh_insert(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *names[] = {"key", "minhash", "check_duplication", NULL};
    PyObject *key, *sketch;
    int check = 1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|p:insert",
                                     (char **)names, &key, &sketch, &check) ||
        !insert_hashes((struct lsh *)self, key, sketch, NULL, check))
        return NULL;
    Py_RETURN_NONE;
}

static size_t drop_entry(struct lsh *l, size_t number)
{
    const struct entry entry = l->entries[number];
    for (size_t i = 0; i < l->n_bands; i++)
        unlink_band(l, number, i);
    l->entries[number].key = NULL;
    l->spare[l->n_spare++] = number;
    Py_DECREF(entry.key);
    return entry.previous;
}

static PyObject *lsh_remove(PyObject *self, PyObject *key)
{
    struct lsh *l = (struct lsh *)self;
    size_t number;
    if (!check_made(l) || !find_entry(l, key, &number)) return NULL;
    if (number == NO_ENTRY) {
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    if (PyDict_DelItem(l->numbers, key) < 0) return NULL;
    while (number < l->n_entries && l->entries[number].key != NULL)
        number = drop_entry(l, number);
    Py_RETURN_NONE;
}

/* ---- questions ---- */

static size_t find_candidates(struct lsh *l)
{
    const uint64_t question = ++l->n_questions;
    size_t n = 0;
    if (l->n_used == 0) return 0;
    for (size_t i = 0; i < l->n_bands; i++)
        __builtin_prefetch(&l->slots[l->asked[i] & (l->n_slots - 1)]);
    for (size_t i = 0; i < l->n_bands; i++) {
        uint32_t link = find_slot(l, l->asked[i])->first;
        for (; link != NO_LINK; link = l->links[link]) {
            const size_t number = (size_t)(link / l->n_bands);
            struct entry *first = &l->entries[l->entries[number].first];
            if (first->seen == question) continue;
            first->seen = question;
            l->found[n++] = number;
        }
    }
    return n;
}

static PyObject *lsh_query(PyObject *self, PyObject *sketch)
{
    struct lsh *l = (struct lsh *)self;
    if (!check_made(l) || !hash_bands(l, sketch, l->asked)) return NULL;
    const size_t n = find_candidates(l);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *key = l->entries[l->found[i]].key;
        Py_INCREF(key);
        PyList_SetItem(list, (Py_ssize_t)i, key);
    }
    return list;
}

static bool count_value(PyObject *counts, uint64_t hash)
{
    PyObject *value = PyLong_FromUnsignedLongLong(hash);
    PyObject *before =
        value != NULL ? PyDict_GetItemWithError(counts, value) : NULL;
    PyObject *count =
        PyErr_Occurred() != NULL
            ? NULL
            : PyLong_FromLong(before != NULL ? PyLong_AsLong(before) + 1 : 1);
    const bool is_counted =
        count != NULL && PyDict_SetItem(counts, value, count) == 0;
    Py_XDECREF(value);
    Py_XDECREF(count);
    return is_counted;
}

static PyObject *count_band(const struct lsh *l, size_t band,
                            const size_t *numbers, size_t n)
{
    PyObject *counts = PyDict_New();
    for (size_t i = 0; counts != NULL && i < n; i++) {
        const size_t number = numbers != NULL ? numbers[i] : i;
        if (l->entries[number].key != NULL &&
            !count_value(counts, l->hashes[number * l->n_bands + band]))
            Py_CLEAR(counts);
    }
    return counts;
}

static PyObject *count_bands(const struct lsh *l, const size_t *numbers,
                             size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)l->n_bands);
    for (size_t i = 0; list != NULL && i < l->n_bands; i++) {
        PyObject *counts = count_band(l, i, numbers, n);
        if (counts == NULL)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, (Py_ssize_t)i, counts);
    }
    return list;
}

static PyObject *lsh_get_counts(PyObject *self, PyObject *args)
{
    const struct lsh *l = (const struct lsh *)self;
    (void)args;
    return check_made(l) ? count_bands(l, NULL, l->n_entries) : NULL;
}

static PyObject *lsh_get_subset_counts(PyObject *self, PyObject *keys)
{
    const struct lsh *l = (const struct lsh *)self;
    const Py_ssize_t n = PyTuple_Size(keys);
    size_t *numbers = malloc(((size_t)n + 1) * sizeof(*numbers));
    if (numbers == NULL) return PyErr_NoMemory();
    bool is_found = check_made(l);
    for (Py_ssize_t i = 0; is_found && i < n; i++) {
        is_found = find_entry(l, PyTuple_GetItem(keys, i), &numbers[i]);
        if (!is_found || numbers[i] < l->n_entries) continue;
        PyErr_SetObject(PyExc_KeyError, PyTuple_GetItem(keys, i));
        is_found = false;
    }
    PyObject *list = is_found ? count_bands(l, numbers, (size_t)n) : NULL;
    free(numbers);
    return list;
}

/* _entries() -> [(key, hashes as bytes)]; _add_entry() takes them again. */
static PyObject *lsh_entries(PyObject *self, PyObject *args)
{
    const struct lsh *l = (const struct lsh *)self;
    const Py_ssize_t width = (Py_ssize_t)(l->n_bands * sizeof(*l->hashes));
    (void)args;
    if (!check_made(l)) return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < l->n_entries; i++) {
        if (l->entries[i].key == NULL) continue;
        PyObject *pair =
            Py_BuildValue("Oy#", l->entries[i].key,
                          (const char *)(l->hashes + i * l->n_bands), width);
        if (pair == NULL || PyList_Append(list, pair) < 0) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

static PyObject *lsh_add_entry(PyObject *self, PyObject *args)
{
    struct lsh *l = (struct lsh *)self;
    PyObject *key;
    const char *hashes;
    Py_ssize_t len;
    if (!PyArg_ParseTuple(args, "Oy#", &key, &hashes, &len)) return NULL;
    if ((size_t)len != l->n_bands * sizeof(*l->hashes)) {
        PyErr_SetString(PyExc_ValueError, "bands of another number");
        return NULL;
    }
    if (!insert_hashes(l, key, NULL, hashes, false)) return NULL;
    Py_RETURN_NONE;
}

static Py_ssize_t lsh_len(PyObject *self)
{
    const struct lsh *l = (const struct lsh *)self;
    return check_made(l) ? PyDict_Size(l->numbers) : -1;
}

static int lsh_contains(PyObject *self, PyObject *key)
{
    const struct lsh *l = (const struct lsh *)self;
    return check_made(l) ? PyDict_Contains(l->numbers, key) : -1;
}

static PyObject *lsh_is_empty(PyObject *self, PyObject *args)
{
    const Py_ssize_t n = lsh_len(self);
    (void)args;
    return n >= 0 ? PyBool_FromLong(n == 0) : NULL;
}

/* ---- the object ---- */

/* Bands(n_bands, n_rows, n_samples) */
static int lsh_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct lsh *l = (struct lsh *)self;
    Py_ssize_t n_bands, n_rows, n_samples;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "nnn", &n_bands, &n_rows, &n_samples))
        return -1;
    if (l->numbers != NULL) {
        PyErr_SetString(PyExc_TypeError, "an index is made once");
        return -1;
    }
    if (n_bands < 1 || n_rows < 1 || n_bands > n_samples / n_rows) {
        PyErr_Format(PyExc_ValueError,
                     "%zd bands of %zd rows are more than %zd samples, or none",
                     n_bands, n_rows, n_samples);
        return -1;
    }
    l->n_bands = (size_t)n_bands;
    l->n_rows = (size_t)n_rows;
    l->n_samples = (size_t)n_samples;
    if (!resize(&l->asked, l->n_bands, sizeof(*l->asked))) {
        PyErr_NoMemory();
        return -1;
    }
    l->numbers = PyDict_New();
    return l->numbers != NULL ? 0 : -1;
}

static int lsh_traverse(PyObject *self, visitproc visit, void *arg)
{
    const struct lsh *l = (const struct lsh *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(l->numbers);
    for (size_t i = 0; i < l->n_entries; i++)
        Py_VISIT(l->entries[i].key);
    return 0;
}

static int lsh_forget(PyObject *self)
{
    struct lsh *l = (struct lsh *)self;
    const size_t n = l->n_entries;
    struct entry *entries = l->entries;
    l->entries = NULL;
    l->n_entries = l->entries_cap = l->n_spare = l->n_used = 0;
    for (size_t i = 0; i < l->n_slots; i++)
        l->slots[i].first = NO_LINK;
    Py_CLEAR(l->numbers);
    for (size_t i = 0; i < n; i++)
        Py_XDECREF(entries[i].key);
    free(entries);
    return 0;
}

static void lsh_free(PyObject *self)
{
    struct lsh *l = (struct lsh *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    lsh_forget(self);
    free(l->slots);
    free(l->hashes);
    free(l->links);
    free(l->spare);
    free(l->found);
    free(l->asked);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

#define DOC(signature, text) signature "\n--\n\n" text

static PyMethodDef lsh_methods[] = {
    {"insert", (PyCFunction)(void (*)(void))lsh_insert,
     METH_VARARGS | METH_KEYWORDS,
     DOC("insert($self, /, key, minhash, check_duplication=True)",
         "Adds a sketch under a key, which can be any hashable object.")},
    {"query", lsh_query, METH_O,
     DOC("query($self, minhash, /)",
         "Returns the keys that share a band, in no particular order.")},
    {"remove", lsh_remove, METH_O,
     DOC("remove($self, key, /)",
         "Removes a key. Raises KeyError if it is missing.")},
    {"is_empty", lsh_is_empty, METH_NOARGS,
     DOC("is_empty($self, /)", "Whether the index is empty.")},
    {"get_counts", lsh_get_counts, METH_NOARGS,
     DOC("get_counts($self, /)", "Returns, for each band, the number of keys "
                                 "under each of its values.")},
    {"get_subset_counts", lsh_get_subset_counts, METH_VARARGS,
     DOC("get_subset_counts($self, /, *keys)",
         "The same as get_counts for some of the keys.")},
    {"_entries", lsh_entries, METH_NOARGS, NULL},
    {"_add_entry", lsh_add_entry, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot lsh_slots[] = {
    {Py_tp_init, lsh_init},
    {Py_tp_dealloc, lsh_free},
    {Py_tp_traverse, lsh_traverse},
    {Py_tp_clear, lsh_forget},
    {Py_tp_methods, lsh_methods},
    {Py_sq_length, lsh_len},
    {Py_sq_contains, lsh_contains},
    {Py_tp_doc, (void *)"Bands of sketches."},
    {0, NULL},
};

PyType_Spec binding_bands_spec = {
    .name = "origo._origo.Bands",
    .basicsize = sizeof(struct lsh),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = lsh_slots,
};
