/* origo sketch, bands, components, filter: deduplication in stages. */

#include "keep_option.h"
#include "reading_options.h"
#include "say.h"

#include <stdio.h>
#include <string.h>

struct stage_settings {
    og_stage_options stage;
    const char *shard;
    const char *preset;
    const char *keep;
    int measure;
    struct reading_settings reading;
    uint32_t shingle_len, n_bands, n_rows;
};

static void stage_defaults(void *settings)
{
    struct stage_settings *s = settings;
    s->stage.dedup = og_dedup_options_default();
    reading_defaults(&s->reading);
    s->stage.work = "origo.stages";
    s->stage.output = "origo.kept";
    s->shard = "1/1";
    s->preset = "datatrove";
    s->keep = "first";
}

#define AT(member) offsetof(struct stage_settings, member)

#define STAGE_OPTIONS                                                          \
    {.group = "Stage",                                                         \
     .name = "shard",                                                          \
     .type = &type_string,                                                     \
     .offset = AT(shard),                                                      \
     .value = "I/N",                                                           \
     .brief = "which part of the work, from 1/N to N/N",                       \
     .more = "Shards may run at the same time, on any machines that see the "  \
             "files."},                                                        \
        {.group = "Stage",                                                     \
         .letter = 'w',                                                        \
         .name = "state",                                                      \
         .type = &type_string,                                                 \
         .offset = AT(stage.work),                                             \
         .value = "DIR",                                                       \
         .brief = "folder for the intermediate files of the stages"},          \
        {.group = "Sketch",                                                    \
         .name = "keep",                                                       \
         .type = &type_string,                                                 \
         .offset = AT(keep),                                                   \
         .value = "WHICH",                                                     \
         .choices = KEEP_VALUES,                                               \
         .brief = "which document of a group is kept",                         \
         .more = "As for origo dedup. Must be the same for all stages."},      \
        {.group = "Sketch",                                                    \
         .name = "preset",                                                     \
         .type = &type_string,                                                 \
         .offset = AT(preset),                                                 \
         .value = "NAME",                                                      \
         .choices = "datatrove|slimpajama|nemo|thorough",                      \
         .brief = "shingles, bands and rows of another tool"},                 \
        {.group = "Sketch",                                                    \
         .letter = 'k',                                                        \
         .name = "shingle",                                                    \
         .type = &type_count,                                                  \
         .offset = AT(shingle_len),                                            \
         .value = "N",                                                         \
         .unset = "the preset's",                                              \
         .brief = "tokens in a shingle, 1 to 32"},                             \
        {.group = "Sketch",                                                    \
         .name = "bands",                                                      \
         .type = &type_count,                                                  \
         .offset = AT(n_bands),                                                \
         .value = "N",                                                         \
         .unset = "the preset's",                                              \
         .brief = "bands"},                                                    \
        {.group = "Sketch",                                                    \
         .name = "rows",                                                       \
         .type = &type_count,                                                  \
         .offset = AT(n_rows),                                                 \
         .value = "N",                                                         \
         .unset = "the preset's",                                              \
         .brief = "samples in a band"},                                        \
        {.group = "Sketch",                                                    \
         .name = "text-field",                                                 \
         .type = &type_string,                                                 \
         .offset = AT(reading.fields.text),                                    \
         .value = "NAME",                                                      \
         .brief = "JSON field of the text"},                                   \
        {.group = "Sketch",                                                    \
         .name = "id-field",                                                   \
         .type = &type_string,                                                 \
         .offset = AT(reading.fields.id),                                      \
         .value = "NAME",                                                      \
         .brief = "JSON field of the id"},                                     \
        TYPE_OPTION(AT, reading.reading.kind),                                 \
        STRIP_QUOTES_OPTION(AT, reading.reading.strip_quotes),                 \
        {.group = "Stage",                                                     \
         .letter = 'j',                                                        \
         .name = "threads",                                                    \
         .type = &type_count,                                                  \
         .offset = AT(reading.n_threads),                                      \
         .value = "N",                                                         \
         .unset = "all processors",                                            \
         .brief = "threads"},                                                  \
    {                                                                          \
        .group = "Stage", .letter = 'q', .name = "quiet", .type = &type_flag,  \
        .offset = AT(reading.quiet), .brief = "no summary on stderr"           \
    }

#define COMPARE_OPTIONS                                                        \
    {.group = "Compare",                                                       \
     .letter = 't',                                                            \
     .name = "threshold",                                                      \
     .type = &type_weight,                                                     \
     .offset = AT(stage.dedup.threshold),                                      \
     .value = "SHARE",                                                         \
     .brief = "minimum similarity of duplicates"},                             \
    {                                                                          \
        .group = "Compare", .name = "measure", .type = &type_choice,           \
        .offset = AT(measure), .value = "MEASURE",                             \
        .choices = "jaccard|containment",                                      \
        .brief = "jaccard, or containment in the larger document"              \
    }

