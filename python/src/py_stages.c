/* The stages of deduplication, for arrays of jobs. */

#include "binding.h"

#include <string.h>

typedef og_status stage_fn(const og_input *input,
                           const og_stage_options *options,
                           og_stage_counts *counts, og_error *err);

static stage_fn *stage_called(const char *name)
{
    static const struct {
        const char *name;
        stage_fn *run;
    } stages[] = {{"sketch", og_stage_sketch},
                  {"bands", og_stage_bands},
                  {"components", og_stage_components},
                  {"filter", og_stage_filter}};
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
        if (strcmp(stages[i].name, name) == 0) return stages[i].run;
    PyErr_Format(PyExc_ValueError,
                 "stage '%s': must be sketch, bands, components or filter",
                 name);
    return NULL;
}

static bool set_options(PyObject *options, og_stage_options *o)
{
    return binding_dedup_options(options, &o->dedup) &&
           binding_option_text(options, "work", &o->work) &&
           binding_option_text(options, "candidates", &o->candidates) &&
           binding_option_text(options, "remove", &o->remove) &&
           binding_option_text(options, "folder", &o->output) &&
           binding_option_u32(options, "shard", &o->shard) &&
           binding_option_u32(options, "n_shards", &o->n_shards);
}

/* stage(name, input, options) -> counts */
PyObject *binding_stage(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *object, *options;
    og_stage_options o = {.dedup = og_dedup_options_default(), .n_shards = 1};
    og_stage_counts counts = {0};
    og_error err = {0};
    og_status status;
    (void)self;
    if (!PyArg_ParseTuple(args, "sOO!", &name, &object, &PyDict_Type, &options))
        return NULL;
    stage_fn *run = stage_called(name);
    struct binding_input *in = run != NULL ? binding_input_of(object) : NULL;
    if (in == NULL || !set_options(options, &o) || !binding_run_begin(in))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = run(&in->input, &o, &counts, &err);
    Py_END_ALLOW_THREADS if (!binding_run_end(in, status, &err)) return NULL;
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsK}", "n_made", counts.n_made, "n_there",
        counts.n_there, "n_documents", counts.n_documents, "n_pairs",
        counts.n_pairs, "n_kept", counts.n_kept, "n_removed", counts.n_removed,
        "n_skipped", counts.n_skipped, "n_passed", counts.n_passed);
}
