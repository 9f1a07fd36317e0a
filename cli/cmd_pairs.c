/* origo pairs: near-duplicate pairs by supershingles.
 *
 *     documents -> samples -> supershingles -> tables -> pairs
 *
 * A pair is reported if enough supershingles agree: by default two of six,
 * which takes 15 tables, one for each choice of two. The samples of the
 * supershingles then estimate the similarity of the two.
 *
 * The other method is the book's for sets of samples: the smallest hashes of a
 * document, cut into groups at positions chosen by a hash; a pair has a group
 * in common. The table is the same, with one key per group. */

#include "print_string.h"
#include "say.h"
#include "sketch_settings.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND "sketch pairs"

struct pairs_settings {
    struct sketch_settings common;
    int method; /* 0 supershingles, 1 groups */
    uint32_t n_rows, n_bands, n_needed, n_bits, limit, seed;
    uint32_t n_samples, group_len; /* of groups */
    double threshold;
    bool exit_code;
};

static void pairs_defaults(void *settings)
{
    const og_bands usual = OG_BANDS_ALTAVISTA;
    struct pairs_settings *s = settings;
    sketch_defaults(&s->common);
    s->n_rows = usual.n_rows;
    s->n_bands = usual.n_bands;
    s->n_needed = usual.n_needed;
    s->n_bits = usual.n_bits;
    s->limit = 100;
    s->n_samples = 100;
    s->group_len = 10;
}

#define AT(member) offsetof(struct pairs_settings, member)

static const struct option pairs_options[] = {
    {.group = "Pairs",
     .name = "method",
     .type = &type_choice,
     .offset = AT(method),
     .value = "METHOD",
     .choices = "supershingles|groups",
     .brief = "how to find pairs",
     .more = "supershingles: enough of them agree. groups: the smallest hashes "
             "of a document, in order, are cut into content-defined groups, "
             "and at least one group agrees."},
    {.group = "Supershingles",
     .name = "rows",
     .type = &type_count,
     .offset = AT(n_rows),
     .value = "N",
     .brief = "samples in a supershingle"},
    {.group = "Supershingles",
     .name = "bands",
     .type = &type_count,
     .offset = AT(n_bands),
     .value = "N",
     .brief = "supershingles per document, 1 to 64"},
    {.group = "Supershingles",
     .name = "needed",
     .type = &type_count,
     .offset = AT(n_needed),
     .value = "N",
     .brief = "number of them that must agree",
     .more = "There is a table for each such combination: 15 for two of six "
             "and for four of six. 'origo sketch curve' shows which pairs a "
             "design finds."},
    {.group = "Supershingles",
     .name = "bits",
     .type = &type_count,
     .offset = AT(n_bits),
     .value = "N",
     .brief = "bits per supershingle, 1 to 64"},
    {.group = "Groups",
     .name = "samples",
     .type = &type_count,
     .offset = AT(n_samples),
     .value = "N",
     .brief = "smallest hashes per document, 1 to 4096"},
    {.group = "Groups",
     .name = "group",
     .type = &type_count,
     .offset = AT(group_len),
     .value = "N",
     .brief = "average number of hashes in a group"},
    {.group = "Supershingles",
     .name = "seed",
     .type = &type_count,
     .offset = AT(seed),
     .value = "N",
     .brief = "seed of the samples"},
    {.group = "Pairs",
     .letter = 't',
     .name = "threshold",
     .type = &type_weight,
     .offset = AT(threshold),
     .value = "SHARE",
     .brief = "minimum similarity, estimated from the samples"},
    {.group = "Pairs",
     .name = "limit",
     .type = &type_count,
     .offset = AT(limit),
     .value = "N",
     .brief = "earlier documents per table and document; 0: all",
     .more = "The oldest ones are used. A million copies then give a million "
             "times N pairs rather than their square; the summary says how "
             "often the limit was reached."},
    SKETCH_FEATURE_OPTIONS(AT, common),
    EXIT_CODE_OPTION(AT, exit_code, "there was a pair"),
    SKETCH_INPUT_OPTIONS(AT, common),
};