/* clang-format off */
static const struct option plain_options[] = {STAGE_OPTIONS};
static const struct option compare_options[] = {
    STAGE_OPTIONS,
    COMPARE_OPTIONS,
    {.group = "Compare", .name = "candidates", .type = &type_string, .offset = AT(stage.candidates), .value = "DIR", .unset = "the bands", .brief = "folder with datatrove's .dups or .clusters", .more = "Output of its stages 2 or 3, for the same files in the same order. Documents that they pair are compared; the stage bands is not needed. Pairs with an index of another data set are skipped and counted, because there is no text to compare with."},
};
static const struct option filter_options[] = {
    STAGE_OPTIONS,
    {.group = "Stage", .letter = 'o', .name = "output", .type = &type_string, .offset = AT(stage.output), .value = "DIR", .brief = "folder for kept documents, reports and lists", .more = "Input file F, counted from 0, gives FFFFFF.jsonl, FFFFFF.tsv, and FFFFFF.remove and FFFFFF.clusters in datatrove's format."},
    {.group = "Stage", .name = "remove", .type = &type_string, .offset = AT(stage.remove), .value = "DIR", .unset = "the decisions of components", .brief = "folder with datatrove's .remove", .more = "Removes the listed documents without comparing them. The report then cannot name the document that each one duplicates, only its cluster if there are .clusters. No other stage is needed. To compare candidates, pass .dups or .clusters to origo dedup-shard components --candidates."},
};
/* clang-format on */

typedef og_status stage_fn(const og_input *input,
                           const og_stage_options *options,
                           og_stage_counts *counts, og_error *err);

static int set_options(const char *command, const struct stage_settings *s,
                       og_stage_options *o)
{
    unsigned shard, n, end = 0;
    *o = s->stage;
    if (sscanf(s->shard, "%6u/%6u%n", &shard, &n, (int *)&end) != 2 ||
        s->shard[end] != '\0' || shard < 1 || shard > n)
        return say_usage(command, "--shard takes I/N from 1/N to N/N, not '%s'",
                         s->shard);
    o->shard = shard - 1;
    o->n_shards = n;
    if (!og_dedup_preset((og_bytes){s->preset, strlen(s->preset)}, &o->dedup))
        return say_usage(command, "no preset '%s'", s->preset);
    const int status = set_keep(command, &o->dedup, s->keep);
    if (status != EXIT_DONE) return status;
    if (s->shingle_len != 0) o->dedup.shingle_len = s->shingle_len;
    if (s->n_bands != 0) o->dedup.n_bands = s->n_bands;
    if (s->n_rows != 0) o->dedup.n_rows = s->n_rows;
    o->dedup.measure = (og_measure_kind)s->measure;
    return EXIT_DONE;
}

static int run_stage(const char *command, stage_fn *stage, const void *settings,
                     const char *const *paths, size_t n)
{
    const struct stage_settings *s = settings;
    og_stage_options o;
    og_stage_counts c = {0};
    og_error err = {0};
    const int status = set_options(command, s, &o);
    if (status != EXIT_DONE) return status;
    struct progress progress;
    const og_input input = reading_input(&s->reading, &progress, paths, n);
    const og_status done = stage(&input, &o, &c, &err);
    progress_end(&progress);
    if (done != OG_OK) return say_error(command, &err);
    if (!s->reading.quiet)
        say("%s %s: %llu files written, %llu existing; %llu documents, %llu "
            "pairs, %llu kept, %llu removed",
            command, s->shard, (unsigned long long)c.n_made,
            (unsigned long long)c.n_there, (unsigned long long)c.n_documents,
            (unsigned long long)c.n_pairs, (unsigned long long)c.n_kept,
            (unsigned long long)c.n_removed);
    if (!s->reading.quiet && c.n_skipped != 0)
        say("%llu skipped", (unsigned long long)c.n_skipped);
    if (c.n_passed != 0)
        say("%llu pairs with an index of other data were skipped: there is no "
            "text to compare with",
            (unsigned long long)c.n_passed);
    return EXIT_DONE;
}

#define STAGE(NAME, OPTIONS, BRIEF, ABOUT)                                     \
    static int run_##NAME(const void *settings, const char *const *paths,      \
                          size_t n)                                            \
    {                                                                          \
        return run_stage("dedup-shard " #NAME, og_stage_##NAME, settings,      \
                         paths, n);                                            \
    }                                                                          \
    const struct command command_##NAME = {                                    \
        .name = "dedup-shard " #NAME,                                          \
        .alias = #NAME,                                                        \
        .operands = "FILE...",                                                 \
        .brief = BRIEF,                                                        \
        .about = ABOUT                                                         \
        "\n\n"                                                                 \
        "The stages are sketch, bands, components and filter. Pass the same "  \
        "files (as for origo dedup, but no folders and no pipes) in the same " \
        "order, and the same options, to all of them. Each stage needs all "   \
        "shards of the previous one, writes files that appear when they are "  \
        "complete, and writes only those that are missing. The result is "     \
        "that of origo dedup over the same files, for any number of shards.",  \
        .examples = "  origo dedup-shard " #NAME                               \
                    " --shard 3/8 -w state part-*.jsonl\n",                    \
        .options = OPTIONS,                                                    \
        .n_options = sizeof(OPTIONS) / sizeof((OPTIONS)[0]),                   \
        .settings_len = sizeof(struct stage_settings),                         \
        .min_operands = 1,                                                     \
        .max_operands = SIZE_MAX,                                              \
        .missing = "no FILE given",                                            \
        .defaults = stage_defaults,                                            \
        .run = run_##NAME,                                                     \
    }

STAGE(sketch, plain_options, "stage 1 of sharded dedup: sketches",
      "Writes the sketches of each file.");
STAGE(bands, plain_options, "stage 2 of sharded dedup: equal bands",
      "Writes, for each band, the pairs of documents that share it, as "
      "datatrove's .dups files.");
STAGE(
    components, compare_options, "stage 3 of sharded dedup: decisions",
    "Joins the pairs of all bands into components. Each component is compared "
    "by one shard, and documents similar to a kept one are removed.");
STAGE(filter, filter_options, "stage 4 of sharded dedup: kept documents",
      "Writes the kept documents of each file, and a report of the others.");
