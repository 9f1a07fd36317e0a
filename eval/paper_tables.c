/* The tables of the origin paper, on another stream.
 *
 * Every table is written twice by the same function. In the first pass nothing
 * is printed: each score that the table looks up is recorded as a required run.
 * Then all runs are executed, each once, though most of them are in several
 * tables. In the second pass the scores are available and the tables are
 * printed. So a table and its runs cannot disagree.
 *
 * A cell "97.6 (98.8)" is ours and, in brackets, the paper's for its blogs. */

#include "eval/paper_tables.h"

#include <stdio.h>

#include "eval/evaluation.h"
#include "eval/paper_cells.h"

/* ---- tables 1 to 3: the stream ---- */

static void table_1(struct paper *p)
{
    const og_eval_facts *f = &p->facts;
    paper_title(p, "Table 1: the stream");
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
    paper_end_table(p);
}

static void table_2(struct paper *p)
{
    enum { PAPER_SLOT = 18 };
    paper_title(
        p, "Table 2: table sizes, in bytes and in percent of all shingles");
    HEAD(p, "memory", "bytes at 18 a shingle", "paper: MB", "paper: Swiss");
    for (size_t i = 0; i < PUB_SIZES; i++) {
        paper_size_cell(p, "", i);
        md_cell(&p->table, "%.0f",
                pub_size_percent[i] / 100 * (double)p->facts.n_shingles *
                    PAPER_SLOT);
        md_cell(&p->table, "%g", pub_size_mb[i]);
        md_cell(&p->table, "%g %%", pub_size_swiss[i]);
        md_end_row(&p->table);
    }
    paper_end_table(p);
}

/* The selection does not depend on the table: the smallest will do. */
static void table_3(struct paper *p)
{
    paper_title(p, "Table 3: selected shingles, in percent of all (ssr)");
    HEAD(p, "selection", "ssr", "paper", "difference");
    for (size_t i = 0; i < PUB_SELECTIONS; i++) {
        char name[40];
        snprintf(name, sizeof(name), "%s/R/NB", pub_ssr[i].select);
        const double ssr =
            100 * paper_result_at(p, paper_run_of(p, name), PUB_SIZES - 1)->ssr;
        md_cell(&p->table, "%s", pub_ssr[i].select);
        md_cell(&p->table, "%.1f", ssr);
        md_cell(&p->table, "%.1f", pub_ssr[i].ssr);
        md_cell(&p->table, "%+.1f", ssr - pub_ssr[i].ssr);
        md_end_row(&p->table);
    }
    paper_end_table(p);
}

/* ---- tables 4 to 7: the selections ---- */

#define VERSION_A "R/NB"
#define VERSION_B "LS/BE"

static void best_columns(struct paper_column out[PUB_BEST], const char *version,
                         const pub_best *dominant, const pub_best *freshness,
                         const double *overall)
{
    for (size_t i = 0; i < PUB_BEST; i++) {
        out[i] = (struct paper_column){
            .published = {&(*dominant)[0][i], &(*freshness)[0][i]},
            .stride = PUB_BEST,
            .published_overall = overall[i]};
        snprintf(out[i].head, sizeof(out[i].head), "%s", pub_best_names[i]);
        snprintf(out[i].name, sizeof(out[i].name), "%s/%s", pub_best_names[i],
                 version);
    }
}

static void selection_table(struct paper *p, const struct paper_column *columns,
                            enum paper_measure measure)
{
    paper_head_of(p, columns, PUB_BEST);
    paper_rows_of(p, columns, PUB_BEST, "", measure);
    paper_end_table(p);
}

/* Ours with those of the blogs in brackets, and the paper's second stream
 * below. */
static void overall_rows(struct paper *p, const char *version,
                         const struct paper_column *columns,
                         const double *swiss)
{
    md_cell(&p->table, "%s", version);
    paper_row_of(p, columns, PUB_BEST, AVERAGE, OVERALL);
    md_cell(&p->table, "paper: Swiss");
    for (size_t i = 0; i < PUB_BEST; i++)
        md_cell(&p->table, "%.1f", swiss[i]);
    md_end_row(&p->table);
}

