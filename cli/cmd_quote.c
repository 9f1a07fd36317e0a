/* origo quote: finds the sentences of a document that were written before.
 *
 *     files -> og_quote_stream -> on_answer  -> og_report_add_quotes
 *                                 on_durable -> og_report_pass
 *
 * With --add an answer is held back until its document is on disk: once the
 * line has appeared, the document is safe. */

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

#define COMMAND "quote"

extern const struct command command_quote;

struct quote_settings {
    struct store_settings store; /* only its path */
    bool add, explain, all;
    struct report_settings report; /* its form, destination and colour */
    struct links_settings links;
    const char *summary;
    struct reading_settings reading;
    bool exit_code, only_reused;
    int method;
    const char *distance;
    double threshold, max_false, recall;
    uint32_t min_words, max_matches;
    uint64_t max_candidates, max_compared;
    og_sentences_options make;
};

static void quote_defaults(void *settings)
{
    const og_quote_stream_options stream = og_quote_stream_options_default();
    struct quote_settings *s = settings;
    report_defaults(&s->report);
    reading_defaults(&s->reading);
    s->make = og_sentences_options_default();
    s->threshold = stream.quote.threshold;
    s->max_false = stream.quote.max_false;
    s->min_words = stream.quote.min_words;
    s->max_matches = stream.quote.max_matches;
    s->max_candidates = stream.quote.max_candidates;
    s->max_compared = stream.quote.max_compared;
}

#define AT(member) offsetof(struct quote_settings, member)
#define OUT        "Output"
#define FIND       "Finding"

