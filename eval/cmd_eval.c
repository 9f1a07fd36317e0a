/* origo eval origin: the experiment of the origin paper, on your data.
 *
 *     STREAM.jsonl -> og_eval_open: the documents and the truth
 *     selections x evictions x estimates x memories x layouts
 *                  -> og_eval_origin: one line of TSV for each combination
 *     --paper      -> paper_print: the tables of the paper instead
 *
 * Without lists two combinations are measured: origo's own and the best of the
 * paper. */

#include "cli/lists.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "eval/eval_plan.h"
#include "eval/evaluation.h"
#include "eval/paper_tables.h"

#include <errno.h>
#include <origo/origo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "eval origin"

struct eval_settings {
    struct plan_lists lists;
    uint32_t n_queries;
    int order; /* og_order */
    bool paper, quiet, verify;
    uint32_t n_threads, shingle_len, bridge_limit;
};

/* The settings if a list is not given; distinguished from a given one by its
 * address. */
static char default_select[16];
static const char default_memory[] =
    "34%,13.7%,6.8%,3.3%,1.4%,0.7%,0.3%,0.1%"; /* Table 2 of the paper */
static const char default_layout[] = "paper,packed";

static void eval_defaults(void *settings)
{
    const og_params params = og_params_default();
    const og_eval_options options = og_eval_options_default();
    struct eval_settings *s = settings;
    og_select_name(&params.select, default_select);
    s->lists =
        (struct plan_lists){.select = default_select,
                            .evict = og_evict_name(params.evict),
                            .estimate = og_estimate_name(params.estimate),
                            .memory = default_memory,
                            .layout = default_layout};
    s->n_queries = (uint32_t)options.n_queries;
    s->n_threads = options.n_threads;
    s->shingle_len = options.shingle_len;
    s->bridge_limit = params.bridge_limit;
}

static bool names_no_combination(const struct plan_lists *lists)
{
    const og_params params = og_params_default();
    return lists->select == default_select &&
           lists->evict == og_evict_name(params.evict) &&
           lists->estimate == og_estimate_name(params.estimate);
}

/* ---- options ---- */

#define AT(member) offsetof(struct eval_settings, member)
#define GRID       "Lists with commas: every combination is run"
#define HOW        "How"

static const struct option eval_options[] = {
    {.group = GRID,
     .name = "select",
     .type = &type_string,
     .offset = AT(lists.select),
     .value = "LIST",
     .brief = "selections of shingles",
     .more = "Names as in 'origo trace --help'."},
    {.group = GRID,
     .name = "evict",
     .type = &type_string,
     .offset = AT(lists.evict),
     .value = "LIST",
     .brief = "evictions: what to drop from a full bucket"},
    {.group = GRID,
     .name = "estimate",
     .type = &type_string,
     .offset = AT(lists.estimate),
     .value = "LIST",
     .brief = "estimations: how passages grow from hits"},
    {.group = GRID,
     .letter = 'm',
     .name = "memory",
     .type = &type_string,
     .offset = AT(lists.memory),
     .value = "LIST",
     .brief = "table sizes: bytes, or shares like 1%",
     .more = "1% is the size of 1 % of all shingles of the stream at 18 bytes "
             "each, whatever the layout; 150% has room for everything."},
    {.group = GRID,
     .name = "layout",
     .type = &type_string,
     .offset = AT(lists.layout),
     .value = "LIST",
     .choices = "paper|packed",
     .brief = "layout of the table"},
    {.group = GRID,
     .name = "paper",
     .type = &type_flag,
     .offset = AT(paper),
     .brief = "print the tables of the paper instead, as Markdown",
     .more = "Tables 1 to 11 and figure 2 of the origin paper for this stream, "
             "next to the figures of the paper. Accepts one layout (default: "
             "paper) and no other list."},
    {.group = HOW,
     .name = "queries",
     .type = &type_count,
     .offset = AT(n_queries),
     .value = "N",
     .unset = "a fifth of all documents",
     .brief = "number of query documents",
     .more = "The last N documents that have a dominant origin."},
    {.group = HOW,
     .name = "order",
     .type = &type_choice,
     .offset = AT(order),
     .value = "ORDER",
     .choices = "right|reverse|random",
     .brief = "order of arrival of the documents before the queries",
     .more = "By time, reversed, or random (always the same). The times do not "
             "change, and so the truth does not change either; older documents "
             "that arrive late become origins."},
    {.group = HOW,
     .letter = 'k',
     .name = "shingle",
     .type = &type_count,
     .offset = AT(shingle_len),
     .value = "K",
     .brief = "tokens in a shingle"},
    {.group = HOW,
     .name = "verify",
     .type = &type_flag,
     .offset = AT(verify),
     .brief = "verify hits against the texts, as a store does",
     .more = "Only with the estimation CX, which is then called CX+V."},
    {.group = HOW,
     .name = "bridge-limit",
     .type = &type_count,
     .offset = AT(bridge_limit),
     .value = "T",
     .brief = "longest bridge, in selected shingles"},
    THREADS_OPTION(AT, n_threads, HOW, NULL),
    {.group = HOW,
     .letter = 'q',
     .name = "quiet",
     .type = &type_flag,
     .offset = AT(quiet),
     .brief = "no progress and no summary on stderr"},
};

