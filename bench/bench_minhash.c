/* How fast are the min-hash kernels, at which error, and how near to what the
 * machine can do?
 *
 *     bench_minhash [--cpu LEVEL] [--runs N] [--samples N] [--short]
 *                   [--dump FILE] FILE...
 *
 * Lane B: tokens are prepared, the kernel alone is timed. Documents become
 * sets of features (words, phrases of 5), then every method makes the sketches
 * of all of them. Every figure is the fastest of N runs after a warm-up, on one
 * pinned processor. Quality is given beside speed: the average squared error on
 * neighbours (document i and i + 1, and each with a copy of itself in which
 * every tenth phrase is another), against what theory says of independent
 * samples.
 *
 * --dump writes the sets, for the peers to read: the same tokens in one run
 * (bench/peers_minhash.py). */

#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/machine.h"
#include "lib/os/cpu.h"
#include "lib/sketch/features/features.h"
#include "lib/sketch/minhash.h"
#include "lib/source/source.h"

#define LIMIT_FEATURES 2000000
#define PEER_DOCS      1500 /* as in peers_minhash.py */
#define PEER_SEEDS     16

struct corpus {
    uint64_t *feature;
    size_t n, cap;
    size_t *end; /* of each document's features */
    size_t n_docs, docs_cap;
};

struct settings {
    unsigned n_runs;
    uint32_t n_samples;
    const char *dump;
    bool is_short; /* the three that peers are compared with */
    const char **paths;
    size_t n_paths;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_minhash: %s\n", what);
    exit(3);
}

static void must(og_status status, const og_error *err)
{
    if (status != OG_OK) die(err->message);
}

/* ---- sets ---- */

static void corpus_add(struct corpus *c, const struct og_features *f)
{
    if (f->n == 0) return;
    if (!OG_GROW(NULL, c->feature, c->cap, c->n + f->n) ||
        !OG_GROW(NULL, c->end, c->docs_cap, c->n_docs + 1))
        die("out of memory");
    memcpy(c->feature + c->n, f->hash, f->n * sizeof(*f->hash));
    c->n += f->n;
    c->end[c->n_docs++] = c->n;
}

static void corpus_read(struct corpus *c, const struct settings *s)
{
    const struct og_source_options how = {.fields = OG_FIELDS_DEFAULT,
                                          .max_document = (uint64_t)64 << 20};
    og_feature_options options = og_feature_options_default();
    options.kind = OG_FEATURE_PHRASES;
    options.phrase_len = 5;
    options.tf = OG_TF_ONE;
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    struct og_extractor x;
    struct og_features features;
    og_error err;
    must(og_source_new(s->paths, s->n_paths, &how, NULL, &source, &err), &err);
    must(og_extractor_init(&x, &options, NULL, &err), &err);
    og_features_init(&features, NULL);
    og_block_init(&block, NULL);
    while (c->n < LIMIT_FEATURES) {
        const og_status status = og_source_next(source, &block, &err);
        if (status == OG_END) break;
        must(status, &err);
        while (c->n < LIMIT_FEATURES &&
               og_block_next(&block, &how, &record, &err) == OG_OK) {
            must(og_extract(&x, &record.doc, &features, &err), &err);
            must(og_features_merge(&features, &err), &err);
            corpus_add(c, &features);
        }
    }
    og_block_release(&block);
    og_features_release(&features);
    og_extractor_release(&x);
    og_source_free(source);
    if (c->n_docs < 2) die("fewer than two documents");
}

/* Documents as lines of decimal numbers. */
static void corpus_dump(const struct corpus *c, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) die("cannot write the dump");
    size_t i = 0;
    for (size_t d = 0; d < c->n_docs; d++) {
        for (; i < c->end[d]; i++)
            fprintf(out, "%llu ", (unsigned long long)c->feature[i]);
        fputc('\n', out);
    }
    if (fclose(out) != 0) die("cannot write the dump");
}

static size_t begin_of(const struct corpus *c, size_t d)
{
    return d == 0 ? 0 : c->end[d - 1];
}

