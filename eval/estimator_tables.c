/* The section "Estimators" of docs/evaluation.md.
 *
 * Cells of one estimator and one size, over all similarities, become a line:
 * the largest bias and its number of standard errors, the smallest and the
 * largest ratio of variance to theory. With some hundred cells the largest z is
 * around 3 if nothing is wrong. */

#include "eval/estimator_tables.h"

#include "cli/say.h"
#include "eval/evaluation.h"

#include <math.h>
#include <origo/origo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct line {
    char estimator[16];
    uint64_t n_features;
    unsigned n_cells;
    unsigned long n_trials;
    double bias, z;     /* of the cell with the largest |z| */
    double least, most; /* variance over theory */
    double bits, ns;    /* averages over cells */
};

struct tables {
    struct line line;
    bool in_families, quiet, stopped;
};

static const char *z_of(double bias, double bias_error, char out[16])
{
    if (bias_error == 0)
        snprintf(out, 16, "0");
    else
        snprintf(out, 16, "%+.1f", bias / bias_error);
    return out;
}

static void print_line(struct line *l)
{
    if (l->n_cells == 0) return;
    printf("| %s | %llu | %lu | %+.4f | %+.1f | ", l->estimator,
           (unsigned long long)l->n_features, l->n_trials, l->bias, l->z);
    if (l->most < l->least)
        printf("exact");
    else
        printf("%.2f–%.2f", l->least, l->most);
    printf(" | %.3f | %.1f |\n", l->bits / l->n_cells, l->ns / l->n_cells);
    *l = (struct line){0};
}

static void add_cell(struct line *l, const og_estimator_cell *c)
{
    const double z = c->bias_error > 0 ? c->bias / c->bias_error : 0;
    if (l->n_cells == 0) {
        snprintf(l->estimator, sizeof(l->estimator), "%s", c->estimator);
        l->n_features = c->n_features;
        l->least = INFINITY;
        l->most = -INFINITY;
    }
    if (l->n_cells == 0 || fabs(z) > fabs(l->z)) {
        l->bias = c->bias;
        l->z = z;
    }
    if (c->theory > 0) {
        l->least = fmin(l->least, c->variance / c->theory);
        l->most = fmax(l->most, c->variance / c->theory);
    }
    l->n_cells++;
    l->n_trials += c->n_trials;
    l->bits += c->bits;
    l->ns += c->ns;
}

static void print_family(const og_estimator_cell *c)
{
    char z[16];
    printf("| %s | %s | %s | %u | %+.4f | %s | %.2f | %.1f |\n", c->estimator,
           c->family, c->features, (unsigned)c->n_trials, c->bias,
           z_of(c->bias, c->bias_error, z), c->variance / c->theory, c->ns);
}

static bool is_of_families(const og_estimator_cell *c)
{
    return strcmp(c->family, "mix") != 0 || strcmp(c->features, "random") != 0;
}

static bool on_cell(void *ctx, const og_estimator_cell *c)
{
    struct tables *t = ctx;
    if (!t->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%-12s %8llu %.2f  ", c->estimator,
                (unsigned long long)c->n_features, c->similarity);
    if (is_of_families(c)) {
        print_line(&t->line);
        if (!t->in_families)
            printf("\n"
                   "Hash families, 1,000 features, similarity 0.5:\n\n"
                   "| estimator | family | features | trials | bias | z | "
                   "variance / theory | ns per feature |\n"
                   "|---|---|---|---|---|---|---|---|\n");
        t->in_families = true;
        print_family(c);
    } else {
        const bool same = t->line.n_cells > 0 &&
                          strcmp(t->line.estimator, c->estimator) == 0 &&
                          t->line.n_features == c->n_features;
        if (!same) print_line(&t->line);
        add_cell(&t->line, c);
    }
    return fflush(stdout) == 0;
}

int estimator_tables_print(const char *command, double seconds, bool quiet)
{
    struct tables tables = {.quiet = quiet};
    og_estimator_options options = og_estimator_options_default();
    og_error err = {0};
    options.ctx = &tables;
    options.on_cell = on_cell;
    if (seconds > 0) options.seconds = seconds;
    printf("## Estimators\n\n"
           "%u samples; pairs of sets with this number of features each, at "
           "similarities 0.1, 0.3, 0.5,\n"
           "0.8, 0.95 and 0.99. Each line shows the worst of them: the bias "
           "with the largest z (bias /\n"
           "standard error), and the smallest and largest ratio of the "
           "variance to theory; bits are\n"
           "random bits per feature and sample.\n\n"
           "| estimator | features | trials | bias | z | variance / theory | "
           "bits | ns per feature |\n"
           "|---|---|---|---|---|---|---|---|\n",
           (unsigned)options.n_samples);
    const og_status status = og_eval_estimators(&options, &err);
    print_line(&tables.line);
    if (!quiet && isatty(STDERR_FILENO)) fprintf(stderr, "\r%40s\r", "");
    return status == OG_OK ? EXIT_DONE : say_error(command, &err);
}
