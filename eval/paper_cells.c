/* Runs, their scores and the cells that present them: paper_cells.h. */

#include "eval/paper_cells.h"
#include "eval/evaluation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- runs and their scores ---- */

static bool take_part(const char **rest, og_bytes *out)
{
    const size_t len = strcspn(*rest, "/");
    *out = (og_bytes){*rest, len};
    *rest += (*rest)[len] == '/' ? len + 1 : len;
    return len > 0;
}

/* `name` is one of ours and valid: "NHs/LS/BE". */
og_eval_run paper_run_of(const struct paper *p, const char *name)
{
    og_eval_run run = {.layout = p->options.layout,
                       .bridge_limit = p->options.bridge_limit,
                       .bucket_slots = p->own.bucket_slots};
    og_bytes part;
    if (take_part(&name, &part)) og_select_parse(part, &run.select);
    if (take_part(&name, &part)) og_evict_parse(part, &run.evict);
    if (take_part(&name, &part)) og_estimate_parse(part, &run.estimate);
    return run;
}

void paper_name_of(const og_eval_run *run, char out[40])
{
    char select[16];
    og_select_name(&run->select, select);
    snprintf(out, 40, "%s/%s/%s", select, og_evict_name(run->evict),
             og_estimate_name(run->estimate));
}

const og_eval_result *paper_result_at(struct paper *p, og_eval_run run,
                                      size_t size)
{
    static const og_eval_result nothing_yet;
    run.memory_percent = pub_size_percent[size];
    if (p->asking) run_set_add(&p->runs, &run);
    const og_eval_result *result = run_set_find(&p->runs, &run);
    return result != NULL ? result : &nothing_yet;
}

/* In percent; `size` may be AVERAGE. */
double paper_score(struct paper *p, const og_eval_run *run, size_t size,
                   enum paper_measure measure)
{
    if (size == AVERAGE) {
        double sum = 0;
        for (size_t i = 0; i < PUB_SIZES; i++)
            sum += paper_score(p, run, i, measure);
        return sum / PUB_SIZES;
    }
    const og_eval_result *r = paper_result_at(p, *run, size);
    return 100 * (measure == DOMINANT    ? r->dominant
                  : measure == FRESHNESS ? r->freshness
                                         : r->overall);
}

/* ---- printing ---- */

void paper_title(const struct paper *p, const char *format, ...)
{
    if (p->asking) return;
    va_list args;
    va_start(args, format);
    printf("\n### ");
    vprintf(format, args);
    printf("\n\n");
    va_end(args);
}

void paper_end_table(struct paper *p)
{
    if (!p->asking && !md_print(&p->table, stdout)) p->out_of_memory = true;
    md_release(&p->table);
}

void paper_size_cell(struct paper *p, const char *before, size_t size)
{
    if (size == AVERAGE)
        md_cell(&p->table, "%saverage", before);
    else
        md_cell(&p->table, "%s%g %%", before, pub_size_percent[size]);
}

void paper_score_cell(struct paper *p, double ours, double published)
{
    if (published > 0)
        md_cell(&p->table, "%.1f (%.1f)", ours, published);
    else
        md_cell(&p->table, "%.1f", ours);
}

void paper_head(struct paper *p, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        md_cell(&p->table, "%s", names[i]);
    md_end_row(&p->table);
}

/* ---- columns of combinations ---- */

static double published_at(const struct paper_column *c, size_t size,
                           enum paper_measure m)
{
    if (m == OVERALL) return size == AVERAGE ? c->published_overall : 0;
    return c->published[m] != NULL ? c->published[m][size * c->stride] : 0;
}

void paper_head_of(struct paper *p, const struct paper_column *columns,
                   size_t n)
{
    md_cell(&p->table, "memory");
    for (size_t i = 0; i < n; i++)
        md_cell(&p->table, "%s", columns[i].head);
    md_end_row(&p->table);
}

void paper_row_of(struct paper *p, const struct paper_column *columns, size_t n,
                  size_t size, enum paper_measure measure)
{
    for (size_t i = 0; i < n; i++) {
        const og_eval_run run = paper_run_of(p, columns[i].name);
        paper_score_cell(p, paper_score(p, &run, size, measure),
                         published_at(&columns[i], size, measure));
    }
    md_end_row(&p->table);
}

void paper_rows_of(struct paper *p, const struct paper_column *columns,
                   size_t n, const char *before, enum paper_measure measure)
{
    for (size_t size = 0; size <= AVERAGE; size++) {
        paper_size_cell(p, before, size);
        paper_row_of(p, columns, n, size, measure);
    }
}

/* The shape of tables 8 to 10. */
void paper_three_measures(struct paper *p, const struct paper_column *columns,
                          size_t n)
{
    paper_head_of(p, columns, n);
    paper_rows_of(p, columns, n, "DO ", DOMINANT);
    paper_rows_of(p, columns, n, "TF ", FRESHNESS);
    md_cell(&p->table, "overall");
    paper_row_of(p, columns, n, AVERAGE, OVERALL);
    paper_end_table(p);
}
