/* origo compare: what two texts have in common, without a store.
 *
 *     A, B -> og_compare_files -> on_answer: one report for each pair
 *                              -> progress.h: messages on stderr */

#include "options.h"
#include "progress.h"
#include "reading_options.h"
#include "report_settings.h"
#include "say.h"

#include <errno.h>
#include <origo/origo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "compare"

struct compare_settings {
    struct report_settings report;
    struct reading_settings reading;
    bool exit_code, verbatim;
    og_compare_options compare;
};

static void compare_defaults(void *settings)
{
    struct compare_settings *s = settings;
    report_defaults(&s->report);
    reading_defaults(&s->reading);
    s->reading.quiet = true;
    s->compare = og_compare_options_default();
}

/* ---- options ---- */

#define AT(member) offsetof(struct compare_settings, member)

#define WHAT "What counts"

static const struct option compare_options[] = {
    REPORT_OPTIONS(AT, report),
    EXIT_CODE_OPTION(AT, exit_code, "something is copied"),

    {.group = WHAT,
     .name = "verbatim",
     .type = &type_flag,
     .offset = AT(verbatim),
     .brief = "only copies with small edits, no paraphrases"},
    {.group = WHAT,
     .name = "min-copy",
     .type = &type_count,
     .offset = AT(compare.min_copy),
     .value = "N",
     .brief = "minimum number of equal tokens, at least 3",
     .more = "Each changed token between equal ones subtracts half a token."},
    {.group = WHAT,
     .name = "tokens",
     .type = &type_tokens,
     .offset = AT(compare.tokens),
     .value = "KIND",
     .choices = "words|chars|lines|dna",
     .brief = "kind of token: words, chars, lines, dna",
     .more =
         "With words, scripts without spaces are still split into characters."},

    MAX_DOCUMENT_OPTION_OF(AT, reading.max_document, "32Mi"),
    TYPE_OPTION(AT, reading.reading.kind),
    STRIP_QUOTES_OPTION(AT, reading.reading.strip_quotes),
    FIELD_OPTIONS(AT, reading.fields),
};

/* ---- answers ---- */

struct compare_run {
    const struct compare_settings *settings;
    og_report *report;
    struct progress progress;
    bool answered, found;
    og_error report_error;
};

static bool on_answer(void *ctx, const og_document *doc,
                      const og_answer *answer)
{
    struct compare_run *run = ctx;
    run->answered = true;
    run->found = run->found || answer->n_spans != 0;
    const og_status status =
        og_report_add(run->report, doc, answer, &run->report_error);
    if (status == OG_ERR_IO && report_to_stdout(&run->settings->report))
        stdout_failed(errno);
    return status == OG_OK;
}

/* ---- the command ---- */

/* Does not repeat what was already said, as a problem or by finish_stdout(). */
static int status_of_run(const struct compare_run *run, og_status status,
                         const og_stream_counts *counts, const og_error *err)
{
    if (status == OG_ERR_STOPPED)
        return run->report_error.status == OG_ERR_IO &&
                       report_to_stdout(&run->settings->report)
                   ? EXIT_IO
                   : say_error(COMMAND, &run->report_error);
    if (status != OG_OK) return reading_status(COMMAND, status, counts, err);
    return run->settings->exit_code && run->found ? EXIT_FOUND : EXIT_DONE;
}

static int compare_run(const void *settings, const char *const *paths, size_t n)
{
    const struct compare_settings *s = settings;
    struct compare_run run = {.settings = s};
    og_compare_options options = s->compare;
    og_stream_counts counts = {0};
    og_error err = {0};
    (void)n;
    options.reworded = !s->verbatim;
    const og_report_options report = report_options(&s->report);
    if (og_report_open(s->report.output, &report, &run.report, &err) != OG_OK)
        return say_error(COMMAND, &err);
    og_input input = reading_input(&s->reading, &run.progress, paths, 1);
    og_input origin = input;
    origin.paths = paths + 1;
    const og_status status = og_compare_files(&input, &origin, &options,
                                              on_answer, &run, &counts, &err);
    progress_end(&run.progress);
    return report_end(run.report, &s->report, COMMAND, run.answered,
                      &run.report_error,
                      status_of_run(&run, status, &counts, &err));
}

const struct command command_compare = {
    .name = COMMAND,
    .group = GROUP_QUESTION,
    .operands = "A B",
    .brief = "find the passages of A that come from B",
    .about = "Compares each document of A with each document of B, without a "
             "store, and reports the passages of A that also occur in B: "
             "verbatim, with words changed, omitted, inserted or moved, or "
             "paraphrased. The ends of a passage are exact on both sides.\n\n"
             "A and B are files as for origo trace; one of them may be - for "
             "stdin. The output has the same format as that of origo trace.",
    .examples = "  origo compare essay.txt source.txt\n"
                "  origo compare --format json new.jsonl old.jsonl\n"
                "  origo compare -o report.html essay.txt source.txt\n",
    .options = compare_options,
    .n_options = sizeof(compare_options) / sizeof(compare_options[0]),
    .settings_len = sizeof(struct compare_settings),
    .min_operands = 2,
    .max_operands = 2,
    .missing = "two files are needed: A B",
    .defaults = compare_defaults,
    .run = compare_run,
};
