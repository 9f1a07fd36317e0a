/* origo eval quote: the experiments of the qSign paper on any stream. */

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/reading_options.h"
#include "cli/say.h"
#include "eval/evaluation.h"
#include "eval/quote_tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define COMMAND "eval quote"

struct quote_eval_settings {
    bool paper, aligned, quiet;
    uint64_t n_sentences;
    uint32_t n_questions, min_words;
    double threshold;
    const char *stop, *points;
    og_fields fields;
};

static void defaults(void *settings)
{
    const og_quote_eval_options o = og_quote_eval_options_default();
    struct quote_eval_settings *s = settings;
    s->n_sentences = o.n_sentences;
    s->n_questions = o.n_questions;
    s->min_words = o.min_words;
    s->threshold = o.threshold;
    s->fields = og_input_default().fields;
}

#define AT(member) offsetof(struct quote_eval_settings, member)

static const struct option eval_quote_options[] = {
    {.group = "What",
     .name = "paper",
     .type = &type_flag,
     .offset = AT(paper),
     .brief = "print the paper's tables and figures as Markdown",
     .more = "Without it, every point of the figures is a TSV line: figure, "
             "series, x, y."},
    {.group = "What",
     .name = "points",
     .type = &type_string,
     .offset = AT(points),
     .value = "FILE",
     .unset = "none",
     .brief = "with --paper: also write these lines to a file"},
    {.group = "What",
     .name = "aligned",
     .type = &type_flag,
     .offset = AT(aligned),
     .brief = "FILEs have the same sentences (by id) in other words",
     .more = "For every pair of files: how often the right sentence is found, "
             "and how often it comes first."},
    {.group = "What",
     .name = "sentences",
     .type = &type_size,
     .offset = AT(n_sentences),
     .value = "N",
     .brief = "maximum sentences in the collection"},
    {.group = "What",
     .name = "questions",
     .type = &type_count,
     .offset = AT(n_questions),
     .value = "N",
     .brief = "number of query sentences, which follow them"},
    {.group = "What",
     .name = "min-words",
     .type = &type_count,
     .offset = AT(min_words),
     .value = "N",
     .brief = "minimum distinct words of a query"},
    {.group = "What",
     .letter = 't',
     .name = "threshold",
     .type = &type_weight,
     .offset = AT(threshold),
     .value = "S",
     .brief = "minimum similarity that counts as reuse"},
    {.group = "What",
     .name = "stop",
     .type = &type_string,
     .offset = AT(stop),
     .value = "LANGUAGE",
     .unset = "none",
     .brief = "leave out the stop words of a language"},
    QUIET_AS_OPTION(AT, quiet, "no progress on stderr"),
    ID_FIELD_OPTION(AT, fields),
    TIME_FIELD_OPTION(AT, fields),
    TEXT_FIELD_OPTION(AT, fields),
};

static void on_progress(void *ctx, const char *what, uint64_t done,
                        uint64_t total)
{
    progress_step(ctx, what, done, total);
}

static og_status save_points(const struct quote_measured *m, const char *path,
                             og_error *err)
{
    FILE *file = fopen(path, "w");
    if (file != NULL) quote_points_print(m, file);
    if (file != NULL && fclose(file) == 0) return OG_OK;
    err->status = OG_ERR_IO;
    snprintf(err->message, sizeof(err->message), "cannot write '%.200s': %s",
             path, strerror(errno));
    return OG_ERR_IO;
}

static og_status print_all(og_quote_eval *eval,
                           const struct quote_eval_settings *s, og_error *err)
{
    static struct quote_measured m; /* large */
    og_status status = quote_measure(eval, &m, err);
    if (status != OG_OK) return status;
    if (!s->paper) quote_points_print(&m, stdout);
    if (s->paper) status = quote_tables_print(&m, s->threshold, err);
    if (status != OG_OK || s->points == NULL) return status;
    return save_points(&m, s->points, err);
}

static int run_stream(const struct quote_eval_settings *s,
                      const char *const *paths, size_t n)
{
    struct progress progress;
    og_quote_eval *eval = NULL;
    og_error err = {0};
    og_quote_eval_options o = og_quote_eval_options_default();
    o.n_sentences = s->n_sentences;
    o.n_questions = s->n_questions;
    o.min_words = s->min_words;
    o.threshold = s->threshold;
    o.stop = s->stop;
    o.ctx = &progress;
    o.on_progress = on_progress;
    og_input input = progress_input(&progress, paths, n, s->quiet, false);
    input.fields = s->fields;
    og_status status = og_quote_eval_open(&input, &o, &eval, &err);
    progress_end(&progress);
    if (status == OG_OK) status = print_all(eval, s, &err);
    og_quote_eval_close(eval);
    if (status == OG_ERR_IO && progress.n_problems != 0) return EXIT_IO;
    return status == OG_OK ? EXIT_DONE : say_error(COMMAND, &err);
}

static int eval_quote_run(const void *settings, const char *const *paths,
                          size_t n)
{
    const struct quote_eval_settings *s = settings;
    if (!(s->threshold > 0) || s->threshold > 1)
        return say_usage(COMMAND, "--threshold must be above 0 and at most 1");
    if (s->n_questions == 0 || s->min_words == 0)
        return say_usage(COMMAND,
                         "--questions and --min-words must be at least 1");
    if (!s->aligned) return run_stream(s, paths, n);
    og_error err = {0};
    if (n < 2) return say_usage(COMMAND, "--aligned needs two FILEs or more");
    return aligned_table_print(paths, n, s->threshold, &err) == OG_OK
               ? EXIT_DONE
               : say_error(COMMAND, &err);
}

const struct command command_eval_quote = {
    .name = COMMAND,
    .operands = "STREAM...",
    .brief = "measure the search for reused sentences",
    .about =
        "Takes the first sentences of a stream as the collection and queries "
        "it with those that follow. Measures how many reused sentences lie "
        "within d bits of signatures of 16 to 128 bits (qSign), how long each "
        "method takes, compared with a scan, an inverted index and the exact "
        "method, and how the time grows with the collection.",
    .examples = "  origo eval quote --paper mail.jsonl > quote.md\n"
                "  origo eval quote mail.jsonl > quote.tsv\n"
                "  origo eval quote --aligned kjv.jsonl web.jsonl asv.jsonl\n",
    .options = eval_quote_options,
    .n_options = sizeof(eval_quote_options) / sizeof(eval_quote_options[0]),
    .settings_len = sizeof(struct quote_eval_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing =
        "no STREAM given; '-' is not possible, because it is read three times",
    .defaults = defaults,
    .run = eval_quote_run,
};
