/* origo phrases: passages that many documents repeat.
 *
 *     STORE                     -> og_store_phrases  -> og_phrases_save
 *     FILE..., read again       -> og_stream_phrases ->
 *     stdin -> a temporary file ->                                          */

#include "options.h"
#include "progress.h"
#include "reading_options.h"
#include "report_settings.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

#include <errno.h>
#include <limits.h>
#include <origo/origo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND "phrases"

struct phrases_settings {
    struct store_settings store;
    struct report_settings report;
    struct reading_settings reading;
    og_phrases_options asking;
    const char *since, *until;
    int period;
    bool exit_code;
};

static void phrases_defaults(void *settings)
{
    struct phrases_settings *s = settings;
    store_defaults(&s->store);
    report_defaults(&s->report);
    reading_defaults(&s->reading);
    s->asking = og_phrases_options_default();
}

/* ---- options ---- */

#define AT(member) offsetof(struct phrases_settings, member)

static const struct option phrases_options[] = {
    STORE_OPTION(AT, store, "the store whose documents are analysed"),
    {.group = "What counts",
     .name = "min-documents",
     .type = &type_count,
     .offset = AT(asking.min_documents),
     .value = "N",
     .brief = "minimum number of documents, at least 2"},
    {.group = "What counts",
     .name = "min-tokens",
     .type = &type_count,
     .offset = AT(asking.min_tokens),
     .value = "N",
     .unset = "the store's shingle length, at least 8",
     .brief = "minimum tokens of a passage, at least 2"},
    {.group = "What counts",
     .name = "since",
     .type = &type_string,
     .offset = AT(since),
     .value = "TIME",
     .unset = "the first document",
     .brief = "only documents of this time or later",
     .more = "A day, month or year, or RFC 3339. Documents without a time are "
             "then left out."},
    {.group = "What counts",
     .name = "until",
     .type = &type_string,
     .offset = AT(until),
     .value = "TIME",
     .unset = "the last document",
     .brief = "only documents before this time"},
    {.group = "What counts",
     .name = "by",
     .type = &type_choice,
     .offset = AT(period),
     .value = "PERIOD",
     .choices = "parts|day|month|year",
     .brief = "report growth by parts, day, month or year",
     .more =
         "parts: ten parts with the same number of documents, in the order of "
         "arrival. If there are more than 4096 days, months are used instead."},
    {.group = "What counts",
     .name = "source",
     .type = &type_string,
     .offset = AT(asking.source),
     .value = "FIELD",
     .brief = "what identifies a source",
     .more = "host: the host of the url; id: versions of one document; "
             "otherwise the name of an input field, such as author."},
    {.group = "What counts",
     .letter = 'm',
     .name = "memory",
     .type = &type_size,
     .offset = AT(asking.memory),
     .value = "SIZE",
     .brief = "memory limit of the table of counts",
     .more = "16 bytes for each distinct run of --min-tokens tokens. When it "
             "is full, rare runs are dropped; the answer says how many "
             "documents a missing passage may have."},

    {.group = "Output",
     .name = "limit",
     .type = &type_count,
     .offset = AT(asking.limit),
     .value = "N",
     .brief = "maximum entries of each list, 1 to 10000"},
    {.group = "Output",
     .letter = 'f',
     .name = "format",
     .type = &type_choice,
     .offset = AT(report.format),
     .value = "FORMAT",
     .choices = "text|json|tsv|html",
     .unset = "text on a terminal, else from FILE's name, else json",
     .brief = "text, json, tsv or html",
     .more = "json writes one object (docs/phrases.schema.json), tsv a line "
             "per passage, html a page."},
    OUTPUT_FILE_OPTION(AT, report.output, .unset = "stdout",
                       .brief = "write the list to FILE",
                       .more = "It appears when it is complete."),
    COLOUR_OPTION(AT, report.colour),
    EXIT_CODE_OPTION(AT, exit_code, "there is such a passage"),
    TALK_OPTIONS(AT, reading),

    THREADS_OPTION(AT, reading.n_threads, "Input",
                   "The output does not depend on it."),
    {.group = "Input",
     .name = "tokens",
     .type = &type_tokens,
     .offset = AT(asking.tokens),
     .value = "KIND",
     .choices = "words|chars|lines|dna",
     .brief = "kind of token, for FILE",
     .more = "A store has its own setting."},
    MAX_DOCUMENT_OPTION_OF(AT, reading.max_document,
                           "a sixteenth of --memory, at least 2Mi"),
    READING_OPTIONS(AT, reading.reading),
    FIELD_OPTIONS(AT, reading.fields),
};

