#ifndef CLI_PAPER_CELLS_H
#define CLI_PAPER_CELLS_H

/* The parts of the tables of the origin paper: runs by their names, their
 * scores, cells with the paper's figures beside ours, and columns of
 * combinations. paper_tables.c says why every table is written twice. */

#include "eval/evaluation.h"
#include "eval/markdown.h"
#include "eval/paper_tables.h"
#include "eval/published.h"
#include "eval/run_set.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define AVERAGE       PUB_SIZES /* the row below those of the sizes */
#define BEST_OF_PAPER "NHs/LS/BE"

enum paper_measure { DOMINANT, FRESHNESS, OVERALL };

struct paper {
    struct paper_options options;
    og_params own; /* origo's defaults */
    og_eval_facts facts;
    struct run_set runs;
    bool asking; /* the first time */
    bool out_of_memory;
    struct md_table table;
};

/* ---- runs and their scores ---- */

/* `name` is one of ours and valid: "NHs/LS/BE". */
og_eval_run paper_run_of(const struct paper *p, const char *name);
void paper_name_of(const og_eval_run *run, char out[40]);

/* The run at a size of the paper; in the first pass it is recorded, and all of
 * the result is 0. */
const og_eval_result *paper_result_at(struct paper *p, og_eval_run run,
                                      size_t size);
/* In percent; `size` may be AVERAGE. */
double paper_score(struct paper *p, const og_eval_run *run, size_t size,
                   enum paper_measure measure);

/* ---- cells; nothing is printed the first time ---- */

void paper_title(const struct paper *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void paper_size_cell(struct paper *p, const char *before, size_t size);
/* `published` 0: the paper has none. */
void paper_score_cell(struct paper *p, double ours, double published);
void paper_head(struct paper *p, const char *const *names, size_t n);
/* Prints the table, and begins the next. */
void paper_end_table(struct paper *p);

#define HEAD(p, ...)                                                           \
    paper_head(p, (const char *const[]){__VA_ARGS__},                          \
               LENGTH(((const char *const[]){__VA_ARGS__})))

/* ---- columns of combinations ---- */

/* One combination, and where the paper's figures for it begin: `published` at
 * the row of the first size, the next row `stride` further. */
struct paper_column {
    char head[24], name[40];
    const double *published[2]; /* DO, TF; NULL: none */
    size_t stride;
    double published_overall;
};

void paper_head_of(struct paper *p, const struct paper_column *columns,
                   size_t n);
void paper_row_of(struct paper *p, const struct paper_column *columns, size_t n,
                  size_t size, enum paper_measure measure);
void paper_rows_of(struct paper *p, const struct paper_column *columns,
                   size_t n, const char *before, enum paper_measure measure);
/* The shape of tables 8 to 10. */
void paper_three_measures(struct paper *p, const struct paper_column *columns,
                          size_t n);

/* ---- origo's own: paper_own.c ---- */

void paper_own_table(struct paper *p);
void paper_best_of_all(struct paper *p);

#endif