static const struct option quote_options[] = {
    STORE_OPTION(AT, store, "the store that keeps the sentences"),
    {.group = "Store",
     .letter = 'a',
     .name = "add",
     .type = &type_flag,
     .offset = AT(add),
     .brief = "add each document after answering it",
     .more = "Creates the store if it is missing, and builds its index of "
             "sentences if it has none. A document that the store already has "
             "changes nothing. The line of a document is printed when it is on "
             "disk. Implied by -s :memory:, where the documents are compared "
             "with one another."},
    {.group = "Store",
     .name = "explain",
     .type = &type_flag,
     .offset = AT(explain),
     .brief = "show the qSign parameters for this store",
     .more = "Prints m, l, n, k and d of the paper, and the predicted recall "
             "and false-positive rate. Needs no FILE."},

    {.group = FIND,
     .letter = 't',
     .name = "threshold",
     .type = &type_weight,
     .offset = AT(threshold),
     .value = "S",
     .brief = "minimum similarity, above 0 and at most 1",
     .more = "The share of the words of the sentence that the other one "
             "contains, times the share of their weight; rare words weigh "
             "more. A sentence compared with itself gives 1."},
    {.group = FIND,
     .name = "all",
     .type = &type_flag,
     .offset = AT(all),
     .brief = "also report later documents",
     .more = "By default a sentence is only traced to earlier documents, in "
             "the order of their times, then of their arrival."},
    {.group = FIND,
     .name = "min-words",
     .type = &type_count,
     .offset = AT(min_words),
     .value = "N",
     .brief = "skip sentences with fewer distinct words"},
    {.group = FIND,
     .name = "method",
     .type = &type_choice,
     .offset = AT(method),
     .value = "NAME",
     .choices = "exact|qsign|scan",
     .brief = "search method: exact, qsign or scan",
     .more =
         "exact finds all matches and is the fastest. qsign is the method of "
         "the paper, with signatures. scan compares with every sentence."},
    {.group = FIND,
     .letter = 'd',
     .name = "distance",
     .type = &type_string,
     .offset = AT(distance),
     .value = "D",
     .unset = "from --max-false",
     .brief = "qsign: number of bits that may differ"},
    {.group = FIND,
     .name = "max-false",
     .type = &type_weight,
     .offset = AT(max_false),
     .value = "P",
     .brief = "qsign: maximum false-positive rate",
     .more = "Chooses the largest distance at which a sentence with one extra "
             "word is found with at most this probability."},
    {.group = FIND,
     .name = "recall",
     .type = &type_weight,
     .offset = AT(recall),
     .value = "SHARE",
     .unset = "the distance follows from --max-false",
     .brief = "qsign: share of the matches to find",
     .more = "Chooses the distance by measurement: the exact method answers "
             "the first sentences, until it has found 1000 matches. --explain "
             "shows the result."},
    {.group = FIND,
     .name = "max-matches",
     .type = &type_count,
     .offset = AT(max_matches),
     .value = "N",
     .brief = "maximum matches per sentence, the earliest ones"},
    {.group = FIND,
     .name = "max-candidates",
     .type = &type_size,
     .offset = AT(max_candidates),
     .value = "N",
     .brief = "maximum sentences looked at per sentence",
     .more = "Further ones are counted in the answer as skipped."},
    {.group = FIND,
     .name = "max-compared",
     .type = &type_size,
     .offset = AT(max_compared),
     .value = "N",
     .brief = "maximum similar sentences compared with one",
     .more = "For the exact method, in addition to those that are shown. "
             "Further ones are counted as skipped; 0: no limit."},

    {.group = OUT,
     .letter = 'f',
     .name = "format",
     .type = &type_choice,
     .offset = AT(report.format),
     .value = "FORMAT",
     .choices = "text|json|html",
     .unset = "text on a terminal, else from FILE's name, else json",
     .brief = "output format: text, json or html",
     .more = "json writes one object per document and line, text is for "
             "reading, html is a page that needs no network."},
    OUTPUT_FILE_OPTION(
        AT, report.output, .unset = "stdout",
        .brief = "write the report to FILE",
        .more = "It appears when it is complete. Without --format, a name that "
                "ends in .html or .txt chooses the format. A name that ends in "
                ".gz or .zst compresses it."),
    COLOUR_OPTION(AT, report.colour),
    {.group = OUT,
     .name = "only-reused",
     .type = &type_flag,
     .offset = AT(only_reused),
     .brief = "print only documents with a match"},
    LINKS_OPTIONS(
        AT, links,
        "Each sentence counts for its earliest match. Implies --all."),
    EXIT_CODE_OPTION(AT, exit_code, "something is reused"),
    SUMMARY_OPTION(AT, summary),
    TALK_OPTIONS(AT, reading),
    TIMINGS_OPTION(AT, reading),

    THREADS_OPTION(AT, reading.n_threads, "Input",
                   "The output does not depend on it."),
    MAX_DOCUMENT_OPTION(AT, reading.max_document),
    READING_OPTIONS(AT, reading.reading),
    ID_FIELD_OPTION(AT, reading.fields),
    TIME_FIELD_OPTION(AT, reading.fields),
    TITLE_FIELD_OPTION(AT, reading.fields),
    TEXT_FIELD_OPTION(AT, reading.fields),

    {.group = MAKE,
     .letter = 'm',
     .name = "memory",
     .type = &type_size,
     .offset = AT(make.memory),
     .value = "SIZE",
     .brief = "memory for recent additions",
     .more = "The rest is on disk."},
    {.group = MAKE,
     .name = "stop",
     .type = &type_string,
     .offset = AT(make.stop),
     .value = "LANGUAGE",
     .unset = "none",
     .brief = "leave out the stop words of a language"},
    {.group = MAKE,
     .name = "stem",
     .type = &type_string,
     .offset = AT(make.stem),
     .value = "LANGUAGE",
     .unset = "none",
     .brief = "compare stems of a language"},
    {.group = MAKE,
     .name = "bits",
     .type = &type_count,
     .offset = AT(make.signature_bits),
     .value = "M",
     .choices = "16|32|64|128",
     .unset = "none",
     .brief = "bits of a qSign signature: 16, 32, 64, 128",
     .more = "0 keeps no signatures; --method qsign then cannot be used."},
    {.group = MAKE,
     .name = "word-bits",
     .type = &type_count,
     .offset = AT(make.word_bits),
     .value = "L",
     .unset = "from --bits",
     .brief = "bits that a word sets"},
};

/* ---- answers ---- */

struct quote_run {
    const struct quote_settings *settings;
    og_report *report;
    struct progress progress;
    og_links *links; /* NULL: not requested */
    bool answered;   /* there is something to report */
    uint64_t n_sentences, n_reused, n_skipped;
    og_stream_counts counts;
    og_error report_error;
};

static bool failed(struct quote_run *run, og_status status)
{
    if (status == OG_ERR_IO && report_to_stdout(&run->settings->report))
        stdout_failed(errno);
    run->report_error.status = status;
    return status != OG_OK;
}

static bool on_answer(void *ctx, const og_document *doc,
                      const og_quotes *quotes)
{
    struct quote_run *run = ctx;
    og_error *err = &run->report_error;
    run->answered = true;
    run->n_sentences += quotes->n_sentences;
    run->n_reused += quotes->n_reused;
    run->n_skipped += quotes->n_skipped;
    if (run->links != NULL &&
        failed(run, og_links_add_quotes(run->links, doc, quotes, err)))
        return false;
    if (run->settings->only_reused && quotes->n_reused == 0) return true;
    return !failed(run, og_report_add_quotes(run->report, doc, quotes, err));
}

static bool on_render(void *ctx, const og_document *doc,
                      const og_quotes *quotes, og_write_fn *write, void *to)
{
    const struct quote_run *run = ctx;
    if (run->settings->only_reused && quotes->n_reused == 0) return false;
    return og_report_render_quotes(run->report, doc, quotes, write, to, NULL) ==
           OG_OK;
}

