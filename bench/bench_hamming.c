/* How long does it take to find all codes within 3 bits of a code, and how many
 * bytes does it need?
 *
 *     bench_hamming [--sizes N,N,...] [--memory BYTES] [CODES.tsv]
 *
 * For each number of codes and each kind of codes: every design, its time to
 * build, its bytes per code, microseconds per query (one at a time, and in
 * groups), compared with a scan of all codes in the same run. Recall is
 * relative to the pairs found by the bit-sliced scan, which itself is verified
 * by the plain one. Fastest of three after a warm-up. Designs that need more
 * than --memory (default: the free memory of the machine) are named and not
 * run.
 *
 * Codes: "random"; and, with a file of simhashes (lines "id<TAB>code"),
 * "simhash": groups of four within 3 bits of a centre that is one of the real
 * codes with each bit flipped with probability 1/8, so that the bits are as
 * uneven and as correlated as real ones, and there are many near-duplicates. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/machine.h"
#include "lib/base/bits.h"
#include "lib/hamming/code_index.h"
#include "lib/hamming/code_permuted.h"
#include "lib/hamming/code_slices.h"

static const double FREE_SHARE = .93; /* the rest is the system's */
enum { QUESTIONS = 20000, TRUTH = 256, SCANS = 16, DISTANCE = 3, RUNS = 3 };

struct data {
    const char *kind;
    struct og_pages pages;
    uint64_t *codes;
    size_t n;
    uint64_t questions[QUESTIONS];
    uint64_t true_pairs, true_sum;
    double memory;
};

struct found {
    uint64_t pairs, sum, all;
    const uint64_t *codes; /* for places */
};

static void die(const og_error *err)
{
    fprintf(stderr, "bench_hamming: %s\n", err->message);
    exit(1);
}

/* ---- codes ---- */

struct real {
    uint64_t *codes;
    size_t n, cap;
};

static bool keep_code(void *ctx, og_bytes id, uint64_t code)
{
    struct real *r = ctx;
    (void)id;
    if (!OG_GROW(NULL, r->codes, r->cap, r->n + 1)) return false;
    r->codes[r->n++] = code;
    return true;
}

static uint64_t flip(uint64_t code, unsigned n, uint64_t *seed)
{
    for (; n != 0; n--)
        code ^= UINT64_C(1) << (og_random_next(seed) & 63);
    return code;
}

static void fill(uint64_t *codes, size_t n, const struct real *real,
                 uint64_t *seed)
{
    uint64_t centre = 0;
    for (size_t i = 0; i < n; i++) {
        if (real == NULL) {
            codes[i] = og_random_next(seed);
            continue;
        }
        if (i % 4 == 0) {
            const uint64_t noise = og_random_next(seed) & og_random_next(seed);
            centre = real->codes[og_random_next(seed) % real->n] ^
                     (noise & og_random_next(seed));
        }
        codes[i] = flip(centre, (unsigned)(og_random_next(seed) % 4), seed);
    }
}

static void make_data(struct data *d, size_t n, const struct real *real)
{
    struct og_pages spare;
    og_error err;
    uint64_t seed = 5;
    d->kind = real == NULL ? "random" : "simhash";
    if (og_pages_init(&d->pages, n * 8, NULL, &err) != OG_OK ||
        og_pages_init(&spare, n * 8, NULL, &err) != OG_OK)
        die(&err);
    d->codes = d->pages.data;
    fill(d->codes, n, real, &seed);
    const double begin = machine_seconds();
    d->n = og_code_sort(d->codes, spare.data, n);
    printf("\n%s: %zu codes, %zu different, sorted in %.2f s\n", d->kind, n,
           d->n, machine_seconds() - begin);
    og_pages_release(&spare);
    for (size_t i = 0; i < QUESTIONS; i++) {
        const uint64_t code = d->codes[og_random_next(&seed) % d->n];
        /* Half of them near existing codes, half at random distances. */
        d->questions[i] =
            i % 2 == 0 ? flip(code, i / 2 % 4, &seed) : flip(code, 20, &seed);
    }
}

/* ---- one design ---- */