/* ---- output ---- */

static void write_header(void)
{
    printf("select\tevict\testimate\tmemory\tlayout\tbytes\tentries_pct\tssr\t"
           "do\ttf\toverall\tseconds\n");
}

static void write_line(const og_eval_run *run, const char *memory,
                       const og_eval_result *r)
{
    char select[16];
    og_select_name(&run->select, select);
    printf("%s\t%s\t%s\t%s\t%s\t%llu", select, og_evict_name(run->evict),
           run->verify && run->estimate == OG_ESTIMATE_CONTEXT
               ? "CX+V"
               : og_estimate_name(run->estimate),
           memory, og_layout_name(run->layout),
           (unsigned long long)r->table_bytes);
    printf("\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\n", r->entries_pct, r->ssr,
           r->dominant, r->freshness, r->overall, r->seconds);
}

static void write_lines(const struct plan *plan, const og_eval_result *results)
{
    size_t n_left_out = 0;
    write_header();
    for (size_t i = 0; i < plan->n_runs; i++) {
        if (results[i].table_bytes == 0)
            n_left_out++;
        else
            write_line(&plan->runs[i], plan->memory_names[i], &results[i]);
    }
    if (n_left_out > 0)
        say("%zu of %zu combinations are left out: their memory has no room "
            "for one bucket",
            n_left_out, plan->n_runs);
}

static void say_facts(const og_eval *eval)
{
    og_eval_facts f;
    og_eval_facts_get(eval, &f);
    say("%llu documents, %llu shingles, %.1f %% of them copied, %llu queries, "
        "%.1f %% of them their own origin, %.1f %% of their tokens fresh",
        (unsigned long long)f.n_documents, (unsigned long long)f.n_shingles,
        100 * f.copied, (unsigned long long)f.n_queries, 100 * f.own_dominant,
        100 * f.fresh);
}

static void on_progress(void *ctx, const char *what, uint64_t done,
                        uint64_t total)
{
    progress_step(ctx, what, done, total);
}

/* ---- the command ---- */

static int measure(og_eval *eval, const struct plan *plan, bool quiet,
                   struct progress *progress)
{
    og_error err = {0};
    og_eval_result *results = calloc(plan->n_runs + 1, sizeof(*results));
    if (results == NULL) {
        say("out of memory for %zu results", plan->n_runs);
        return EXIT_IO;
    }
    const og_status status =
        og_eval_origin(eval, plan->runs, plan->n_runs, results, &err);
    progress_end(progress);
    if (status == OG_OK) {
        write_lines(plan, results);
        if (!quiet) say_facts(eval);
    }
    free(results);
    return status == OG_OK ? EXIT_DONE : say_error(COMMAND, &err);
}

static void on_measured(void *ctx)
{
    progress_end(ctx);
}

static int print_paper(og_eval *eval, const struct eval_settings *s,
                       const struct plan *plan, struct progress *progress)
{
    const struct paper_options options = {.layout = plan->runs[0].layout,
                                          .bridge_limit = s->bridge_limit,
                                          .on_measured = on_measured,
                                          .ctx = progress};
    og_error err = {0};
    if (paper_print(eval, &options, &err) == OG_OK) return EXIT_DONE;
    return say_error(COMMAND, &err);
}

