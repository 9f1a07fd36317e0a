/* The measure, and the two bounds that make it fast.
 *
 * Both shares of the measure are at most 1, and both shrink with every word
 * that R lacks. If R lacks the p rarest words of Q, it has at most
 *
 *     (1 - p / n) * (1 - weight of the p rarest / weight of all)
 *
 * Rare words weigh most, so this falls below a threshold of 0.7 with about two
 * words of ten: only sentences that have one of those two need to be looked
 * at, and few have. (The prefix filter of set joins, with weights. There is no
 * order of words that would have to stay as it was: what is rare is decided
 * at each question.)
 *
 * The bitmap of a sentence then proves missing words without looking at any:
 * each bit that R lacks is at least one word, the lightest at best. */

#define _GNU_SOURCE
#include "lib/sentence/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sentence/sentence_words.h"

/* Sums in another order differ in the last digits; a bound leaves room. */
#define ROOM 1e-9

double og_word_weight(uint64_t n_sentences, uint64_t df)
{
    return log(1 + (double)n_sentences / (double)(df == 0 ? 1 : df));
}

static double product(double n_shared, double n, double weight, double total)
{
    return n == 0 || total <= 0 ? 0 : n_shared / n * (weight / total);
}

double og_overlap(const uint64_t *q, const double *weights, size_t n_q,
                  const uint64_t *r, size_t n_r)
{
    double weight = 0, total = 0;
    size_t n_shared = 0, k = 0;
    for (size_t i = 0; i < n_q; i++) {
        total += weights[i];
        while (k < n_r && r[k] < q[i])
            k++;
        if (k == n_r || r[k] != q[i]) continue;
        weight += weights[i];
        n_shared++;
    }
    return product((double)n_shared, (double)n_q, weight, total);
}

/* ---- questions ---- */

void og_question_init(struct og_question *q, const og_allocator *allocator)
{
    *q = (struct og_question){.allocator = allocator};
}

void og_question_release(struct og_question *q)
{
    const og_allocator *a = q->allocator;
    og_release(a, q->words, q->cap * sizeof(*q->words));
    og_release(a, q->df, q->cap * sizeof(*q->df));
    og_release(a, q->weights, q->cap * sizeof(*q->weights));
    og_release(a, q->rare, q->cap * sizeof(*q->rare));
    og_question_init(q, a);
}

/* The four arrays have one capacity; all grow or none does. */
static og_status reserve(struct og_question *q, size_t n, og_error *err)
{
    const og_allocator *a = q->allocator;
    if (n <= q->cap) return OG_OK;
    og_question_release(q);
    q->words = og_allocate(a, n * sizeof(*q->words));
    q->df = og_allocate(a, n * sizeof(*q->df));
    q->weights = og_allocate(a, n * sizeof(*q->weights));
    q->rare = og_allocate(a, n * sizeof(*q->rare));
    q->cap = n;
    if (q->words != NULL && q->df != NULL && q->weights != NULL &&
        q->rare != NULL)
        return OG_OK;
    og_release(a, q->words, q->words ? n * sizeof(*q->words) : 0);
    og_release(a, q->df, q->df ? n * sizeof(*q->df) : 0);
    og_release(a, q->weights, q->weights ? n * sizeof(*q->weights) : 0);
    og_release(a, q->rare, q->rare ? n * sizeof(*q->rare) : 0);
    og_question_init(q, a);
    return og_error_memory(err, n * sizeof(*q->words), "a question");
}

og_status og_question_set(struct og_question *q, const uint64_t *words,
                          size_t n, og_error *err)
{
    TRY(reserve(q, n < 64 ? 64 : n * 2, err));
    memcpy(q->words, words, n * sizeof(*words));
    memset(q->df, 0, n * sizeof(*q->df));
    q->n = n;
    return OG_OK;
}

static int compare_rare(const void *a, const void *b, void *ctx)
{
    const struct og_question *q = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (q->df[x] != q->df[y]) return q->df[x] < q->df[y] ? -1 : 1;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void sort_rare(struct og_question *q)
{
    for (size_t i = 0; i < q->n; i++)
        q->rare[i] = (uint32_t)i;
    if (q->n > 32) {
        qsort_r(q->rare, q->n, sizeof(*q->rare), compare_rare, q);
        return;
    }
    for (size_t i = 1; i < q->n; i++) {
        const uint32_t place = q->rare[i];
        size_t k = i;
        for (; k > 0 && compare_rare(&q->rare[k - 1], &place, q) > 0; k--)
            q->rare[k] = q->rare[k - 1];
        q->rare[k] = place;
    }
}

void og_question_weigh(struct og_question *q, uint64_t n_sentences,
                       double threshold)
{
    const double n = (double)q->n;
    q->threshold = threshold;
    q->total = 0;
    q->bitmap = (struct og_word_bitmap){{0, 0}};
    for (size_t i = 0; i < q->n; i++) {
        q->weights[i] = og_word_weight(n_sentences, q->df[i]);
        q->total += q->weights[i];
        og_word_bitmap_set(&q->bitmap, og_word_key(q->words[i]));
    }
    sort_rare(q);
    double left = q->total;
    size_t p = 0;
    while (p < q->n &&
           product(n - (double)p, n, left, q->total) >= threshold - ROOM)
        left -= q->weights[q->rare[p++]];
    q->n_prefix = p;
    left = q->total;
    unsigned missing = 0;
    while (missing < q->n) { /* the lightest, which are the commonest */
        left -= q->weights[q->rare[q->n - 1 - missing]];
        if (product(n - missing - 1, n, left, q->total) < threshold - ROOM)
            break;
        missing++;
    }
    q->max_missing = missing;
}

double og_question_overlap(const struct og_question *q, const uint32_t *keys,
                           size_t n_keys, uint32_t *out_n_shared)
{
    double weight = 0;
    uint32_t n_shared = 0;
    size_t k = 0;
    for (size_t i = 0; i < q->n; i++) {
        const uint32_t key = og_word_key(q->words[i]);
        while (k < n_keys && keys[k] < key)
            k++;
        if (k == n_keys) break;
        if (keys[k] != key) continue;
        weight += q->weights[i];
        n_shared++;
    }
    if (out_n_shared != NULL) *out_n_shared = n_shared;
    if (n_shared == q->n && n_shared != 0) return 1;
    return product(n_shared, (double)q->n, weight, q->total);
}
