/* origo read: documents as JSONL, for a pipe. */

#include "output_options.h"
#include "progress.h"
#include "reading_options.h"
#include "say.h"
#include "signals.h"

#include <errno.h>

#define COMMAND "read"

struct read_settings {
    struct output_settings output;
    struct reading_settings reading;
    int format; /* the only one */
};

static void read_defaults(void *settings)
{
    struct read_settings *s = settings;
    reading_defaults(&s->reading);
}

#define AT(member) offsetof(struct read_settings, member)

static const struct option read_options[] = {
    DOCUMENT_OUTPUT_OPTIONS(AT, output),
    {.group = "Output",
     .letter = 'f',
     .name = "format",
     .type = &type_choice,
     .offset = AT(format),
     .value = "FORMAT",
     .choices = "jsonl",
     .brief = "output format: jsonl, one document per line"},
    TALK_OPTIONS(AT, reading),
    THREADS_OPTION(AT, reading.n_threads, "Input",
                   "The output does not depend on it."),
    MAX_DOCUMENT_OPTION_OF(AT, reading.max_document, "32Mi"),
    READING_OPTIONS(AT, reading.reading),
    FIELD_OPTIONS(AT, reading.fields),
};

struct read_run {
    struct progress progress;
    og_output *output;
    og_error err; /* of the output */
};

static bool on_document(void *ctx, const og_document *doc)
{
    struct read_run *run = ctx;
    FILE *out = og_output_file(run->output);
    if (og_output_next(run->output, &run->err) == OG_OK &&
        og_report_document(og_write_file, out, doc, &run->err) == OG_OK)
        return true;
    if (out == stdout) stdout_failed(errno);
    return false;
}

/* What stdout_failed() will report is not reported twice. */
static int status_of_run(const struct read_run *run, og_status status,
                         const og_stream_counts *counts, const og_error *err)
{
    if (run->err.status == OG_OK)
        return reading_status(COMMAND, status, counts, err);
    return output_failed(run->output, COMMAND, &run->err);
}

static int read_run(const void *settings, const char *const *paths, size_t n)
{
    const struct read_settings *s = settings;
    struct read_run run = {0};
    og_stream_counts counts = {0};
    og_error err = {0};
    const int opened = output_open(&s->output, COMMAND, &run.output);
    if (opened != EXIT_DONE) return opened;
    og_input input = reading_input(&s->reading, &run.progress, paths, n);
    if (output_to_stdout(&s->output)) progress_prints(&run.progress);
    stop_on_signals(&input);
    input.reading.extra = true;
    const og_status status =
        og_input_read(&input, on_document, &run, &counts, &err);
    progress_end(&run.progress);
    if (!s->reading.quiet && status != OG_ERR_STOPPED)
        progress_summary(&run.progress, &counts, NULL);
    const bool is_whole = status == OG_OK || counts.is_reported;
    return output_end(run.output, &s->output, COMMAND, is_whole,
                      status_of_run(&run, status, &counts, &err));
}

const struct command command_read = {
    .name = COMMAND,
    .group = GROUP_QUESTION,
    .operands = "FILE...",
    .brief = "convert documents to JSONL",
    .about =
        "Reads files like every other command, and writes each document as a "
        "line of JSON: id, time and the source of the time (time_source), "
        "title, url, language if declared, the other fields of its record, and "
        "the text. The time of a web page keeps the time zone given in the "
        "page; other times are in UTC. FILE is as for origo trace.",
    .examples = "  origo read page.html mail.mbox | jq -r .text\n"
                "  origo read archive.tar.gz -o documents.jsonl.zst\n"
                "  origo read crawl.warc.gz -o parts/ --shards 16\n",
    .options = read_options,
    .n_options = sizeof(read_options) / sizeof(read_options[0]),
    .settings_len = sizeof(struct read_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = read_defaults,
    .run = read_run,
};
