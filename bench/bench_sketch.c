/* How fast does each simhash kernel vote, and how near to its floor?
 *
 *     bench_sketch [--runs N] [--limit SIZE] [--dump FILE] FILE...
 *
 * Lane B: features are prepared (3-word phrases, hashed), the kernel alone is
 * timed, document after document as they are in the files, and on lists of
 * fixed lengths. Fastest of N runs after a warm-up, on one pinned processor.
 * The checksum is the same for every kernel. --dump writes the first documents'
 * hashes, a line each, for peers. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/machine.h"
#include "lib/sketch/simhash.h"
#include "lib/source/source.h"

/* One core of a 2.95 GHz x86-64 with AVX-512, small experiments; ns a feature
 * of 64 bits. */
#define FLOOR_MASKS  0.37
#define FLOOR_SLICED "0.12 to 0.20"

enum { DUMP_DOCS = 200 };

struct corpus {
    uint64_t *hash;
    uint32_t *weight;
    size_t n, cap, weight_cap;
    size_t *end; /* of each document */
    size_t n_docs, docs_cap;
    uint64_t n_bytes;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_sketch: %s\n", what);
    exit(3);
}

static void must(og_status status, const og_error *err)
{
    if (status != OG_OK) die(err->message);
}

/* ---- features ---- */

static void keep(struct corpus *c, const struct og_features *f)
{
    if (!OG_GROW(NULL, c->hash, c->cap, c->n + f->n + 8) ||
        !OG_GROW(NULL, c->weight, c->weight_cap, c->n + f->n) ||
        !OG_GROW(NULL, c->end, c->docs_cap, c->n_docs + 1))
        die("out of memory");
    memcpy(c->hash + c->n, f->hash, f->n * sizeof(*f->hash));
    /* As tf-idf weighs: up to 20, in steps of 2^-16. */
    for (size_t i = 0; i < f->n; i++)
        c->weight[c->n + i] = 1 + (uint32_t)(og_mix64(f->hash[i]) % (20 << 16));
    c->n += f->n;
    c->end[c->n_docs++] = c->n;
}

static void read_files(struct corpus *c, const char *const *paths,
                       size_t n_paths, uint64_t limit)
{
    const struct og_source_options how = {.fields = OG_FIELDS_DEFAULT};
    const og_feature_options options = og_feature_options_default();
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    struct og_extractor x;
    struct og_features f;
    og_error err;
    must(og_source_new(paths, n_paths, &how, NULL, &source, &err), &err);
    must(og_extractor_init(&x, &options, NULL, &err), &err);
    og_features_init(&f, NULL);
    og_block_init(&block, NULL);
    while (c->n_bytes < limit &&
           og_source_next(source, &block, &err) == OG_OK) {
        while (og_block_next(&block, &how, &record, &err) == OG_OK) {
            must(og_extract(&x, &record.doc, &f, &err), &err);
            c->n_bytes += record.doc.text.len;
            if (f.n > 0) keep(c, &f);
        }
        if (block.n_problems > 0) die(block.problems[0].message);
    }
    og_block_release(&block);
    og_features_release(&f);
    og_extractor_release(&x);
    og_source_free(source);
    if (c->n_docs == 0) die("no documents");
}

static void dump(const struct corpus *c, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) die("cannot write the dump");
    for (size_t d = 0, i = 0; d < c->n_docs && d < DUMP_DOCS; d++) {
        for (; i < c->end[d]; i++)
            fprintf(out, "%llu ", (unsigned long long)c->hash[i]);
        fprintf(out, "\n");
    }
    if (fclose(out) != 0) die("cannot write the dump");
}

/* ---- kernels ---- */

static uint64_t sign_all(const struct og_simhash_kernel *k,
                         const struct corpus *c)
{
    uint64_t sum = 0;
    for (size_t d = 0, begin = 0; d < c->n_docs; begin = c->end[d++])
        sum = og_mix64(sum ^ k->sign(c->hash + begin, c->end[d] - begin));
    return sum;
}

static uint64_t weigh_all(const struct og_simhash_kernel *k,
                          const struct corpus *c)
{
    uint64_t sum = 0, ones[64];
    for (size_t d = 0, begin = 0; d < c->n_docs; begin = c->end[d++]) {
        k->weigh(c->hash + begin, c->weight + begin, c->end[d] - begin,
                 20 << 16, ones);
        sum = og_mix64(sum ^ ones[7]);
    }
    return sum;
}

