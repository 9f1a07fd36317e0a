/* How well passages were found (Potthast et al., "An Evaluation Framework for
 * Plagiarism Detection", 2010).
 *
 * A detection matches a true passage if it is of the same pair and both sides
 * overlap. The recall of a true passage is the share of its characters, of both
 * sides together, that matching detections cover; recall is the mean over the
 * true passages. Precision is the same with the roles exchanged. A passage
 * should be found once: granularity is the mean number of detections of those
 * true passages that were found at all. In one figure:
 *
 *     plagdet = F1(precision, recall) / log2(1 + granularity) */

#include <math.h>
#include <stdlib.h>

#include "eval/measure/pan.h"

/* By pair first, so that the passages of one pair are adjacent. */
static int by_pair(const void *a, const void *b)
{
    const struct og_pan_case *x = a, *y = b;
    if (x->document != y->document) return x->document < y->document ? -1 : 1;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->source_begin > y->source_begin) -
           (x->source_begin < y->source_begin);
}

static int compare_pairs(const struct og_pan_case *x,
                         const struct og_pan_case *y)
{
    if (x->document != y->document) return x->document < y->document ? -1 : 1;
    return (x->source > y->source) - (x->source < y->source);
}

struct range {
    uint64_t begin, end;
};

static struct range common(uint64_t begin, uint64_t len, uint64_t other,
                           uint64_t other_len)
{
    const uint64_t end = begin + len, other_end = other + other_len;
    return (struct range){begin > other ? begin : other,
                          end < other_end ? end : other_end};
}

static bool meets(const struct og_pan_case *a, const struct og_pan_case *b)
{
    const struct range here = common(a->begin, a->len, b->begin, b->len);
    const struct range there =
        common(a->source_begin, a->source_len, b->source_begin, b->source_len);
    return here.begin < here.end && there.begin < there.end;
}

static struct range side_range(const struct og_pan_case *a,
                               const struct og_pan_case *b, bool is_source)
{
    return is_source ? common(a->source_begin, a->source_len, b->source_begin,
                              b->source_len)
                     : common(a->begin, a->len, b->begin, b->len);
}

/* The characters of one side of `a` covered by those of others[0 .. n) that
 * match it. Each round takes the range that begins first after the last one. */
static uint64_t covered(const struct og_pan_case *a,
                        const struct og_pan_case *others, size_t n,
                        bool is_source)
{
    uint64_t total = 0, done = 0;
    for (;;) {
        struct range next = {UINT64_MAX, 0};
        for (size_t i = 0; i < n; i++) {
            if (!meets(a, &others[i])) continue;
            struct range r = side_range(a, &others[i], is_source);
            if (r.end <= done) continue;
            if (r.begin < done) r.begin = done;
            if (r.begin < next.begin ||
                (r.begin == next.begin && r.end > next.end))
                next = r;
        }
        if (next.begin == UINT64_MAX) return total;
        total += next.end - next.begin;
        done = next.end;
    }
}

struct shares {
    double sum; /* over the cases: the share of each that the others cover */
    uint64_t n_hit, n_met;
};

static struct shares sum_shares(const struct og_pan_cases *cases,
                                const struct og_pan_cases *others)
{
    struct shares s = {0};
    size_t begin = 0;
    for (size_t i = 0; i < cases->n; i++) {
        const struct og_pan_case *a = &cases->data[i];
        while (begin < others->n && compare_pairs(&others->data[begin], a) < 0)
            begin++;
        size_t end = begin, met = 0;
        for (; end < others->n && compare_pairs(&others->data[end], a) == 0;
             end++)
            met += meets(a, &others->data[end]);
        if (met > 0 && a->len + a->source_len > 0) {
            const struct og_pan_case *near = others->data + begin;
            const size_t n = end - begin;
            s.sum += (double)(covered(a, near, n, false) +
                              covered(a, near, n, true)) /
                     (double)(a->len + a->source_len);
        }
        s.n_hit += met > 0;
        s.n_met += met;
    }
    return s;
}

static double mean(double sum, size_t n)
{
    return n > 0 ? sum / (double)n : 0;
}

struct og_pan_score og_pan_score(struct og_pan_cases *truth,
                                 struct og_pan_cases *found)
{
    struct og_pan_score s = {0};
    if (truth->n > 0)
        qsort(truth->data, truth->n, sizeof(*truth->data), by_pair);
    if (found->n > 0)
        qsort(found->data, found->n, sizeof(*found->data), by_pair);
    const struct shares there = sum_shares(truth, found);
    s.recall = mean(there.sum, truth->n);
    s.precision = mean(sum_shares(found, truth).sum, found->n);
    s.granularity =
        there.n_hit > 0 ? (double)there.n_met / (double)there.n_hit : 1;
    const double sum = s.precision + s.recall;
    const double f1 = sum > 0 ? 2 * s.precision * s.recall / sum : 0;
    s.plagdet = f1 / log2(1 + s.granularity);
    return s;
}

/* A view of the cases of one pair. */
static struct og_pan_cases cases_of(const struct og_pan_cases *cases,
                                    struct og_pan_pair pair)
{
    const struct og_pan_case key = {.document = pair.document,
                                    .source = pair.source};
    size_t begin = 0, n = 0;
    while (begin < cases->n && compare_pairs(&cases->data[begin], &key) < 0)
        begin++;
    while (begin + n < cases->n &&
           compare_pairs(&cases->data[begin + n], &key) == 0)
        n++;
    return (struct og_pan_cases){.data = n > 0 ? cases->data + begin : NULL,
                                 .n = n};
}

struct og_pan_sums og_pan_sums(const struct og_pan_cases *truth,
                               const struct og_pan_cases *found,
                               struct og_pan_pair pair)
{
    const struct og_pan_cases here = cases_of(truth, pair);
    const struct og_pan_cases seen = cases_of(found, pair);
    const struct shares there = sum_shares(&here, &seen);
    return (struct og_pan_sums){.n_cases = here.n,
                                .n_found = seen.n,
                                .recall = there.sum,
                                .precision = sum_shares(&seen, &here).sum,
                                .n_hit = there.n_hit,
                                .n_met = there.n_met};
}
