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
    {"Stage",                                                                  \
     0,                                                                        \
     "shard",                                                                  \
     &type_string,                                                             \
     AT(shard),                                                                \
     "I/N",                                                                    \
     NULL,                                                                     \
     NULL,                                                                     \
     "which share of the work, from 1/N to N/N",                               \
     "Shards may run at the same time, on any machines that see the files."},  \
        {"Stage",                                                              \
         'w',                                                                  \
         "state",                                                              \
         &type_string,                                                         \
         AT(stage.work),                                                       \
         "DIR",                                                                \
         NULL,                                                                 \
         NULL,                                                                 \
         "folder of what the stages tell each other",                          \
         NULL},                                                                \
        {"Sketch",                                                             \
         0,                                                                    \
         "keep",                                                               \
         &type_string,                                                         \
         AT(keep),                                                             \
         "WHICH",                                                              \
         KEEP_VALUES,                                                          \
         NULL,                                                                 \
         "which of the documents that are alike stays",                        \
         "As for origo dedup; the same for all stages."},                      \
        {"Sketch",                                                             \
         0,                                                                    \
         "preset",                                                             \
         &type_string,                                                         \
         AT(preset),                                                           \
         "NAME",                                                               \
         "datatrove|slimpajama|nemo|thorough",                                 \
         NULL,                                                                 \
         "shingles, bands and rows of others",                                 \
         NULL},                                                                \
        {"Sketch",                                                             \
         'k',                                                                  \
         "shingle",                                                            \
         &type_count,                                                          \
         AT(shingle_len),                                                      \
         "N",                                                                  \
         NULL,                                                                 \
         "the preset's",                                                       \
         "tokens in a shingle, 1 to 32",                                       \
         NULL},                                                                \
        {"Sketch", 0,    "bands",        &type_count, AT(n_bands),             \
         "N",      NULL, "the preset's", "bands",     NULL},                   \
        {"Sketch", 0,    "rows",         &type_count,         AT(n_rows),      \
         "N",      NULL, "the preset's", "samples in a band", NULL},           \
        {"Sketch",                                                             \
         0,                                                                    \
         "text-field",                                                         \
         &type_string,                                                         \
         AT(reading.fields.text),                                              \
         "NAME",                                                               \
         NULL,                                                                 \
         NULL,                                                                 \
         "the field of the text",                                              \
         NULL},                                                                \
        {"Sketch",                                                             \
         0,                                                                    \
         "id-field",                                                           \
         &type_string,                                                         \
         AT(reading.fields.id),                                                \
         "NAME",                                                               \
         NULL,                                                                 \
         NULL,                                                                 \
         "the field of the id",                                                \
         NULL},                                                                \
        TYPE_OPTION(AT, reading.reading.kind),                                 \
        STRIP_QUOTES_OPTION(AT, reading.reading.strip_quotes),                 \
        {"Stage",                                                              \
         'j',                                                                  \
         "threads",                                                            \
         &type_count,                                                          \
         AT(reading.n_threads),                                                \
         "N",                                                                  \
         NULL,                                                                 \
         "as many as the machine has",                                         \
         "threads",                                                            \
         NULL},                                                                \
    {                                                                          \
        "Stage", 'q', "quiet", &type_flag, AT(reading.quiet), NULL, NULL,      \
            NULL, "no summary on stderr", NULL                                 \
    }

#define COMPARE_OPTIONS                                                        \
    {"Compare",                                                                \
     't',                                                                      \
     "threshold",                                                              \
     &type_weight,                                                             \
     AT(stage.dedup.threshold),                                                \
     "SHARE",                                                                  \
     NULL,                                                                     \
     NULL,                                                                     \
     "similarity from which documents are alike",                              \
     NULL},                                                                    \
    {                                                                          \
        "Compare", 0, "measure", &type_choice, AT(measure), "MEASURE",         \
            "jaccard|containment", NULL,                                       \
            "jaccard, or containment in the larger one", NULL                  \
    }

/* clang-format off */
static const struct option plain_options[] = {STAGE_OPTIONS};
static const struct option compare_options[] = {
    STAGE_OPTIONS,
    COMPARE_OPTIONS,
    {"Compare", 0, "candidates", &type_string, AT(stage.candidates), "DIR",
     NULL, "the bands", "folder with datatrove's .dups or .clusters",
     "Of its stages 2 or 3, over the same files in the same order. Documents "
     "that they join are compared; stage bands is not needed. Pairs with an "
     "index of another data set are passed over and counted: there is no text "
     "to compare with."},
};
static const struct option filter_options[] = {
    STAGE_OPTIONS,
    {"Stage", 'o', "output", &type_string, AT(stage.output), "DIR", NULL, NULL,
     "folder of kept documents, reports and lists",
     "File F of the inputs, from 0, gives FFFFFF.jsonl, FFFFFF.tsv, and "
     "FFFFFF.remove and FFFFFF.clusters in datatrove's form."},
    {"Stage", 0, "remove", &type_string, AT(stage.remove), "DIR", NULL,
     "the decisions of components", "folder with datatrove's .remove",
     "What they name goes, uncompared, and the report says of no document "
     "what it is a copy of; its cluster, if .clusters are there. No other "
     "stage is needed. To have it compared, give .dups or .clusters to origo "
     "components --candidates."},
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
        say("%s %s: %llu files made, %llu there; %llu documents, %llu pairs, "
            "%llu kept, %llu removed",
            command, s->shard, (unsigned long long)c.n_made,
            (unsigned long long)c.n_there, (unsigned long long)c.n_documents,
            (unsigned long long)c.n_pairs, (unsigned long long)c.n_kept,
            (unsigned long long)c.n_removed);
    if (!s->reading.quiet && c.n_skipped != 0)
        say("%llu skipped", (unsigned long long)c.n_skipped);
    if (c.n_passed != 0)
        say("%llu pairs with an index of others were passed over: there is no "
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
        "\n\nThe stages are sketch, bands, components and filter. Give all "   \
        "of them the same files, as for origo dedup, no folders and no "       \
        "pipes, in the same order, and the same options. Each needs all "      \
        "shards of the one before, writes files "                              \
        "that appear when they are whole, and makes only what is missing. "    \
        "The outcome is that of origo dedup over the same files, whatever "    \
        "the numbers of shards.",                                              \
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

STAGE(sketch, plain_options, "stage 1 of dedup in shards: sketches",
      "Writes the sketches of each file.");
STAGE(bands, plain_options, "stage 2 of dedup in shards: equal bands",
      "Writes, for each band, pairs of documents that have it in common: "
      "datatrove's .dups files.");
STAGE(components, compare_options, "stage 3 of dedup in shards: decisions",
      "Joins the pairs of all bands; documents that hang together are "
      "compared by one shard, and what is like a kept one goes.");
STAGE(filter, filter_options, "stage 4 of dedup in shards: kept documents",
      "Writes the kept documents of each file, and a report of the others.");
