/* All pairs of documents whose exact Jaccard similarity reaches a threshold:
 * the truth for bench_dedup.py.
 *
 *     bench_pairs [--threshold 0.8] FILE...
 *
 * Prints lines "i<TAB>j<TAB>similarity", i < j counted from 0. Prefix filter:
 * two similar sets share one of the rarest fifth (1 - t) of their members, so
 * only documents that do are compared. No sketch is used. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dedup/document_stream.h"
#include "lib/sketch/shingle_set.h"

struct doc {
    uint64_t *fps; /* different ones, rarest first */
    size_t n;
};

struct posting {
    uint64_t fp;
    uint32_t first; /* of the list, + 1; 0: empty */
};

struct node {
    uint32_t doc, next;
};

static struct doc *docs;
static size_t n_docs, docs_cap;
static uint64_t *all; /* prints of all documents, sorted: their frequency */
static size_t n_all, all_cap;
static struct og_shingle_set set;
static struct og_shingler shingler;

static og_status take(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    (void)ctx;
    TRY(og_shingler_reprint(&shingler, d->words, d->n_tokens, err));
    const struct og_fps *fps = &shingler.fps;
    uint64_t *distinct = malloc(fps->n * sizeof(*distinct));
    if (distinct == NULL || !OG_GROW(NULL, docs, docs_cap, n_docs + 1))
        return og_error_memory(err, fps->n * 8, "a document");
    const og_status status =
        og_shingle_set_fill(&set, fps->data, fps->n, distinct, err);
    if (status != OG_OK) return status;
    docs[n_docs++] = (struct doc){distinct, set.n};
    if (!OG_GROW(NULL, all, all_cap, n_all + set.n))
        return og_error_memory(err, n_all * 8, "prints");
    memcpy(all + n_all, distinct, set.n * sizeof(*all));
    n_all += set.n;
    return OG_OK;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t bound(uint64_t fp, bool upper)
{
    size_t low = 0, high = n_all;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all[middle] < fp || (upper && all[middle] == fp))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct ranked {
    size_t count;
    uint64_t fp;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return x->fp < y->fp ? -1 : x->fp > y->fp;
}

static void rank_fps(struct doc *d)
{
    struct ranked *r = malloc(d->n * sizeof(*r));
    for (size_t i = 0; i < d->n; i++)
        r[i] = (struct ranked){bound(d->fps[i], true) - bound(d->fps[i], false),
                               d->fps[i]};
    qsort(r, d->n, sizeof(*r), by_rank);
    for (size_t i = 0; i < d->n; i++)
        d->fps[i] = r[i].fp;
    free(r);
}

static void find_pairs(double threshold)
{
    size_t n_slots = 1024, n_nodes = 0, nodes_cap = 0;
    while (n_slots < n_all)
        n_slots *= 2;
    struct posting *slots = calloc(n_slots, sizeof(*slots));
    struct node *nodes = NULL;
    uint32_t *seen = calloc(n_docs + 1, sizeof(*seen));
    for (size_t i = 0; i < n_docs; i++) {
        const struct doc *d = &docs[i];
        const size_t prefix =
            d->n - (size_t)((double)d->n * threshold - 1e-9) + 0;
        og_shingle_set_fill(&set, d->fps, d->n, NULL, NULL);
        for (size_t k = 0; k < prefix && k < d->n; k++) {
            size_t at = (size_t)og_mix64(d->fps[k]) & (n_slots - 1);
            while (slots[at].first != 0 && slots[at].fp != d->fps[k])
                at = (at + 1) & (n_slots - 1);
            for (uint32_t p = slots[at].first; p != 0; p = nodes[p - 1].next) {
                const uint32_t j = nodes[p - 1].doc;
                if (seen[j] == i + 1) continue;
                seen[j] = (uint32_t)(i + 1);
                const size_t least =
                    og_jaccard_least(d->n, docs[j].n, threshold);
                if (least > d->n || least > docs[j].n) continue;
                const double s = og_jaccard(
                    d->n, docs[j].n,
                    og_shingle_set_common(&set, docs[j].fps, docs[j].n, least));
                if (s >= threshold) printf("%u\t%zu\t%.6f\n", j, i, s);
            }
            if (!OG_GROW(NULL, nodes, nodes_cap, n_nodes + 1)) exit(3);
            nodes[n_nodes] = (struct node){(uint32_t)i, slots[at].first};
            slots[at] = (struct posting){d->fps[k], (uint32_t)++n_nodes};
        }
    }
}

int main(int argc, char **argv)
{
    double threshold = 0.8;
    if (argc > 2 && strcmp(argv[1], "--threshold") == 0) {
        threshold = atof(argv[2]);
        argc -= 2;
        argv += 2;
    }
    struct og_shingle_factors key;
    struct og_band_sketcher sketcher;
    const struct og_band_design design = {1, 1};
    og_stream_counts counts = {0};
    og_error err = {0};
    og_shingle_factors_init(&key, og_rabin_default(), 5);
    og_shingle_set_init(&set, NULL);
    og_shingler_init(&shingler, OG_TOKEN_WORDS, &key, NULL);
    const struct og_dedup_source source = {
        .input = {.paths = (const char *const *)argv + 1,
                  .n_paths = (size_t)argc - 1,
                  .fields = OG_FIELDS_DEFAULT},
        .key = &key,
        .sketcher = &sketcher,
        .take = take,
    };
    if (argc < 2 ||
        og_band_sketcher_init(&sketcher, &design, NULL, &err) != OG_OK ||
        og_dedup_stream(&source, &counts, &err) != OG_OK) {
        fprintf(stderr, "bench_pairs: %s\n", err.message);
        return 3;
    }
    qsort(all, n_all, sizeof(*all), by_value);
    for (size_t i = 0; i < n_docs; i++)
        rank_fps(&docs[i]);
    find_pairs(threshold);
    return 0;
}