static void tables_4_to_7(struct paper *p)
{
    struct paper_column a[PUB_BEST];
    struct paper_column b[PUB_BEST];
    best_columns(a, VERSION_A, &pub_do_a, &pub_tf_a, pub_overall[0]);
    best_columns(b, VERSION_B, &pub_do_b, &pub_tf_b, pub_overall[1]);
    paper_title(p, "Table 4: DO of the best selections, version A (R/NB)");
    selection_table(p, a, DOMINANT);
    paper_title(p, "Table 5: DO of the best selections, version B (LS/BE)");
    selection_table(p, b, DOMINANT);
    paper_title(p, "Table 6: TF, version A (R/NB)");
    selection_table(p, a, FRESHNESS);
    paper_title(p, "Table 6: TF, version B (LS/BE)");
    selection_table(p, b, FRESHNESS);
    paper_title(
        p, "Table 7: overall score, the mean of average DO and average TF");
    paper_head_of(p, a, PUB_BEST);
    overall_rows(p, "A (R/NB)", a, pub_overall[2]);
    overall_rows(p, "B (LS/BE)", b, pub_overall[3]);
    paper_end_table(p);
}

/* ---- tables 8 to 10: evictions and estimations ---- */

static const char *const two_selections[2] = {"All", "NHs"};

static void table_8(struct paper *p)
{
    struct paper_column columns[2 * PUB_EVICTS];
    for (size_t i = 0; i < LENGTH(columns); i++) {
        const size_t which = i / PUB_EVICTS;
        const size_t evict = i % PUB_EVICTS;
        struct paper_column *c = &columns[i];
        *c = (struct paper_column){
            .published = {&pub_evict_do[which][0][evict],
                          &pub_evict_tf[which][0][evict]},
            .stride = 4,
            .published_overall = pub_evict_overall[which][evict]};
        snprintf(c->head, sizeof(c->head), "%s %s", two_selections[which],
                 pub_evict_names[evict]);
        snprintf(c->name, sizeof(c->name), "%s/%s/NB", two_selections[which],
                 pub_evict_names[evict]);
    }
    paper_title(p, "Table 8: evictions, without estimation (NB)");
    paper_three_measures(p, columns, LENGTH(columns));
}

static void table_8_ours(struct paper *p)
{
    static const char *const ours[] = {"S3", "thin", "learn"};
    struct paper_column columns[2 * LENGTH(ours)];
    for (size_t i = 0; i < LENGTH(columns); i++) {
        const char *select = two_selections[i / LENGTH(ours)];
        const char *evict = ours[i % LENGTH(ours)];
        struct paper_column *c = &columns[i];
        *c = (struct paper_column){.stride = 0};
        snprintf(c->head, sizeof(c->head), "%s %s", select, evict);
        snprintf(c->name, sizeof(c->name), "%s/%s/NB", select, evict);
    }
    paper_title(p, "Table 8, continued: evictions that are not in the paper");
    paper_three_measures(p, columns, LENGTH(columns));
}

static void estimation_table(struct paper *p, const char *select, size_t which)
{
    static const char *const evicts[2] = {"CC", "LS"};
    struct paper_column columns[2 * PUB_ESTIMATES];
    for (size_t i = 0; i < LENGTH(columns); i++) {
        const size_t evict = i / PUB_ESTIMATES;
        const size_t estimate = i % PUB_ESTIMATES;
        struct paper_column *c = &columns[i];
        *c = (struct paper_column){
            .published = {&pub_estimate_do[which][evict][0][estimate],
                          &pub_estimate_tf[which][evict][0][estimate]},
            .stride = 4,
            .published_overall = pub_estimate_overall[which][evict][estimate]};
        snprintf(c->head, sizeof(c->head), "%s %s", evicts[evict],
                 pub_estimate_names[estimate]);
        snprintf(c->name, sizeof(c->name), "%s/%s/%s", select, evicts[evict],
                 pub_estimate_names[estimate]);
    }
    paper_three_measures(p, columns, LENGTH(columns));
}

static void tables_9_and_10(struct paper *p)
{
    paper_title(p, "Table 9: estimations, selection NHs with CC and LS");
    estimation_table(p, "NHs", 0);
    paper_title(p, "Table 10: estimations, selection All with CC and LS");
    estimation_table(p, "All", 1);
}

