/* origo eval near: sketches against the exact similarity of documents.
 *
 *     STREAM -> og_near_eval_open: a sample, and the similarity of every two
 *            -> og_near_eval_run: pairs by the distance of their simhashes
 *     --paper -> near_tables_print: all tables instead */

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/sketch_settings.h"
#include "eval/estimator_tables.h"
#include "eval/evaluation.h"
#include "eval/near_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COMMAND "eval near"

struct near_settings {
    struct sketch_settings common;
    uint32_t n_bits, max_documents, shingle_len, min_tokens;
    double duplicate;
    bool paper, with_idf;
    const char *points;
};

static void near_defaults(void *settings)
{
    const og_near_eval_options o = og_near_eval_options_default();
    struct near_settings *s = settings;
    sketch_defaults(&s->common);
    s->common.features.tf = OG_TF_ONE;
    s->n_bits = 64;
    s->max_documents = o.max_documents;
    s->shingle_len = o.shingle_len;
    s->min_tokens = o.min_tokens;
    s->duplicate = o.duplicate;
}

#define AT(member) offsetof(struct near_settings, member)
#define TRUTH      "Truth"

static const struct option near_options[] = {
    {.group = "What",
     .name = "paper",
     .type = &type_flag,
     .offset = AT(paper),
     .brief = "print all tables instead, as Markdown",
     .more = "Figures 1 and 2 of the simhash paper, a comparison of features, "
             "and a comparison of simhash, min-hash and both together."},
    {.group = "What",
     .name = "points",
     .type = &type_string,
     .offset = AT(points),
     .value = "FILE",
     .unset = "none",
     .brief = "with --paper: write the points of figure 2 as TSV",
     .more = "Columns: figure, series, x, y."},
    {.group = TRUTH,
     .name = "documents",
     .type = &type_count,
     .offset = AT(max_documents),
     .value = "N",
     .brief = "maximum number of documents; a random sample",
     .more =
         "All pairs are compared, so the time grows with the square of this."},
    {.group = TRUTH,
     .letter = 'k',
     .name = "shingle",
     .type = &type_count,
     .offset = AT(shingle_len),
     .value = "K",
     .brief = "words in a shingle of the exact measure"},
    {.group = TRUTH,
     .name = "min-tokens",
     .type = &type_count,
     .offset = AT(min_tokens),
     .value = "N",
     .brief = "leave out shorter documents"},
    {.group = TRUTH,
     .name = "duplicate",
     .type = &type_weight,
     .offset = AT(duplicate),
     .value = "J",
     .brief = "minimum Jaccard similarity of duplicates"},
    {.group = "Sketch",
     .name = "bits",
     .type = &type_count,
     .offset = AT(n_bits),
     .value = "N",
     .choices = "64|128",
     .brief = "bits of a simhash: 64 or 128"},
    {.group = "Features",
     .name = "with-idf",
     .type = &type_flag,
     .offset = AT(with_idf),
     .brief = "use document frequencies of the sample as weights"},
    SKETCH_FEATURE_OPTIONS(AT, common),
    SKETCH_WEIGHT_OPTIONS(AT, common),
    QUIET_AS_OPTION(AT, common.reading.quiet,
                    "no progress and no summary on stderr"),
};

static void on_progress(void *ctx, const char *what, uint64_t done,
                        uint64_t total)
{
    progress_step(ctx, what, done, total);
}

static void on_step(void *ctx)
{
    progress_end(ctx);
}

static void write_lines(const og_near_result *r, const og_near_facts *f)
{
    uint64_t found = 0, right = 0;
    printf("distance\tpairs\tduplicates\tprecision\trecall\n");
    for (unsigned d = 0; d <= 32; d++) {
        found += r->pairs_at[d];
        right += r->duplicates_at[d];
        printf(
            "%u\t%" PRIu64 "\t%" PRIu64 "\t%.4f\t%.4f\n", d, r->pairs_at[d],
            r->duplicates_at[d], found > 0 ? (double)right / (double)found : 0,
            f->n_duplicates > 0 ? (double)right / (double)f->n_duplicates : 0);
    }
}

