/* origo hamming join and hamming-merge: many codes against a file that is
 * larger than memory, in shards that can run on any machines. */

#include "options.h"
#include "say.h"

#include <origo/origo.h>
#include <stdint.h>
#include <string.h>

struct join_settings {
    const char *queries, *shard, *output;
    uint32_t max_distance;
    uint64_t memory;
    bool quiet;
};

static void join_defaults(void *settings)
{
    const og_hamming_join_options options = og_hamming_join_options_default();
    struct join_settings *s = settings;
    s->max_distance = options.max_distance;
    s->memory = options.memory;
}

#define AT(member) offsetof(struct join_settings, member)

static const struct option join_options[] = {
    {.group = "Questions",
     .name = "queries",
     .type = &type_string,
     .offset = AT(queries),
     .value = "FILE",
     .brief = "the codes to look up; required",
     .more = "The codes and their tables are held in memory."},
    {.group = "Questions",
     .letter = 'd',
     .name = "distance",
     .type = &type_count,
     .offset = AT(max_distance),
     .value = "K",
     .brief = "number of bits that may differ"},
    {.group = "Questions",
     .letter = 'm',
     .name = "memory",
     .type = &type_size,
     .offset = AT(memory),
     .value = "SIZE",
     .brief = "memory for tables that the planner may use"},
    {.group = "Output",
     .name = "shard",
     .type = &type_string,
     .offset = AT(shard),
     .value = "I/N",
     .unset = "all of it",
     .brief = "process only the I-th of N parts of the file",
     .more = "The output is then a part for 'origo hamming merge'."},
    OUTPUT_FILE_OPTION(AT, output, .unset = "stdout",
                       .brief = "output file; it appears when it is complete"),
    {.group = "Output",
     .name = "quiet",
     .type = &type_flag,
     .offset = AT(quiet),
     .brief = "no summary on stderr"},
};

static const struct option merge_options[] = {
    OUTPUT_FILE_OPTION(AT, output, .unset = "stdout",
                       .brief = "output file; it appears when it is complete"),
    {.group = "Output",
     .letter = 'q',
     .name = "quiet",
     .type = &type_flag,
     .offset = AT(quiet),
     .brief = "no summary on stderr"},
};

/* "2/16" */
static bool parse_shard(const char *s, uint32_t *out_shard,
                        uint32_t *out_n_shards)
{
    unsigned shard, n_shards;
    int n = -1;
    if (sscanf(s, "%u/%u%n", &shard, &n_shards, &n) != 2 || n < 0 ||
        s[n] != '\0' || s[0] < '0' || s[0] > '9')
        return false;
    if (shard == 0 || shard > n_shards || n_shards > 1000000) return false;
    *out_shard = shard - 1;
    *out_n_shards = n_shards;
    return true;
}

static int join_run(const void *settings, const char *const *operands, size_t n)
{
    const struct join_settings *s = settings;
    og_hamming_join_options options = og_hamming_join_options_default();
    og_hamming_join_counts counts = {0};
    og_error err = {0};
    (void)n;
    if (s->queries == NULL)
        return say_usage("hamming join", "no --queries FILE given");
    if (s->shard != NULL &&
        !parse_shard(s->shard, &options.shard, &options.n_shards))
        return say_usage("hamming join",
                         "option '--shard' takes a part like 2/16, not '%s'",
                         s->shard);
    options.as_part = s->shard != NULL;
    options.questions = s->queries;
    options.file = operands[0];
    options.output = s->output;
    options.max_distance = s->max_distance;
    options.memory = s->memory;
    if (og_hamming_join(&options, &counts, &err) != OG_OK)
        return say_error("hamming join", &err);
    if (!s->quiet)
        say("%llu queries, %llu codes, %llu pairs",
            (unsigned long long)counts.n_questions,
            (unsigned long long)counts.n_codes,
            (unsigned long long)counts.n_pairs);
    return EXIT_DONE;
}

static int merge_run(const void *settings, const char *const *operands,
                     size_t n)
{
    const struct join_settings *s = settings;
    uint64_t n_pairs = 0;
    og_error err = {0};
    if (og_hamming_merge(operands, n, s->output, &n_pairs, &err) != OG_OK)
        return say_error("hamming merge", &err);
    if (!s->quiet) say("%zu parts, %llu pairs", n, (unsigned long long)n_pairs);
    return EXIT_DONE;
}

const struct command command_hamming_join = {
    .name = "hamming join",
    .alias = "hamming-join",
    .operands = "FILE",
    .brief = "all pairs of codes of two files within K bits",
    .about = "Reads FILE once, sequentially, and writes a line "
             "'query<TAB>id<TAB>distance' for each query within K bits of one "
             "of its entries, in the order of FILE. FILE may be larger than "
             "memory; the queries are held in tables.\n\n"
             "With --shard, N runs on one or more machines process a part "
             "each; 'origo hamming merge' combines the parts into exactly the "
             "output of a single run.\n\n"
             "Both files have one line 'id<TAB>code' per document, or are "
             "binary files of 'origo sketch simhash'; - is stdin.",
    .examples =
        "  origo hamming join --queries new.tsv all.tsv\n"
        "  origo hamming join --queries new.tsv --shard 1/2 -o 1.part all.tsv\n"
        "  origo hamming join --queries new.tsv --shard 2/2 -o 2.part all.tsv\n"
        "  origo hamming merge -o pairs.tsv 1.part 2.part\n",
    .options = join_options,
    .n_options = sizeof(join_options) / sizeof(join_options[0]),
    .settings_len = sizeof(struct join_settings),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = join_defaults,
    .run = join_run,
};

const struct command command_hamming_merge = {
    .name = "hamming merge",
    .alias = "hamming-merge",
    .operands = "PART...",
    .brief = "combine the parts of a hamming join",
    .about = "Takes all parts, in any order. If parts are missing, truncated "
             "or from another join, they are reported and nothing is written.",
    .examples = "  origo hamming merge -o pairs.tsv *.part\n",
    .options = merge_options,
    .n_options = sizeof(merge_options) / sizeof(merge_options[0]),
    .settings_len = sizeof(struct join_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no PART given",
    .run = merge_run,
};
