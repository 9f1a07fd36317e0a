/* origo eval origin: the experiment of the origin paper, on your data.
 *
 *     STREAM.jsonl -> og_eval_open: the documents and the truth
 *     selections x evictions x estimates x memories x layouts
 *                  -> og_eval_origin: one line of TSV for each combination
 *
 * Without lists, origo's own defaults are measured in both layouts. --paper
 * puts the lists of the paper in their place: the best variant of each
 * selection (section 3.4) and All, all four evictions and estimations, the
 * eight table sizes of its Table 2, its own layout. A list that is given wins
 * over both. */

#include "lists.h"
#include "options.h"
#include "progress.h"
#include "say.h"

#include <errno.h>
#include <origo/origo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "eval origin"

struct eval_settings {
    const char *select, *evict, *estimate, *memory, *layout;
    uint32_t n_queries;
    bool paper, quiet;
    uint32_t n_threads, shingle_len, bridge_limit;
};

/* What stands in the settings when a list is not given: told apart from a
 * given one by its address. */
static char default_select[16];
static const char default_memory[] = "34%,1%";
static const char default_layout[] = "paper,packed";

static void eval_defaults(void *settings)
{
    const og_params params = og_params_default();
    const og_eval_options options = og_eval_options_default();
    struct eval_settings *s = settings;
    og_select_name(&params.select, default_select);
    s->select = default_select;
    s->evict = og_evict_name(params.evict);
    s->estimate = og_estimate_name(params.estimate);
    s->memory = default_memory;
    s->layout = default_layout;
    s->n_queries = (uint32_t)options.n_queries;
    s->n_threads = options.n_threads;
    s->shingle_len = options.shingle_len;
    s->bridge_limit = params.bridge_limit;
}

static struct eval_settings with_paper(const struct eval_settings *given)
{
    const og_params params = og_params_default();
    struct eval_settings s = *given;
    if (!s.paper) return s;
    if (s.select == default_select) s.select = "All,4th,NM3,NW8,Hb3,Dct8,NHs";
    if (s.evict == og_evict_name(params.evict)) s.evict = "R,LRU,CC,LS";
    if (s.estimate == og_estimate_name(params.estimate))
        s.estimate = "NB,E,B,BE";
    if (s.memory == default_memory)
        s.memory = "34.2%,13.7%,6.8%,3.3%,1.4%,0.7%,0.3%,0.1%";
    if (s.layout == default_layout) s.layout = "paper";
    return s;
}

/* ---- options --------------------------------------------------------------
 */

#define AT(member) offsetof(struct eval_settings, member)
#define GRID       "Lists with commas: every combination is run"
#define HOW        "How"

static const struct option eval_options[] = {
    {GRID, 0, "select", &type_string, AT(select), "LIST", NULL, NULL,
     "selections of shingles", "Names as in 'origo trace --help'."},
    {GRID, 0, "evict", &type_string, AT(evict), "LIST", NULL, NULL,
     "what goes when a bucket is full", NULL},
    {GRID, 0, "estimate", &type_string, AT(estimate), "LIST", NULL, NULL,
     "how passages grow from hits", NULL},
    {GRID, 0, "memory", &type_string, AT(memory), "LIST", NULL, NULL,
     "bytes of the table: sizes or shares like 1%",
     "1% is as many bytes as 1 % of all shingles of the stream take at 18 "
     "bytes each, for every layout alike; 150% is room for everything."},
    {GRID, 0, "layout", &type_string, AT(layout), "LIST", "paper|packed", NULL,
     "how the table keeps a print", NULL},
    {GRID, 0, "paper", &type_flag, AT(paper), NULL, NULL, NULL,
     "the lists of the paper, where none is given",
     "The best of each selection and All, its evictions, estimations and eight "
     "table sizes, in its layout."},
    {HOW, 0, "queries", &type_count, AT(n_queries), "N", NULL,
     "a fifth of all documents", "documents that are asked about",
     "The last N that have a dominant origin."},
    {HOW, 0, "shingle", &type_count, AT(shingle_len), "K", NULL, NULL,
     "tokens in a row that make a shingle", NULL},
    {HOW, 0, "bridge-limit", &type_count, AT(bridge_limit), "T", NULL, NULL,
     "longest bridge, in selected shingles", NULL},
    {HOW, 0, "threads", &type_count, AT(n_threads), "N", NULL,
     "all that the machine has", "threads to work with", NULL},
    {HOW, 'q', "quiet", &type_flag, AT(quiet), NULL, NULL, NULL,
     "no progress and no summary on stderr", NULL},
};

/* ---- the plan -------------------------------------------------------------
 */

struct plan {
    struct list select, evict, estimate, memory, layout;
    og_eval_run *runs; /* every combination, in the order of the output */
    const char **memory_names; /* as they were typed, one for each run */
    size_t n_runs;
};

static bool plan_split(struct plan *p, const struct eval_settings *s)
{
    return list_split(&p->select, COMMAND, "select", s->select,
                      list_is_select) &&
           list_split(&p->evict, COMMAND, "evict", s->evict, list_is_evict) &&
           list_split(&p->estimate, COMMAND, "estimate", s->estimate,
                      list_is_estimate) &&
           list_split(&p->memory, COMMAND, "memory", s->memory,
                      list_is_memory) &&
           list_split(&p->layout, COMMAND, "layout", s->layout, list_is_layout);
}