/* ---- the documents so far ---- */

struct pairs_run {
    struct sketch_run run; /* first: passed to the callbacks of the stream */
    const struct pairs_settings *settings;
    og_bands bands;
    size_t n_samples, n, cap;
    og_band_tables *tables;
    uint32_t *samples; /* n_samples of each document in the tables */
    uint64_t *sets;    /* or n_samples hashes, and their number */
    size_t *n_set;
    uint32_t *doc_of; /* of groups: number in the table to document */
    size_t n_groups, groups_cap;
    uint32_t *last_met; /* of documents: the last one that met it, plus 1 */
    char **ids;
    size_t *id_lens;
    uint64_t n_pairs, n_cut;
    og_status status;
    og_error err;
};

static bool grow(void *array, size_t n, size_t size)
{
    void *larger = realloc(*(void **)array, n * size);
    if (larger != NULL) *(void **)array = larger;
    return larger != NULL;
}

/* Room for one document more. */
static bool reserve(struct pairs_run *r)
{
    const bool has_sets = r->settings->method == 1;
    const size_t cap = r->cap == 0 ? 1024 : 2 * r->cap;
    if (r->n < r->cap) return true;
    if (!grow(&r->ids, cap, sizeof(*r->ids)) ||
        !grow(&r->id_lens, cap, sizeof(*r->id_lens)) ||
        !grow(&r->last_met, cap, sizeof(*r->last_met)))
        return false;
    if (has_sets ? !grow(&r->sets, cap, r->n_samples * sizeof(*r->sets)) ||
                       !grow(&r->n_set, cap, sizeof(*r->n_set))
                 : !grow(&r->samples, cap, r->n_samples * sizeof(*r->samples)))
        return false;
    r->cap = cap;
    return true;
}

static bool keep(struct pairs_run *r, og_bytes id,
                 const og_minhash_sketch *sketch)
{
    r->ids[r->n] = malloc(id.len + 1);
    if (r->ids[r->n] == NULL) return false;
    memcpy(r->ids[r->n], id.data, id.len);
    r->id_lens[r->n] = id.len;
    r->last_met[r->n] = 0;
    if (r->settings->method == 1) {
        r->n_set[r->n] = sketch->n_set;
        memcpy(r->sets + r->n * r->n_samples, sketch->set,
               sketch->n_set * sizeof(*sketch->set));
    } else {
        memcpy(r->samples + r->n * r->n_samples, sketch->samples,
               r->n_samples * sizeof(*sketch->samples));
    }
    r->n++;
    return true;
}

/* ---- pairs ---- */

static void print_pair(struct pairs_run *r, uint32_t other, og_bytes id,
                       uint32_t n_common, double similarity)
{
    if (similarity < r->settings->threshold) return;
    r->n_pairs++;
    print_field((og_bytes){r->ids[other], r->id_lens[other]});
    putchar('\t');
    print_field(id);
    printf("\t%u\t%.4f\n", n_common, similarity);
}

static void report_pair(struct pairs_run *r, uint32_t other, og_bytes id,
                        const uint32_t *samples)
{
    const uint32_t *const theirs = r->samples + other * r->n_samples;
    uint32_t n_equal = 0, n_bands = 0;
    for (uint32_t b = 0; b < r->bands.n_bands; b++) {
        const size_t at = (size_t)b * r->bands.n_rows;
        uint32_t n = 0;
        for (uint32_t i = 0; i < r->bands.n_rows; i++)
            n += theirs[at + i] == samples[at + i];
        n_equal += n;
        n_bands += n == r->bands.n_rows;
    }
    print_pair(r, other, id, n_bands, (double)n_equal / (double)r->n_samples);
}

