/* The tables of the origin paper, on another stream.
 *
 * Every table is written twice by the same function. The first time nothing is
 * printed: each score that the table looks up is noted as a run that must be
 * done. Then all runs are done, each once, though most of them stand in several
 * tables. The second time the scores are there and the tables are printed. So
 * a table and its runs cannot disagree.
 *
 * A cell "97.6 (98.8)" is ours and, in brackets, the paper's for its blogs. */

#include "paper_tables.h"

#include "markdown.h"
#include "published.h"
#include "run_set.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define AVERAGE       PUB_SIZES /* the row below those of the sizes */

enum measure { DOMINANT, FRESHNESS, OVERALL };

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

static bool take_part(const char **rest, og_bytes *out)
{
    const size_t len = strcspn(*rest, "/");
    *out = (og_bytes){*rest, len};
    *rest += (*rest)[len] == '/' ? len + 1 : len;
    return len > 0;
}

/* `name` is ours and right: "NHs/LS/BE". */
static og_eval_run run_of(const struct paper *p, const char *name)
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

static void name_of(const og_eval_run *run, char out[40])
{
    char select[16];
    og_select_name(&run->select, select);
    snprintf(out, 40, "%s/%s/%s", select, og_evict_name(run->evict),
             og_estimate_name(run->estimate));
}

static const og_eval_result *result_at(struct paper *p, og_eval_run run,
                                       size_t size)
{
    static const og_eval_result nothing_yet;
    run.memory_percent = pub_size_percent[size];
    if (p->asking) run_set_add(&p->runs, &run);
    const og_eval_result *result = run_set_find(&p->runs, &run);
    return result != NULL ? result : &nothing_yet;
}

/* In percent; `size` may be AVERAGE. */
static double score(struct paper *p, const og_eval_run *run, size_t size,
                    enum measure measure)
{
    if (size == AVERAGE) {
        double sum = 0;
        for (size_t i = 0; i < PUB_SIZES; i++)
            sum += score(p, run, i, measure);
        return sum / PUB_SIZES;
    }
    const og_eval_result *r = result_at(p, *run, size);
    return 100 * (measure == DOMINANT    ? r->dominant
                  : measure == FRESHNESS ? r->freshness
                                         : r->overall);
}

/* ---- printing ---- */