/* ---- the command ---- */

struct phrases_run {
    const struct phrases_settings *settings;
    og_phrases_options asking;
    struct progress progress;
    og_phrases *phrases;
};

static int parse_time(const char *name, const char *s, bool *out_has,
                      int64_t *out)
{
    if (s == NULL) return EXIT_DONE;
    *out_has = og_time_parse((og_bytes){s, strlen(s)}, out);
    if (*out_has) return EXIT_DONE;
    return say_usage(COMMAND, "--%s takes a time like 2011-03-04, not '%s'",
                     name, s);
}

static void ask_as_input(struct phrases_run *run, const og_input *input)
{
    run->asking.n_threads = input->n_threads;
    run->asking.ctx = input->ctx;
    run->asking.on_progress = input->on_progress;
    run->asking.should_stop = input->should_stop;
}

static int status_of(og_status status, const og_stream_counts *counts,
                     const og_error *err)
{
    if (status == OG_OK) return EXIT_DONE;
    if (status == OG_ERR_STOPPED) return stop_status("");
    return reading_status(COMMAND, status, counts, err);
}

static int ask_store(struct phrases_run *run)
{
    const struct phrases_settings *s = run->settings;
    const og_stream_counts counts = {0};
    og_store *store;
    og_error err = {0};
    og_input input = reading_input(&s->reading, &run->progress, NULL, 0);
    if (report_to_stdout(&s->report)) progress_prints(&run->progress);
    stop_on_signals(&input);
    ask_as_input(run, &input);
    const int opened = store_open(&s->store, OG_READ, COMMAND, &store);
    if (opened != EXIT_DONE) return opened;
    const og_status status =
        og_store_phrases(store, &run->asking, &run->phrases, &err);
    progress_end(&run->progress);
    return store_close(store, COMMAND, status_of(status, &counts, &err));
}

static bool can_be_read_again(const struct phrases_settings *s,
                              const char *const *paths, size_t n)
{
    struct stat st;
    const char *list = s->reading.reading.files_from;
    if (list != NULL && (stat(list, &st) != 0 || !S_ISREG(st.st_mode)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(paths[i], "-") == 0 ||
            (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode) &&
             !S_ISDIR(st.st_mode)))
            return false;
    return true;
}

static int ask_files(struct phrases_run *run, const char *const *paths,
                     size_t n)
{
    const struct phrases_settings *s = run->settings;
    og_stream_counts counts = {0};
    og_error err = {0};
    og_input input = reading_input(&s->reading, &run->progress, paths, n);
    if (report_to_stdout(&s->report)) progress_prints(&run->progress);
    stop_on_signals(&input);
    const og_status status =
        og_stream_phrases(&input, &run->asking, &run->phrases, &counts, &err);
    progress_end(&run->progress);
    return status_of(status, &counts, &err);
}

static FILE *open_spool(void)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    snprintf(path, sizeof(path), "%s/origo-phrases-XXXXXX", folder);
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL) say("cannot create '%s': %s", path, strerror(errno));
    if (fd >= 0) unlink(path);
    if (fd >= 0 && file == NULL) close(fd);
    return file;
}

static bool spool_document(void *ctx, const og_document *doc)
{
    return og_report_document(og_write_file, ctx, doc, NULL) == OG_OK;
}

/* Input from a pipe is first copied to a temporary file without a name, which
 * disappears with the process. */
