/* origo's own combination beside the paper's best, and all of them in order. */

#include "eval/evaluation.h"
#include "eval/paper_cells.h"

#include <stdlib.h>

static og_eval_run own_run(const struct paper *p, og_layout_kind layout)
{
    return (og_eval_run){.select = p->own.select,
                         .evict = p->own.evict,
                         .estimate = p->own.estimate,
                         .layout = layout,
                         .bridge_limit = p->options.bridge_limit,
                         .bucket_slots = p->own.bucket_slots};
}

static og_eval_run with_layout(og_eval_run run, og_layout_kind layout)
{
    run.layout = layout;
    return run;
}

void paper_own_table(struct paper *p)
{
    const og_eval_run theirs = paper_run_of(p, BEST_OF_PAPER);
    const og_eval_run runs[] = {
        own_run(p, OG_LAYOUT_PACKED),
        with_layout(theirs, OG_LAYOUT_PACKED),
        own_run(p, OG_LAYOUT_PAPER),
        with_layout(theirs, OG_LAYOUT_PAPER),
    };
    paper_title(
        p, "origo's own combination and the paper's best: DO / TF / overall");
    md_cell(&p->table, "memory");
    for (size_t i = 0; i < LENGTH(runs); i++) {
        char name[40];
        paper_name_of(&runs[i], name);
        md_cell(&p->table, "%s %s", name, og_layout_name(runs[i].layout));
    }
    md_end_row(&p->table);
    for (size_t size = 0; size <= AVERAGE; size++) {
        paper_size_cell(p, "", size);
        for (size_t i = 0; i < LENGTH(runs); i++)
            md_cell(&p->table, "%.1f / %.1f / %.1f",
                    paper_score(p, &runs[i], size, DOMINANT),
                    paper_score(p, &runs[i], size, FRESHNESS),
                    paper_score(p, &runs[i], size, OVERALL));
        md_end_row(&p->table);
    }
    paper_end_table(p);
}

/* The steps from the paper's best combination to ours, and similar ones. */
static void ask_further(struct paper *p)
{
    static const char *const names[] = {"NHs/LS/CX",   "NHs/learn/CX",
                                        "Hs/learn/CX", "SHs/LS/CX",
                                        "NHs/thin/BE", "SHs/learn/CX"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        const og_eval_run run = paper_run_of(p, names[i]);
        const og_eval_run packed = with_layout(run, OG_LAYOUT_PACKED);
        paper_score(p, &packed, AVERAGE, OVERALL);
    }
}

struct rank {
    og_eval_run run;
    double overall, ssr;
};

static int by_overall(const void *a, const void *b)
{
    const struct rank *x = a;
    const struct rank *y = b;
    return (x->overall < y->overall) - (x->overall > y->overall);
}

/* Every combination that was run at all sizes with the default bucket and
 * bridge. Returns their number. */
static size_t rank_all(struct paper *p, struct rank *ranks)
{
    size_t n = 0;
    for (size_t i = 0; i < p->runs.n; i++) {
        const og_eval_run *run = &p->runs.runs[i];
        og_eval_run last = *run;
        last.memory_percent = pub_size_percent[1];
        if (run->memory_percent != pub_size_percent[0] ||
            run->bucket_slots != p->own.bucket_slots ||
            run->bridge_limit != p->options.bridge_limit ||
            run_set_find(&p->runs, &last) == NULL)
            continue;
        ranks[n++] =
            (struct rank){.run = *run,
                          .overall = paper_score(p, run, AVERAGE, OVERALL),
                          .ssr = paper_result_at(p, *run, 0)->ssr};
    }
    qsort(ranks, n, sizeof(*ranks), by_overall);
    return n;
}

void paper_best_of_all(struct paper *p)
{
    enum { MOST_SHOWN = 12 };
    ask_further(p);
    if (p->asking) return;
    struct rank *ranks = calloc(p->runs.n, sizeof(*ranks));
    if (ranks == NULL) {
        p->out_of_memory = true;
        return;
    }
    const size_t n = rank_all(p, ranks);
    paper_title(
        p, "The best of the %zu combinations above, by average overall score",
        n);
    HEAD(p, "combination", "layout", "ssr, %", "DO", "TF", "overall");
    for (size_t i = 0; i < n && i < MOST_SHOWN; i++) {
        const og_eval_run *run = &ranks[i].run;
        char name[40];
        paper_name_of(run, name);
        md_cell(&p->table, "%s", name);
        md_cell(&p->table, "%s", og_layout_name(run->layout));
        md_cell(&p->table, "%.1f", 100 * ranks[i].ssr);
        md_cell(&p->table, "%.2f", paper_score(p, run, AVERAGE, DOMINANT));
        md_cell(&p->table, "%.2f", paper_score(p, run, AVERAGE, FRESHNESS));
        md_cell(&p->table, "%.2f", ranks[i].overall);
        md_end_row(&p->table);
    }
    paper_end_table(p);
    free(ranks);
}