static void title(const struct paper *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void title(const struct paper *p, const char *format, ...)
{
    if (p->asking) return;
    va_list args;
    va_start(args, format);
    printf("\n### ");
    vprintf(format, args);
    printf("\n\n");
    va_end(args);
}

static void end_table(struct paper *p)
{
    if (!p->asking && !md_print(&p->table, stdout)) p->out_of_memory = true;
    md_release(&p->table);
}

static void size_cell(struct paper *p, const char *before, size_t size)
{
    if (size == AVERAGE)
        md_cell(&p->table, "%saverage", before);
    else
        md_cell(&p->table, "%s%g %%", before, pub_size_percent[size]);
}

static void score_cell(struct paper *p, double ours, double published)
{
    if (published > 0)
        md_cell(&p->table, "%.1f (%.1f)", ours, published);
    else
        md_cell(&p->table, "%.1f", ours);
}

static void head(struct paper *p, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        md_cell(&p->table, "%s", names[i]);
    md_end_row(&p->table);
}

#define HEAD(p, ...)                                                           \
    head(p, (const char *const[]){__VA_ARGS__},                                \
         LENGTH(((const char *const[]){__VA_ARGS__})))

/* ---- columns of combinations ---- */

/* One combination, and where the paper's figures for it begin: `published` at
 * the row of the first size, the next row `stride` further. */
struct column {
    char head[24], name[40];
    const double *published[2]; /* DO, TF; NULL: none */
    size_t stride;
    double published_overall;
};

static double published_at(const struct column *c, size_t size, enum measure m)
{
    if (m == OVERALL) return size == AVERAGE ? c->published_overall : 0;
    return c->published[m] != NULL ? c->published[m][size * c->stride] : 0;
}

static void head_of(struct paper *p, const struct column *columns, size_t n)
{
    md_cell(&p->table, "memory");
    for (size_t i = 0; i < n; i++)
        md_cell(&p->table, "%s", columns[i].head);
    md_end_row(&p->table);
}

static void row_of(struct paper *p, const struct column *columns, size_t n,
                   size_t size, enum measure measure)
{
    for (size_t i = 0; i < n; i++) {
        const og_eval_run run = run_of(p, columns[i].name);
        score_cell(p, score(p, &run, size, measure),
                   published_at(&columns[i], size, measure));
    }
    md_end_row(&p->table);
}

static void rows_of(struct paper *p, const struct column *columns, size_t n,
                    const char *before, enum measure measure)
{
    for (size_t size = 0; size <= AVERAGE; size++) {
        size_cell(p, before, size);
        row_of(p, columns, n, size, measure);
    }
}

/* The shape of tables 8 to 10. */
static void three_measures(struct paper *p, const struct column *columns,
                           size_t n)
{
    head_of(p, columns, n);
    rows_of(p, columns, n, "DO ", DOMINANT);
    rows_of(p, columns, n, "TF ", FRESHNESS);
    md_cell(&p->table, "overall");
    row_of(p, columns, n, AVERAGE, OVERALL);
    end_table(p);
}

/* ---- tables 1 to 3: the stream ---- */

static void table_1(struct paper *p)
{
    const og_eval_facts *f = &p->facts;
    title(p, "Table 1: the stream");
    HEAD(p, "stream", "documents", "shingles", "with dominant origin",
         "shingles per document", "tokens in a copied block", "copy ratio",
         "own dominant origin", "fresh tokens");
    md_cell(&p->table, "this stream");
    md_cell(&p->table, "%llu", (unsigned long long)f->n_documents);
    md_cell(&p->table, "%.1f M", (double)f->n_shingles / 1e6);
    md_cell(&p->table, "%.0f %%", 100 * f->with_dominant);
    md_cell(&p->table, "%.0f", (double)f->n_shingles / (double)f->n_documents);
    md_cell(&p->table, "%.0f", f->block_tokens);
    md_cell(&p->table, "%.2f", f->copied);
    md_cell(&p->table, "%.0f %%", 100 * f->own_dominant);
    md_cell(&p->table, "%.0f %%", 100 * f->fresh);
    md_end_row(&p->table);
    for (size_t i = 0; i < LENGTH(pub_streams); i++) {
        const struct pub_stream *s = &pub_streams[i];
        md_cell(&p->table, "%s", s->name);
        md_cell(&p->table, "%.0f", s->n_documents);
        md_cell(&p->table, "%.1f M", s->n_shingles / 1e6);
        md_cell(&p->table, "%.0f %%", s->with_dominant);
        md_cell(&p->table, "%.0f", s->shingles_per_document);
        md_cell(&p->table, "%.0f", s->block_tokens);
        md_cell(&p->table, "%.2f", s->copied);
        md_cell(&p->table, "%.0f %%", s->own_dominant);
        md_cell(&p->table, "%.0f %%", s->fresh);
        md_end_row(&p->table);
    }
    end_table(p);
}

static void table_2(struct paper *p)
{
    enum { PAPER_SLOT = 18 };
    title(p, "Table 2: table sizes, in bytes and in percent of all shingles");
    HEAD(p, "memory", "bytes at 18 a shingle", "paper: MB", "paper: Swiss");
    for (size_t i = 0; i < PUB_SIZES; i++) {
        size_cell(p, "", i);
        md_cell(&p->table, "%.0f",
                pub_size_percent[i] / 100 * (double)p->facts.n_shingles *
                    PAPER_SLOT);
        md_cell(&p->table, "%g", pub_size_mb[i]);
        md_cell(&p->table, "%g %%", pub_size_swiss[i]);
        md_end_row(&p->table);
    }
    end_table(p);
}

/* What is selected does not depend on the table: the smallest will do. */
static void table_3(struct paper *p)
{
    title(p, "Table 3: selected shingles, in percent of all (ssr)");
    HEAD(p, "selection", "ssr", "paper", "difference");
    for (size_t i = 0; i < PUB_SELECTIONS; i++) {
        char name[40];
        snprintf(name, sizeof(name), "%s/R/NB", pub_ssr[i].select);
        const double ssr =
            100 * result_at(p, run_of(p, name), PUB_SIZES - 1)->ssr;
        md_cell(&p->table, "%s", pub_ssr[i].select);
        md_cell(&p->table, "%.1f", ssr);
        md_cell(&p->table, "%.1f", pub_ssr[i].ssr);
        md_cell(&p->table, "%+.1f", ssr - pub_ssr[i].ssr);
        md_end_row(&p->table);
    }
    end_table(p);
}

/* ---- tables 4 to 7: the selections ---- */

#define VERSION_A "R/NB"
#define VERSION_B "LS/BE"

static void best_columns(struct column out[PUB_BEST], const char *version,
                         const pub_best *dominant, const pub_best *freshness,
                         const double *overall)
{
    for (size_t i = 0; i < PUB_BEST; i++) {
        out[i] = (struct column){
            .published = {&(*dominant)[0][i], &(*freshness)[0][i]},
            .stride = PUB_BEST,
            .published_overall = overall[i]};
        snprintf(out[i].head, sizeof(out[i].head), "%s", pub_best_names[i]);
        snprintf(out[i].name, sizeof(out[i].name), "%s/%s", pub_best_names[i],
                 version);
    }
}

static void selection_table(struct paper *p, const struct column *columns,
                            enum measure measure)
{
    head_of(p, columns, PUB_BEST);
    rows_of(p, columns, PUB_BEST, "", measure);
    end_table(p);
}

/* Ours with the blogs in brackets, and the paper's second stream below. */
static void overall_rows(struct paper *p, const char *version,
                         const struct column *columns, const double *swiss)
{
    md_cell(&p->table, "%s", version);
    row_of(p, columns, PUB_BEST, AVERAGE, OVERALL);
    md_cell(&p->table, "paper: Swiss");
    for (size_t i = 0; i < PUB_BEST; i++)
        md_cell(&p->table, "%.1f", swiss[i]);
    md_end_row(&p->table);
}

static void tables_4_to_7(struct paper *p)
{
    struct column a[PUB_BEST];
    struct column b[PUB_BEST];
    best_columns(a, VERSION_A, &pub_do_a, &pub_tf_a, pub_overall[0]);
    best_columns(b, VERSION_B, &pub_do_b, &pub_tf_b, pub_overall[1]);
    title(p, "Table 4: DO of the best selections, version A (R/NB)");
    selection_table(p, a, DOMINANT);
    title(p, "Table 5: DO of the best selections, version B (LS/BE)");
    selection_table(p, b, DOMINANT);
    title(p, "Table 6: TF, version A (R/NB)");
    selection_table(p, a, FRESHNESS);
    title(p, "Table 6: TF, version B (LS/BE)");
    selection_table(p, b, FRESHNESS);
    title(p, "Table 7: overall score, the mean of average DO and average TF");
    head_of(p, a, PUB_BEST);
    overall_rows(p, "A (R/NB)", a, pub_overall[2]);
    overall_rows(p, "B (LS/BE)", b, pub_overall[3]);
    end_table(p);
}

/* ---- tables 8 to 10: evictions and estimations ---- */

static const char *const two_selections[2] = {"All", "NHs"};

static void table_8(struct paper *p)
{
    struct column columns[2 * PUB_EVICTS];
    for (size_t i = 0; i < LENGTH(columns); i++) {
        const size_t which = i / PUB_EVICTS;
        const size_t evict = i % PUB_EVICTS;
        struct column *c = &columns[i];
        *c = (struct column){.published = {&pub_evict_do[which][0][evict],
                                           &pub_evict_tf[which][0][evict]},
                             .stride = 4,
                             .published_overall =
                                 pub_evict_overall[which][evict]};
        snprintf(c->head, sizeof(c->head), "%s %s", two_selections[which],
                 pub_evict_names[evict]);
        snprintf(c->name, sizeof(c->name), "%s/%s/NB", two_selections[which],
                 pub_evict_names[evict]);
    }
    title(p, "Table 8: evictions, without estimation (NB)");
    three_measures(p, columns, LENGTH(columns));
}

static void table_8_ours(struct paper *p)
{
    static const char *const ours[] = {"S3", "thin", "learn"};
    struct column columns[2 * LENGTH(ours)];
    for (size_t i = 0; i < LENGTH(columns); i++) {
        const char *select = two_selections[i / LENGTH(ours)];
        const char *evict = ours[i % LENGTH(ours)];
        struct column *c = &columns[i];
        *c = (struct column){.stride = 0};
        snprintf(c->head, sizeof(c->head), "%s %s", select, evict);
        snprintf(c->name, sizeof(c->name), "%s/%s/NB", select, evict);
    }
    title(p, "Table 8, continued: evictions that are not in the paper");
    three_measures(p, columns, LENGTH(columns));
}

static void estimation_table(struct paper *p, const char *select, size_t which)
{
    static const char *const evicts[2] = {"CC", "LS"};
    struct column columns[2 * PUB_ESTIMATES];
    for (size_t i = 0; i < LENGTH(columns); i++) {
        const size_t evict = i / PUB_ESTIMATES;
        const size_t estimate = i % PUB_ESTIMATES;
        struct column *c = &columns[i];
        *c = (struct column){
            .published = {&pub_estimate_do[which][evict][0][estimate],
                          &pub_estimate_tf[which][evict][0][estimate]},
            .stride = 4,
            .published_overall = pub_estimate_overall[which][evict][estimate]};
        snprintf(c->head, sizeof(c->head), "%s %s", evicts[evict],
                 pub_estimate_names[estimate]);
        snprintf(c->name, sizeof(c->name), "%s/%s/%s", select, evicts[evict],
                 pub_estimate_names[estimate]);
    }
    three_measures(p, columns, LENGTH(columns));
}

static void tables_9_and_10(struct paper *p)
{
    title(p, "Table 9: estimations, selection NHs with CC and LS");
    estimation_table(p, "NHs", 0);
    title(p, "Table 10: estimations, selection All with CC and LS");
    estimation_table(p, "All", 1);
}

/* ---- table 11, figure 2 and two paragraphs ---- */

#define BEST_OF_PAPER "NHs/LS/BE"

static void table_11(struct paper *p)
{
    title(p, "Table 11: extra labels of " BEST_OF_PAPER
             ", and the share of them that is right");
    HEAD(p, "memory", "extra labels", "right, %", "paper: extra labels",
         "paper: right, %");
    for (size_t size = 0; size < PUB_SIZES; size++) {
        const og_eval_result *r = result_at(p, run_of(p, BEST_OF_PAPER), size);
        const double n = r->n_extra > 0 ? (double)r->n_extra : 1;
        size_cell(p, "", size);
        md_cell(&p->table, "%llu", (unsigned long long)r->n_extra);
        md_cell(&p->table, "%.1f", 100 * (double)r->n_extra_right / n);
        md_cell(&p->table, "%.0f", pub_extra[size]);
        md_cell(&p->table, "%.1f", pub_extra_right[size]);
        md_end_row(&p->table);
    }
    end_table(p);
}

static void length_row(struct paper *p, const og_eval_result *r, size_t from,
                       size_t to)
{
    static const char bar[] =
        "##################################################";
    const int bar_len = sizeof(bar) - 1;
    uint32_t n = 0;
    uint32_t right = 0;
    for (size_t i = from; i < to; i++) {
        n += r->length_n[i];
        right += r->length_right[i];
    }
    if (n == 0 || p->asking) return;
    const double share = (double)right / n;
    if (to == OG_EVAL_LENGTHS)
        printf("    %3zu and more  %6u  %5.1f  ", from, n, 100 * share);
    else
        printf("    %3zu to %3zu    %6u  %5.1f  ", from, to - 1, n,
               100 * share);
    printf("%.*s\n", (int)(share * bar_len + 0.5), bar);
}

/* The paper draws 38 (45 tokens, the shortest) to 350. */
static void figure_2(struct paper *p)
{
    static const size_t from[] = {0,
                                  50,
                                  75,
                                  100,
                                  125,
                                  150,
                                  175,
                                  200,
                                  225,
                                  250,
                                  275,
                                  300,
                                  325,
                                  350,
                                  400,
                                  450,
                                  OG_EVAL_LENGTHS - 1,
                                  OG_EVAL_LENGTHS};
    const size_t smallest = PUB_SIZES - 1;
    const og_eval_result *r = result_at(p, run_of(p, BEST_OF_PAPER), smallest);
    title(p,
          "Figure 2: DO by length of the document, " BEST_OF_PAPER " at %g %%",
          pub_size_percent[smallest]);
    if (!p->asking) printf("    shingles       queries     DO\n");
    for (size_t i = 0; i + 1 < LENGTH(from); i++)
        length_row(p, r, from[i], from[i + 1]);
}

static void section_3_5(struct paper *p)
{
    title(p, "Section 3.5: slots in a bucket, " BEST_OF_PAPER
             ", averages over the sizes");
    HEAD(p, "slots", "DO", "TF", "overall", "difference to 64");
    og_eval_run run = run_of(p, BEST_OF_PAPER);
    run.bucket_slots = 64;
    const double at_64 = score(p, &run, AVERAGE, OVERALL);
    for (uint32_t slots = 4; slots <= 256; slots *= 2) {
        run.bucket_slots = slots;
        const double overall = score(p, &run, AVERAGE, OVERALL);
        md_cell(&p->table, "%u", slots);
        md_cell(&p->table, "%.2f", score(p, &run, AVERAGE, DOMINANT));
        md_cell(&p->table, "%.2f", score(p, &run, AVERAGE, FRESHNESS));
        md_cell(&p->table, "%.2f", overall);
        md_cell(&p->table, "%+.2f", overall - at_64);
        md_end_row(&p->table);
    }
    end_table(p);
}

static void section_3_6(struct paper *p)
{
    static const uint32_t limits[] = {10, 30, 100, 300, 1000};
    title(p, "Section 3.6: the longest bridge T, LS/BE, averages over the "
             "sizes (paper: DO of All rises from 87.4 to 88.3)");
    HEAD(p, "T", "NHs DO", "NHs TF", "NHs overall", "All DO", "All TF",
         "All overall");
    for (size_t i = 0; i < LENGTH(limits); i++) {
        md_cell(&p->table, "%u", limits[i]);
        for (size_t which = 2; which-- > 0;) {
            og_eval_run run = run_of(p, which == 1 ? "NHs/LS/BE" : "All/LS/BE");
            run.bridge_limit = limits[i];
            md_cell(&p->table, "%.2f", score(p, &run, AVERAGE, DOMINANT));
            md_cell(&p->table, "%.2f", score(p, &run, AVERAGE, FRESHNESS));
            md_cell(&p->table, "%.2f", score(p, &run, AVERAGE, OVERALL));
        }
        md_end_row(&p->table);
    }
    end_table(p);
}

/* ---- origo's own combination ---- */

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

static void own_table(struct paper *p)
{
    const og_eval_run theirs = run_of(p, BEST_OF_PAPER);
    const og_eval_run runs[] = {
        own_run(p, OG_LAYOUT_PACKED),
        with_layout(theirs, OG_LAYOUT_PACKED),
        own_run(p, OG_LAYOUT_PAPER),
        with_layout(theirs, OG_LAYOUT_PAPER),
    };
    title(p, "origo's own combination and the paper's best: DO / TF / overall");
    md_cell(&p->table, "memory");
    for (size_t i = 0; i < LENGTH(runs); i++) {
        char name[40];
        name_of(&runs[i], name);
        md_cell(&p->table, "%s %s", name, og_layout_name(runs[i].layout));
    }
    md_end_row(&p->table);
    for (size_t size = 0; size <= AVERAGE; size++) {
        size_cell(p, "", size);
        for (size_t i = 0; i < LENGTH(runs); i++)
            md_cell(&p->table, "%.1f / %.1f / %.1f",
                    score(p, &runs[i], size, DOMINANT),
                    score(p, &runs[i], size, FRESHNESS),
                    score(p, &runs[i], size, OVERALL));
        md_end_row(&p->table);
    }
    end_table(p);
}

/* The steps from the paper's best combination to ours, and near ones. */
static void ask_further(struct paper *p)
{
    static const char *const names[] = {"NHs/LS/CX",   "NHs/learn/CX",
                                        "Hs/learn/CX", "SHs/LS/CX",
                                        "NHs/thin/BE", "SHs/learn/CX"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        const og_eval_run run = run_of(p, names[i]);
        const og_eval_run packed = with_layout(run, OG_LAYOUT_PACKED);
        score(p, &packed, AVERAGE, OVERALL);
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

/* Every combination that was run at all sizes with the usual bucket and
 * bridge. Returns how many. */
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
        ranks[n++] = (struct rank){.run = *run,
                                   .overall = score(p, run, AVERAGE, OVERALL),
                                   .ssr = result_at(p, *run, 0)->ssr};
    }
    qsort(ranks, n, sizeof(*ranks), by_overall);
    return n;
}

static void best_of_all(struct paper *p)
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
    title(p, "The best of the %zu combinations above, by average overall score",
          n);
    HEAD(p, "combination", "layout", "ssr, %", "DO", "TF", "overall");
    for (size_t i = 0; i < n && i < MOST_SHOWN; i++) {
        const og_eval_run *run = &ranks[i].run;
        char name[40];
        name_of(run, name);
        md_cell(&p->table, "%s", name);
        md_cell(&p->table, "%s", og_layout_name(run->layout));
        md_cell(&p->table, "%.1f", 100 * ranks[i].ssr);
        md_cell(&p->table, "%.2f", score(p, run, AVERAGE, DOMINANT));
        md_cell(&p->table, "%.2f", score(p, run, AVERAGE, FRESHNESS));
        md_cell(&p->table, "%.2f", ranks[i].overall);
        md_end_row(&p->table);
    }
    end_table(p);
    free(ranks);
}