/* ---- speed ---- */

/* Other work on the machine interrupts for milliseconds; pieces of this many
 * features mostly pass between two interruptions, and the fastest run of each
 * piece counts. */
#define PIECE_FEATURES 20000

static void sketch_documents(const struct corpus *c, og_minhash *m,
                             const float *weights, size_t from, size_t to)
{
    static uint32_t out[OG_SAMPLES_MAX];
    const bool is_set = og_minhash_is_set(m->options.method);
    const uint64_t *set;
    size_t n;
    og_error err;
    for (size_t d = from; d < to; d++) {
        const size_t begin = begin_of(c, d);
        must(is_set
                 ? og_minhash_sample_set(m, c->feature + begin,
                                         c->end[d] - begin, &set, &n, &err)
                 : og_minhash_samples(m, c->feature + begin,
                                      weights == NULL ? NULL : weights + begin,
                                      c->end[d] - begin, out, &err),
             &err);
    }
}

static double time_all(const struct corpus *c, og_minhash *m,
                       const float *weights, unsigned n_runs)
{
    double sum = 0;
    for (size_t from = 0, to; from < c->n_docs; from = to) {
        double best = INFINITY;
        to = from + 1;
        while (to < c->n_docs &&
               c->end[to] - begin_of(c, from) < PIECE_FEATURES)
            to++;
        for (unsigned run = 0; run <= n_runs; run++) {
            const double t0 = machine_seconds();
            sketch_documents(c, m, weights, from, to);
            const double t = machine_seconds() - t0;
            if (run > 0 && t < best) best = t;
        }
        sum += best;
    }
    return sum;
}

/* ---- error ---- */

/* The mean squared error over theory's variance, on copies of which every
 * tenth feature is another: their similarity is known. */
static double error_of(const struct corpus *c, const og_minhash_options *o,
                       uint64_t n_seeds)
{
    uint32_t a[OG_SAMPLES_MAX], b[OG_SAMPLES_MAX];
    uint64_t *copy = malloc(c->n * sizeof(*copy));
    double square = 0, theory = 0;
    og_error err;
    if (copy == NULL) die("out of memory");
    for (uint64_t seed = 1; seed <= n_seeds; seed++) {
        og_minhash_options options = *o;
        og_minhash *m;
        options.seed = seed;
        must(og_minhash_new(&options, &m, &err), &err);
        for (size_t d = 0; d < c->n_docs; d++) {
            const size_t n = c->end[d] - begin_of(c, d);
            const uint64_t *x = c->feature + begin_of(c, d);
            size_t n_other = 0;
            for (size_t i = 0; i < n; i++) {
                const bool other = i % 10 == 0;
                copy[i] = other ? og_mix64(x[i] + 1) : x[i];
                n_other += other;
            }
            const double j = (double)(n - n_other) / (double)(n + n_other);
            must(og_minhash_samples(m, x, NULL, n, a, &err), &err);
            must(og_minhash_samples(m, copy, NULL, n, b, &err), &err);
            const double e = og_samples_similarity(a, b, o->n_samples) - j;
            square += e * e;
            theory += j * (1 - j) / o->n_samples;
        }
        og_minhash_free(m);
    }
    free(copy);
    return theory > 0 ? square / theory : 0;
}