/* ---- table 11, figure 2 and two paragraphs ---- */

static void table_11(struct paper *p)
{
    paper_title(p, "Table 11: extra labels of " BEST_OF_PAPER
                   ", and the share of them that is right");
    HEAD(p, "memory", "extra labels", "right, %", "paper: extra labels",
         "paper: right, %");
    for (size_t size = 0; size < PUB_SIZES; size++) {
        const og_eval_result *r =
            paper_result_at(p, paper_run_of(p, BEST_OF_PAPER), size);
        const double n = r->n_extra > 0 ? (double)r->n_extra : 1;
        paper_size_cell(p, "", size);
        md_cell(&p->table, "%llu", (unsigned long long)r->n_extra);
        md_cell(&p->table, "%.1f", 100 * (double)r->n_extra_right / n);
        md_cell(&p->table, "%.0f", pub_extra[size]);
        md_cell(&p->table, "%.1f", pub_extra_right[size]);
        md_end_row(&p->table);
    }
    paper_end_table(p);
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
    const og_eval_result *r =
        paper_result_at(p, paper_run_of(p, BEST_OF_PAPER), smallest);
    paper_title(
        p, "Figure 2: DO by length of the document, " BEST_OF_PAPER " at %g %%",
        pub_size_percent[smallest]);
    if (!p->asking) printf("    shingles       queries     DO\n");
    for (size_t i = 0; i + 1 < LENGTH(from); i++)
        length_row(p, r, from[i], from[i + 1]);
}

static void section_3_5(struct paper *p)
{
    paper_title(p, "Section 3.5: slots in a bucket, " BEST_OF_PAPER
                   ", averages over the sizes");
    HEAD(p, "slots", "DO", "TF", "overall", "difference to 64");
    og_eval_run run = paper_run_of(p, BEST_OF_PAPER);
    run.bucket_slots = 64;
    const double at_64 = paper_score(p, &run, AVERAGE, OVERALL);
    for (uint32_t slots = 4; slots <= 256; slots *= 2) {
        run.bucket_slots = slots;
        const double overall = paper_score(p, &run, AVERAGE, OVERALL);
        md_cell(&p->table, "%u", slots);
        md_cell(&p->table, "%.2f", paper_score(p, &run, AVERAGE, DOMINANT));
        md_cell(&p->table, "%.2f", paper_score(p, &run, AVERAGE, FRESHNESS));
        md_cell(&p->table, "%.2f", overall);
        md_cell(&p->table, "%+.2f", overall - at_64);
        md_end_row(&p->table);
    }
    paper_end_table(p);
}

static void section_3_6(struct paper *p)
{
    static const uint32_t limits[] = {10, 30, 100, 300, 1000};
    paper_title(p,
                "Section 3.6: the longest bridge T, LS/BE, averages over the "
                "sizes (paper: DO of All rises from 87.4 to 88.3)");
    HEAD(p, "T", "NHs DO", "NHs TF", "NHs overall", "All DO", "All TF",
         "All overall");
    for (size_t i = 0; i < LENGTH(limits); i++) {
        md_cell(&p->table, "%u", limits[i]);
        for (size_t which = 2; which-- > 0;) {
            og_eval_run run =
                paper_run_of(p, which == 1 ? "NHs/LS/BE" : "All/LS/BE");
            run.bridge_limit = limits[i];
            md_cell(&p->table, "%.2f", paper_score(p, &run, AVERAGE, DOMINANT));
            md_cell(&p->table, "%.2f",
                    paper_score(p, &run, AVERAGE, FRESHNESS));
            md_cell(&p->table, "%.2f", paper_score(p, &run, AVERAGE, OVERALL));
        }
        md_end_row(&p->table);
    }
    paper_end_table(p);
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
    paper_own_table(p);
    paper_best_of_all(p);
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
 * section 3.5 requires. */
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
        *err = (og_error){.status = OG_ERR_MEMORY,
                          .message = "out of memory for a table"};
        status = OG_ERR_MEMORY;
    }
    md_release(&p.table);
    run_set_release(&p.runs);
    return status;
}
