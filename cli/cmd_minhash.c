/* origo minhash: one line of id and sketch per document, or a file of them. */

#include "print_string.h"
#include "say.h"
#include "sketch_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "sketch minhash"

enum { FORMAT_TEXT, FORMAT_BINARY };

struct minhash_settings {
    struct sketch_settings common;
    og_minhash_options minhash;
    int method, family; /* as the parser writes them */
    uint32_t seed;
    uint32_t bits;
    const char *bands; /* a design, or NULL */
    int format;
    const char *output;
};

static void minhash_defaults(void *settings)
{
    struct minhash_settings *s = settings;
    sketch_defaults(&s->common);
    s->minhash = og_minhash_options_default();
    s->method = (int)s->minhash.method;
    s->family = (int)s->minhash.family;
    s->bits = s->minhash.n_bits;
}

#define AT(member) offsetof(struct minhash_settings, member)

/* In the order of og_minhash_method and og_hash_family. */
#define METHODS                                                                \
    "auto|exact|one|super|byte|zeros|biased|smallest|modulo|copies|active|"    \
    "interval|ioffe|ioffe0|coarse"
#define FAMILIES "mix|multiply|tabulation|rabin"

static const struct option minhash_options[] = {
    {.group = "Sketch",
     .name = "samples",
     .type = &type_count,
     .offset = AT(minhash.n_samples),
     .value = "N",
     .brief = "samples per document, 1 to 4096",
     .more = "The standard error of an estimate J is the square root of J (1 - "
             "J) / N."},
    {.group = "Sketch",
     .name = "method",
     .type = &type_choice,
     .offset = AT(method),
     .value = "METHOD",
     .choices = METHODS,
     .brief = "sampling method",
     .more = "For sets: auto (bins of one permutation, exact samples where a "
             "bin is empty), exact, one (with optimal densification), super "
             "(SuperMinHash), byte, zeros, biased (few random bits); smallest "
             "and modulo are sets of samples. For weights: copies (integers), "
             "active, interval, ioffe, ioffe0 (omits part of the sample: "
             "biased, up to 0.02 too high), coarse."},
    {.group = "Sketch",
     .name = "family",
     .type = &type_choice,
     .offset = AT(family),
     .value = "FAMILY",
     .choices = FAMILIES,
     .brief = "hash functions: mix, multiply, tabulation, rabin"},
    {.group = "Sketch",
     .name = "bits",
     .type = &type_count,
     .offset = AT(bits),
     .value = "B",
     .brief = "bits kept per sample: 1 to 16, or 32 for all"},
    {.group = "Sketch",
     .name = "modulus",
     .type = &type_count,
     .offset = AT(minhash.modulus),
     .value = "M",
     .brief = "with --method modulo: one feature in M"},
    {.group = "Sketch",
     .name = "seed",
     .type = &type_count,
     .offset = AT(seed),
     .value = "N",
     .brief = "seed of the samples"},
    {.group = "Sketch",
     .name = "bands",
     .type = &type_string,
     .offset = AT(bands),
     .value = "DESIGN",
     .choices = "14x6|5x6/16",
     .unset = "plain samples",
     .brief = "write supershingles instead: ROWSxBANDS[/BITS]",
     .more = "Each value represents ROWS samples; 14x6 is the design of "
             "AltaVista. Text format only."},
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
     .more = "text writes a line with the id, a tab and hexadecimal digits; "
             "'-' means a document without features. binary includes the "
             "parameters and is verified when it is read."},
    OUTPUT_FILE_OPTION(AT, output, .unset = "stdout",
                       .brief = "output file of the binary format",
                       .more = "The file appears when it is complete."),
    SKETCH_INPUT_OPTIONS(AT, common),
};

/* ---- text ---- */

struct minhash_run {
    struct sketch_run run; /* first: passed to the callbacks of the stream */
    og_minhash_options minhash;
    og_bands bands;
    bool has_bands;
};

static void print_bands(const struct minhash_run *r, const uint32_t *samples)
{
    uint64_t values[64];
    const int width = (int)(r->bands.n_bits + 3) / 4;
    og_supershingles(&r->bands, samples, values);
    for (uint32_t i = 0; i < r->bands.n_bands; i++)
        printf("%s%0*" PRIx64, i == 0 ? "" : " ", width, values[i]);
}

static void print_sketch(const struct minhash_run *r,
                         const og_minhash_sketch *sketch)
{
    const size_t n = r->minhash.n_samples;
    if (sketch->is_empty)
        putchar('-');
    else if (sketch->set != NULL)
        for (size_t i = 0; i < sketch->n_set; i++)
            printf("%s%016" PRIx64, i == 0 ? "" : " ", sketch->set[i]);
    else if (r->has_bands)
        print_bands(r, sketch->samples);
    else if (sketch->samples != NULL)
        for (size_t i = 0; i < n; i++)
            printf("%08" PRIx32, sketch->samples[i]);
    else
        for (size_t i = 0; i < (n * r->minhash.n_bits + 7) / 8; i++)
            printf("%02x", sketch->packed[i]);
}

