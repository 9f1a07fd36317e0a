/* Rules that declare a pair a duplicate by its sketches, and how well they do.
 *
 * The thresholds of a rule are tried one by one on one half of the pairs; those
 * with the best F1 are scored on the other half, so that a rule gains nothing
 * by having more of them. */

#include <stdlib.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/near.h"

typedef bool rule(unsigned distance, unsigned n_equal, const unsigned *at);

static bool by_distance(unsigned distance, unsigned n_equal, const unsigned *at)
{
    (void)n_equal;
    return distance <= at[0];
}

static bool by_samples(unsigned distance, unsigned n_equal, const unsigned *at)
{
    (void)distance;
    return n_equal >= at[1];
}

static bool by_both(unsigned distance, unsigned n_equal, const unsigned *at)
{
    return distance <= at[0] && n_equal >= at[1];
}

/* at[2] eighths for the samples, the rest for the bits that agree. */
static bool by_sum(unsigned distance, unsigned n_equal, const unsigned *at)
{
    return at[2] * n_equal + (8 - at[2]) * (128 - distance) >= at[3];
}

/* The non-zero counts: few of all. */
struct cell {
    unsigned distance, n_equal;
    uint64_t all, duplicates;
};

struct cells {
    struct cell *data;
    size_t n;
};

static bool cells_init(struct cells *cells, const struct og_near_counts *c)
{
    const size_t most = (size_t)OG_NEAR_LEVELS * OG_NEAR_LEVELS;
    cells->n = 0;
    cells->data = malloc(most * sizeof(*cells->data));
    if (cells->data == NULL) return false;
    for (unsigned d = 0; d < OG_NEAR_LEVELS; d++)
        for (unsigned m = 0; m < OG_NEAR_LEVELS; m++)
            if (c->all[d][m] != 0)
                cells->data[cells->n++] =
                    (struct cell){d, m, c->all[d][m], c->duplicates[d][m]};
    return true;
}

static og_near_score score_of(const struct cells *c, rule *accepts,
                              const unsigned *at)
{
    uint64_t found = 0, right = 0, all = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct cell *cell = &c->data[i];
        all += cell->duplicates;
        if (!accepts(cell->distance, cell->n_equal, at)) continue;
        found += cell->all;
        right += cell->duplicates;
    }
    og_near_score s = {.distance = at[0], .n_equal = at[1]};
    s.precision = found == 0 ? 0 : (double)right / (double)found;
    s.recall = all == 0 ? 0 : (double)right / (double)all;
    const double sum = s.precision + s.recall;
    s.f1 = sum == 0 ? 0 : 2 * s.precision * s.recall / sum;
    return s;
}

struct best {
    unsigned at[4];
    double f1;
};

static void try_out(const struct cells *c, rule *accepts, const unsigned at[4],
                    struct best *best)
{
    const double f1 = score_of(c, accepts, at).f1;
    if (f1 <= best->f1) return;
    best->f1 = f1;
    memcpy(best->at, at, sizeof(best->at));
}

/* Thresholds past these accept nearly everything or nothing. */
enum { FARTHEST = 48 };

static struct best choose_one(const struct cells *c)
{
    struct best best = {{0}, -1};
    for (unsigned d = 0; d <= FARTHEST; d++)
        try_out(c, by_distance, (unsigned[4]){d}, &best);
    return best;
}

static struct best choose_samples(const struct cells *c)
{
    struct best best = {{0}, -1};
    for (unsigned m = 0; m < OG_NEAR_LEVELS; m++)
        try_out(c, by_samples, (unsigned[4]){0, m}, &best);
    return best;
}

static struct best choose_both(const struct cells *c)
{
    struct best best = {{0}, -1};
    for (unsigned d = 0; d <= FARTHEST; d++)
        for (unsigned m = 0; m < OG_NEAR_LEVELS; m++)
            try_out(c, by_both, (unsigned[4]){d, m}, &best);
    return best;
}

static struct best choose_sum(const struct cells *c)
{
    struct best best = {{0}, -1};
    for (unsigned share = 1; share < 8; share++)
        for (unsigned least = 0; least <= 8 * 128; least++)
            try_out(c, by_sum, (unsigned[4]){0, 0, share, least}, &best);
    return best;
}

static void score_rules(const struct cells *choose, const struct cells *score,
                        og_near_result *out)
{
    const struct best one = choose_one(choose);
    const struct best samples = choose_samples(choose);
    const struct best both = choose_both(choose);
    const struct best sum = choose_sum(choose);
    out->simhash = score_of(score, by_distance, one.at);
    out->minhash = score_of(score, by_samples, samples.at);
    out->both = score_of(score, by_both, both.at);
    out->sum = score_of(score, by_sum, sum.at);
}

og_status og_near_score_rules(const struct og_near_counts *choose,
                              const struct og_near_counts *score,
                              og_near_result *out, og_error *err)
{
    struct cells a = {0}, b = {0};
    og_status status = OG_OK;
    if (cells_init(&a, choose) && cells_init(&b, score))
        score_rules(&a, &b, out);
    else
        status = og_error_memory(err, sizeof(*a.data), "scores");
    free(a.data);
    free(b.data);
    return status;
}
