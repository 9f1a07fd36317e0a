/* origo add: adds documents. The same stream as trace's, without answers. */

#include "output_options.h"
#include "progress.h"
#include "reading_options.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

struct add_settings {
    struct store_settings store;
    struct reading_settings reading;
    bool resume;
    const char *summary;
};

static void add_defaults(void *settings)
{
    struct add_settings *s = settings;
    store_defaults(&s->store);
    reading_defaults(&s->reading);
}

#define AT(member) offsetof(struct add_settings, member)

static const struct option add_options[] = {
    STORE_OPTION(AT, store, "the store to add to; created if missing"),
    CATALOGUE_OPTION(AT, store),
    INDEX_OPTION(AT, store),
    SUMMARY_OPTION(AT, summary),
    TALK_OPTIONS(AT, reading),
    TIMINGS_OPTION(AT, reading),
    {.group = "Input",
     .name = "resume",
     .type = &type_flag,
     .offset = AT(resume),
     .brief = "resume an input that was interrupted",
     .more = "Documents that the store already has are skipped in any case; "
             "this option only leaves their number out of the summary."},
    THREADS_OPTION(AT, reading.n_threads, "Input",
                   "The store does not depend on it."),
    MAX_DOCUMENT_OPTION(AT, reading.max_document),
    READING_OPTIONS(AT, reading.reading),
    FIELD_OPTIONS(AT, reading.fields),
    STORE_MAKE_OPTIONS(AT, store),
};

static int add_documents(const struct add_settings *s, const char *command,
                         const char *const *paths, size_t n)
{
    struct progress progress;
    og_stream_counts counts = {0};
    og_store *store;
    og_error err = {0};
    const int opened = store_open(&s->store, OG_CREATE, command, &store);
    if (opened != EXIT_DONE) return opened;
    og_input input = reading_input(&s->reading, &progress, paths, n);
    og_stream_options options = og_stream_options_default();
    input.reading.extra = true; /* so that an export returns them */
    options.add = true;
    stop_on_signals(&input);
    const og_status status =
        og_stream_run(store, &input, &options, &counts, &err);
    progress_end(&progress);
    if (!s->reading.quiet) {
        og_stream_counts shown = counts;
        if (s->resume) shown.n_known = 0;
        progress_summary(&progress, &shown, store);
    }
    int result = status == OG_ERR_STOPPED
                     ? stop_status_added(&counts)
                     : reading_status(command, status, &counts, &err);
    result = store_close(store, command, result);
    if (s->reading.timings) timings_print(&progress.timings, &counts);
    return summary_write(s->summary, command, &progress, &counts, NULL, 0,
                         result);
}

static int add_run(const void *settings, const char *const *paths, size_t n)
{
    return add_documents(settings, "add", paths, n);
}

static int import_run(const void *settings, const char *const *paths, size_t n)
{
    return add_documents(settings, "import", paths, n);
}

const struct command command_add = {
    .name = "add",
    .group = GROUP_QUESTION,
    .operands = "FILE...",
    .brief = "add documents to a store",
    .about = "Reads documents in the given order and adds them to a store. "
             "When the command exits with status 0, all of them are safe on "
             "disk. If it is interrupted, the documents added so far are kept, "
             "and the same command resumes from there.\n\n"
             "A document that the store already has (same id, time and text) "
             "changes nothing. A known id with a different text is a new "
             "version of that document.\n\n"
             "FILE is a text file (one document), JSONL (one document per "
             "line: id, time, title, url, text; other fields are kept), a "
             "folder of such files, or - for stdin. Archives (.tar, .zip) and "
             "compressed files (.gz, .zst, .bz2, .xz) are unpacked.",
    .examples = "  origo add letters.jsonl\n"
                "  origo add -s news.store --memory 2G archive/*.jsonl.zst\n"
                "  zcat mail.jsonl.gz | origo add -s mail.store -\n"
                "  origo add -s redis://10.0.0.1:7000/news --catalogue "
                "news.cat a.jsonl\n",
    .options = add_options,
    .n_options = sizeof(add_options) / sizeof(add_options[0]),
    .settings_len = sizeof(struct add_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = add_defaults,
    .run = add_run,
};

/* ---- import ---- */

const struct command command_import = {
    .name = "import",
    .group = GROUP_STORE,
    .operands = "FILE...",
    .brief = "add the documents written by 'origo export'",
    .about = "The same as add, with the field names that export writes. "
             "Importing into a new store frees the space of removed documents, "
             "and can change the parameters of the store.",
    .examples = "  origo export -s old.store | origo import -s new.store "
                "--memory 4G -\n",
    .options = add_options,
    .n_options = sizeof(add_options) / sizeof(add_options[0]),
    .settings_len = sizeof(struct add_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = add_defaults,
    .run = import_run,
};