static bool on_code(void *ctx, size_t question, uint64_t code)
{
    struct found *f = ctx;
    f->all++;
    if (question >= TRUTH) return true;
    f->pairs++;
    f->sum += og_mix64(code + question * 3);
    return true;
}

static bool on_place(void *ctx, size_t question, size_t place)
{
    struct found *f = ctx;
    return on_code(f, question, f->codes[place]);
}

typedef bool ask_function(const void *tables, const uint64_t *questions,
                          size_t n, struct found *f);

static bool ask_index(const void *tables, const uint64_t *questions, size_t n,
                      struct found *f)
{
    return og_code_index_ask(tables, questions, n, DISTANCE, f, on_code);
}

static bool ask_permuted(const void *tables, const uint64_t *questions,
                         size_t n, struct found *f)
{
    return og_code_permuted_ask(tables, questions, n, DISTANCE, f, on_code);
}

static double time_questions(ask_function *ask, const void *tables,
                             const struct data *d, size_t n, bool singly,
                             struct found *f)
{
    double best = 1e9;
    for (int run = 0; run <= RUNS; run++) {
        *f = (struct found){.codes = d->codes};
        const double begin = machine_seconds();
        if (!singly) {
            ask(tables, d->questions, n, f);
        } else {
            struct found one = {0};
            for (size_t i = 0; i < n; i++)
                ask(tables, d->questions + i, 1, &one);
        }
        const double seconds = machine_seconds() - begin;
        if (run != 0 && seconds < best) best = seconds;
    }
    return best * 1e6 / (double)n;
}

static void print_row(const struct data *d, const char *name, double build,
                      double bytes, double single, double group,
                      const struct found *f)
{
    printf("%-8s %11zu  %-30s %7.2f s %7.2f B %11.3f us %11.3f us", d->kind,
           d->n, name, build, bytes / (double)d->n, single, group);
    if (f->pairs > d->true_pairs ||
        (f->pairs == d->true_pairs && f->sum != d->true_sum))
        printf("  WRONG\n");
    else
        printf("  %.3f\n", d->true_pairs == 0
                               ? 1.0
                               : (double)f->pairs / (double)d->true_pairs);
    fflush(stdout);
}

static bool too_large(const struct data *d, const char *name, double bytes)
{
    if (bytes + 16.0 * (double)d->n <= d->memory) return false;
    printf("%-8s %11zu  %-30s needs %.1f GB, not run\n", d->kind, d->n, name,
           (bytes + 16.0 * (double)d->n) / 1e9);
    return true;
}

static void bench_directory(const struct data *d, struct og_code_design design)
{
    char name[64];
    og_error err;
    struct found f;
    struct og_code_index index;
    og_code_design_fit(&design, d->n);
    og_code_design_name(&design, name, sizeof(name));
    const double bytes = (double)og_code_design_bytes(&design, d->n);
    if (too_large(d, name, bytes)) return;
    const double begin = machine_seconds();
    if (og_code_index_init(&index, &design, d->codes, d->n, NULL, &err) !=
        OG_OK)
        die(&err);
    const double build = machine_seconds() - begin;
    const double single =
        time_questions(ask_index, &index, d, QUESTIONS, true, &f);
    const double group =
        time_questions(ask_index, &index, d, QUESTIONS, false, &f);
    print_row(d, name, build, bytes, single, group, &f);
    og_code_index_release(&index);
}

static void bench_permuted(const struct data *d, unsigned n_tables, bool packed)
{
    struct og_code_design design;
    static struct og_code_permuted permuted;
    char name[64];
    og_error err;
    struct found f;
    og_code_design_paper(&design, n_tables);
    snprintf(name, sizeof(name), "%u sorted tables%s", n_tables,
             packed ? ", packed" : "");
    if (too_large(d, name, 8.0 * n_tables * (double)d->n * (packed ? .8 : 1)))
        return;
    const double begin = machine_seconds();
    if (og_code_permuted_init(&permuted, &design, d->codes, d->n, packed, NULL,
                              &err) != OG_OK)
        die(&err);
    const double build = machine_seconds() - begin;
    const double single =
        time_questions(ask_permuted, &permuted, d, QUESTIONS / 4, true, &f);
    const double group =
        time_questions(ask_permuted, &permuted, d, QUESTIONS / 4, false, &f);
    print_row(d, name, build, (double)og_code_permuted_bytes(&permuted), single,
              group, &f);
    if (packed)
        printf("%-8s %11zu    %.2f bits a code and table\n", d->kind, d->n,
               8 * (double)og_code_permuted_bytes(&permuted) / n_tables /
                   (double)d->n);
    og_code_permuted_release(&permuted);
}

