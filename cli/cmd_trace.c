/* origo trace: where did each passage come from.
 *
 *     files -> og_stream_run -> on_answer: one report for each document
 *                            -> progress.h: messages on stderr
 *
 * The library does the work; this file has the options, the choice of report
 * and the exit status. */

#include "links_settings.h"
#include "options.h"
#include "output_options.h"
#include "progress.h"
#include "reading_options.h"
#include "report_settings.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

#include <errno.h>
#include <origo/origo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct trace_settings {
    struct store_settings store;
    bool add, sighting;
    struct report_settings report;
    struct links_settings links;
    const char *clusters; /* a file; NULL: not requested */
    const char *summary;  /* likewise */
    struct reading_settings reading;
    bool exit_code;
    bool novel;
    uint32_t n_snippets;
    const char *boilerplate; /* "100" or "5%"; NULL: everything is reported */
    const char *ignore;      /* a file of known text */
    og_trace_options asking;
};

static void trace_defaults(void *settings)
{
    struct trace_settings *s = settings;
    report_defaults(&s->report);
    store_defaults(&s->store);
    reading_defaults(&s->reading);
}

/* ---- options ---- */

#define AT(member) offsetof(struct trace_settings, member)

static const struct option trace_options[] = {
    STORE_OPTION(AT, store, "the store to query"),
    CATALOGUE_OPTION(AT, store),
    {.group = "Store",
     .letter = 'a',
     .name = "add",
     .type = &type_flag,
     .offset = AT(add),
     .brief = "add each document after answering it",
     .more = "Implied by -s :memory:, where the documents are compared with "
             "one another."},

    {.group = "Store",
     .name = "sighting",
     .type = &type_flag,
     .offset = AT(sighting),
     .brief = "without --add: count each document as a sighting",
     .more = "Fingerprints of the document that the store knows count as seen "
             "once more, as in the paper, so a full table keeps them longer. "
             "No document is added, but the store is written."},

    REPORT_OPTIONS(AT, report),
    LINKS_OPTIONS(AT, links, "One line for each document and origin."),
    {.group = "Output",
     .name = "clusters",
     .type = &type_string,
     .offset = AT(clusters),
     .value = "FILE",
     .unset = "none",
     .brief = "write who shares each passage, as JSONL",
     .more = "One line per passage: its text, its origin and every document "
             "that contains it, earliest first. Only passages that were "
             "verified against the text of their origin are written."},
    {.group = "Output",
     .name = "novel",
     .type = &type_flag,
     .offset = AT(novel),
     .brief = "write only the new passages, with their text",
     .more = "For json and text; html lists them above the text. Text that "
             "occurs in an earlier version under the same id is not new."},
    {.group = "Output",
     .name = "snippet",
     .type = &type_count,
     .offset = AT(n_snippets),
     .value = "N",
     .unset = "none",
     .brief = "write the best N new sentences of each document",
     .more = "For json and text, and in html above the text: the sentences "
             "that best represent the other new sentences."},
    EXIT_CODE_OPTION(AT, exit_code, "something is copied"),
    SUMMARY_OPTION(AT, summary),
    TALK_OPTIONS(AT, reading),
    TIMINGS_OPTION(AT, reading),

    {.group = "What counts",
     .name = "boilerplate",
     .type = &type_string,
     .offset = AT(boilerplate),
     .value = "N|P%",
     .unset = "all passages are reported",
     .brief = "leave out text that is in more documents than this",
     .more = "A number of documents, or a share of all documents in the store. "
             "A span is left out if most of it is such text."},
    {.group = "What counts",
     .name = "ignore",
     .type = &type_string,
     .offset = AT(ignore),
     .value = "FILE",
     .unset = "none",
     .brief = "leave out text that also occurs in this file",
     .more = "Known text that never counts, such as a licence, a form or a "
             "footer."},
    {.group = "What counts",
     .name = "min-span",
     .type = &type_count,
     .offset = AT(asking.min_span),
     .value = "N",
     .unset = "the shingle length, at least 8 words or the whole document",
     .brief = "leave out spans of fewer tokens",
     .more = "1 reports all spans. In scripts without spaces a token is a "
             "character. By default, words of phrases that a book repeats over "
             "and over count as a quarter."},
    {.group = "What counts",
     .name = "across-groups",
     .type = &type_flag,
     .offset = AT(asking.compare_same),
     .brief = "ignore the store's --group-by"},
    {.group = "What counts",
     .name = "since-last",
     .type = &type_flag,
     .offset = AT(asking.since_last),
     .brief = "compare only with the last version of the same id",
     .more = "Text that was not in that version is new, even if it occurs "
             "elsewhere. With --novel, shows what changed in a page since the "
             "last version."},
    {.group = "What counts",
     .name = "no-verify",
     .type = &type_flag,
     .offset = AT(asking.no_verify),
     .brief = "do not compare with the texts of the origins",
     .more = "Faster, but spans then rest on fingerprints alone and have no "
             "position in their origin."},
    {.group = "What counts",
     .name = "reworded",
     .type = &type_flag,
     .offset = AT(asking.reworded),
     .brief = "also find paraphrased passages",
     .more = "Compares each document with the full texts of up to 64 documents "
             "that have most in common with it. Finds passages that were "
             "paraphrased, reordered or summarised, and leaves out those that "
             "are too short. Takes a few milliseconds per document. Works best "
             "in a store with the preset short."},
    THREADS_OPTION(AT, reading.n_threads, "Input",
                   "The output does not depend on it."),
    MAX_DOCUMENT_OPTION(AT, reading.max_document),
    READING_OPTIONS(AT, reading.reading),
    FIELD_OPTIONS(AT, reading.fields),

    STORE_MAKE_OPTIONS(AT, store),
};

