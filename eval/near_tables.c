/* The experiments of the simhash paper's section 4 on a stream of documents:
 * precision and recall by Hamming distance (its figure 1), the effect of
 * features, how sketches are distributed (its figure 2), and simhash compared
 * with min-hash and with both combined. */

#include "eval/near_tables.h"

#include "eval/evaluation.h"
#include "eval/markdown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct tables {
    og_near_eval *eval;
    const og_near_eval_options *options;
    void (*on_step)(void *ctx);
    void *ctx;
    og_near_facts facts;
    og_near_result result; /* of the current run */
};

static og_status run(struct tables *t, const og_near_run *run, og_error *err)
{
    t->on_step(t->ctx);
    return og_near_eval_run(t->eval, run, &t->result, err);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

/* ---- the truth ---- */

static og_status print_facts(struct tables *t, og_error *err)
{
    const og_near_facts *f = &t->facts;
    struct md_table table = {0};
    printf(
        "A random sample of %llu of %llu documents; %llu pairs. The truth is "
        "the exact Jaccard similarity of the sets of %u-word shingles of every "
        "pair (inverted index). Duplicates have at least %g: %llu pairs.\n\n",
        (unsigned long long)f->n_documents, (unsigned long long)f->n_read,
        (unsigned long long)f->n_pairs, t->options->shingle_len,
        t->options->duplicate, (unsigned long long)f->n_duplicates);
    md_cell(&table, "similarity at least");
    for (unsigned i = 2; i < 10; i++)
        md_cell(&table, "%.1f", (i + 1) / 10.0);
    md_end_row(&table);
    md_cell(&table, "pairs");
    for (unsigned i = 2; i < 10; i++)
        md_cell(&table, "%llu", (unsigned long long)f->at_least[i]);
    md_end_row(&table);
    return md_end_table(&table, err);
}

/* ---- figure 1 ---- */

/* The paper sampled equally many pairs of each distance from 1 on, so there
 * every distance has the same weight, however many pairs it has. */
struct by_distance {
    uint64_t found, right;   /* all pairs up to the distance */
    double even, even_found; /* sum of the shares of duplicates from 1 on */
};

static double share_at(const og_near_result *r, unsigned distance)
{
    return share(r->duplicates_at[distance], r->pairs_at[distance]);
}

static og_status print_figure_1(struct tables *t, const char *title,
                                const og_near_run *how, unsigned step,
                                og_error *err)
{
    struct md_table table = {0};
    struct by_distance sum = {0};
    double even_all = 0;
    const og_near_result *r = &t->result;
    unsigned d = 0;
    og_status status = run(t, how, err);
    if (status != OG_OK) return status;
    for (unsigned i = 1; i <= 10 * step; i++)
        even_all += share_at(r, i);
    printf("### %s\n\n", title);
    const char *const names[] = {"k",           "pairs",  "duplicates",
                                 "precision",   "recall", "precision, even",
                                 "recall, even"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        md_cell(&table, "%s", names[i]);
    md_end_row(&table);
    for (unsigned k = 0; k <= 10 * step; k += step) {
        for (; d <= k; d++) {
            sum.found += r->pairs_at[d];
            sum.right += r->duplicates_at[d];
            if (d == 0) continue;
            sum.even += share_at(r, d);
            sum.even_found += r->pairs_at[d] != 0;
        }
        md_cell(&table, "%u", k);
        md_cell(&table, "%llu", (unsigned long long)sum.found);
        md_cell(&table, "%llu", (unsigned long long)sum.right);
        md_cell(&table, "%.4f", share(sum.right, sum.found));
        md_cell(&table, "%.4f", share(sum.right, t->facts.n_duplicates));
        md_cell(&table, "%.4f",
                sum.even_found > 0 ? sum.even / sum.even_found : 0);
        md_cell(&table, "%.4f", even_all > 0 ? sum.even / even_all : 0);
        md_end_row(&table);
    }
    return md_end_table(&table, err);
}

/* ---- figure 2 ---- */

/* Of n random codes, the share of successive ones that first differ at `bit`.
 * Codes with the same bits above it form one of 2^(63 - bit) groups; a group
 * has one such pair if both values of the bit occur in it. */
static double random_leading(int bit, uint64_t n)
{
    const double p = ldexp(1, bit - 63), codes = (double)n;
    /* Where groups of two are already rare, the difference below would be lost
     * in rounding: counts the pairs that fall into one group and differ
     * there. */
    const double both = codes * p < 1e-4
                            ? codes * (codes - 1) * p * p / 4
                            : 1 - 2 * exp(codes * log1p(-p / 2)) +
                                  (p < 1 ? exp(codes * log1p(-p)) : 0);
    return both / p / (codes - 1);
}

static og_status print_leading(struct tables *t, og_error *err)
{
    const og_near_result *r = &t->result;
    struct md_table table = {0};
    uint64_t n = 0;
    for (unsigned i = 0; i <= 64; i++)
        n += r->leading[i];
    printf("### Leading 1 of the exclusive or of successive sketches "
           "(figure 2a)\n\n");
    md_cell(&table, "bit");
    md_cell(&table, "share");
    md_cell(&table, "random codes");
    md_end_row(&table);
    for (int low = 60; low >= 0; low -= 4) {
        uint64_t here = 0;
        double random = 0;
        for (int b = low; b < low + 4; b++) {
            here += r->leading[b];
            random += random_leading(b, t->facts.n_documents);
        }
        md_cell(&table, "%d to %d", low, low + 3);
        md_cell(&table, "%.4f", share(here, n));
        md_cell(&table, "%.4f", random);
        md_end_row(&table);
    }
    md_cell(&table, "equal");
    md_cell(&table, "%.4f", share(r->leading[64], n));
    md_cell(&table, "%.4f", 0.0);
    md_end_row(&table);
    return md_end_table(&table, err);
}

/* Figure 2a bit by bit, figure 2b bucket by bucket, for plotting. */
static void print_points(const struct tables *t, FILE *out)
{
    const og_near_result *r = &t->result;
    const uint64_t n = t->facts.n_documents;
    fprintf(out, "figure\tseries\tx\ty\n");
    for (int bit = 0; bit < 64 && n > 1; bit++) {
        fprintf(out, "2a\tsketches\t%d\t%.6f\n", bit,
                share(r->leading[bit], n - 1));
        fprintf(out, "2a\trandom codes\t%d\t%.6f\n", bit,
                random_leading(bit, n));
    }
    for (unsigned i = 0; i < 128; i++)
        fprintf(out, "2b\tsketches\t%u\t%llu\n", i,
                (unsigned long long)r->buckets[i]);
    fprintf(out, "2b\tmean\t0\t%.4f\n2b\tmean\t127\t%.4f\n", (double)n / 128,
            (double)n / 128);
}

static void print_buckets(const struct tables *t)
{
    const og_near_result *r = &t->result;
    const double mean = (double)t->facts.n_documents / 128;
    uint64_t least = UINT64_MAX, most = 0;
    double spread = 0;
    for (unsigned i = 0; i < 128; i++) {
        const uint64_t n = r->buckets[i];
        if (n < least) least = n;
        if (n > most) most = n;
        spread += ((double)n - mean) * ((double)n - mean);
    }
    printf("Sketches in 128 buckets by their highest bits (figure 2b): %.1f on "
           "average, %llu to %llu; standard deviation %.1f, of random codes "
           "%.1f.\n\n",
           mean, (unsigned long long)least, (unsigned long long)most,
           sqrt(spread / 128), sqrt(mean * 127 / 128));
}

/* ---- features ---- */

struct variant {
    const char *name;
    og_feature_kind kind;
    uint32_t phrase_len;
    const char *stop, *stem;
    og_tf_kind tf;
    bool with_idf;
};

static const struct variant variants[] = {
    {"tokens", OG_FEATURE_TOKENS, 1, NULL, NULL, OG_TF_COUNT, false},
    {"tokens, tf log", OG_FEATURE_TOKENS, 1, NULL, NULL, OG_TF_LOG, false},
    {"tokens, stop", OG_FEATURE_TOKENS, 1, "en", NULL, OG_TF_COUNT, false},
    {"tokens, stop, stem, tf log, idf", OG_FEATURE_TOKENS, 1, "en", "en",
     OG_TF_LOG, true},
    {"phrases of 2", OG_FEATURE_PHRASES, 2, NULL, NULL, OG_TF_COUNT, false},
    {"phrases of 3", OG_FEATURE_PHRASES, 3, NULL, NULL, OG_TF_COUNT, false},
    {"phrases of 3, tf one", OG_FEATURE_PHRASES, 3, NULL, NULL, OG_TF_ONE,
     false},
    {"phrases of 3, tf one, idf", OG_FEATURE_PHRASES, 3, NULL, NULL, OG_TF_ONE,
     true},
    {"phrases of 5, tf one", OG_FEATURE_PHRASES, 5, NULL, NULL, OG_TF_ONE,
     false},
    {"wrap of 5, tf one", OG_FEATURE_WRAP, 5, NULL, NULL, OG_TF_ONE, false},
    {"phrases of 5, tf one, idf", OG_FEATURE_PHRASES, 5, NULL, NULL, OG_TF_ONE,
     true},
    {"spots of 3, tf one", OG_FEATURE_SPOT, 3, "en", NULL, OG_TF_ONE, false},
};

static og_near_run run_of(const struct variant *v, unsigned n_bits)
{
    og_near_run run = {.features = og_feature_options_default(),
                       .with_idf = v->with_idf,
                       .simhash_bits = n_bits};
    run.features.kind = v->kind;
    run.features.phrase_len = v->phrase_len;
    run.features.stop = v->stop;
    run.features.stem = v->stem;
    run.features.tf = v->tf;
    return run;
}

static void add_at_3(struct md_table *table, const struct tables *t)
{
    uint64_t found = 0, right = 0;
    for (unsigned d = 0; d <= 3; d++) {
        found += t->result.pairs_at[d];
        right += t->result.duplicates_at[d];
    }
    md_cell(table, "%.4f", share(right, found));
    md_cell(table, "%.4f", share(right, t->facts.n_duplicates));
}

static void add_score(struct md_table *table, const og_near_score *s)
{
    md_cell(table, "%.4f", s->precision);
    md_cell(table, "%.4f", s->recall);
    md_cell(table, "%.4f", s->f1);
}

static og_status print_features(struct tables *t, og_error *err)
{
    struct md_table table = {0};
    printf("### Features (simhash of 64 bits)\n\n"
           "At k = 3, and at the k with the best F1, which is chosen on one "
           "half of the pairs and scored on the other.\n\n");
    const char *const names[] = {
        "features",  "precision, 3", "recall, 3", "best k",
        "precision", "recall",       "F1",        "features per document",
        "seconds"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        md_cell(&table, "%s", names[i]);
    md_end_row(&table);
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        const og_near_run how = run_of(&variants[i], 64);
        const og_status status = run(t, &how, err);
        if (status != OG_OK) {
            md_release(&table);
            return status;
        }
        md_cell(&table, "%s", variants[i].name);
        add_at_3(&table, t);
        md_cell(&table, "%u", t->result.simhash.distance);
        add_score(&table, &t->result.simhash);
        md_cell(&table, "%.0f", t->result.features_mean);
        md_cell(&table, "%.2f", t->result.seconds);
        md_end_row(&table);
    }
    return md_end_table(&table, err);
}

/* ---- simhash, min-hash, both ---- */

enum which { SIMHASH, MINHASH, BOTH, SUM };

static const struct {
    const char *name;
    unsigned simhash_bits;
    uint32_t n_samples, sample_bits;
    enum which which;
} contests[] = {
    {"8 bytes: simhash 64", 64, 0, 1, SIMHASH},
    {"8 bytes: min-hash 64 x 1", 0, 64, 1, MINHASH},
    {"8 bytes: min-hash 32 x 2", 0, 32, 2, MINHASH},
    {"16 bytes: simhash 128", 128, 0, 1, SIMHASH},
    {"16 bytes: min-hash 128 x 1", 0, 128, 1, MINHASH},
    {"16 bytes: min-hash 64 x 2", 0, 64, 2, MINHASH},
    {"16 bytes: min-hash 16 x 8", 0, 16, 8, MINHASH},
    {"16 bytes: 64 and 64 x 1, each", 64, 64, 1, BOTH},
    {"16 bytes: 64 and 64 x 1, sum", 64, 64, 1, SUM},
    {"24 bytes: min-hash 96 x 2", 0, 96, 2, MINHASH},
    {"24 bytes: 64 and 128 x 1, each", 64, 128, 1, BOTH},
    {"24 bytes: 64 and 128 x 1, sum", 64, 128, 1, SUM},
    {"32 bytes: min-hash 128 x 2", 0, 128, 2, MINHASH},
    {"32 bytes: 128 and 128 x 1, each", 128, 128, 1, BOTH},
    {"32 bytes: 128 and 128 x 1, sum", 128, 128, 1, SUM},
};

static const og_near_score *score_of(const og_near_result *r, enum which which)
{
    switch (which) {
    case SIMHASH: return &r->simhash;
    case MINHASH: return &r->minhash;
    case BOTH: return &r->both;
    case SUM: break;
    }
    return &r->sum;
}

static og_status print_contest(struct tables *t, og_error *err)
{
    static const struct variant sets = {"phrases of 5, tf one",
                                        OG_FEATURE_PHRASES,
                                        5,
                                        NULL,
                                        NULL,
                                        OG_TF_ONE,
                                        false};
    struct md_table table = {0};
    printf("### Simhash, min-hash and both, with the same number of bytes per "
           "document\n\n"
           "Sets of 5-word phrases. min-hash n x b: n samples of which b bits "
           "are kept. each: both must be close enough; sum: a weighted sum "
           "must be. Thresholds are chosen on one half of the pairs and scored "
           "on the other.\n\n");
    md_cell(&table, "sketch");
    md_cell(&table, "precision");
    md_cell(&table, "recall");
    md_cell(&table, "F1");
    md_end_row(&table);
    for (size_t i = 0; i < sizeof(contests) / sizeof(contests[0]); i++) {
        og_near_run how = run_of(&sets, contests[i].simhash_bits);
        how.n_samples = contests[i].n_samples;
        how.sample_bits = contests[i].sample_bits;
        const og_status status = run(t, &how, err);
        if (status != OG_OK) {
            md_release(&table);
            return status;
        }
        md_cell(&table, "%s", contests[i].name);
        add_score(&table, score_of(&t->result, contests[i].which));
        md_end_row(&table);
    }
    return md_end_table(&table, err);
}

/* ---- the whole ---- */

og_status near_tables_print(og_near_eval *eval,
                            const og_near_eval_options *options,
                            void (*on_step)(void *ctx), void *ctx, FILE *points,
                            og_error *err)
{
    struct tables t = {
        .eval = eval, .options = options, .on_step = on_step, .ctx = ctx};
    og_near_run simhash = {.features = og_feature_options_default(),
                           .simhash_bits = 64};
    simhash.features.tf = OG_TF_ONE;
    og_near_run wide = simhash;
    wide.simhash_bits = 128;
    og_near_facts_get(eval, &t.facts);
    og_status status = print_facts(&t, err);
    if (status == OG_OK)
        status =
            print_figure_1(&t, "Precision and recall, 128 bits", &wide, 2, err);
    if (status == OG_OK)
        status = print_figure_1(&t, "Precision and recall, 64 bits (figure 1)",
                                &simhash, 1, err);
    if (status == OG_OK) status = print_leading(&t, err);
    if (status != OG_OK) return status;
    print_buckets(&t);
    if (points != NULL) print_points(&t, points);
    status = print_features(&t, err);
    return status == OG_OK ? print_contest(&t, err) : status;
}
