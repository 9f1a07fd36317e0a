/* origo dedup: writes the documents that are kept, and what was removed and
 * why. */

#include "keep_option.h"
#include "output_options.h"
#include "progress.h"
#include "reading_options.h"
#include "say.h"
#include "signals.h"
#include "store_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMMAND "dedup"

struct dedup_settings {
    og_dedup_options dedup;
    int level, measure, cluster, format; /* as the parser writes them */
    int packing;
    const char *keep;
    const char *preset;
    struct string_list against;
    const char *add_to;
    const char *summary;
    uint32_t shingle_len, n_bands, n_rows; /* 0: the preset's */
    bool has_tokens;
    const char *tokens;
    struct reading_settings reading;
    bool exit_code;
};

static void dedup_defaults(void *settings)
{
    struct dedup_settings *s = settings;
    s->dedup = og_dedup_options_default();
    reading_defaults(&s->reading);
    s->keep = "first";
    s->preset = "datatrove";
    s->format = -1; /* decided by the name */
}

#define AT(member) offsetof(struct dedup_settings, member)

static const struct option dedup_options[] = {
    {.group = "What",
     .name = "level",
     .type = &type_choice,
     .offset = AT(level),
     .value = "LEVEL",
     .choices = "document|passage|sentence|line",
     .brief = "unit to remove: document, passage, sentence, line",
     .more = "document: near-duplicate documents. passage: runs of tokens that "
             "an earlier document contains. sentence, line: sentences or lines "
             "that occurred before, anywhere. The first document keeps the "
             "text; it is removed from every later document."},
    {.group = "What",
     .letter = 't',
     .name = "threshold",
     .type = &type_weight,
     .offset = AT(dedup.threshold),
     .value = "SHARE",
     .brief = "minimum similarity of duplicates"},
    {.group = "What",
     .name = "measure",
     .type = &type_choice,
     .offset = AT(measure),
     .value = "MEASURE",
     .choices = "jaccard|containment",
     .brief = "jaccard, or containment in the larger document",
     .more =
         "jaccard: common shingles divided by the shingles of both documents "
         "together. containment: divided by those of the smaller document."},
    {.group = "What",
     .name = "keep",
     .type = &type_string,
     .offset = AT(keep),
     .value = "WHICH",
     .choices = KEEP_VALUES,
     .brief = "which document of a group is kept",
     .more = "field:NAME keeps the document with the largest number or time in "
             "that field, field:-NAME the smallest; documents without the "
             "field come last."},
    {.group = "What",
     .name = "cluster",
     .type = &type_choice,
     .offset = AT(cluster),
     .value = "HOW",
     .choices = "star|components",
     .brief = "how groups are formed: star or components",
     .more = "star: every removed document is similar to the one that is kept. "
             "components: chains of similar documents form a group, so a "
             "removed document need not be similar to the kept one; the report "
             "has their similarity."},
    {.group = "What",
     .name = "against",
     .type = &type_strings,
     .offset = AT(against),
     .value = "WHERE",
     .unset = "nothing",
     .brief = "also remove duplicates of documents in FILE",
     .more = "A file, or a store with texts; may be repeated. Its documents "
             "are only compared with and not written: use it to compare a test "
             "set with a corpus, or today's crawl with what was kept before. "
             "At the other levels, text that occurs in FILE is removed; the "
             "report names its documents."},
    {.group = "What",
     .name = "add-to",
     .type = &type_string,
     .offset = AT(add_to),
     .value = "STORE",
     .unset = "none",
     .brief = "compare with this store, then add kept documents",
     .more = "The store is created if missing. Documents are added when the "
             "output, which must be a file, is complete. A document that the "
             "store already has, with the same id, time and text, stays in the "
             "output and is not added twice, so an interrupted or repeated run "
             "gives the same output and the same store."},
    {.group = "What",
     .name = "min-tokens",
     .type = &type_count,
     .offset = AT(dedup.least_tokens),
     .value = "N",
     .unset = "passage 50, sentence 5, line 1",
     .brief = "minimum length of removed text, in tokens"},
    {.group = "Sketch",
     .name = "preset",
     .type = &type_string,
     .offset = AT(preset),
     .value = "NAME",
     .choices = "datatrove|slimpajama|nemo|thorough",
     .brief = "shingles, bands and rows of another tool",
     .more = "datatrove: words, shingles of 5, 14 bands of 8. slimpajama: "
             "characters, 13, 9 of 13. nemo: characters, 24, 20 of 13. "
             "thorough is origo's own: words, 5, 25 of 5, which misses hardly "
             "any pair. Candidates are compared in any case."},
    {.group = "Sketch",
     .name = "tokens",
     .type = &type_string,
     .offset = AT(tokens),
     .value = "KIND",
     .choices = "words|chars|lines|dna",
     .unset = "the preset's",
     .brief = "kind of token"},
    {.group = "Sketch",
     .letter = 'k',
     .name = "shingle",
     .type = &type_count,
     .offset = AT(shingle_len),
     .value = "N",
     .unset = "the preset's",
     .brief = "tokens in a shingle, 1 to 32"},
    {.group = "Sketch",
     .name = "bands",
     .type = &type_count,
     .offset = AT(n_bands),
     .value = "N",
     .unset = "the preset's",
     .brief = "bands; documents that share one are compared",
     .more = "A pair of similarity s is found with probability 1 - (1 - "
             "s^R)^B; origo sketch curve prints it."},
    {.group = "Sketch",
     .name = "rows",
     .type = &type_count,
     .offset = AT(n_rows),
     .value = "N",
     .unset = "the preset's",
     .brief = "samples in a band"},
    {.group = "Output",
     .letter = 'o',
     .name = "output",
     .type = &type_string,
     .offset = AT(dedup.output),
     .value = "FILE|DIR/",
     .brief = "where to write the kept documents; - is stdout",
     .more = "The file appears when it is complete. A name that ends in .gz or "
             ".zst compresses it. DIR/ is a folder of files part-00000.jsonl "
             "and so on."},
    SHARDS_OPTION(AT, dedup.n_shards),
    COMPRESS_OPTION(AT, packing),
    {.group = "Output",
     .letter = 'r',
     .name = "report",
     .type = &type_string,
     .offset = AT(dedup.report),
     .value = "FILE",
     .unset = "none",
     .brief = "report with a line for everything removed",
     .more = "Each line has the id, the document it duplicates, their "
             "similarity, the cluster (the number of the kept document), the "
             "file and the line."},
    {.group = "Output",
     .name = "report-format",
     .type = &type_choice,
     .offset = AT(format),
     .value = "FORMAT",
     .choices = "tsv|jsonl",
     .unset = "from the report's name, else tsv",
     .brief = "format of the report: tsv or jsonl"},
    {.group = "Output",
     .name = "annotate",
     .type = &type_flag,
     .offset = AT(dedup.annotate),
     .brief = "remove nothing; mark duplicates in a field \"origo\"",
     .more = "The field has duplicate_of, similarity and cluster."},
    {.group = "Output",
     .name = "rejects",
     .type = &type_string,
     .offset = AT(dedup.rejects),
     .value = "FILE",
     .unset = "none",
     .brief = "where to write records that could not be read"},
    {.group = "Output",
     .name = "exit-code",
     .type = &type_flag,
     .offset = AT(exit_code),
     .brief = "exit with status 1 if something was removed"},
    SUMMARY_OPTION(AT, summary),
    {.group = "Output",
     .letter = 'q',
     .name = "quiet",
     .type = &type_flag,
     .offset = AT(reading.quiet),
     .brief = "no progress and no summary on stderr",
     .more = "Problems in the input are still reported."},
    {.group = "Output",
     .letter = 'v',
     .name = "verbose",
     .type = &type_flag,
     .offset = AT(reading.verbose),
     .brief = "report every problem, not just the first 20"},
    TIMINGS_OPTION(AT, reading),
    {.group = "Run",
     .letter = 'm',
     .name = "memory",
     .type = &type_size,
     .offset = AT(dedup.memory),
     .value = "SIZE",
     .unset = "no limit",
     .brief = "memory limit of the tables; the rest goes to disk",
     .more = "The output is the same, except that documents longer than a "
             "sixteenth of it are skipped (--max-document). Buffers of a few "
             "megabytes per thread come on top."},
    {.group = "Run",
     .name = "tmpdir",
     .type = &type_string,
     .offset = AT(dedup.temp),
     .value = "DIR",
     .unset = "$TMPDIR, else the output's folder",
     .brief = "folder for temporary files"},
    {.group = "Run",
     .name = "resume",
     .type = &type_flag,
     .offset = AT(dedup.resume),
     .brief = "keep a journal, and resume from an existing one",
     .more =
         "The journal is next to the output. Use --resume for the first run, "
         "too. The output is the same as that of an uninterrupted run. At "
         "level document, decisions are not repeated; at the other levels, "
         "tables are rebuilt and the output written so far is kept."},
    {.group = "Run",
     .name = "journal-every",
     .type = &type_weight,
     .offset = AT(dedup.journal_seconds),
     .value = "SECONDS",
     .brief = "with --resume: how much work a stop can cost"},
    {.group = "Run",
     .letter = 'j',
     .name = "threads",
     .type = &type_count,
     .offset = AT(reading.n_threads),
     .value = "N",
     .unset = "all processors",
     .brief = "threads"},
    READING_OPTIONS(AT, reading.reading),
    FIELD_OPTIONS(AT, reading.fields),
    {.group = "Input",
     .name = "max-document",
     .type = &type_size,
     .offset = AT(reading.max_document),
     .value = "SIZE",
     .unset = "64Mi, or a sixteenth of --memory",
     .brief = "skip and report longer records"},
};