/* ---- answers ---- */

struct trace_run {
    const struct trace_settings *settings;
    og_trace_options asking;
    char *ignored; /* the text of --ignore */
    og_report *report;
    og_links *links;       /* NULL: not requested */
    og_clusters *clusters; /* likewise */
    struct progress progress;
    bool answered, found;
    uint64_t n_guessed; /* documents whose answer rests on the time of a file */
    uint64_t n_documents, n_copying, n_sources, n_passages, n_copied_tokens;
    og_stream_counts counts;
    unsigned char *sources; /* a bit for each origin */
    size_t sources_len;
    og_error report_error;
};

/* The times decide who copied whom, and the time of a file is a guess. */
static bool rests_on_guess(const og_document *doc, const og_answer *answer)
{
    const bool is_own = doc->has_time && doc->time_source == OG_TIME_FILE;
    if (is_own && answer->n_spans > 0) return true;
    for (size_t i = 0; i < answer->n_spans; i++)
        if (answer->spans[i].origin_has_time &&
            answer->spans[i].origin_time_source == OG_TIME_FILE)
            return true;
    return false;
}

static void warn_of_guesses(const struct trace_run *run)
{
    const unsigned long long n = run->n_guessed;
    if (n == 0) return;
    say("%llu %s on the modification time of a file, which is a guess; --times "
        "or --time-from-name give better ones",
        n, n == 1 ? "answer rests" : "answers rest");
}

/* Collects what is written after all documents have been answered. */
static og_status gather(struct trace_run *run, const og_document *doc,
                        const og_answer *answer)
{
    og_error *err = &run->report_error;
    og_status status = OG_OK;
    if (run->links != NULL) status = og_links_add(run->links, doc, answer, err);
    if (status == OG_OK && run->clusters != NULL)
        status = og_clusters_add(run->clusters, doc, answer, err);
    return status;
}

