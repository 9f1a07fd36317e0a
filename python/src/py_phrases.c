/* Passages that many documents of a store repeat. */

#include "py_store.h"

#include <stdlib.h>
#include <string.h>

static bool set_moment(PyObject *options, const char *name, bool *has,
                       int64_t *out)
{
    const char *text = NULL;
    if (!binding_option_text(options, name, &text)) return false;
    if (text == NULL) return true;
    *has = og_time_parse((og_bytes){text, strlen(text)}, out);
    if (!*has) PyErr_Format(PyExc_ValueError, "%s '%s': no time", name, text);
    return *has;
}

static bool set_options(PyObject *options, og_phrases_options *o)
{
    static const char *const periods[] = {"parts", "day", "month", "year"};
    int period = (int)o->period;
    if (!binding_option_u32(options, "limit", &o->limit) ||
        !binding_option_u32(options, "min_documents", &o->min_documents) ||
        !binding_option_u32(options, "min_tokens", &o->min_tokens) ||
        !binding_option_u64(options, "memory", &o->memory) ||
        !binding_option_text(options, "source", &o->source) ||
        !binding_option_name(options, "period", &period, periods, 4) ||
        !set_moment(options, "since", &o->has_since, &o->since) ||
        !set_moment(options, "until", &o->has_until, &o->until))
        return false;
    o->period = (og_period)period;
    return true;
}

static PyObject *phrases_json(og_phrases *phrases)
{
    struct binding_buffer buffer = {0};
    og_error err = {0};
    const og_status status =
        og_phrases_write(phrases, OG_FORMAT_JSON, (og_text_style){0},
                         binding_write, &buffer, &err);
    PyObject *bytes = status == OG_OK ? binding_buffer_bytes(&buffer)
                                      : binding_raise(status, &err);
    free(buffer.data);
    og_phrases_free(phrases);
    return bytes;
}

/* phrases(input, options) -> JSON. The input has no documents: it is what
 * hears of progress, and what stops a run. */
PyObject *binding_store_phrases(PyObject *self, PyObject *args)
{
    PyObject *object, *options;
    og_phrases_options o = og_phrases_options_default();
    og_phrases *phrases = NULL;
    og_error err = {0};
    og_status status;
    if (!PyArg_ParseTuple(args, "OO!", &object, &PyDict_Type, &options))
        return NULL;
    struct binding_input *in = binding_input_of(object);
    if (in == NULL || !set_options(options, &o)) return NULL;
    o.n_threads = in->input.n_threads;
    o.ctx = in;
    o.on_progress = in->input.on_progress;
    o.should_stop = in->input.should_stop;
    struct binding_store *s = binding_store_use(self);
    if (s == NULL) return NULL;
    if (!binding_run_begin(in)) {
        binding_store_leave(s);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        og_store_phrases(s->store, &o, &phrases, &err);
    Py_END_ALLOW_THREADS binding_store_leave(s);
    if (binding_run_end(in, status, &err)) return phrases_json(phrases);
    og_phrases_free(phrases);
    return NULL;
}