static bool on_sketch(void *ctx, og_bytes id, const og_minhash_sketch *sketch)
{
    struct minhash_run *r = ctx;
    print_field(id);
    putchar('\t');
    print_sketch(r, sketch);
    if (putchar('\n') != EOF && !ferror(stdout)) return true;
    stdout_failed(errno);
    r->run.failed = true;
    return false;
}

/* ---- the command ---- */

static int check_bands(struct minhash_run *r, const struct minhash_settings *s)
{
    og_bands *b = &r->bands;
    unsigned rows, bands, bits = 64;
    int end = 0, longer = 0;
    if (s->bands == NULL) return EXIT_DONE;
    const int n = sscanf(s->bands, "%4ux%4u%n/%2u%n", &rows, &bands, &end,
                         &bits, &longer);
    if (n == 3) end = longer;
    if (n < 2 || s->bands[end] != '\0')
        return say_usage(COMMAND, "'%s' is not a design like 14x6 or 5x6/16",
                         s->bands);
    *b = (og_bands){rows, bands, 1, bits};
    og_error err;
    if (og_bands_check(b, &err) != OG_OK) return say_error(COMMAND, &err);
    if (rows * bands > s->minhash.n_samples)
        return say_usage(COMMAND, "%s needs %u samples, there are %u", s->bands,
                         rows * bands, (unsigned)s->minhash.n_samples);
    if (s->format == FORMAT_BINARY || s->bits != 32 ||
        og_minhash_is_set(r->minhash.method))
        return say_usage(COMMAND,
                         "--bands needs whole samples and the text format");
    r->has_bands = true;
    return EXIT_DONE;
}

static int check(struct minhash_run *r, const struct minhash_settings *s)
{
    og_error err;
    r->minhash = s->minhash;
    r->minhash.method = (og_minhash_method)s->method;
    r->minhash.family = (og_hash_family)s->family;
    r->minhash.seed = s->seed;
    r->minhash.n_bits = s->bits;
    if (og_minhash_options_check(&r->minhash, &err) != OG_OK)
        return say_error(COMMAND, &err);
    if (s->output != NULL && s->format != FORMAT_BINARY)
        return say_usage(COMMAND, "--output needs --format binary");
    if (s->format == FORMAT_BINARY && s->output == NULL &&
        isatty(STDOUT_FILENO))
        return say_usage(
            COMMAND,
            "binary output is not written to a terminal; use --output FILE");
    return check_bands(r, s);
}

static int minhash_run(const void *settings, const char *const *paths, size_t n)
{
    const struct minhash_settings *s = settings;
    struct minhash_run r = {0};
    og_input input;
    og_feature_options features;
    og_stream_counts counts = {0};
    og_error err = {0};
    og_idf *idf = NULL;
    int status = check(&r, s);
    if (status != EXIT_DONE) return status;
    status = sketch_start(&r.run, COMMAND, &s->common, paths, n, &input,
                          &features, &idf);
    if (status != EXIT_DONE) return status;
    const og_status done =
        s->format == FORMAT_BINARY
            ? og_minhash_save(&input, &r.minhash, &features,
                              s->output != NULL ? s->output : "-", &counts,
                              &err)
            : og_minhash_stream(&input, &r.minhash, &features, on_sketch, &r,
                                &counts, &err);
    og_idf_close(idf);
    return sketch_end(&r.run, COMMAND, &s->common, done, &counts, &err);
}

const struct command command_minhash = {
    .name = COMMAND,
    .alias = "minhash",
    .operands = "FILE...",
    .brief = "min-hash sketches, which estimate Jaccard",
    .about =
        "Writes the min-hash sketch of each document: samples of its features, "
        "chosen so that the share of equal samples of two documents estimates "
        "their Jaccard similarity (common features divided by all features of "
        "both). A weighted method uses weights (--tf, --idf, --heading-weight) "
        "and estimates the generalized Jaccard similarity.\n\n"
        "Sketches can be compared (origo sketch distance) if all options under "
        "Sketch and Features are the same. FILE is as for origo trace.",
    .examples = "  origo sketch minhash mail.jsonl > mail.tsv\n"
                "  origo sketch minhash --bands 14x6 mail.jsonl | sort -k2,2\n"
                "  origo sketch minhash --method ioffe --idf mail.df \\\n"
                "    -f binary -o mail.sk mail.jsonl\n",
    .options = minhash_options,
    .n_options = sizeof(minhash_options) / sizeof(minhash_options[0]),
    .settings_len = sizeof(struct minhash_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = minhash_defaults,
    .run = minhash_run,
};