/* Sources are counted by their numbers in the store. */
static void count_source(struct trace_run *run, uint64_t origin)
{
    const size_t at = (size_t)(origin / 8);
    if (at >= run->sources_len) {
        const size_t len = 2 * at + 64;
        unsigned char *sources = realloc(run->sources, len);
        if (sources == NULL) return; /* omitted from the summary */
        memset(sources + run->sources_len, 0, len - run->sources_len);
        run->sources = sources;
        run->sources_len = len;
    }
    const unsigned char bit = (unsigned char)(1u << origin % 8);
    run->n_sources += (run->sources[at] & bit) == 0;
    run->sources[at] |= bit;
}

static void count_found(struct trace_run *run, const og_answer *answer)
{
    run->n_documents++;
    run->n_copying += answer->n_spans != 0;
    run->n_passages += answer->n_spans;
    run->n_copied_tokens += answer->n_matching;
    for (size_t i = 0; i < answer->n_spans; i++)
        count_source(run, answer->spans[i].origin);
}

/* The summary: what was found, and where the report is. */
static void report_found(const struct trace_run *run)
{
    const struct report_settings *report = &run->settings->report;
    const bool is_file = !report_to_stdout(report);
    if (run->settings->reading.quiet || run->n_documents == 0) return;
    char found[96] = "none with copied passages";
    if (run->n_copying != 0)
        snprintf(found, sizeof(found), "%llu with copied passages from %llu %s",
                 (unsigned long long)run->n_copying,
                 (unsigned long long)run->n_sources,
                 run->n_sources == 1 ? "source" : "sources");
    say("%llu %s, %s%s%s", (unsigned long long)run->n_documents,
        run->n_documents == 1 ? "document" : "documents", found,
        is_file ? "; the report is in " : "", is_file ? report->output : "");
}

static int write_gathered(const struct trace_run *run, int status)
{
    const struct trace_settings *s = run->settings;
    og_error err = {0};
    int written = EXIT_DONE;
    if (run->report_error.status != OG_OK || !run->answered) return status;
    if (run->links != NULL)
        written = links_write(run->links, &s->links, "trace");
    if (written == EXIT_DONE && run->clusters != NULL &&
        og_clusters_save(run->clusters, s->clusters, NULL, &err) != OG_OK)
        written = say_error("trace", &err);
    return written != EXIT_DONE ? written : status;
}

static int open_gathered(struct trace_run *run)
{
    const struct trace_settings *s = run->settings;
    og_error err = {0};
    if (links_are_wanted(&s->links) && (run->links = og_links_new()) == NULL)
        return say_usage("trace", "out of memory");
    if (s->clusters != NULL && og_clusters_open(&run->clusters, &err) != OG_OK)
        return say_error("trace", &err);
    return EXIT_DONE;
}

static bool on_answer(void *ctx, const og_document *doc,
                      const og_answer *answer)
{
    struct trace_run *run = ctx;
    run->answered = true;
    run->found = run->found || answer->n_spans != 0;
    run->n_guessed += rests_on_guess(doc, answer);
    count_found(run, answer);
    og_status status = gather(run, doc, answer);
    if (status == OG_OK)
        status = og_report_add(run->report, doc, answer, &run->report_error);
    if (status == OG_ERR_IO && report_to_stdout(&run->settings->report))
        stdout_failed(errno);
    return status == OG_OK;
}

static bool on_render(void *ctx, const og_document *doc,
                      const og_answer *answer, og_write_fn *write, void *to)
{
    const struct trace_run *run = ctx;
    return og_report_render(run->report, doc, answer, write, to, NULL) == OG_OK;
}

/* The process feeding a stream waits for the lines. */
static bool on_pause(void *ctx)
{
    const struct trace_run *run = ctx;
    if (!report_to_stdout(&run->settings->report) || !run->settings->add ||
        fflush(stdout) == 0)
        return true;
    stdout_failed(errno);
    return false;
}

/* ---- the command ---- */