/* ---- settings ---- */

static int set_sketch(og_dedup_options *o, const struct dedup_settings *s)
{
    const og_bytes preset = {s->preset, strlen(s->preset)};
    if (!og_dedup_preset(preset, o))
        return say_usage(COMMAND,
                         "--preset takes datatrove, slimpajama, nemo or "
                         "thorough, not '%s'",
                         s->preset);
    if (s->tokens != NULL &&
        !og_token_parse((og_bytes){s->tokens, strlen(s->tokens)}, &o->tokens))
        return say_usage(COMMAND,
                         "--tokens takes words, chars, lines or dna, not '%s'",
                         s->tokens);
    if (s->shingle_len != 0) o->shingle_len = s->shingle_len;
    if (s->n_bands != 0) o->n_bands = s->n_bands;
    if (s->n_rows != 0) o->n_rows = s->n_rows;
    return EXIT_DONE;
}

/* ---- the run ---- */

static double percent(uint64_t part, uint64_t all)
{
    return all == 0 ? 0 : 100 * (double)part / (double)all;
}

static void summarise(const struct progress *progress,
                      const struct dedup_settings *s, const og_dedup_counts *c)
{
    const bool is_document = s->level == OG_LEVEL_DOCUMENT;
    progress_summary(progress, &c->stream, NULL);
    if (is_document)
        say("%llu kept, %llu removed (%.1f %%) in %llu clusters; %llu pairs "
            "compared of %llu candidates",
            (unsigned long long)c->n_kept, (unsigned long long)c->n_removed,
            percent(c->n_removed, c->n_kept + c->n_removed),
            (unsigned long long)c->n_clusters,
            (unsigned long long)c->n_compared,
            (unsigned long long)c->n_candidates);
    else
        say("%llu kept, %llu removed whole; %llu pieces cut, %.1f MB (%.1f %%) "
            "of the text",
            (unsigned long long)c->n_kept, (unsigned long long)c->n_removed,
            (unsigned long long)c->n_cut, (double)c->cut_len / 1e6,
            percent(c->cut_len, c->stream.n_text_bytes));
    if (c->n_without != 0)
        say("%llu document%s without tokens: compared byte by byte",
            (unsigned long long)c->n_without, c->n_without == 1 ? "" : "s");
    if (c->n_rounds > 1)
        say("%llu rounds, because the memory was too small for a single one",
            (unsigned long long)c->n_rounds);
    if (c->n_resumed != 0)
        say("%llu documents had been decided in an earlier run",
            (unsigned long long)c->n_resumed);
}