static og_status print_one(og_near_eval *eval, const struct near_settings *s,
                           og_error *err)
{
    static og_near_result result;
    og_near_facts facts;
    const og_near_run run = {.features = s->common.features,
                             .with_idf = s->with_idf,
                             .simhash_bits = s->n_bits};
    const og_status status = og_near_eval_run(eval, &run, &result, err);
    if (status != OG_OK) return status;
    og_near_facts_get(eval, &facts);
    write_lines(&result, &facts);
    if (!s->common.reading.quiet)
        say("%" PRIu64 " documents of %" PRIu64 ", %" PRIu64 " pairs, %" PRIu64
            " of them duplicates",
            facts.n_documents, facts.n_read, facts.n_pairs, facts.n_duplicates);
    return OG_OK;
}

static og_status points_failed(const struct near_settings *s, og_error *err)
{
    err->status = OG_ERR_IO;
    snprintf(err->message, sizeof(err->message), "cannot write '%.200s': %s",
             s->points, strerror(errno));
    return OG_ERR_IO;
}

static og_status print_tables(og_near_eval *eval, const struct near_settings *s,
                              const og_near_eval_options *options,
                              struct progress *progress, og_error *err)
{
    FILE *points = NULL;
    if (s->points != NULL) points = fopen(s->points, "w");
    if (s->points != NULL && points == NULL) return points_failed(s, err);
    const og_status status =
        near_tables_print(eval, options, on_step, progress, points, err);
    if (points == NULL) return status;
    const bool failed = ferror(points) != 0;
    if (fclose(points) == 0 && !failed) return status;
    return status == OG_OK ? points_failed(s, err) : status;
}

static int near_run(const void *settings, const char *const *paths, size_t n)
{
    const struct near_settings *s = settings;
    struct progress progress;
    og_near_eval *eval = NULL;
    og_error err = {0};
    og_near_eval_options options = og_near_eval_options_default();
    if (n == 0 && s->paper)
        return estimator_tables_print(COMMAND, 0, s->common.reading.quiet);
    if (n == 0) return say_usage(COMMAND, "no STREAM given; '-' reads stdin");
    if (s->n_bits != 64 && s->n_bits != 128)
        return say_usage(COMMAND, "--bits is 64 or 128, not %u",
                         (unsigned)s->n_bits);
    if (s->common.idf != NULL)
        return say_usage(COMMAND, "--idf FILE belongs to other documents; "
                                  "--with-idf counts in the sample");
    options.max_documents = s->max_documents;
    options.shingle_len = s->shingle_len;
    options.min_tokens = s->min_tokens;
    options.duplicate = s->duplicate;
    options.ctx = &progress;
    options.on_progress = on_progress;
    const og_input input =
        progress_input(&progress, paths, n, s->common.reading.quiet, false);
    og_status status = og_near_eval_open(&input, &options, &eval, &err);
    progress_end(&progress);
    if (status == OG_OK)
        status = s->paper ? print_tables(eval, s, &options, &progress, &err)
                          : print_one(eval, s, &err);
    og_near_eval_close(eval);
    /* A file that could not be read was reported as a problem. */
    if (status == OG_ERR_IO && progress.n_problems != 0) return EXIT_IO;
    return status == OG_OK ? EXIT_DONE : say_error(COMMAND, &err);
}

const struct command command_eval_near = {
    .name = COMMAND,
    .operands = "[STREAM...]",
    .brief = "measure sketches against exact similarity",
    .about =
        "Draws a sample of documents from a stream and computes the exact "
        "Jaccard similarity of every pair. Then sketches the documents and "
        "measures how well the sketches find the duplicate pairs.\n\n"
        "Prints a header and a TSV line for every Hamming distance of "
        "simhashes: the pairs at that distance, the duplicates among them, and "
        "precision and recall if pairs up to that distance are called "
        "duplicates.\n\n"
        "--paper without STREAM measures the similarity estimators: bias, "
        "variance, random bits and time of each, on sets of known similarity.",
    .examples = "  origo eval near rfc.jsonl --features tokens --stop en\n"
                "  origo eval near --paper pep-history.jsonl > near.md\n"
                "  origo eval near --paper > estimators.md\n",
    .options = near_options,
    .n_options = sizeof(near_options) / sizeof(near_options[0]),
    .settings_len = sizeof(struct near_settings),
    .max_operands = SIZE_MAX,
    .defaults = near_defaults,
    .run = near_run,
};