/* Whether an output shows the text of origins. */
static bool needs_texts(const struct trace_settings *s)
{
    const og_report_options report = report_options(&s->report);
    return s->clusters != NULL || report.offsets != OG_OFFSETS_BYTE ||
           (report.format != OG_FORMAT_JSON && report.format != OG_FORMAT_TSV);
}

static og_stream_options stream_options(const struct trace_settings *s,
                                        struct trace_run *run)
{
    og_stream_options options = og_stream_options_default();
    options.add = s->add || store_is_memory(&s->store);
    options.sighting = s->sighting && !options.add;
    options.asking = run->asking;
    options.ctx = run;
    options.on_answer = on_answer;
    options.on_pause = on_pause;
    if (og_report_is_apart(run->report)) options.on_render = on_render;
    options.asking.no_texts = !needs_texts(s);
    return options;
}

/* Does not repeat what was already said, as a problem or by finish_stdout(). */
static int status_of_run(const struct trace_run *run, og_status status,
                         const og_stream_counts *counts, const og_error *err)
{
    if (status == OG_ERR_STOPPED && run->report_error.status != OG_OK) {
        if (run->report_error.status != OG_ERR_IO ||
            !report_to_stdout(&run->settings->report))
            return say_error("trace", &run->report_error);
        return EXIT_IO;
    }
    if (status == OG_ERR_STOPPED && run->settings->add)
        return stop_status_added(counts);
    if (status != OG_OK) return reading_status("trace", status, counts, err);
    return run->settings->exit_code && run->found ? EXIT_FOUND : EXIT_DONE;
}

static int trace_stream(og_store *store, struct trace_run *run,
                        const char *const *paths, size_t n_paths)
{
    const struct trace_settings *s = run->settings;
    const og_stream_options options = stream_options(s, run);
    og_error err = {0};
    og_input input = reading_input(&s->reading, &run->progress, paths, n_paths);
    input.reading.extra = true; /* a store keeps them, reports cite them */
    if (report_to_stdout(&s->report)) progress_prints(&run->progress);
    stop_on_signals(&input);
    const og_status status =
        og_stream_run(store, &input, &options, &run->counts, &err);
    progress_end(&run->progress);
    if (!s->reading.quiet && status != OG_ERR_STOPPED)
        progress_summary(&run->progress, &run->counts, store);
    if (!s->reading.quiet) warn_of_guesses(run);
    if (s->reading.timings) timings_print(&run->progress.timings, &run->counts);
    return status_of_run(run, status, &run->counts, &err);
}

static int summarise(const struct trace_run *run, int status)
{
    const struct summary_field fields[] = {
        {"copying", run->n_copying},
        {"sources", run->n_sources},
        {"passages", run->n_passages},
        {"copied_tokens", run->n_copied_tokens},
        {"guessed_times", run->n_guessed},
    };
    return summary_write(run->settings->summary, "trace", &run->progress,
                         &run->counts, fields,
                         sizeof(fields) / sizeof(fields[0]), status);
}

/* "100" documents or "5%" of all. */
static bool parse_boilerplate(const char *s, og_trace_options *out)
{
    char *end;
    errno = 0;
    const double value = strtod(s, &end);
    if (end == s || errno != 0 || !(value > 0)) return false;
    if (strcmp(end, "%") == 0 && value <= 100) {
        out->boilerplate_share = value / 100;
        return true;
    }
    if (*end != 0 || value < 1 || value > 1e9) return false;
    out->boilerplate_documents = (uint64_t)value;
    return true;
}

/* The whole file; NULL after a message on stderr. */
static char *read_ignored(const char *path, size_t *out_len)
{
    enum { MOST = 64 << 20 };
    FILE *file = fopen(path, "rbe");
    char *text = file != NULL ? malloc(MOST) : NULL;
    if (text == NULL) {
        say("cannot read '%s': %s", path, strerror(errno));
        if (file != NULL) fclose(file);
        return NULL;
    }
    *out_len = fread(text, 1, MOST, file);
    const bool failed = ferror(file) != 0;
    const bool is_long = !failed && *out_len == MOST;
    fclose(file);
    if (!failed && !is_long) return text;
    say(is_long ? "'%s' is longer than 64 MiB" : "cannot read '%s'", path);
    free(text);
    return NULL;
}

