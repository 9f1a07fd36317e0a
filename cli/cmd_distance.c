/* origo distance: how similar are the documents of two files?
 *
 * Two sketch files: estimates, according to the kind of sketch. Two files of
 * documents: exact, from their features. */

#include "print_string.h"
#include "say.h"
#include "sketch_settings.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#define COMMAND "sketch distance"

struct distance_settings {
    struct sketch_settings common;
    bool weighted, codes;
};

static void distance_defaults(void *settings)
{
    struct distance_settings *s = settings;
    sketch_defaults(&s->common);
}

#define AT(member) offsetof(struct distance_settings, member)

static const struct option distance_options[] = {
    {.group = "Codes",
     .name = "codes",
     .type = &type_flag,
     .offset = AT(codes),
     .brief = "A and B are lines 'id<TAB>code' of origo simhash",
     .more = "Codes have up to 16 hexadecimal digits, or 32; - is stdin."},
    {.group = "Texts",
     .name = "weighted",
     .type = &type_flag,
     .offset = AT(weighted),
     .brief = "use weights: generalized Jaccard similarity",
     .more = "The distance is then the sum of the weight differences."},
    SKETCH_FEATURE_OPTIONS(AT, common),
    SKETCH_WEIGHT_OPTIONS(AT, common),
    SKETCH_INPUT_OPTIONS(AT, common),
};

static bool on_distance(void *ctx, const og_distance *d)
{
    struct sketch_run *run = ctx;
    print_field(d->id_a);
    putchar('\t');
    print_field(d->id_b);
    if (printf("\t%s\t%.4f\t%.4f\n", d->measure, d->similarity, d->distance) >
            0 &&
        !ferror(stdout))
        return true;
    stdout_failed(errno);
    run->failed = true;
    return false;
}

static int compare_texts(const struct distance_settings *s,
                         const char *const *paths)
{
    struct sketch_run run = {0};
    og_input a;
    og_feature_options features;
    og_stream_counts counts = {0};
    og_error err = {0};
    og_idf *idf = NULL;
    const int status =
        sketch_start(&run, COMMAND, &s->common, paths, 1, &a, &features, &idf);
    if (status != EXIT_DONE) return status;
    og_input b = a;
    b.paths = paths + 1;
    const og_status done = og_texts_compare(&a, &b, s->weighted, &features,
                                            &run, on_distance, &counts, &err);
    og_idf_close(idf);
    progress_end(&run.progress);
    if (run.failed) return EXIT_IO;
    if (!s->common.reading.quiet && counts.n_skipped != 0)
        say("%llu skipped", (unsigned long long)counts.n_skipped);
    return reading_status(COMMAND, done, &counts, &err);
}

static int compare_done(const struct sketch_run *run, og_status done,
                        const og_error *err)
{
    if (run->failed) return EXIT_IO;
    return done == OG_OK ? EXIT_DONE : say_error(COMMAND, err);
}

static int distance_run(const void *settings, const char *const *paths,
                        size_t n)
{
    const struct distance_settings *s = settings;
    struct sketch_run run = {0};
    og_error err = {0};
    const bool is_sketch_a = og_sketch_file_is(paths[0]);
    const bool is_sketch_b = og_sketch_file_is(paths[1]);
    (void)n;
    if (s->codes) {
        printf("a\tb\tmeasure\tsimilarity\tdistance\n");
        return compare_done(
            &run, og_codes_compare(paths[0], paths[1], &run, on_distance, &err),
            &err);
    }
    if (is_sketch_a != is_sketch_b)
        return say_usage(
            COMMAND,
            "'%s' is a sketch file and '%s' is not; make sketches of both",
            paths[is_sketch_a ? 0 : 1], paths[is_sketch_a ? 1 : 0]);
    printf("a\tb\tmeasure\tsimilarity\tdistance\n");
    if (!is_sketch_a) return compare_texts(s, paths);
    return compare_done(
        &run,
        og_sketch_files_compare(paths[0], paths[1], &run, on_distance, &err),
        &err);
}

const struct command command_distance = {
    .name = COMMAND,
    .alias = "distance",
    .operands = "A B",
    .brief = "compare the documents of two files",
    .about = "Prints a header line and, for each pair of a document of A and "
             "one of B, a line of tab-separated values: a b measure similarity "
             "distance.\n\n"
             "A and B are two files that origo sketch minhash or origo sketch "
             "simhash wrote with --format binary and the same parameters, or "
             "two files of documents, or, with --codes, two files with lines "
             "of codes. Sketches give estimates; documents are compared "
             "exactly, by their features. jaccard: common features divided by "
             "all features; the distance is 1 minus that. weighted: the same "
             "with weights; the distance is the sum of the weight differences. "
             "hamming: the number of differing bits. The options apply to "
             "documents; sketch files state their own parameters.",
    .examples = "  origo sketch distance old.txt new.txt\n"
                "  origo sketch minhash -f binary -o a.sk a.jsonl\n"
                "  origo sketch minhash -f binary -o b.sk b.jsonl\n"
                "  origo sketch distance a.sk b.sk\n"
                "  origo sketch simhash new.jsonl | origo sketch distance "
                "--codes - old.tsv\n",
    .options = distance_options,
    .n_options = sizeof(distance_options) / sizeof(distance_options[0]),
    .settings_len = sizeof(struct distance_settings),
    .min_operands = 2,
    .max_operands = 2,
    .missing = "two files are needed: A B",
    .defaults = distance_defaults,
    .run = distance_run,
};