/* The n-th combination; the layout changes fastest, the selection slowest. */
static og_eval_run plan_run(const struct plan *p, size_t n, const char **memory)
{
    og_eval_run run = {0};
#define NEXT(list) (p->list.names[n % p->list.n])
#define VIEW(s)    ((og_bytes){(s), strlen(s)})
    og_layout_parse(VIEW(NEXT(layout)), &run.layout);
    n /= p->layout.n;
    *memory = NEXT(memory);
    list_memory(*memory, &run.memory_percent, &run.memory_bytes);
    n /= p->memory.n;
    og_estimate_parse(VIEW(NEXT(estimate)), &run.estimate);
    n /= p->estimate.n;
    og_evict_parse(VIEW(NEXT(evict)), &run.evict);
    n /= p->evict.n;
    og_select_parse(VIEW(NEXT(select)), &run.select);
#undef NEXT
#undef VIEW
    return run;
}

static bool plan_combine(struct plan *p, const struct eval_settings *s)
{
    const og_params params = og_params_default();
    p->n_runs =
        p->select.n * p->evict.n * p->estimate.n * p->memory.n * p->layout.n;
    p->runs = calloc(p->n_runs, sizeof(*p->runs));
    p->memory_names = calloc(p->n_runs, sizeof(*p->memory_names));
    if (p->runs == NULL || p->memory_names == NULL) {
        say("out of memory for %zu combinations", p->n_runs);
        return false;
    }
    for (size_t i = 0; i < p->n_runs; i++) {
        p->runs[i] = plan_run(p, i, &p->memory_names[i]);
        p->runs[i].bridge_limit = s->bridge_limit;
        p->runs[i].bucket_slots = params.bucket_slots;
    }
    return true;
}

static void plan_release(struct plan *p)
{
    list_release(&p->select);
    list_release(&p->evict);
    list_release(&p->estimate);
    list_release(&p->memory);
    list_release(&p->layout);
    free(p->memory_names);
    free(p->runs);
}

/* ---- output ---------------------------------------------------------------
 */

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
           og_estimate_name(run->estimate), memory, og_layout_name(run->layout),
           (unsigned long long)r->table_bytes);
    printf("\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\n", r->entries_pct, r->ssr,
           r->dominant, r->freshness, r->overall, r->seconds);
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

static void on_problem(void *ctx, const og_problem *problem)
{
    progress_problem(ctx, problem);
}

static void on_progress(void *ctx, const char *what, uint64_t done,
                        uint64_t total)
{
    progress_step(ctx, what, done, total);
}

/* ---- the command ----------------------------------------------------------
 */

static int measure(og_eval *eval, const struct plan *plan, bool quiet,
                   struct progress *progress)
{
    og_error err = {0};
    og_eval_result *results = calloc(plan->n_runs, sizeof(*results));
    if (results == NULL) {
        say("out of memory for %zu results", plan->n_runs);
        return EXIT_IO;
    }
    const og_status status =
        og_eval_origin(eval, plan->runs, plan->n_runs, results, &err);
    progress_end(progress);
    if (status == OG_OK) {
        write_header();
        for (size_t i = 0; i < plan->n_runs; i++)
            write_line(&plan->runs[i], plan->memory_names[i], &results[i]);
        if (!quiet) say_facts(eval);
    }
    free(results);
    return status == OG_OK ? EXIT_DONE : say_error(COMMAND, &err);
}

static int evaluate(const struct plan *plan, const struct eval_settings *s,
                    const char *const *paths, size_t n_paths)
{
    struct progress progress;
    og_eval_options options = og_eval_options_default();
    options.shingle_len = s->shingle_len;
    options.n_queries = s->n_queries;
    options.n_threads = s->n_threads;
    options.ctx = &progress;
    options.on_problem = on_problem;
    options.on_progress = on_progress;
    og_eval *eval = NULL;
    og_error err = {0};
    progress_start(&progress, paths, n_paths, s->quiet, false);
    if (og_eval_open(paths, n_paths, &options, &eval, &err) != OG_OK) {
        progress_end(&progress);
        return say_error(COMMAND, &err);
    }
    const int status = measure(eval, plan, s->quiet, &progress);
    og_eval_close(eval);
    return status;
}

static int eval_run(const void *settings, const char *const *paths, size_t n)
{
    const struct eval_settings s = with_paper(settings);
    struct plan plan = {0};
    int status = EXIT_USAGE;
    if (plan_split(&plan, &s))
        status =
            plan_combine(&plan, &s) ? evaluate(&plan, &s, paths, n) : EXIT_IO;
    plan_release(&plan);
    return status;
}

const struct command command_eval_origin = {
    .name = COMMAND,
    .operands = "STREAM.jsonl...",
    .brief = "measure the origin answers on your own stream",
    .about =
        "Reads a stream of documents and works out the truth: every shingle "
        "of every document, its first holder is its origin. Then answers the "
        "last documents again for each combination of the lists, as if only "
        "its memory were there, and compares.\n\n"
        "Prints a header line and one line of TSV for each combination, "
        "columns: select evict estimate memory layout bytes entries_pct ssr do "
        "tf overall seconds. ssr is the share of shingles selected, do the "
        "share of dominant origins found, tf the share of tokens rightly "
        "called fresh or old.",
    .examples = "  origo eval origin mail.jsonl --select M4,W8 --evict R,LS "
                "--memory 1%\n"
                "  origo eval origin mail.jsonl --paper > paper.tsv\n",
    .options = eval_options,
    .n_options = sizeof(eval_options) / sizeof(eval_options[0]),
    .settings_len = sizeof(struct eval_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no STREAM.jsonl given; '-' reads stdin",
    .defaults = eval_defaults,
    .run = eval_run,
};