static bool on_durable(void *ctx)
{
    struct quote_run *run = ctx;
    return !failed(run, og_report_pass(run->report, &run->report_error));
}

/* in the order of --format */

static og_format choose_format(const struct report_settings *s)
{
    static const og_format chosen[] = {OG_FORMAT_TEXT, OG_FORMAT_JSON,
                                       OG_FORMAT_HTML}; /* as --format has it */
    if (s->format != REPORT_FORMAT_AUTO) return chosen[s->format];
    const og_format format = report_format_of_output(s);
    return format == OG_FORMAT_TEXT || format == OG_FORMAT_HTML
               ? format
               : OG_FORMAT_JSON;
}

static og_status open_report(struct quote_run *run, og_error *err)
{
    const struct report_settings *s = &run->settings->report;
    og_report_options options = og_report_options_default();
    options.sentences = options.holds = true;
    options.format = choose_format(s);
    options.style = report_style(s);
    return og_report_open(s->output, &options, &run->report, err);
}

/* Answers are reported even if another file could not be read. A report that
 * could not be written, or has nothing to report because all input failed, is
 * not created. */
static int end_report(struct quote_run *run, int status)
{
    og_error err = {0};
    if (run->report_error.status != OG_OK ||
        (!run->answered && status != EXIT_DONE)) {
        og_report_discard(run->report);
        return status;
    }
    if (og_report_close(run->report, &err) == OG_OK) return status;
    if (!report_to_stdout(&run->settings->report))
        return say_error(COMMAND, &err);
    stdout_failed(errno);
    return EXIT_IO;
}

/* ---- the command ---- */

static og_quote_options ask_options(const struct quote_settings *s)
{
    og_quote_options o = og_quote_options_default();
    o.threshold = s->threshold;
    o.min_words = s->min_words;
    o.max_matches = s->max_matches;
    o.max_candidates = s->max_candidates;
    o.max_compared = s->max_compared;
    o.method = (og_quote_method)s->method;
    o.max_false = s->max_false;
    o.recall = s->recall;
    /* Links cover the whole stream, in whatever order it comes. */
    o.later = s->all || s->links.csv != NULL || s->links.graphml != NULL ||
              s->links.svg != NULL;
    if (s->distance != NULL) o.distance = atoi(s->distance);
    return o;
}

static og_quote_stream_options stream_options(const struct quote_settings *s,
                                              struct quote_run *run)
{
    og_quote_stream_options o = og_quote_stream_options_default();
    o.add = s->add || store_is_memory(&s->store);
    o.quote = ask_options(s);
    o.ctx = run;
    o.on_answer = on_answer;
    o.on_durable = on_durable;
    if (og_report_is_apart(run->report)) o.on_render = on_render;
    return o;
}

static void summary(const struct quote_run *run, const og_stream_counts *counts)
{
    say("%llu documents, %llu sentences, %llu reused",
        (unsigned long long)counts->n_documents,
        (unsigned long long)run->n_sentences,
        (unsigned long long)run->n_reused);
    if (counts->n_skipped != 0)
        say("%llu skipped", (unsigned long long)counts->n_skipped);
    if (run->n_skipped != 0)
        say("%llu candidates were not looked at (--max-candidates, "
            "--max-compared)",
            (unsigned long long)run->n_skipped);
}

static int ask_stream(og_store *store, struct quote_run *run,
                      const char *const *paths, size_t n)
{
    const struct quote_settings *s = run->settings;
    const og_quote_stream_options options = stream_options(s, run);
    og_error err = {0};
    og_input input = reading_input(&s->reading, &run->progress, paths, n);
    if (report_to_stdout(&s->report)) progress_prints(&run->progress);
    stop_on_signals(&input);
    const og_status status =
        og_quote_stream(store, &input, &options, &run->counts, &err);
    progress_end(&run->progress);
    if (status == OG_ERR_STOPPED && run->report_error.status == OG_OK)
        return s->add ? stop_status_added(&run->counts) : stop_status("");
    if (status == OG_ERR_STOPPED)
        return run->report_error.status == OG_ERR_IO &&
                       report_to_stdout(&s->report)
                   ? EXIT_IO
                   : say_error(COMMAND, &run->report_error);
    if (!s->reading.quiet && status != OG_ERR_USAGE) summary(run, &run->counts);
    const int written = run->links != NULL
                            ? links_write(run->links, &s->links, COMMAND)
                            : EXIT_DONE;
    if (status != OG_OK)
        return reading_status(COMMAND, status, &run->counts, &err);
    if (written != EXIT_DONE) return written;
    return s->exit_code && run->n_reused != 0 ? EXIT_FOUND : EXIT_DONE;
}