static int ask_pipe(struct phrases_run *run, const char *const *paths, size_t n)
{
    const struct phrases_settings *s = run->settings;
    struct phrases_settings again = *s;
    og_stream_counts counts = {0};
    og_error err = {0};
    char name[32];
    const char *const spooled[] = {name};
    FILE *spool = open_spool();
    if (spool == NULL) return EXIT_IO;
    og_input input = reading_input(&s->reading, &run->progress, paths, n);
    input.reading.extra = true;
    stop_on_signals(&input);
    const og_status status =
        og_input_read(&input, spool_document, spool, &counts, &err);
    progress_end(&run->progress);
    int read = status_of(status, &counts, &err);
    if (fflush(spool) != 0 || ferror(spool) != 0) {
        say("cannot write a temporary file: %s", strerror(errno));
        read = EXIT_IO;
    } else if (status == OG_OK || counts.is_reported) {
        snprintf(name, sizeof(name), "/dev/fd/%d", fileno(spool));
        reading_defaults(&again.reading);
        again.reading.quiet = s->reading.quiet;
        again.reading.n_threads = s->reading.n_threads;
        again.reading.max_document = s->reading.max_document;
        again.reading.reading.kind = OG_FILE_JSONL;
        run->settings = &again;
        const int asked = ask_files(run, spooled, 1);
        run->settings = s;
        if (read == EXIT_DONE) read = asked;
    }
    fclose(spool);
    return read;
}

static int write_phrases(const struct phrases_run *run, int status)
{
    const struct phrases_settings *s = run->settings;
    og_error err = {0};
    if (run->phrases == NULL) return status;
    const og_format format = s->report.format == REPORT_FORMAT_AUTO
                                 ? report_format_of_output(&s->report)
                                 : (og_format)s->report.format;
    if (og_phrases_save(run->phrases, format, report_style(&s->report),
                        s->report.output, &err) != OG_OK) {
        if (err.status == OG_ERR_IO && report_to_stdout(&s->report)) {
            stdout_failed(errno);
            return EXIT_IO;
        }
        return say_error(COMMAND, &err);
    }
    if (status == EXIT_DONE && s->exit_code && run->phrases->n_phrases != 0)
        return EXIT_FOUND;
    return status;
}

static int phrases_run(const void *settings, const char *const *paths, size_t n)
{
    const struct phrases_settings *s = settings;
    struct phrases_run run = {.settings = s, .asking = s->asking};
    og_phrases_options *asking = &run.asking;
    asking->period = (og_period)s->period;
    const bool has_files = n != 0 || s->reading.reading.files_from != NULL;
    int status =
        parse_time("since", s->since, &asking->has_since, &asking->since);
    if (status == EXIT_DONE)
        status =
            parse_time("until", s->until, &asking->has_until, &asking->until);
    if (status != EXIT_DONE) return status;
    if (has_files && s->store.path != NULL && !store_is_memory(&s->store))
        return say_usage(COMMAND,
                         "give either a store or FILE...; 'origo add -s %s' "
                         "adds files to the store",
                         s->store.path);
    if (!has_files && store_is_memory(&s->store))
        return say_usage(COMMAND, "no FILE given; '-' reads stdin");
    if (!has_files)
        status = ask_store(&run);
    else if (can_be_read_again(s, paths, n))
        status = ask_files(&run, paths, n);
    else
        status = ask_pipe(&run, paths, n);
    status = write_phrases(&run, status);
    og_phrases_free(run.phrases);
    return status;
}

const struct command command_phrases = {
    .name = COMMAND,
    .group = GROUP_QUESTION,
    .operands = "[FILE...]",
    .brief = "list the passages that many documents repeat",
    .about =
        "Lists the passages that occur in the most documents of a store, or of "
        "the given files: how many documents contain each passage, which had "
        "it first, how it spread, which documents consist of such passages, "
        "and which sources copy most. Boilerplate, forms, chain letters and "
        "spam appear at the top.\n\n"
        "The texts are read four or five times, in a fixed amount of memory "
        "(--memory). The figures for a passage are exact: every document is "
        "searched for it, word by word. Every run of --min-tokens tokens that "
        "occurs in more documents than \"complete_above\" was counted; that is "
        "0 as long as the table of counts has room. A passage starts with the "
        "run that most documents contain and extends as long as four fifths of "
        "them agree. Versions under one id count as separate documents. Input "
        "from stdin or a pipe is kept in a temporary file ($TMPDIR).",
    .examples =
        "  origo phrases -s news.store\n"
        "  origo phrases -s news.store --since 2024-05 --by day -f json\n"
        "  origo phrases --min-tokens 20 -o spam.html mail.jsonl.zst\n"
        "  zcat crawl.jsonl.gz | origo phrases --source host -\n",
    .options = phrases_options,
    .n_options = sizeof(phrases_options) / sizeof(phrases_options[0]),
    .settings_len = sizeof(struct phrases_settings),
    .max_operands = SIZE_MAX,
    .defaults = phrases_defaults,
    .run = phrases_run,
};
