#ifndef CLI_RUN_SET_H
#define CLI_RUN_SET_H

/* The distinct runs of an evaluation, however often they are requested.
 *
 *     first: add every run that some table needs
 *     then:  run_set_measure(), all of them on all cores
 *     last:  look the results up */

#include "eval/evaluation.h"
#include <origo/origo.h>
#include <stdbool.h>
#include <stddef.h>

struct run_set {
    og_eval_run *runs;
    og_eval_result *results; /* NULL until measured */
    size_t n, cap;
    bool out_of_memory; /* some run could not be added */
};

void run_set_release(struct run_set *set);

/* Does nothing if the set has an equal run. */
void run_set_add(struct run_set *set, const og_eval_run *run);

/* OG_ERR_MEMORY also if an addition failed. */
og_status run_set_measure(struct run_set *set, og_eval *eval, og_error *err);

/* NULL if there is no such run, or nothing was measured yet. Valid until
 * run_set_release(). */
const og_eval_result *run_set_find(const struct run_set *set,
                                   const og_eval_run *run);

bool run_is_same_select(const og_select_options *a, const og_select_options *b);

#endif
