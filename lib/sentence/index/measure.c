/* The measure, and the two bounds that make it fast.
 *
 * Both shares of the measure are at most 1, and both decrease with every word
 * that R lacks. If R lacks the p rarest words of Q, it has at most
 *
 *     (1 - p / n) * (1 - weight of the p rarest / weight of all)
 *
 * Rare words weigh most, so this falls below a threshold of 0.7 with about two
 * words of ten: only sentences that contain one of those two need to be
 * examined, and few do. (The prefix filter of set joins, with weights. It needs
 * no fixed order of words: rarity is determined anew for each query.)
 *
 * The bitmap of a sentence then proves missing words without reading any: each
 * bit that R lacks is at least one word, at best the lightest; and if few bits
 * are missing, it is known which words they are.
 *
 * Most sentences that pass both are matches, and each is compared word by word:
 * one of similar length against a table of Q's words, a much longer one by
 * searching for Q's words in it. */

#define _GNU_SOURCE
#include "lib/sentence/index/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sentence/split/sentence_words.h"

/* Sums in another order differ in the last digits; bounds allow for that. */
#define ROOM 1e-9

enum {
    LONGER = 6
}; /* times as many words: searching is faster than
      scanning */

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

/* ---- queries ---- */

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

static void clear_table(struct og_question *q, size_t n)
{
    for (size_t i = 1; i <= n; i++)
        q->table[og_question_slot(q->factor, q->table_keys[i])] = 0;
    q->factor = 0;
}

/* False: two words have the same slot, or the same key. */
static bool fill_table(struct og_question *q, uint32_t factor)
{
    q->factor = factor;
    for (size_t i = 0; i < q->n; i++) {
        const uint32_t key = og_word_key(q->words[i]);
        uint8_t *place = &q->table[og_question_slot(factor, key)];
        if (*place != 0) {
            clear_table(q, i);
            return false;
        }
        *place = (uint8_t)(i + 1);
        q->table_keys[i + 1] = key;
    }
    q->n_table = q->n;
    return true;
}

static void lay_table(struct og_question *q)
{
    /* Odd, otherwise arbitrary; ten words need a second one once in a hundred
     * times. */
    static const uint32_t factors[] = {1,          0x9e3779b1, 0x85ebca77,
                                       0xc2b2ae3d, 0x27d4eb2f, 0x165667b1};
    if (q->factor != 0) clear_table(q, q->n_table);
    if (q->n == 0 || q->n > OG_QUESTION_TABLE_MOST) return;
    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++)
        if (fill_table(q, factors[i])) return;
}

static void weigh_bits(struct og_question *q)
{
    for (size_t i = 0; i < q->n; i++) {
        const unsigned bit = og_word_bit(og_word_key(q->words[i]));
        q->bit_weight[bit] = q->bit_words[bit] = 0;
    }
    for (size_t i = 0; i < q->n; i++) {
        const unsigned bit = og_word_bit(og_word_key(q->words[i]));
        q->bit_weight[bit] += q->weights[i];
        q->bit_words[bit] += 1;
    }
    q->least = (q->threshold - ROOM) * (double)q->n * q->total;
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
    weigh_bits(q);
    lay_table(q);
    sort_rare(q);
    double left = q->total;
    size_t p = 0;
    while (p < q->n &&
           product(n - (double)p, n, left, q->total) >= threshold - ROOM)
        left -= q->weights[q->rare[p++]];
    q->n_prefix = p;
    left = q->total;
    unsigned missing = 0;
    while (missing < q->n) { /* the lightest, which are the most common */
        left -= q->weights[q->rare[q->n - 1 - missing]];
        if (product(n - missing - 1, n, left, q->total) < threshold - ROOM)
            break;
        missing++;
    }
    q->max_missing = missing;
}

/* By the table: no branch depends on the words, whose order is
 * unpredictable. */
static double overlap_by_table(const struct og_question *q,
                               const uint32_t *keys, size_t n_keys,
                               uint32_t *out_n_shared)
{
    uint64_t shared = 0; /* bit i + 1: word i */
    for (size_t k = 0; k < n_keys; k++) {
        const unsigned at = q->table[og_question_slot(q->factor, keys[k])];
        shared |= (uint64_t)(q->table_keys[at] == keys[k]) << at;
    }
    double weight = 0;
    uint32_t n_shared = 0;
    for (shared >>= 1; shared != 0; shared &= shared - 1, n_shared++)
        weight += q->weights[__builtin_ctzll(shared)];
    *out_n_shared = n_shared;
    if (n_shared == q->n) return 1;
    return product(n_shared, (double)q->n, weight, q->total);
}

static bool has_key(const uint32_t *keys, size_t n, uint32_t key)
{
    const uint32_t *base = keys;
    while (n > 1) {
        const size_t half = n / 2;
        base += base[half - 1] < key ? half : 0;
        n -= half;
    }
    return n == 1 && *base == key;
}

/* Against a much longer sentence: each word is searched for, the rarest first,
 * until too many are missing. */
static double overlap_by_search(const struct og_question *q,
                                const uint32_t *keys, size_t n_keys,
                                uint32_t *out_n_shared)
{
    double n = (double)q->n, left = q->total;
    *out_n_shared = 0;
    for (size_t i = 0; i < q->n; i++) {
        const uint32_t word = q->rare[i];
        if (has_key(keys, n_keys, og_word_key(q->words[word]))) continue;
        n -= 1;
        left -= q->weights[word];
        if (n * left < q->least) return 0;
    }
    return overlap_by_table(q, keys, n_keys, out_n_shared);
}

/* Both in ascending order, one step at a time. */
static double overlap_by_steps(const struct og_question *q,
                               const uint32_t *keys, size_t n_keys,
                               uint32_t *out_n_shared)
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
    *out_n_shared = n_shared;
    if (n_shared == q->n && n_shared != 0) return 1;
    return product(n_shared, (double)q->n, weight, q->total);
}

double og_question_overlap(const struct og_question *q, const uint32_t *keys,
                           size_t n_keys, uint32_t *out_n_shared)
{
    uint32_t ignored;
    if (out_n_shared == NULL) out_n_shared = &ignored;
    if (q->factor == 0) return overlap_by_steps(q, keys, n_keys, out_n_shared);
    return n_keys > LONGER * q->n
               ? overlap_by_search(q, keys, n_keys, out_n_shared)
               : overlap_by_table(q, keys, n_keys, out_n_shared);
}
