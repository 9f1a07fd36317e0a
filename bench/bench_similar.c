/* Are similar files found? Share of true best matches among the first answers.
 *
 *     bench_similar FOLDER [AVERAGE]
 *
 * Each file of the folder is a query to all others. The truth is exact: by an
 * inverted index of all chunks, the file with the highest Jaccard similarity of
 * chunks (any of them if several have it). Only queries whose best has more
 * than 1/3 count. Three answers are compared: the candidates in order of their
 * matching samples alone; the verified answer from 5 candidates; and the
 * verified answer as `origo similar` gives it. */

#include "lib/os/clock.h"
#include "lib/similar/similar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct posting {
    uint64_t key;
    uint32_t file;
};

static struct og_similar *similar;
static struct posting *postings;
static size_t n_postings, postings_cap;
static double *best; /* Jaccard similarity of the true best match */
static uint32_t *n_distinct;

static void fail(const og_error *err)
{
    fprintf(stderr, "bench_similar: %s\n", err->message);
    exit(1);
}

static bool add_file(void *ctx, const char *path)
{
    static struct og_file_chunks chunks;
    og_error err = {0};
    (void)ctx;
    if (og_file_chunks_read(&chunks, path, og_similar_chunking(similar), 1,
                            &err) != OG_OK ||
        og_similar_add(similar, path, &chunks, &err) != OG_OK)
        fail(&err);
    return true;
}

static int compare_postings(const void *a, const void *b)
{
    const struct posting *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

/* All (chunk, file) pairs, each once, sorted. */
static void make_postings(void)
{
    for (size_t f = 0; f < og_similar_n_files(similar); f++) {
        const struct og_similar_file file = og_similar_file_at(similar, f);
        for (size_t i = 0; i < file.n_chunks; i++) {
            if (!OG_GROW(NULL, postings, postings_cap, n_postings + 1)) exit(1);
            postings[n_postings++] =
                (struct posting){file.keys[i], (uint32_t)f};
        }
    }
    qsort(postings, n_postings, sizeof(*postings), compare_postings);
    size_t n = 0;
    for (size_t i = 0; i < n_postings; i++)
        if (i == 0 || compare_postings(&postings[i], &postings[i - 1]) != 0)
            postings[n++] = postings[i];
    n_postings = n;
    for (size_t i = 0; i < n; i++)
        n_distinct[postings[i].file]++;
}

static size_t first_posting(uint64_t key)
{
    size_t low = 0, high = n_postings;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (postings[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void find_truth(size_t f, uint32_t *common, uint64_t *keys)
{
    const struct og_similar_file file = og_similar_file_at(similar, f);
    const size_t n = og_similar_n_files(similar);
    memset(common, 0, n * sizeof(*common));
    memcpy(keys, file.keys, file.n_chunks * sizeof(*keys));
    qsort(keys, file.n_chunks, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < file.n_chunks; i++) {
        if (i > 0 && keys[i] == keys[i - 1]) continue;
        for (size_t p = first_posting(keys[i]);
             p < n_postings && postings[p].key == keys[i]; p++)
            common[postings[p].file]++;
    }
    for (size_t g = 0; g < n; g++) {
        const double either = n_distinct[f] + n_distinct[g] - common[g];
        const double jaccard = either == 0 ? 0 : common[g] / either;
        if (g != f && jaccard > best[f]) best[f] = jaccard;
    }
}

/* Questions whose best is among the first `n_first` answers. */
static void measure(const char *what, size_t n_candidates, size_t n_first,
                    bool by_jaccard)
{
    struct og_similar_answer answer;
    size_t n_asked = 0, n_right = 0;
    double seconds = 0;
    og_error err = {0};
    og_similar_answer_init(&answer, NULL);
    for (size_t f = 0; f < og_similar_n_files(similar); f++) {
        const struct og_similar_file file = og_similar_file_at(similar, f);
        const struct og_file_chunks chunks = {.keys = (uint64_t *)file.keys,
                                              .lens = (uint32_t *)file.lens,
                                              .n = file.n_chunks,
                                              .file_len = file.len};
        const struct og_similar_options options = {n_candidates, n_candidates,
                                                   f};
        if (best[f] <= 1.0 / 3) continue;
        const double start = og_clock_seconds();
        if (og_similar_ask(similar, &chunks, &options, &answer, &err) != OG_OK)
            fail(&err);
        seconds += og_clock_seconds() - start;
        bool has_best = false;
        for (size_t i = 0; i < answer.n; i++) {
            const bool is_best = answer.matches[i].jaccard >= best[f] - 1e-12;
            if (by_jaccard ? is_best : (is_best && i < n_first))
                has_best = true;
        }
        n_asked++;
        n_right += has_best;
    }
    printf("%-44s %6zu of %6zu  %.4f  %7.1f us\n", what, n_right, n_asked,
           n_asked == 0 ? 0 : (double)n_right / (double)n_asked,
           n_asked == 0 ? 0 : 1e6 * seconds / (double)n_asked);
    og_similar_answer_release(&answer);
}

int main(int argc, char **argv)
{
    struct og_file_sketch_options traits = OG_FILE_SKETCH_OPTIONS_DEFAULT;
    const og_cut_options cut = og_cut_options_default(
        OG_CUT_GEAR, argc > 2 ? (uint32_t)atoi(argv[2]) : 1024);
    og_error err = {0};
    const char *paths[] = {argc > 1 ? argv[1] : "."};
    if (argc > 3) traits.n_samples = (uint32_t)atoi(argv[3]);
    if (argc > 4) traits.n_bits = (uint32_t)atoi(argv[4]);
    if (og_similar_new(&traits, &cut, NULL, &similar, &err) != OG_OK ||
        og_files_walk(paths, 1, NULL, add_file, NULL, &err) != OG_OK)
        fail(&err);
    const size_t n = og_similar_n_files(similar);
    size_t n_most = 1;
    best = calloc(n, sizeof(*best));
    n_distinct = calloc(n, sizeof(*n_distinct));
    for (size_t f = 0; f < n; f++)
        if (og_similar_file_at(similar, f).n_chunks > n_most)
            n_most = og_similar_file_at(similar, f).n_chunks;
    uint32_t *common = malloc(n * sizeof(*common));
    uint64_t *keys = malloc(n_most * sizeof(*keys));
    if (best == NULL || n_distinct == NULL || common == NULL || keys == NULL)
        return 1;
    make_postings();
    for (size_t f = 0; f < n; f++)
        find_truth(f, common, keys);
    printf("%zu files, %zu chunks of %u bytes on average, %u samples of %u "
           "bits\n",
           n, n_postings, cut.average_len, traits.n_samples, traits.n_bits);
    measure("first 5 by matches alone", 5, 5, true);
    measure("first 5 of 64 candidates, verified", 64, 5, false);
    measure("first 5 of 256 candidates, verified", 256, 5, false);
    measure("among 64 candidates", 64, 64, true);
    free(common);
    free(keys);
    free(best);
    free(n_distinct);
    og_similar_free(similar);
    return 0;
}
