/* origo eval pan: passages against those of a PAN corpus. */

#include "cli/options.h"
#include "cli/say.h"
#include "eval/evaluation.h"

#include <errno.h>
#include <origo/origo.h>
#include <stdint.h>
#include <stdio.h>

#define COMMAND "eval pan"

struct pan_settings {
    const char *detections, *write_to, *pairs, *thresholds;
    uint32_t half;
    bool verbatim;
};

static void pan_defaults(void *settings)
{
    (void)settings;
}

#define AT(member) offsetof(struct pan_settings, member)
#define WHAT       "What is scored"

static const struct option pan_options[] = {
    {.group = WHAT,
     .name = "detections",
     .type = &type_string,
     .offset = AT(detections),
     .value = "DIR",
     .unset = "compare the pairs",
     .brief = "score the XML files of this folder instead"},
    {.group = WHAT,
     .letter = 'o',
     .name = "output",
     .type = &type_string,
     .offset = AT(write_to),
     .value = "DIR",
     .unset = "none",
     .brief = "write the detections as XML, one file per pair",
     .more = "The folder must exist."},
    {.group = WHAT,
     .name = "pairs",
     .type = &type_string,
     .offset = AT(pairs),
     .value = "FILE",
     .unset = "none",
     .brief = "write the sums for each pair as TSV",
     .more = "Columns: subset document source cases found recall precision hit "
             "met. The sums over any set of pairs give its score: recall / "
             "cases, precision / found, met / hit."},
    {.group = WHAT,
     .name = "thresholds",
     .type = &type_string,
     .offset = AT(thresholds),
     .value = "LIST",
     .unset = "the usual thresholds",
     .brief = "thresholds for paraphrases, as NAME=NUMBER,...",
     .more = "The names are those in lib/align/thresholds.h."},
    {.group = WHAT,
     .name = "half",
     .type = &type_count,
     .offset = AT(half),
     .value = "N",
     .brief = "1 or 2: only every other pair; 0: all pairs",
     .more = "Choose thresholds on one half and check them on the other."},
    {.group = WHAT,
     .name = "verbatim",
     .type = &type_flag,
     .offset = AT(verbatim),
     .brief = "only copies with small edits, no paraphrases"},
};

static bool on_row(void *ctx, const og_pan_row *row)
{
    const bool timed = row->seconds > 0 && row->n_pairs > 0;
    (void)ctx;
    printf("%s\t%llu\t%llu\t%llu\t%.5f\t%.5f\t%.5f\t%.5f", row->subset,
           (unsigned long long)row->n_pairs, (unsigned long long)row->n_cases,
           (unsigned long long)row->n_found, row->plagdet, row->precision,
           row->recall, row->granularity);
    if (timed)
        printf("\t%.3f\t%.3f\n", 1e3 * row->seconds / (double)row->n_pairs,
               1e3 * row->slowest);
    else
        printf("\t\t\n");
    if (!ferror(stdout)) return true;
    stdout_failed(errno);
    return false;
}

static int pan_run(const void *settings, const char *const *paths, size_t n)
{
    const struct pan_settings *s = settings;
    og_pan_options options = og_pan_options_default();
    og_error err = {0};
    (void)n;
    if (s->half > 2)
        return say_usage(COMMAND, "option '--half' must be 0, 1 or 2, not %u",
                         s->half);
    options.detections = s->detections;
    options.write_to = s->write_to;
    options.pairs = s->pairs;
    options.thresholds = s->thresholds;
    options.half = s->half;
    options.compare.reworded = !s->verbatim;
    options.on_row = on_row;
    printf("subset\tpairs\tcases\tfound\tplagdet\tprecision\trecall\t"
           "granularity\tms_pair\tms_slowest\n");
    const og_status status = og_eval_pan(paths[0], &options, &err);
    if (status == OG_ERR_STOPPED) return EXIT_IO;
    return status == OG_OK ? EXIT_DONE : say_error(COMMAND, &err);
}

const struct command command_eval_pan = {
    .name = COMMAND,
    .operands = "CORPUS",
    .brief = "measure passages on a PAN text alignment corpus",
    .about = "Compares every pair of a corpus in the format of PAN's text "
             "alignment task and scores the detected passages against the true "
             "ones. CORPUS contains src, susp and folders 01-... with a file "
             "named pairs and one XML file of true passages per pair.\n\n"
             "Prints a header line and a TSV line for each subset and for all, "
             "with the columns subset pairs cases found plagdet precision "
             "recall granularity ms_pair ms_slowest. Precision and recall are "
             "averages over passages (macro), granularity is how often a "
             "passage was detected, plagdet is F1 / log2(1 + granularity). The "
             "last two are milliseconds per pair: the average and the slowest.",
    .examples = "  origo eval pan pan13-training\n"
                "  origo eval pan --detections found.xml pan13-training\n",
    .options = pan_options,
    .n_options = sizeof(pan_options) / sizeof(pan_options[0]),
    .settings_len = sizeof(struct pan_settings),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no CORPUS given",
    .defaults = pan_defaults,
    .run = pan_run,
};
