/* The distinct runs of an evaluation. With some hundred runs a linear search is
 * fast enough. */

#include "eval/run_set.h"
#include "eval/evaluation.h"

#include <stdio.h>
#include <stdlib.h>

void run_set_release(struct run_set *set)
{
    free(set->runs);
    free(set->results);
    *set = (struct run_set){0};
}

bool run_is_same_select(const og_select_options *a, const og_select_options *b)
{
    return a->kind == b->kind && a->param == b->param &&
           a->no_overlap == b->no_overlap && a->sparse == b->sparse;
}

static bool is_same(const og_eval_run *a, const og_eval_run *b)
{
    return run_is_same_select(&a->select, &b->select) && a->evict == b->evict &&
           a->estimate == b->estimate && a->layout == b->layout &&
           a->bridge_limit == b->bridge_limit &&
           a->bucket_slots == b->bucket_slots &&
           a->memory_percent == b->memory_percent &&
           a->memory_bytes == b->memory_bytes;
}

/* `n` if there is none. */
static size_t place_of(const struct run_set *set, const og_eval_run *run)
{
    size_t i = 0;
    while (i < set->n && !is_same(&set->runs[i], run))
        i++;
    return i;
}

static bool reserve_one(struct run_set *set)
{
    if (set->n < set->cap) return true;
    const size_t cap = set->cap == 0 ? 256 : 2 * set->cap;
    og_eval_run *runs = realloc(set->runs, cap * sizeof(*runs));
    if (runs == NULL) return false;
    set->runs = runs;
    set->cap = cap;
    return true;
}

void run_set_add(struct run_set *set, const og_eval_run *run)
{
    if (place_of(set, run) < set->n) return;
    if (reserve_one(set))
        set->runs[set->n++] = *run;
    else
        set->out_of_memory = true;
}

og_status run_set_measure(struct run_set *set, og_eval *eval, og_error *err)
{
    if (!set->out_of_memory)
        set->results = calloc(set->n, sizeof(*set->results));
    if (set->results == NULL) {
        *err = (og_error){.status = OG_ERR_MEMORY};
        snprintf(err->message, sizeof(err->message),
                 "out of memory for %zu runs", set->n);
        return OG_ERR_MEMORY;
    }
    return og_eval_origin(eval, set->runs, set->n, set->results, err);
}

const og_eval_result *run_set_find(const struct run_set *set,
                                   const og_eval_run *run)
{
    const size_t i = place_of(set, run);
    if (i >= set->n || set->results == NULL) return NULL;
    return set->results[i].table_bytes != 0 ? &set->results[i] : NULL;
}
