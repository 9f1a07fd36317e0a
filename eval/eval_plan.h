#ifndef CLI_EVAL_PLAN_H
#define CLI_EVAL_PLAN_H

/* From lists on the command line to the runs of an evaluation. */

#include "cli/lists.h"
#include "eval/evaluation.h"

#include <origo/origo.h>
#include <stdbool.h>

/* What the user wrote, "M4,W8" or "1%,64M". */
struct plan_lists {
    const char *select, *evict, *estimate, *memory, *layout;
};

/* Lists split into names. */
struct grid {
    struct list select, evict, estimate, memory, layout;
};

enum { PLAN_GRIDS = 2 };

struct plan {
    struct grid grids[PLAN_GRIDS];
    size_t n_grids;
    og_eval_run *runs;         /* in the order of the output */
    const char **memory_names; /* as they were typed, one per run */
    size_t n_runs;
};

/* Adds every combination of the lists. `params` supplies the other parameters.
 * Returns EXIT_DONE, or an exit status that was explained on stderr. */
int plan_add(struct plan *plan, const char *command,
             const struct plan_lists *lists, const og_params *params);
void plan_release(struct plan *plan);

#endif