static bool ends_as_jsonl(const char *path)
{
    const char *dot = path != NULL ? strstr(path, ".json") : NULL;
    return dot != NULL && strchr(dot, '/') == NULL;
}

/* Sets the options of the library. */
static int set_options(const struct dedup_settings *s, og_dedup_options *o)
{
    *o = s->dedup;
    int status = set_keep(COMMAND, o, s->keep);
    if (status == EXIT_DONE) status = set_sketch(o, s);
    if (status != EXIT_DONE) return status;
    o->level = (og_dedup_level)s->level;
    o->measure = (og_measure_kind)s->measure;
    o->cluster = (og_cluster_kind)s->cluster;
    const bool is_json =
        s->format >= 0 ? s->format == 1 : ends_as_jsonl(o->report);
    o->format = is_json ? OG_FORMAT_JSON : OG_FORMAT_TSV;
    o->packing = (og_packing)s->packing;
    if (o->temp == NULL) o->temp = getenv("TMPDIR");
    o->keep_known = s->add_to != NULL;
    return EXIT_DONE;
}

static int status_of_run(const struct dedup_settings *s, og_status done,
                         const og_dedup_counts *counts, const og_error *err)
{
    if (done == OG_ERR_STOPPED)
        return stop_status(
            s->dedup.resume
                ? "the decisions so far are kept; the same command resumes "
                  "from there"
                : "nothing was written; a run with --resume can be resumed");
    if (done != OG_OK)
        return reading_status(COMMAND, done, &counts->stream, err);
    const bool found = counts->n_removed + counts->n_cut != 0;
    return s->exit_code && found ? EXIT_FOUND : EXIT_DONE;
}

