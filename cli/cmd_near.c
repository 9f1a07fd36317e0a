/* origo near: finds documents that are nearly equal to one seen before. */

#include "output_options.h"
#include "print_string.h"
#include "progress.h"
#include "reading_options.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "near"

extern const struct command command_near;

struct near_settings {
    og_near_options near;
    og_near_stream_options ask;
    int method;
    struct {
        const char *path, *catalogue;
    } store;
    struct output_settings output;
    const char *summary;
    struct reading_settings reading;
    uint32_t max_distance;
    uint32_t limit;
    bool only, exit_code;
};

static void near_defaults(void *settings)
{
    struct near_settings *s = settings;
    s->near = og_near_options_default();
    s->ask = og_near_stream_options_default();
    reading_defaults(&s->reading);
    s->max_distance = s->ask.max_distance;
    s->limit = 10;
    s->store.path = getenv("ORIGO_STORE");
    if (s->store.path == NULL || s->store.path[0] == '\0')
        s->store.path = "./origo.store";
}

#define AT(member) offsetof(struct near_settings, member)

static const struct option near_options[] = {
    {.group = "Store",
     .letter = 's',
     .name = "store",
     .type = &type_string,
     .offset = AT(store.path),
     .value = "STORE",
     .choices = ":memory:",
     .brief = "the store; :memory: lasts as long as the command",
     .more = "Default: $ORIGO_STORE, else ./origo.store."},
    CATALOGUE_OPTION(AT, store),
    {.group = "Store",
     .letter = 'a',
     .name = "add",
     .type = &type_flag,
     .offset = AT(ask.add),
     .brief = "add each document after answering it",
     .more =
         "All documents are on disk when the command ends. Creates the store "
         "if it is missing, and builds its near index if it has none."},
    {.group = "Store",
     .letter = 'm',
     .name = "memory",
     .type = &type_size,
     .offset = AT(near.memory),
     .value = "SIZE",
     .brief = "size limit of a new index",
     .more = "About 240 bytes per document. When it is full, each new document "
             "replaces one that has not been matched for long."},
    {.group = "Sketch",
     .name = "method",
     .type = &type_choice,
     .offset = AT(method),
     .value = "METHOD",
     .choices = "minhash|simhash|both",
     .brief = "method of a new index: minhash, simhash, both",
     .more = "minhash: enough samples agree. simhash: few bits differ. both: "
             "one of the two holds."},
    {.group = "Sketch",
     .letter = 't',
     .name = "threshold",
     .type = &type_weight,
     .offset = AT(ask.threshold),
     .value = "SHARE",
     .brief = "minimum similarity"},
    {.group = "Sketch",
     .letter = 'd',
     .name = "distance",
     .type = &type_count,
     .offset = AT(max_distance),
     .value = "BITS",
     .brief = "maximum distance of simhashes, 0 to 3 bits"},
    {.group = "Sketch",
     .name = "tokens",
     .type = &type_tokens,
     .offset = AT(near.tokens),
     .value = "KIND",
     .choices = "words|chars|lines|dna",
     .brief = "kind of token of a new index"},
    {.group = "Sketch",
     .letter = 'k',
     .name = "shingle",
     .type = &type_count,
     .offset = AT(near.shingle_len),
     .value = "N",
     .unset = "5; 3 with --method simhash",
     .brief = "tokens in a shingle of a new index, 1 to 32",
     .more = "Simhashes are those of origo sketch simhash with --phrase N."},
    {.group = "Sketch",
     .name = "bands",
     .type = &type_count,
     .offset = AT(near.n_bands),
     .value = "N",
     .brief = "min-hash bands of a new index, 1 to 60"},
    {.group = "Sketch",
     .name = "rows",
     .type = &type_count,
     .offset = AT(near.n_rows),
     .value = "N",
     .brief = "samples in a band of a new index"},
    OUTPUT_OPTION(AT, output.path, "FILE", "the answers", ""),
    COMPRESS_OPTION(AT, output.packing),
    {.group = "Output",
     .name = "limit",
     .type = &type_count,
     .offset = AT(limit),
     .value = "N",
     .brief = "maximum matches per document; 0: all",
     .more = "The most similar ones are listed. If there are more, \"n_near\" "
             "has their total number."},
    {.group = "Output",
     .name = "only-near",
     .type = &type_flag,
     .offset = AT(only),
     .brief = "print only documents with a match"},
    EXIT_CODE_OPTION(AT, exit_code, "there was a match"),
    SUMMARY_OPTION(AT, summary),
    TALK_OPTIONS(AT, reading),
    TIMINGS_OPTION(AT, reading),
    THREADS_OPTION(AT, reading.n_threads, "Run",
                   "The output does not depend on it."),
    MAX_DOCUMENT_OPTION(AT, reading.max_document),
    READING_OPTIONS(AT, reading.reading),
    ID_FIELD_OPTION(AT, reading.fields),
    TIME_FIELD_OPTION(AT, reading.fields),
    TEXT_FIELD_OPTION(AT, reading.fields),
};

