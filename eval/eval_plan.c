/* From lists to runs: the layout changes fastest, the selection slowest.
 * Everything is checked here, before a stream is read. */

#include "eval/eval_plan.h"

#include "cli/say.h"
#include "eval/evaluation.h"

#include <stdlib.h>
#include <string.h>

static bool grid_split(struct grid *g, const char *command,
                       const struct plan_lists *lists)
{
    return list_split(&g->select, command, "select", lists->select,
                      list_is_select) &&
           list_split(&g->evict, command, "evict", lists->evict,
                      list_is_evict) &&
           list_split(&g->estimate, command, "estimate", lists->estimate,
                      list_is_estimate) &&
           list_split(&g->memory, command, "memory", lists->memory,
                      list_is_memory) &&
           list_split(&g->layout, command, "layout", lists->layout,
                      list_is_layout);
}

static size_t grid_size(const struct grid *g)
{
    return g->select.n * g->evict.n * g->estimate.n * g->memory.n * g->layout.n;
}

static void grid_release(struct grid *g)
{
    list_release(&g->select);
    list_release(&g->evict);
    list_release(&g->estimate);
    list_release(&g->memory);
    list_release(&g->layout);
}

/* The n-th combination; the names were checked when the lists were split. */
static og_eval_run grid_run(const struct grid *g, size_t n, const char **memory)
{
    og_eval_run run = {0};
#define NEXT(list) (g->list.names[n % g->list.n])
#define VIEW(s)    ((og_bytes){(s), strlen(s)})
    og_layout_parse(VIEW(NEXT(layout)), &run.layout);
    n /= g->layout.n;
    *memory = NEXT(memory);
    list_memory(*memory, &run.memory_percent, &run.memory_bytes);
    n /= g->memory.n;
    og_estimate_parse(VIEW(NEXT(estimate)), &run.estimate);
    n /= g->estimate.n;
    og_evict_parse(VIEW(NEXT(evict)), &run.evict);
    n /= g->evict.n;
    og_select_parse(VIEW(NEXT(select)), &run.select);
#undef NEXT
#undef VIEW
    return run;
}

static bool reserve(struct plan *p, size_t n)
{
    og_eval_run *runs = realloc(p->runs, n * sizeof(*runs));
    if (runs != NULL) p->runs = runs;
    const char **names = realloc(p->memory_names, n * sizeof(*names));
    if (names != NULL) p->memory_names = names;
    return runs != NULL && names != NULL;
}

static bool check_run(const og_eval_run *run, og_params params,
                      const char *command)
{
    og_error err = {0};
    params.select = run->select;
    if (og_params_check(&params, &err) == OG_OK) return true;
    say_usage(command, "%s", err.message);
    return false;
}

int plan_add(struct plan *p, const char *command,
             const struct plan_lists *lists, const og_params *params)
{
    struct grid *grid = &p->grids[p->n_grids++];
    if (!grid_split(grid, command, lists)) return EXIT_USAGE;
    const size_t n = grid_size(grid);
    if (!reserve(p, p->n_runs + n)) {
        say("out of memory for %zu combinations", p->n_runs + n);
        return EXIT_IO;
    }
    for (size_t i = 0; i < n; i++) {
        og_eval_run *run = &p->runs[p->n_runs];
        *run = grid_run(grid, i, &p->memory_names[p->n_runs]);
        run->bridge_limit = params->bridge_limit;
        run->bucket_slots = params->bucket_slots;
        if (!check_run(run, *params, command)) return EXIT_USAGE;
        p->n_runs++;
    }
    return EXIT_DONE;
}

void plan_release(struct plan *p)
{
    for (size_t i = 0; i < p->n_grids; i++)
        grid_release(&p->grids[i]);
    free(p->memory_names);
    free(p->runs);
    *p = (struct plan){0};
}