/* ---- adding kept documents to a store ---- */

/* Creates the store if there is none, so that it can be compared with, and so
 * that a store that cannot be added to is reported before the work. */
static int prepare_store(const struct dedup_settings *s,
                         struct store_settings *store)
{
    og_store *opened;
    struct stat st;
    store_defaults(store);
    store->path = s->add_to;
    if (store_is_memory(store))
        return say_usage(COMMAND, "--add-to needs a store on disk");
    const char *output = s->dedup.output;
    if (strcmp(output, "-") == 0 || output[strlen(output) - 1] == '/' ||
        (stat(output, &st) == 0 && !S_ISREG(st.st_mode)))
        return say_usage(
            COMMAND,
            "--add-to needs -o FILE: kept documents are added from that file");
    const int status = store_open(store, OG_CREATE, COMMAND, &opened);
    return status == EXIT_DONE ? store_close(opened, COMMAND, status) : status;
}

/* The lines of the output are those of the input, with its fields. */
static int add_kept(const struct dedup_settings *s,
                    const struct store_settings *where,
                    og_stream_counts *counts)
{
    struct progress progress;
    og_store *store;
    og_error err = {0};
    const int opened = store_open(where, OG_WRITE, COMMAND, &store);
    if (opened != EXIT_DONE) return opened;
    og_input input = reading_input(&s->reading, &progress, &s->dedup.output, 1);
    og_stream_options options = og_stream_options_default();
    input.reading.files_from = NULL;
    input.reading.kind = OG_FILE_JSONL;
    input.reading.extra = true;
    options.add = true;
    stop_on_signals(&input);
    const og_status status =
        og_stream_run(store, &input, &options, counts, &err);
    progress_end(&progress);
    const int result = status == OG_ERR_STOPPED
                           ? stop_status_added(counts)
                           : reading_status(COMMAND, status, counts, &err);
    const uint64_t n = counts->n_added + counts->n_repeated_ids;
    if (!s->reading.quiet && result == EXIT_DONE)
        say("%llu added to '%s', %llu there already", (unsigned long long)n,
            s->add_to, (unsigned long long)counts->n_known);
    return store_close(store, COMMAND, result);
}