/* ---- answers ---- */

struct run {
    struct progress progress;
    FILE *out;
    bool only, failed;
    size_t limit;
    uint64_t n_near;
};

static void print_time(FILE *out, const og_near_match *m)
{
    char time[40];
    const char *source = og_time_source_name(m->time_source);
    if (!m->has_time) return;
    og_time_format(m->time, time);
    fprintf(out, ",\"time\":\"%s\"", time);
    if (source[0] != 0) fprintf(out, ",\"time_source\":\"%s\"", source);
}

static void print_match(FILE *out, const og_near_match *m)
{
    fprintf(out, "{\"id\":");
    print_json_string(out, m->id);
    print_time(out, m);
    if (m->similarity >= 0)
        fprintf(out, ",\"similarity\":%.4f,\"exact\":%s", m->similarity,
                m->is_exact ? "true" : "false");
    if (m->distance < 64) fprintf(out, ",\"distance\":%u", m->distance);
    putc('}', out);
}

static bool on_answer(void *ctx, const og_document *doc,
                      const og_near_match *matches, size_t n)
{
    struct run *r = ctx;
    r->n_near += n > 0;
    if (r->only && n == 0) return true;
    fprintf(r->out, "{\"origo\":1,\"id\":");
    print_json_string(r->out, doc->id);
    fprintf(r->out, ",\"near\":[");
    const size_t n_reported = r->limit != 0 && n > r->limit ? r->limit : n;
    for (size_t i = 0; i < n_reported; i++) {
        if (i > 0) putc(',', r->out);
        print_match(r->out, &matches[i]);
    }
    fprintf(r->out, "]");
    if (n_reported < n) fprintf(r->out, ",\"n_near\":%zu", n);
    fprintf(r->out, "}\n");
    if (!ferror(r->out)) return true;
    if (r->out == stdout) stdout_failed(errno);
    r->failed = true;
    return false;
}

static void summarise(const struct run *r, og_store *store,
                      const og_stream_counts *counts)
{
    og_near_info info;
    progress_summary(&r->progress, counts, NULL);
    if (og_store_near_info(store, &info, NULL) != OG_OK) return;
    say("%llu of them near a known one; %llu documents known, capacity %llu, "
        "%llu forgotten",
        (unsigned long long)r->n_near, (unsigned long long)info.n_documents,
        (unsigned long long)info.n_room, (unsigned long long)info.n_evicted);
    if (info.n_exact + info.n_estimated > 0)
        say("%llu similarities are exact, %llu estimated",
            (unsigned long long)info.n_exact,
            (unsigned long long)info.n_estimated);
}

static int write_summary(const struct near_settings *s, const struct run *r,
                         og_store *store, const og_stream_counts *counts,
                         int status)
{
    og_near_info info = {0};
    (void)og_store_near_info(store, &info, NULL);
    const struct summary_field fields[] = {
        {"near", r->n_near},
        {"index_documents", info.n_documents},
        {"index_room", info.n_room},
        {"forgotten", info.n_evicted},
    };
    return summary_write(s->summary, COMMAND, &r->progress, counts, fields,
                         sizeof(fields) / sizeof(fields[0]), status);
}

static int status_of_run(const struct near_settings *s, const struct run *r,
                         og_status done, const og_stream_counts *counts,
                         const og_error *err)
{
    if (r->failed) return EXIT_IO;
    if (done == OG_ERR_STOPPED && s->ask.add) return stop_status_added(counts);
    if (done != OG_OK) return reading_status(COMMAND, done, counts, err);
    return s->exit_code && r->n_near != 0 ? EXIT_FOUND : EXIT_DONE;
}