/* ---- the scans: they are the truth ---- */

static void bench_scans(struct data *d)
{
    og_error err;
    struct og_code_slices slices;
    struct found plain, f;
    const struct og_code_index all = {.n = d->n, .codes = d->codes};
    const double single =
        time_questions(ask_index, &all, d, SCANS, true, &plain);
    plain = (struct found){.codes = d->codes};
    ask_index(&all, d->questions, SCANS, &plain);
    const double begin = machine_seconds();
    if (og_code_slices_init(&slices, d->codes, d->n, NULL, &err) != OG_OK)
        die(&err);
    const double build = machine_seconds() - begin;
    f = (struct found){.codes = d->codes};
    og_code_slices_ask(&slices, d->questions, SCANS, DISTANCE, &f, on_place);
    if (f.sum != plain.sum || f.pairs != plain.pairs)
        printf("WRONG: the two scans differ\n");
    double group = 1e9;
    for (int run = 0; run < RUNS; run++) {
        f = (struct found){.codes = d->codes};
        const double start = machine_seconds();
        og_code_slices_ask(&slices, d->questions, TRUTH, DISTANCE, &f,
                           on_place);
        const double seconds = (machine_seconds() - start) * 1e6 / TRUTH;
        if (seconds < group) group = seconds;
    }
    d->true_pairs = f.pairs;
    d->true_sum = f.sum;
    og_code_slices_release(&slices);
    print_row(d, "scan; in groups: bit-sliced", build, 8.0 * (double)d->n,
              single, group, &f);
}

static void bench_size(size_t n, const struct real *real, double memory)
{
    static struct data d;
    struct og_code_design design;
    d = (struct data){.memory = memory};
    make_data(&d, n, real);
    printf("%-8s %11s  %-30s %9s %9s %14s %14s  %s\n", "codes", "number",
           "design", "build", "a code", "one by one", "in groups", "recall");
    bench_scans(&d);
    for (unsigned parts = 2; parts <= 3; parts++)
        if (og_code_design_parts(&design, DISTANCE, parts))
            bench_directory(&d, design);
    static const unsigned paper[] = {4, 10, 16, 20};
    for (size_t i = 0; i < 4; i++)
        if (og_code_design_paper(&design, paper[i]))
            bench_directory(&d, design);
    for (size_t i = 0; i < 4; i++)
        for (int packed = 0; packed <= 1; packed++)
            bench_permuted(&d, paper[i], packed != 0);
    og_pages_release(&d.pages);
}

int main(int argc, char **argv)
{
    const char *sizes = "1000000,10000000,100000000", *file = NULL;
    double memory = machine_free_memory() * FREE_SHARE;
    struct real real = {0};
    og_error err = {0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--sizes") == 0 && i + 1 < argc)
            sizes = argv[++i];
        else if (strcmp(argv[i], "--memory") == 0 && i + 1 < argc)
            memory = strtod(argv[++i], NULL);
        else
            file = argv[i];
    }
    if (file != NULL && og_codes_read(file, &real, keep_code, &err) != OG_OK)
        die(&err);
    machine_print(OG_BENCH_FLAGS);
    machine_pin();
    printf("How long does it take to find all codes within %d bits, in how "
           "many bytes?\n",
           DISTANCE);
    for (const char *at = sizes; *at != '\0';) {
        char *end;
        const size_t n = (size_t)strtod(at, &end);
        if (end == at || n == 0) break;
        bench_size(n, NULL, memory);
        if (real.n != 0) bench_size(n, &real, memory);
        at = *end == ',' ? end + 1 : end;
    }
    OG_UNGROW(NULL, real.codes, real.cap);
    return 0;
}