typedef uint64_t work(const struct og_simhash_kernel *k,
                      const struct corpus *c);

static double best_of(work *all_of, const struct og_simhash_kernel *k,
                      const struct corpus *c, unsigned n_runs, uint64_t *out)
{
    double best = 0;
    *out = all_of(k, c);
    for (unsigned i = 0; i < n_runs; i++) {
        const double began = machine_seconds();
        if (all_of(k, c) != *out) die("a kernel contradicts itself");
        const double took = machine_seconds() - began;
        if (i == 0 || took < best) best = took;
    }
    return best / (double)c->n * 1e9;
}

/* The same list over and over: what the kernel does from the cache. */
static double best_of_list(const struct og_simhash_kernel *k,
                           const struct corpus *c, size_t n, bool is_weighted,
                           unsigned n_runs)
{
    const size_t n_calls = 100000 / n + 1;
    uint64_t ones[64];
    volatile uint64_t sink = 0;
    double best = 0;
    for (unsigned i = 0; i < 20 * n_runs; i++) {
        const double began = machine_seconds();
        for (size_t j = 0; j < n_calls && is_weighted; j++) {
            k->weigh(c->hash, c->weight, n, 20 << 16, ones);
            sink ^= ones[0];
        }
        for (size_t j = 0; j < n_calls && !is_weighted; j++)
            sink ^= k->sign(c->hash + j % 8, n);
        const double took = machine_seconds() - began;
        if (i == 0 || took < best) best = took;
    }
    return best / (double)(n_calls * n) * 1e9;
}

static void print_kernels(const struct corpus *c, unsigned n_runs)
{
    const struct og_simhash_kernel *const *all = og_simhash_kernels();
    uint64_t plain_sum = 0, plain_weighted = 0;
    printf("%-14s %10s %10s %10s %10s %10s %10s\n", "kernel", "documents",
           "n=100", "n=1000", "n=10000", "weighted", "w, n=1000");
    for (size_t i = 0; all[i] != NULL; i++) {
        uint64_t sum, weighted;
        const unsigned runs = i == 0 ? 1 : n_runs;
        const double real = best_of(sign_all, all[i], c, runs, &sum);
        const double heavy = best_of(weigh_all, all[i], c, runs, &weighted);
        printf("%-14s %10.3f", all[i]->name, real);
        for (size_t n = 100; n <= 10000; n *= 10)
            printf(" %10.3f", best_of_list(all[i], c, n, false, runs));
        printf(" %10.3f %10.3f\n", heavy,
               best_of_list(all[i], c, 1000, true, runs));
        if (i == 0) plain_sum = sum, plain_weighted = weighted;
        if (sum != plain_sum || weighted != plain_weighted)
            die("a kernel differs from the plain one");
    }
    printf("%-14s %10.3f\n", "floor, masks", FLOOR_MASKS);
    printf("%-14s %s\n", "floor, sliced", FLOOR_SLICED);
    printf("checksum %016llx, the same for every kernel\n",
           (unsigned long long)plain_sum);
}

int main(int argc, char **argv)
{
    struct corpus c = {0};
    unsigned n_runs = 15;
    uint64_t limit = (uint64_t)64 << 20;
    const char *dump_path = NULL;
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-' && argv[i][1] == '-'; i += 2) {
        if (strcmp(argv[i], "--runs") == 0)
            n_runs = (unsigned)atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--limit") == 0)
            limit = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--dump") == 0)
            dump_path = argv[i + 1];
        else
            die("usage: bench_sketch [--runs N] [--limit BYTES] [--dump FILE] "
                "FILE...");
    }
    if (i >= argc) die("no FILE given");
    if (n_runs == 0) n_runs = 1;
    machine_print(OG_BENCH_FLAGS);
    machine_pin();
    read_files(&c, (const char *const *)argv + i, (size_t)(argc - i), limit);
    if (c.n < 10008) die("fewer than 10008 features");
    printf("simhash, 64 bits: %zu documents, %zu features; ns a feature\n",
           c.n_docs, c.n);
    print_kernels(&c, n_runs);
    if (dump_path != NULL) dump(&c, dump_path);
    return 0;
}