static og_status meet_supershingles(struct pairs_run *r, og_bytes id,
                                    const og_minhash_sketch *sketch)
{
    uint64_t values[64];
    const uint32_t *met;
    size_t n_met;
    og_supershingles(&r->bands, sketch->samples, values);
    const og_status status = og_band_tables_meet(
        r->tables, values, r->settings->limit, &met, &n_met, &r->err);
    if (status != OG_OK) return status;
    r->n_cut += r->settings->limit != 0 && n_met >= r->settings->limit;
    for (size_t i = 0; i < n_met; i++)
        report_pair(r, met[i], id, sketch->samples);
    return OG_OK;
}

/* ---- groups ---- */

static uint32_t common_groups(const struct pairs_run *r, uint32_t other,
                              const uint64_t *groups, size_t n)
{
    uint64_t theirs[4096];
    uint32_t n_common = 0;
    const size_t n_theirs =
        og_sample_groups(r->sets + other * r->n_samples, r->n_set[other],
                         r->settings->group_len, theirs);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_theirs; k++)
            n_common += groups[i] == theirs[k];
    return n_common;
}

/* The documents that have the group, each once per document. */
static og_status meet_group(struct pairs_run *r, const uint64_t *group,
                            uint32_t *met, size_t *n_met)
{
    const uint32_t *found;
    size_t n_found;
    if (r->n_groups == r->groups_cap) {
        r->groups_cap = r->groups_cap == 0 ? 4096 : 2 * r->groups_cap;
        if (!grow(&r->doc_of, r->groups_cap, sizeof(*r->doc_of)))
            return OG_ERR_MEMORY;
    }
    const og_status status = og_band_tables_meet(
        r->tables, group, r->settings->limit, &found, &n_found, &r->err);
    if (status != OG_OK) return status;
    r->doc_of[r->n_groups++] = (uint32_t)r->n;
    r->n_cut += r->settings->limit != 0 && n_found >= r->settings->limit;
    for (size_t i = 0; i < n_found; i++) {
        const uint32_t doc = r->doc_of[found[i]];
        if (doc == r->n || r->last_met[doc] == r->n + 1) continue;
        r->last_met[doc] = (uint32_t)r->n + 1;
        met[(*n_met)++] = doc;
    }
    return OG_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static og_status meet_groups(struct pairs_run *r, og_bytes id,
                             const og_minhash_sketch *sketch)
{
    uint64_t groups[4096];
    const size_t n = og_sample_groups(sketch->set, sketch->n_set,
                                      r->settings->group_len, groups);
    uint32_t *met = malloc((r->n + 1) * sizeof(*met));
    size_t n_met = 0;
    og_status status = met == NULL ? OG_ERR_MEMORY : OG_OK;
    for (size_t i = 0; status == OG_OK && i < n; i++)
        status = meet_group(r, &groups[i], met, &n_met);
    if (status == OG_OK && n_met > 1)
        qsort(met, n_met, sizeof(*met), by_number);
    for (size_t i = 0; status == OG_OK && i < n_met; i++)
        print_pair(r, met[i], id, common_groups(r, met[i], groups, n),
                   og_sample_sets_similarity(r->sets + met[i] * r->n_samples,
                                             r->n_set[met[i]], sketch->set,
                                             sketch->n_set, r->n_samples));
    free(met);
    return status;
}

static bool on_sketch(void *ctx, og_bytes id, const og_minhash_sketch *sketch)
{
    struct pairs_run *r = ctx;
    if (sketch->is_empty) return true;
    r->status = !reserve(r)                ? OG_ERR_MEMORY
                : r->settings->method == 1 ? meet_groups(r, id, sketch)
                                           : meet_supershingles(r, id, sketch);
    if (r->status == OG_OK && !keep(r, id, sketch)) r->status = OG_ERR_MEMORY;
    if (r->status == OG_ERR_MEMORY && r->err.status == OG_OK)
        r->err = (og_error){.status = OG_ERR_MEMORY,
                            .message = "no memory for the samples"};
    if (ferror(stdout)) {
        stdout_failed(errno);
        r->run.failed = true;
    }
    return r->status == OG_OK && !r->run.failed;
}

/* ---- the command ---- */

static void release(struct pairs_run *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->ids[i]);
    free(r->ids);
    free(r->id_lens);
    free(r->samples);
    free(r->sets);
    free(r->n_set);
    free(r->doc_of);
    free(r->last_met);
    og_band_tables_free(r->tables);
}

