/* origo eval origin: the experiment of the origin paper, on your data.
 *
 *     STREAM.jsonl x selections x evictions x estimates x memories x layouts
 *         -> one line of TSV for each combination
 *
 * Lists are given with commas. They are taken apart and every name is checked
 * here, before the stream is read: a mistyped name in the last place of a list
 * must not show after an hour. */

#include "number.h"
#include "options.h"
#include "say.h"

#include <origo/origo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct eval_settings {
    const char *select, *evict, *estimate, *memory, *layout;
    uint32_t n_queries;
    bool paper;
    uint32_t n_threads, shingle_len, bridge_limit;
};

static void eval_defaults(void *settings)
{
    const og_params params = og_params_default();
    struct eval_settings *s = settings;
    s->select = "All,4th,6th,8th,M4,NM3,W8,NW8,Hb3,Dct8,Hs,NHs";
    s->evict = "R,LRU,CC,LS";
    s->estimate = "NB,E,B,BE";
    s->memory = "34%,1%";
    s->n_queries = 1000;
    s->shingle_len = params.shingle_len;
    s->bridge_limit = params.bridge_limit;
}

#define AT(member) offsetof(struct eval_settings, member)
#define GRID       "What to compare (lists with commas, every combination is run)"
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
    {GRID, 0, "layout", &type_string, AT(layout), "LIST", "paper|packed",
     "both", "how the table keeps a print", NULL},
    {HOW, 0, "queries", &type_count, AT(n_queries), "N", NULL, NULL,
     "documents that are asked about",
     "The last N that have a dominant origin."},
    {HOW, 0, "paper", &type_flag, AT(paper), NULL, NULL, NULL,
     "keep to the paper where origo does better", NULL},
    {HOW, 0, "shingle", &type_count, AT(shingle_len), "K", NULL, NULL,
     "tokens in a row that make a shingle", NULL},
    {HOW, 0, "bridge-limit", &type_count, AT(bridge_limit), "T", NULL, NULL,
     "longest bridge, in selected shingles", NULL},
    {HOW, 0, "threads", &type_count, AT(n_threads), "N", NULL,
     "all that the machine has", "threads to work with", NULL},
};

/* ---- lists ----------------------------------------------------------------
 */

enum { MOST_NAMES = 64 };

struct list {
    char *text; /* the names, each zero-terminated; owned */
    const char *names[MOST_NAMES];
    size_t n;
};

typedef bool (*name_check)(const char *name);

static bool is_select(const char *s)
{
    og_select_options out;
    return og_select_parse((og_bytes){s, strlen(s)}, &out);
}

static bool is_evict(const char *s)
{
    og_evict_kind out;
    return og_evict_parse((og_bytes){s, strlen(s)}, &out);
}

static bool is_estimate(const char *s)
{
    og_estimate_kind out;
    return og_estimate_parse((og_bytes){s, strlen(s)}, &out);
}

static bool is_layout(const char *s)
{
    og_layout_kind out;
    return og_layout_parse((og_bytes){s, strlen(s)}, &out);
}

/* "34%", "0.5%", "64M". */
static bool is_memory(const char *s)
{
    const size_t len = strlen(s);
    uint64_t n;
    if (len == 0 || s[len - 1] != '%') return number_parse(s, &n);
    char *end;
    const double share = strtod(s, &end);
    return end == s + len - 1 && share > 0 && share <= 1000;
}

static bool list_split(struct list *list, const char *option, const char *text,
                       name_check check)
{
    list->n = 0;
    list->text = strdup(text);
    if (list->text == NULL) return false;
    for (char *rest = list->text, *name; (name = strsep(&rest, ",")) != NULL;) {
        if (list->n < MOST_NAMES && check(name)) {
            list->names[list->n++] = name;
            continue;
        }
        say_usage("eval origin", "option '--%s' does not know '%s'", option,
                  name);
        return false;
    }
    return true;
}

/* ---- the command ----------------------------------------------------------
 */

struct eval_plan {
    struct list select, evict, estimate, memory, layout;
};

static bool plan_make(struct eval_plan *plan, const struct eval_settings *s)
{
    const char *layout = s->layout != NULL ? s->layout : "paper,packed";
    return list_split(&plan->select, "select", s->select, is_select) &&
           list_split(&plan->evict, "evict", s->evict, is_evict) &&
           list_split(&plan->estimate, "estimate", s->estimate, is_estimate) &&
           list_split(&plan->memory, "memory", s->memory, is_memory) &&
           list_split(&plan->layout, "layout", layout, is_layout);
}

static void plan_release(struct eval_plan *plan)
{
    free(plan->select.text);
    free(plan->evict.text);
    free(plan->estimate.text);
    free(plan->memory.text);
    free(plan->layout.text);
}

/* The one place that calls the library. */
static int evaluate(const struct eval_plan *plan, const struct eval_settings *s,
                    const char *const *paths, size_t n_paths)
{
    (void)plan, (void)s, (void)paths, (void)n_paths;
    say("'eval origin' is not part of this build");
    return EXIT_USAGE;
}

static int eval_run(const void *settings, const char *const *paths, size_t n)
{
    struct eval_plan plan = {0};
    int status = EXIT_USAGE;
    if (plan_make(&plan, settings))
        status = evaluate(&plan, settings, paths, n);
    plan_release(&plan);
    return status;
}

const struct command command_eval_origin = {
    .name = "eval origin",
    .operands = "STREAM.jsonl...",
    .brief = "measure the origin answers on your own stream",
    .about =
        "Reads a stream of documents twice: once for the truth (every shingle "
        "of every document, its first holder is its origin), once for each "
        "combination of the lists, as if only its memory were there. Prints a "
        "header line and one line of TSV for each combination: select evict "
        "estimate memory layout bytes entries_pct ssr do tf overall seconds.",
    .examples = "  origo eval origin mail.jsonl --select M4,W8 --evict R,LS "
                "--memory 1%\n",
    .options = eval_options,
    .n_options = sizeof(eval_options) / sizeof(eval_options[0]),
    .settings_len = sizeof(struct eval_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no STREAM.jsonl given; '-' reads stdin",
    .defaults = eval_defaults,
    .run = eval_run,
};
