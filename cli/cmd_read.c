/* origo read: documents as JSONL, for a pipe. */

#include "progress.h"
#include "reading_options.h"
#include "say.h"

#include <errno.h>

#define COMMAND "read"

struct read_settings {
    struct reading_settings reading;
};

static void read_defaults(void *settings)
{
    struct read_settings *s = settings;
    reading_defaults(&s->reading);
}

#define AT(member) offsetof(struct read_settings, member)

static const struct option read_options[] = {
    TALK_OPTIONS(AT, reading),
    THREADS_OPTION(AT, reading.n_threads, "Input",
                   "The output is the same for any number."),
    MAX_DOCUMENT_OPTION(AT, reading.max_document),
    READING_OPTIONS(AT, reading.reading),
    FIELD_OPTIONS(AT, reading.fields),
};

static bool on_document(void *ctx, const og_document *doc)
{
    bool *const failed = ctx;
    og_error err;
    if (og_report_document(og_write_file, stdout, doc, &err) == OG_OK)
        return true;
    stdout_failed(errno);
    *failed = true;
    return false;
}

static int read_run(const void *settings, const char *const *paths, size_t n)
{
    const struct read_settings *s = settings;
    struct progress progress;
    og_stream_counts counts = {0};
    og_error err = {0};
    bool failed = false;
    og_input input = reading_input(&s->reading, &progress, paths, n);
    input.reading.extra = true;
    const og_status status =
        og_input_read(&input, on_document, &failed, &counts, &err);
    progress_end(&progress);
    if (failed) return EXIT_IO;
    if (!s->reading.quiet && status != OG_ERR_STOPPED)
        progress_summary(&progress, &counts, NULL);
    return reading_status(COMMAND, status, &counts, &err);
}

const struct command command_read = {
    .name = COMMAND,
    .group = GROUP_QUESTION,
    .operands = "FILE...",
    .brief = "documents as JSONL: id, time, title, url, text",
    .about =
        "Reads files as every other command does, and writes each document as "
        "a line of JSON: id, time and where it comes from (time_source), "
        "title, "
        "url, language if it is declared, the other fields of its record, and "
        "the text. The time of a page is in the zone in which the page gives "
        "it, others are in UTC. FILE is as for origo trace.",
    .examples = "  origo read page.html mail.mbox | jq -r .text\n"
                "  origo read archive.tar.gz > documents.jsonl\n",
    .options = read_options,
    .n_options = sizeof(read_options) / sizeof(read_options[0]),
    .settings_len = sizeof(struct read_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = read_defaults,
    .run = read_run,
};