/* ---- the whole ---- */

static void every_table(struct paper *p)
{
    table_1(p);
    table_2(p);
    table_3(p);
    tables_4_to_7(p);
    table_8(p);
    table_8_ours(p);
    tables_9_and_10(p);
    table_11(p);
    figure_2(p);
    section_3_5(p);
    section_3_6(p);
    own_table(p);
    best_of_all(p);
}

static void print_introduction(const struct paper *p)
{
    printf("## The tables of the origin paper on this stream\n\n"
           "Scores in percent, in brackets the paper's for its blogs; layout "
           "%s, %llu queries.\n",
           og_layout_name(p->options.layout),
           (unsigned long long)p->facts.n_queries);
}

/* 0.1 % of them at 18 bytes each is room for one bucket of 256 slots, which
 * section 3.5 asks for. */
#define LEAST_SHINGLES 300000

static og_status check_length(const og_eval_facts *facts, og_error *err)
{
    if (facts->n_shingles >= LEAST_SHINGLES) return OG_OK;
    err->status = OG_ERR_INPUT;
    snprintf(err->message, sizeof(err->message),
             "the stream has %llu shingles; the tables of the paper need %d or "
             "more",
             (unsigned long long)facts->n_shingles, LEAST_SHINGLES);
    return err->status;
}

og_status paper_print(og_eval *eval, const struct paper_options *options,
                      og_error *err)
{
    struct paper p = {.options = *options, .own = og_params_default()};
    og_eval_facts_get(eval, &p.facts);
    og_status status = check_length(&p.facts, err);
    if (status == OG_OK) {
        p.asking = true;
        every_table(&p);
        status = run_set_measure(&p.runs, eval, err);
    }
    options->on_measured(options->ctx);
    if (status == OG_OK) {
        p.asking = false;
        print_introduction(&p);
        every_table(&p);
    }
    if (status == OG_OK && p.out_of_memory) {
        *err = (og_error){OG_ERR_MEMORY, "out of memory for a table"};
        status = OG_ERR_MEMORY;
    }
    md_release(&p.table);
    run_set_release(&p.runs);
    return status;
}