static int write_summary(const struct quote_run *run, int status)
{
    const struct summary_field fields[] = {
        {"sentences", run->n_sentences},
        {"reused", run->n_reused},
        {"candidates_skipped", run->n_skipped},
    };
    return summary_write(run->settings->summary, COMMAND, &run->progress,
                         &run->counts, fields,
                         sizeof(fields) / sizeof(fields[0]), status);
}

static int run_stream(og_store *store, struct quote_run *run,
                      const char *const *paths, size_t n)
{
    const struct quote_settings *s = run->settings;
    if (links_are_wanted(&s->links)) {
        run->links = og_links_new();
        if (run->links == NULL) return say_usage(COMMAND, "out of memory");
    }
    og_error err = {0};
    int status;
    if (open_report(run, &err) == OG_OK) {
        status = end_report(run, ask_stream(store, run, paths, n));
        if (s->reading.timings)
            timings_print(&run->progress.timings, &run->counts);
        status = write_summary(run, status);
    } else {
        status = say_error(COMMAND, &err);
    }
    og_links_free(run->links);
    return status;
}

static int explain(og_store *store, const struct quote_settings *s)
{
    char text[2048];
    og_error err = {0};
    const og_quote_options options = ask_options(s);
    if (og_store_quote_explain(store, &options, text, sizeof(text), &err) !=
        OG_OK)
        return say_error(COMMAND, &err);
    fputs(text, stdout);
    return EXIT_DONE;
}

/* Options of new indexes must agree with an existing one; --memory is that of
 * this command, and 0 of --word-bits leaves the choice to the index. */
static int check_index(const struct quote_settings *s, og_store *store)
{
    static const char *const names[] = {"stop", "stem", "bits", "word-bits"};
    struct quote_settings existing = *s;
    og_sentences_info info;
    char has[64];
    og_error err = {0};
    if (og_store_sentences_info(store, &info, &err) != OG_OK)
        return store_close(store, COMMAND, say_error(COMMAND, &err));
    existing.make.stop = info.stop;
    existing.make.stem = info.stem;
    existing.make.signature_bits = info.signature_bits;
    if (s->make.word_bits != 0) existing.make.word_bits = info.word_bits;
    const char *option =
        option_unlike(&command_quote, s, &existing, names,
                      sizeof(names) / sizeof(names[0]), has, sizeof(has));
    if (option == NULL) return EXIT_DONE;
    return store_refuse_option(store, store_path(&s->store), OG_INDEX_SENTENCES,
                               option, has, COMMAND);
}

static int quote_run(const void *settings, const char *const *paths, size_t n)
{
    struct quote_run run = {.settings = settings};
    const struct quote_settings *s = settings;
    const og_store_options making = {.sentence_options = &s->make};
    og_store *store = NULL;
    if (n == 0 && !s->explain && s->reading.reading.files_from == NULL)
        return say_usage(COMMAND, "no FILE given; '-' reads stdin");
    if (s->distance != NULL &&
        (strspn(s->distance, "0123456789") != strlen(s->distance) ||
         strlen(s->distance) > 3))
        return say_usage(COMMAND,
                         "option '--distance' takes a number of bits, "
                         "not '%s'",
                         s->distance);
    int status =
        store_open_index(store_path(&s->store), NULL, OG_INDEX_SENTENCES,
                         s->add, &making, COMMAND, &store);
    if (status == EXIT_DONE) status = check_index(s, store);
    if (status != EXIT_DONE) return status;
    if (n != 0 || s->reading.reading.files_from != NULL)
        status = run_stream(store, &run, paths, n);
    if (s->explain && status == EXIT_DONE) status = explain(store, s);
    return store_close(store, COMMAND, status);
}

const struct command command_quote = {
    .name = COMMAND,
    .group = GROUP_QUESTION,
    .operands = "[FILE...]",
    .brief = "find sentences that appeared in earlier documents",
    .about = "Splits documents into sentences and lists, for each sentence, "
             "the sentences of earlier documents that share its words, with "
             "their documents and times, earliest first. Results go to stdout, "
             "problems and a summary to stderr.\n\n"
             "The store has an index of the sentences of all its documents. "
             "--add adds documents, and creates the store and the index if "
             "they are missing; 'origo index' builds the index of an existing "
             "store. FILE is as for 'origo trace'.",
    .examples =
        "  origo quote -s news --add monday.jsonl > monday.quotes\n"
        "  origo quote -s news --format text letter.txt\n"
        "  origo quote -s news -o letter.html letter.txt\n"
        "  origo quote -s :memory: --links-csv links.csv -q mail.jsonl\n",
    .options = quote_options,
    .n_options = sizeof(quote_options) / sizeof(quote_options[0]),
    .settings_len = sizeof(struct quote_settings),
    .max_operands = SIZE_MAX,
    .defaults = quote_defaults,
    .run = quote_run,
};