static int evaluate(const struct plan *plan, const struct eval_settings *s,
                    const char *const *paths, size_t n_paths)
{
    struct progress progress;
    og_eval_options options = og_eval_options_default();
    options.shingle_len = s->shingle_len;
    options.n_queries = s->n_queries;
    options.order = (og_order)s->order;
    options.n_threads = s->n_threads;
    options.ctx = &progress;
    options.on_progress = on_progress;
    og_eval *eval = NULL;
    og_error err = {0};
    og_input input = progress_input(&progress, paths, n_paths, s->quiet, false);
    input.n_threads = s->n_threads;
    if (og_eval_open(&input, &options, &eval, &err) != OG_OK) {
        progress_end(&progress);
        return say_error(COMMAND, &err);
    }
    const int status = s->paper ? print_paper(eval, s, plan, &progress)
                                : measure(eval, plan, s->quiet, &progress);
    og_eval_close(eval);
    return status;
}

/* --paper has its own lists; only the layout is the user's. The plan then
 * contains a run for each layout that was named. */
static int plan_paper(struct plan *plan, const struct eval_settings *s,
                      const og_params *params)
{
    if (!names_no_combination(&s->lists) || s->lists.memory != default_memory)
        return say_usage(COMMAND, "option '--paper' has its own lists and can "
                                  "only be combined with '--layout'");
    struct plan_lists lists = s->lists;
    lists.memory = "1%";
    if (lists.layout == default_layout) lists.layout = "paper";
    const int status = plan_add(plan, COMMAND, &lists, params);
    if (status == EXIT_DONE && plan->n_runs > 1)
        return say_usage(COMMAND, "option '--paper' takes one layout, not '%s'",
                         s->lists.layout);
    return status;
}

static int plan_lists_of(struct plan *plan, const struct eval_settings *s,
                         const og_params *params)
{
    const int status = plan_add(plan, COMMAND, &s->lists, params);
    if (status != EXIT_DONE || !names_no_combination(&s->lists)) return status;
    struct plan_lists best_of_paper = s->lists;
    best_of_paper.select = "NHs";
    best_of_paper.evict = "LS";
    best_of_paper.estimate = "BE";
    return plan_add(plan, COMMAND, &best_of_paper, params);
}

static int eval_run(const void *settings, const char *const *paths, size_t n)
{
    const struct eval_settings *s = settings;
    og_params params = og_params_default();
    params.shingle_len = s->shingle_len;
    params.bridge_limit = s->bridge_limit;
    struct plan plan = {0};
    int status = s->paper ? plan_paper(&plan, s, &params)
                          : plan_lists_of(&plan, s, &params);
    for (size_t i = 0; i < plan.n_runs; i++)
        plan.runs[i].verify = s->verify;
    if (status == EXIT_DONE) status = evaluate(&plan, s, paths, n);
    plan_release(&plan);
    return status;
}

const struct command command_eval_origin = {
    .name = COMMAND,
    .operands = "STREAM.jsonl...",
    .brief = "measure the accuracy of origins on your own stream",
    .about =
        "Reads a stream of documents and computes the truth: the origin of a "
        "shingle is the first document that contains it. Then answers the last "
        "documents again for each combination of the lists, within the given "
        "memory, and compares the answers with the truth.\n\n"
        "Prints a header line and one TSV line for each combination, with the "
        "columns select evict estimate memory layout bytes entries_pct ssr do "
        "tf overall seconds. ssr is the share of selected shingles, do the "
        "share of correct dominant origins, tf the share of tokens correctly "
        "classified as fresh or old.\n\n"
        "Without --select, --evict and --estimate, it runs origo's own "
        "combination and the best one of the paper (NHs, LS, BE).",
    .examples = "  origo eval origin mail.jsonl --select M4,W8 --evict R,LS "
                "--memory 1%\n"
                "  origo eval origin mail.jsonl --paper > paper.md\n",
    .options = eval_options,
    .n_options = sizeof(eval_options) / sizeof(eval_options[0]),
    .settings_len = sizeof(struct eval_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no STREAM.jsonl given; '-' reads stdin",
    .defaults = eval_defaults,
    .run = eval_run,
};
