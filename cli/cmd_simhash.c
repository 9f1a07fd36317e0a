/* origo simhash: one line of id and sketch per document, or a file of them. */

#include "print_string.h"
#include "say.h"
#include "sketch_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define COMMAND "sketch simhash"

enum { FORMAT_TEXT, FORMAT_BINARY };

struct simhash_settings {
    struct sketch_settings common;
    uint32_t n_bits;
    int format;
    const char *output;
};

static void simhash_defaults(void *settings)
{
    struct simhash_settings *s = settings;
    sketch_defaults(&s->common);
    /* The best that was measured: docs/evaluation.md. */
    s->common.features.tf = OG_TF_ONE;
    s->n_bits = 64;
}

#define AT(member) offsetof(struct simhash_settings, member)

static const struct option simhash_options[] = {
    {.group = "Sketch",
     .name = "bits",
     .type = &type_count,
     .offset = AT(n_bits),
     .value = "N",
     .choices = "64|128",
     .brief = "bits of a sketch: 64 or 128",
     .more = "The first half of the 128 bits is the 64-bit sketch."},
    SKETCH_FEATURE_OPTIONS(AT, common),
    SKETCH_WEIGHT_OPTIONS(AT, common),
    {.group = "Output",
     .letter = 'f',
     .name = "format",
     .type = &type_choice,
     .offset = AT(format),
     .value = "FORMAT",
     .choices = "text|binary",
     .brief = "output format: text or binary",
     .more = "text writes a line with the id, a tab and hexadecimal digits, "
             "highest bit first. binary includes the parameters and is "
             "verified when it is read."},
    OUTPUT_FILE_OPTION(AT, output, .unset = "stdout",
                       .brief = "output file of the binary format",
                       .more = "The file appears when it is complete."),
    SKETCH_INPUT_OPTIONS(AT, common),
};

static bool on_simhash(void *ctx, og_bytes id, const og_simhash *sketch,
                       uint64_t n_features)
{
    struct sketch_run *run = ctx;
    (void)n_features;
    print_field(id);
    putchar('\t');
    if (run->n_bits == 128) printf("%016" PRIx64, sketch->word[1]);
    if (printf("%016" PRIx64 "\n", sketch->word[0]) > 0 && !ferror(stdout))
        return true;
    stdout_failed(errno);
    run->failed = true;
    return false;
}

static int check(const struct simhash_settings *s)
{
    if (s->n_bits != 64 && s->n_bits != 128)
        return say_usage(COMMAND, "--bits is 64 or 128, not %u",
                         (unsigned)s->n_bits);
    if (s->output != NULL && s->format != FORMAT_BINARY)
        return say_usage(COMMAND, "--output needs --format binary");
    if (s->format == FORMAT_BINARY && s->output == NULL &&
        isatty(STDOUT_FILENO))
        return say_usage(
            COMMAND,
            "binary output is not written to a terminal; use --output FILE");
    return EXIT_DONE;
}

static int simhash_run(const void *settings, const char *const *paths, size_t n)
{
    const struct simhash_settings *s = settings;
    struct sketch_run run = {.n_bits = s->n_bits};
    og_input input;
    og_feature_options features;
    og_stream_counts counts = {0};
    og_error err = {0};
    og_idf *idf = NULL;
    int status = check(s);
    if (status != EXIT_DONE) return status;
    status = sketch_start(&run, COMMAND, &s->common, paths, n, &input,
                          &features, &idf);
    if (status != EXIT_DONE) return status;
    const og_status done =
        s->format == FORMAT_BINARY
            ? og_simhash_save(&input, s->n_bits, &features,
                              s->output != NULL ? s->output : "-", &counts,
                              &err)
            : og_simhash_stream(&input, s->n_bits, &features, on_simhash, &run,
                                &counts, &err);
    og_idf_close(idf);
    return sketch_end(&run, COMMAND, &s->common, done, &counts, &err);
}

const struct command command_simhash = {
    .name = COMMAND,
    .alias = "simhash",
    .operands = "FILE...",
    .brief = "simhash: similar documents differ in few bits",
    .about = "Writes the simhash of each document. The features of a document "
             "vote on every bit, so documents that share most features differ "
             "in few bits: the expected share of differing bits is the angle "
             "between their feature vectors divided by 180 degrees. A document "
             "without features has the sketch 0.\n\n"
             "Sketches can be compared if all options under Sketch and "
             "Features are the same. FILE is as for origo trace.",
    .examples =
        "  origo sketch simhash mail.jsonl > mail.tsv\n"
        "  origo sketch idf -o mail.df mail.jsonl\n"
        "  origo sketch simhash --idf mail.df --format binary -o mail.sk "
        "mail.jsonl\n",
    .options = simhash_options,
    .n_options = sizeof(simhash_options) / sizeof(simhash_options[0]),
    .settings_len = sizeof(struct simhash_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = simhash_defaults,
    .run = simhash_run,
};
