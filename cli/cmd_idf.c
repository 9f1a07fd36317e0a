/* origo idf: counts the documents that contain each feature. */

#include "say.h"
#include "sketch_settings.h"

#include <inttypes.h>
#include <stdint.h>
#include <unistd.h>

#define COMMAND "sketch idf"

struct idf_settings {
    struct sketch_settings common;
    const char *output;
    uint64_t memory;
};

static void idf_defaults(void *settings)
{
    struct idf_settings *s = settings;
    sketch_defaults(&s->common);
    s->memory = (uint64_t)256 << 20;
}

#define AT(member) offsetof(struct idf_settings, member)

static const struct option idf_options[] = {
    OUTPUT_FILE_OPTION(AT, output, .brief = "the file to write; - is stdout",
                       .more = "It appears when it is complete."),
    {.group = "Output",
     .letter = 'm',
     .name = "memory",
     .type = &type_size,
     .offset = AT(memory),
     .value = "SIZE",
     .brief = "memory limit for counting",
     .more = "When it is full, the rarest features are dropped; the file "
             "states the possible error."},
    SKETCH_INPUT_OPTIONS(AT, common),
    SKETCH_FEATURE_OPTIONS(AT, common),
};

static void say_info(const og_idf_info *info)
{
    say("%" PRIu64 " features of %" PRIu64 " documents, %s", info->n_features,
        info->n_documents,
        info->max_error == 0 ? "all of them" : "the rarest are missing");
    if (info->max_error != 0)
        say("no document frequency is off by more than %" PRIu64,
            info->max_error);
}

static int idf_run(const void *settings, const char *const *paths, size_t n)
{
    const struct idf_settings *s = settings;
    struct sketch_run run = {0};
    og_input input;
    og_feature_options features;
    og_stream_counts counts = {0};
    og_idf_info info = {0};
    og_error err = {0};
    og_idf *none = NULL;
    if (s->output == NULL)
        return say_usage(COMMAND, "no output file given: --output FILE");
    const int status = sketch_start(&run, COMMAND, &s->common, paths, n, &input,
                                    &features, &none);
    if (status != EXIT_DONE) return status;
    const og_status done = og_idf_make(&input, &features, s->memory, s->output,
                                       &info, &counts, &err);
    const int ended =
        sketch_end(&run, COMMAND, &s->common, done, &counts, &err);
    if (done == OG_OK && !s->common.reading.quiet) say_info(&info);
    return ended;
}

const struct command command_idf = {
    .name = COMMAND,
    .alias = "idf",
    .operands = "FILE...",
    .brief = "count the documents in which each feature occurs",
    .about = "Reads documents and writes a file of document frequencies, so "
             "that sketches can give rare features more weight (--idf). The "
             "options under Features must be the same as for the sketches.\n\n"
             "Counting stays within the given memory. Nothing is written "
             "unless all files could be read.",
    .examples = "  origo sketch idf -o mail.df mail.jsonl\n"
                "  origo sketch simhash --idf mail.df mail.jsonl\n",
    .options = idf_options,
    .n_options = sizeof(idf_options) / sizeof(idf_options[0]),
    .settings_len = sizeof(struct idf_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = idf_defaults,
    .run = idf_run,
};