static int end(struct pairs_run *r, og_status done,
               const og_stream_counts *counts, const og_error *err)
{
    const struct pairs_settings *s = r->settings;
    if (r->status != OG_OK) {
        progress_end(&r->run.progress);
        return say_error(COMMAND, &r->err);
    }
    const int status =
        sketch_end(&r->run, COMMAND, &s->common, done, counts, err);
    if (status != EXIT_DONE) return status;
    if (!s->common.reading.quiet)
        say("%llu pairs", (unsigned long long)r->n_pairs);
    if (!s->common.reading.quiet && r->n_cut > 0)
        say("%llu documents reached the limit of %u others in a table, which "
            "may have had more of them (--limit)",
            (unsigned long long)r->n_cut, s->limit);
    return s->exit_code && r->n_pairs > 0 ? EXIT_FOUND : EXIT_DONE;
}

static int pairs_run(const void *settings, const char *const *paths, size_t n)
{
    const struct pairs_settings *s = settings;
    struct pairs_run r = {
        .settings = s,
        .bands = {s->n_rows, s->n_bands, s->n_needed, s->n_bits}};
    og_minhash_options minhash = og_minhash_options_default();
    og_input input;
    og_feature_options features;
    og_stream_counts counts = {0};
    og_error err = {0};
    og_idf *idf = NULL;
    minhash.n_samples = s->n_rows * s->n_bands;
    if (s->method == 1) {
        if (s->group_len == 0)
            return say_usage(COMMAND, "--group must be at least 1");
        r.bands = (og_bands){1, 1, 1, 64};
        minhash.method = OG_MINHASH_SMALLEST;
        minhash.n_samples = s->n_samples;
    }
    minhash.seed = s->seed;
    if (og_bands_check(&r.bands, &err) != OG_OK ||
        og_minhash_options_check(&minhash, &err) != OG_OK ||
        og_band_tables_new(&r.bands, &r.tables, &err) != OG_OK)
        return say_error(COMMAND, &err);
    r.n_samples = minhash.n_samples;
    int status = sketch_start(&r.run, COMMAND, &s->common, paths, n, &input,
                              &features, &idf);
    if (status == EXIT_DONE) {
        const og_status done = og_minhash_stream(&input, &minhash, &features,
                                                 on_sketch, &r, &counts, &err);
        status = end(&r, done, &counts, &err);
    }
    release(&r);
    return status;
}

const struct command command_pairs = {
    .name = COMMAND,
    .alias = "pairs",
    .operands = "FILE...",
    .brief = "find near-duplicate pairs by supershingles",
    .about = "Writes a line 'id<TAB>id<TAB>common<TAB>similarity' for each "
             "pair of documents with enough equal supershingles (or groups): "
             "the earlier document, the later one, the number of equal "
             "supershingles, and the share of equal samples, which estimates "
             "the Jaccard similarity of their features. The default, two of "
             "six supershingles over 14 samples each, finds 0.88 of the pairs "
             "at a similarity of 0.95 and one in a thousand at 0.7.\n\n"
             "The samples and ids of all documents are held in memory, about "
             "600 bytes per document. FILE is as for origo trace.",
    .examples =
        "  origo sketch pairs mail.jsonl > pairs.tsv\n"
        "  origo sketch pairs --rows 5 --needed 4 --bits 16 mail.jsonl\n",
    .options = pairs_options,
    .n_options = sizeof(pairs_options) / sizeof(pairs_options[0]),
    .settings_len = sizeof(struct pairs_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = pairs_defaults,
    .run = pairs_run,
};