static int choose_asking(struct trace_run *run)
{
    const struct trace_settings *s = run->settings;
    run->asking = s->asking;
    if (s->boilerplate != NULL &&
        !parse_boilerplate(s->boilerplate, &run->asking))
        return say_usage("trace",
                         "--boilerplate takes a number of documents like 100 "
                         "or a share like 5%%, not '%s'",
                         s->boilerplate);
    if (s->ignore == NULL) return EXIT_DONE;
    run->ignored = read_ignored(s->ignore, &run->asking.ignored.len);
    run->asking.ignored.data = run->ignored;
    return run->ignored != NULL ? EXIT_DONE : EXIT_IO;
}

static void release(struct trace_run *run)
{
    og_links_free(run->links);
    og_clusters_free(run->clusters);
    free(run->sources);
    free(run->ignored);
}

static int trace_run(const void *settings, const char *const *paths, size_t n)
{
    struct trace_run run = {.settings = settings};
    og_store *store = NULL;
    og_error err = {0};
    og_report_options options = report_options(&run.settings->report);
    options.novel = run.settings->novel;
    options.n_snippets = run.settings->n_snippets;
    const og_access access = run.settings->add        ? OG_CREATE
                             : run.settings->sighting ? OG_WRITE
                                                      : OG_READ;
    int status = choose_asking(&run);
    if (status == EXIT_DONE) status = open_gathered(&run);
    if (status == EXIT_DONE)
        status = store_open(&run.settings->store, access, "trace", &store);
    if (status == EXIT_DONE)
        status = store_need_index(store, store_folder(&run.settings->store),
                                  OG_INDEX_PASSAGES, "trace");
    if (status != EXIT_DONE) {
        release(&run);
        return status;
    }
    if (og_report_open(run.settings->report.output, &options, &run.report,
                       &err) == OG_OK) {
        status = trace_stream(store, &run, paths, n);
        status = report_end(run.report, &run.settings->report, "trace",
                            run.answered, &run.report_error, status);
        status = write_gathered(&run, status);
        if (status == EXIT_DONE || status == EXIT_FOUND) report_found(&run);
        status = summarise(&run, status);
    } else {
        status = say_error("trace", &err);
    }
    release(&run);
    return store_close(store, "trace", status);
}

const struct command command_trace = {
    .name = "trace",
    .group = GROUP_QUESTION,
    .operands = "FILE...",
    .brief = "find where each passage of a document came from",
    .about =
        "Reads documents in the given order and reports for each one which "
        "passages are copied, from which earliest document, and which are new. "
        "Results go to stdout, problems and a summary to stderr.\n\n"
        "FILE is a text file (one document), JSONL (one document per line: id, "
        "time, title, url, text), HTML (the main text of a page), a WARC, WET "
        "or ARC archive, an mbox or a mail, TEI or other XML, a folder of such "
        "files, or - for stdin. Compressed files (.gz, .zst) are unpacked. The "
        "type of a file is detected from its first bytes; --type overrides it. "
        "Input that cannot be read is reported and skipped, and the rest is "
        "processed. Sizes and numbers accept the suffixes k M G and Ki Mi Gi.",
    .examples = "  origo trace -s :memory: letters.jsonl\n"
                "  origo trace -s :memory: --format text old.txt new.txt\n"
                "  origo trace -s :memory: -o report.html letters/\n"
                "  zcat mail.jsonl.gz | origo trace -s :memory: - > "
                "answers.jsonl\n",
    .options = trace_options,
    .n_options = sizeof(trace_options) / sizeof(trace_options[0]),
    .settings_len = sizeof(struct trace_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = trace_defaults,
    .run = trace_run,
};