static int write_summary(const struct dedup_settings *s,
                         const struct progress *progress,
                         const og_dedup_counts *c,
                         const og_stream_counts *added, int status)
{
    og_stream_counts counts = c->stream;
    counts.n_added = added->n_added;
    counts.n_repeated_ids = added->n_repeated_ids;
    counts.n_known = added->n_known;
    const struct summary_field fields[] = {
        {"kept", c->n_kept},
        {"removed", c->n_removed},
        {"clusters", c->n_clusters},
        {"against", c->n_against},
        {"candidates", c->n_candidates},
        {"compared", c->n_compared},
        {"pieces_cut", c->n_cut},
        {"cut_bytes", c->cut_len},
        {"kept_bytes", c->kept_len},
        {"rounds", c->n_rounds},
        {"resumed", c->n_resumed},
    };
    return summary_write(s->summary, COMMAND, progress, &counts, fields,
                         sizeof(fields) / sizeof(fields[0]), status);
}

static int dedup_run(const void *settings, const char *const *paths, size_t n)
{
    const struct dedup_settings *s = settings;
    struct progress progress;
    struct string_list against = s->against;
    struct store_settings store = {0};
    og_dedup_options o;
    og_dedup_counts counts = {0};
    og_stream_counts added = {0};
    og_error err = {0};
    int status = set_options(s, &o);
    if (status == EXIT_DONE && s->add_to != NULL)
        status = prepare_store(s, &store);
    if (status != EXIT_DONE) return status;
    if (s->add_to != NULL && against.n < MOST_STRINGS)
        against.items[against.n++] = s->add_to;
    o.against = against.items;
    o.n_against = against.n;
    og_input input = reading_input(&s->reading, &progress, paths, n);
    if (strcmp(o.output, "-") == 0) progress_prints(&progress);
    stop_on_signals(&input);
    const og_status done = og_dedup_run(&input, &o, &counts, &err);
    progress_end(&progress);
    const bool has_result = done == OG_OK || counts.stream.is_reported;
    if (!s->reading.quiet && has_result) summarise(&progress, s, &counts);
    status = status_of_run(s, done, &counts, &err);
    if (s->add_to != NULL && has_result) {
        const int added_status = add_kept(s, &store, &added);
        if (added_status != EXIT_DONE) status = added_status;
    }
    if (s->reading.timings) timings_print(&progress.timings, &counts.stream);
    return write_summary(s, &progress, &counts, &added, status);
}

const struct command command_dedup = {
    .name = COMMAND,
    .group = GROUP_QUESTION,
    .operands = "FILE...",
    .brief = "keep one document of each group of duplicates",
    .about = "Writes the kept documents, in their order, each line byte for "
             "byte as it was. Documents that share a band of min-hash samples "
             "are candidates; candidates are compared shingle by shingle "
             "before anything is removed. Every removed document is similar to "
             "one that is kept.\n\n"
             "A document with fewer tokens than a shingle is a single shingle; "
             "one without tokens is compared byte by byte. FILE is as for "
             "origo trace; input that is not JSONL is written as JSONL. The "
             "output does not depend on the number of threads or the memory.",
    .examples =
        "  origo dedup -o kept.jsonl -r removed.tsv crawl.jsonl.zst\n"
        "  origo dedup --against bench.jsonl -r found.tsv -o clean.jsonl "
        "corpus/\n"
        "  origo dedup --against corpus.store -r found.tsv -o clean.jsonl "
        "test.jsonl\n"
        "  origo dedup --add-to corpus.store -o new.jsonl.zst today.jsonl\n"
        "  origo dedup --level passage -o kept.jsonl crawl.jsonl\n"
        "  origo dedup --memory 256M --resume -o kept.jsonl crawl/\n",
    .options = dedup_options,
    .n_options = sizeof(dedup_options) / sizeof(dedup_options[0]),
    .settings_len = sizeof(struct dedup_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = dedup_defaults,
    .run = dedup_run,
};
