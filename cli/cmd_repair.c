/* Recovers what can be read of a damaged store. */

#include "print_string.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

struct repair_settings {
    struct store_settings store;
    const char *output, *into;
    bool quiet;
};

static void repair_defaults(void *settings)
{
    struct repair_settings *s = settings;
    store_defaults(&s->store);
}

struct repair_run {
    const struct repair_settings *settings;
    og_input input; /* provides should_stop */
    og_repair report;
    FILE *file; /* NULL: into a store */
    og_store *into;
    og_error err;
};

static void on_loss(void *ctx, const og_loss *loss)
{
    const struct repair_run *run = ctx;
    if (run->settings->quiet) return;
    if (loss->number == UINT64_MAX)
        say("damaged: %s", loss->reason);
    else if (loss->id.len > 0)
        say("lost: document '%.*s': %s", (int)loss->id.len, loss->id.data,
            loss->reason);
    else if (loss->n == 1)
        say("lost: document %" PRIu64 ": %s", loss->number, loss->reason);
    else
        say("lost: documents %" PRIu64 " to %" PRIu64 ": %s", loss->number,
            loss->number + loss->n - 1, loss->reason);
}

/* The new store gets the old one's parameters, as far as they are known. */
static og_status open_new(struct repair_run *run)
{
    const og_store_options options = {
        .params = run->report.has_params ? &run->report.params : NULL,
        .indexes = run->report.has_params ? run->report.indexes : 0,
    };
    return og_store_open(run->settings->into, OG_CREATE, &options, &run->into,
                         &run->err);
}

static bool on_document(void *ctx, const og_document *doc)
{
    struct repair_run *run = ctx;
    if (run->input.should_stop(NULL)) return false;
    if (run->file != NULL)
        return og_report_document(og_write_file, run->file, doc, &run->err) ==
               OG_OK;
    if (run->into == NULL && open_new(run) != OG_OK) return false;
    return og_store_add(run->into, doc, NULL, &run->err) == OG_OK;
}

static bool is_there(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file != NULL) fclose(file);
    return file != NULL;
}

static int open_output(struct repair_run *run)
{
    const struct repair_settings *s = run->settings;
    if (s->into != NULL && s->output != NULL)
        return say_usage("repair", "--output and --into cannot be combined");
    if (s->into != NULL) {
        if (!is_there(s->into)) return EXIT_DONE;
        say("'%s' already exists; --into creates a new store", s->into);
        return EXIT_IO;
    }
    run->file = stdout;
    if (s->output == NULL || strcmp(s->output, "-") == 0) return EXIT_DONE;
    run->file = fopen(s->output, "wxe");
    if (run->file != NULL) return EXIT_DONE;
    say("cannot create '%s': %s", s->output, strerror(errno));
    return EXIT_IO;
}

static int close_output(struct repair_run *run)
{
    og_error err = {0};
    if (run->into != NULL && og_store_close(run->into, &err) != OG_OK)
        return say_error("repair", &err);
    if (run->file != NULL && run->file != stdout && fclose(run->file) != 0) {
        say("cannot write '%s': %s", run->settings->output, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_DONE;
}

/* 0 only if nothing is missing. */
static int sum_up(const struct repair_run *run)
{
    const og_repair *r = &run->report;
    const bool is_all = r->n_lost == 0 && r->n_pieces == 0 && r->is_certain;
    if (!run->settings->quiet) {
        say("%" PRIu64 " documents saved, %" PRIu64 " lost, %" PRIu64
            " had been removed; %" PRIu64 " texts without their ids",
            r->n_saved, r->n_lost, r->n_removed, r->n_pieces);
        if (!r->is_certain)
            say("there may have been documents of which nothing remains");
    }
    return is_all ? EXIT_DONE : EXIT_STORE;
}

static int repair_run(const void *settings, const char *const *operands,
                      size_t n)
{
    struct repair_run run = {.settings = settings};
    og_error err = {0};
    (void)operands, (void)n;
    stop_on_signals(&run.input);
    int result = open_output(&run);
    if (result != EXIT_DONE) return result;
    const og_status status =
        og_store_repair(store_path(&run.settings->store), on_document, on_loss,
                        &run, &run.report, &err);
    if (status == OG_ERR_STOPPED && run.err.status != OG_OK)
        result = say_error("repair", &run.err);
    else if (status == OG_ERR_STOPPED)
        result = stop_status("");
    else if (status != OG_OK)
        result = say_error("repair", &err);
    const int closed = close_output(&run);
    if (result == EXIT_DONE) result = closed;
    return result == EXIT_DONE ? sum_up(&run) : result;
}

#define AT(member) offsetof(struct repair_settings, member)

static const struct option repair_options[] = {
    STORE_OPTION(AT, store, "the damaged store"),
    {.group = "Output",
     .letter = 'o',
     .name = "output",
     .type = &type_string,
     .offset = AT(output),
     .value = "FILE",
     .unset = "stdout",
     .brief = "where to write the documents, as JSONL",
     .more = "An existing file is not overwritten."},
    {.group = "Output",
     .name = "into",
     .type = &type_string,
     .offset = AT(into),
     .value = "DIR",
     .brief = "add the documents to a new store instead",
     .more = "It gets the parameters and indexes of the old one."},
    {.group = "Output",
     .letter = 'q',
     .name = "quiet",
     .type = &type_flag,
     .offset = AT(quiet),
     .brief = "do not report what was lost"},
};

const struct command command_repair = {
    .name = "repair",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "save what can be saved from a damaged store",
    .about = "Reads everything that is still intact in the folder of a store "
             "and writes the documents in the format of 'origo export'; a text "
             "is accepted if its hash is the one it was added with. Reports on "
             "stderr what is damaged and which documents are lost. Texts whose "
             "ids are lost come last, with ids that begin with 'repair-'; one "
             "of them may hold several documents. Exits with status 0 if every "
             "document was saved, otherwise with 4. Changes nothing in the "
             "folder. No other process may write to it at the same time.",
    .examples = "  origo repair -s news.store -o saved.jsonl\n"
                "  origo repair -s news.store --into new.store\n",
    .options = repair_options,
    .n_options = sizeof(repair_options) / sizeof(repair_options[0]),
    .settings_len = sizeof(struct repair_settings),
    .defaults = repair_defaults,
    .run = repair_run,
};