static void bench(const struct settings *s, const struct corpus *c,
                  og_minhash_method method, og_hash_family family,
                  const char *limit)
{
    og_minhash_options o = og_minhash_options_default();
    o.method = method;
    o.family = family;
    o.n_samples = s->n_samples;
    og_minhash *m;
    og_error err;
    float *weights = NULL;
    struct corpus part = *c; /* of the slow ones a twentieth */
    const bool is_slow = method == OG_MINHASH_ACTIVE ||
                         method == OG_MINHASH_INTERVAL ||
                         method == OG_MINHASH_COARSE;
    if (is_slow) part.n_docs = part.n_docs / 50 + 1;
    part.n = part.end[part.n_docs - 1];
    must(og_minhash_new(&o, &m, &err), &err);
    if (og_minhash_is_weighted(method)) {
        weights = malloc(c->n * sizeof(*weights));
        if (weights == NULL) die("out of memory");
        for (size_t i = 0; i < c->n; i++)
            weights[i] = (float)(1 + c->feature[i] % 4);
    }
    const double best = time_all(&part, m, weights, is_slow ? 2 : s->n_runs);
    const double ns = 1e9 * best / (double)part.n;
    printf("%-10s %-10s %9.2f ns a feature %7.3f ns a sample",
           og_minhash_method_name(method), og_family_name(family), ns,
           ns / o.n_samples);
    if (og_minhash_is_set(method) || og_minhash_is_weighted(method))
        printf("   error      -");
    else {
        /* Peers in Python give theirs of the first ones only. */
        if (s->is_short && part.n_docs > PEER_DOCS) part.n_docs = PEER_DOCS;
        printf("   error %6.3f",
               error_of(&part, &o, s->is_short ? PEER_SEEDS : 4));
    }
    printf("   %s\n", limit);
    fflush(stdout);
    free(weights);
    og_minhash_free(m);
}

static void bench_all(const struct settings *s, const struct corpus *c)
{
    static const char *const limits[OG_MINHASH_METHOD_END] = {
        [OG_MINHASH_EXACT] = "limit 4.5 ns a feature (84 samples)",
        [OG_MINHASH_ONE] = "limit 1.1 to 1.6 ns a feature",
        [OG_MINHASH_AUTO] = "limit 1.1 to 1.6 ns a feature (one permutation)",
        [OG_MINHASH_IOFFE] = "limit 1.0 ns a sample",
        [OG_MINHASH_IOFFE0] = "limit 1.0 ns a sample",
    };
    const int end = s->is_short ? OG_MINHASH_SUPER : OG_MINHASH_METHOD_END;
    for (int method = 0; method < end; method++)
        bench(s, c, (og_minhash_method)method, OG_FAMILY_MIX,
              limits[method] != NULL ? limits[method] : "");
    if (s->is_short) return;
    for (int family = 1; family < OG_FAMILY_END; family++)
        bench(s, c, OG_MINHASH_EXACT, (og_hash_family)family, "");
    for (int family = 1; family < OG_FAMILY_END; family++)
        bench(s, c, OG_MINHASH_AUTO, (og_hash_family)family, "");
}

static void parse(struct settings *s, int argc, char **argv)
{
    *s = (struct settings){.n_runs = 7, .n_samples = 84};
    s->paths = calloc((size_t)argc, sizeof(*s->paths));
    if (s->paths == NULL) die("out of memory");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
            s->n_runs = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--samples") == 0 && i + 1 < argc)
            s->n_samples = (uint32_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "--dump") == 0 && i + 1 < argc)
            s->dump = argv[++i];
        else if (strcmp(argv[i], "--short") == 0)
            s->is_short = true;
        else if (strcmp(argv[i], "--cpu") == 0 && i + 1 < argc)
            setenv("ORIGO_CPU", argv[++i], 1);
        else
            s->paths[s->n_paths++] = argv[i];
    }
    if (s->n_paths == 0) die("which FILE?");
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct corpus corpus = {0};
    parse(&settings, argc, argv);
    machine_print(OG_BENCH_FLAGS);
    machine_pin();
    corpus_read(&corpus, &settings);
    printf("%zu documents, %zu features (phrases of 5 words), %u samples, "
           "fastest of %u\nerror: mean squared error over J (1 - J) / samples, "
           "similarity 0.82\n\n",
           corpus.n_docs, corpus.n, (unsigned)settings.n_samples,
           settings.n_runs);
    if (settings.dump != NULL) corpus_dump(&corpus, settings.dump);
    bench_all(&settings, &corpus);
    OG_UNGROW(NULL, corpus.feature, corpus.cap);
    OG_UNGROW(NULL, corpus.end, corpus.docs_cap);
    free(settings.paths);
    return 0;
}