static int ask_all(const struct near_settings *s, og_store *store,
                   struct run *r, const og_near_stream_options *ask,
                   const char *const *paths, size_t n)
{
    og_stream_counts counts = {0};
    og_error err = {0};
    og_output *output;
    const int opened = output_open(&s->output, COMMAND, &output);
    if (opened != EXIT_DONE) return opened;
    r->out = og_output_file(output);
    og_input input = reading_input(&s->reading, &r->progress, paths, n);
    if (output_to_stdout(&s->output)) progress_prints(&r->progress);
    stop_on_signals(&input);
    const og_status done = og_near_stream(store, &input, ask, &counts, &err);
    progress_end(&r->progress);
    if (!s->reading.quiet && done != OG_ERR_STOPPED)
        summarise(r, store, &counts);
    int status = status_of_run(s, r, done, &counts, &err);
    const bool is_whole = done == OG_OK || counts.is_reported;
    status = output_end(output, &s->output, COMMAND, is_whole, status);
    if (s->reading.timings) timings_print(&r->progress.timings, &counts);
    return write_summary(s, r, store, &counts, status);
}

/* Options of new indexes must agree with an existing one. */
static int check_index(const struct near_settings *s, og_store *store)
{
    static const char *const names[] = {"method", "tokens", "shingle",
                                        "bands",  "rows",   "memory"};
    struct near_settings existing = *s;
    og_near_info info;
    char has[64];
    og_error err = {0};
    if (og_store_near_info(store, &info, &err) != OG_OK)
        return store_close(store, COMMAND, say_error(COMMAND, &err));
    existing.near = info.options;
    existing.method = (int)info.options.method;
    const char *option =
        option_unlike(&command_near, s, &existing, names,
                      sizeof(names) / sizeof(names[0]), has, sizeof(has));
    if (option == NULL) return EXIT_DONE;
    return store_refuse_option(store, s->store.path, OG_INDEX_NEAR, option, has,
                               COMMAND);
}

static int near_run(const void *settings, const char *const *paths, size_t n)
{
    const struct near_settings *s = settings;
    og_near_options options = s->near;
    og_near_stream_options ask = s->ask;
    og_store *store = NULL;
    const og_store_options making = {.near_options = &options};
    struct run r = {.only = s->only, .limit = s->limit};
    options.method = (og_near_method)s->method;
    ask.max_distance = s->max_distance;
    ask.ctx = &r;
    ask.on_answer = on_answer;
    if (!(ask.threshold > 0) || ask.threshold > 1)
        return say_usage(COMMAND, "threshold %g: must be above 0 and at most 1",
                         ask.threshold);
    const int opened =
        store_open_index(s->store.path, s->store.catalogue, OG_INDEX_NEAR,
                         ask.add, &making, COMMAND, &store);
    if (opened != EXIT_DONE) return opened;
    const int checked = check_index(s, store);
    if (checked != EXIT_DONE) return checked;
    return store_close(store, COMMAND, ask_all(s, store, &r, &ask, paths, n));
}

const struct command command_near = {
    .name = COMMAND,
    .group = GROUP_QUESTION,
    .operands = "FILE...",
    .brief = "find near-duplicates of documents in a store",
    .about =
        "For each document, in order, lists the near-duplicates that the store "
        "already has, with their ids, times and similarities, as one JSON "
        "object per line. With --add, the document is then added, so that a "
        "stream is compared with its own past; without it, one collection is "
        "compared with another.\n\n"
        "The index has a fixed size. Similarities with the documents of a "
        "store on disk are exact; with -s :memory: they are estimated from "
        "samples of both documents, with an error of about 0.04 at 0.8. Each "
        "match says which it is. 'origo index' builds the index of an existing "
        "store. To remove duplicates from a collection, use origo dedup.",
    .examples = "  origo near -s :memory: --add --only-near stream.jsonl\n"
                "  origo near -s crawl --add day1.jsonl\n"
                "  origo near -s crawl day2.jsonl\n"
                "  origo near -s corpus.store test.jsonl\n",
    .options = near_options,
    .n_options = sizeof(near_options) / sizeof(near_options[0]),
    .settings_len = sizeof(struct near_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = near_defaults,
    .run = near_run,
};
