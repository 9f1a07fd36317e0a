/* Table 2 and figure 7 of the qSign paper: how many reused sentences are within
 * d bits, and how many would be by the model of section 2.1.2. Distances are
 * counted pair by pair, without any search. */

#include <math.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/quote_eval.h"

enum { DISTANCES = 17, ALL_DISTANCES = 129 };

static int band_of(double similarity)
{
    int band = (int)((similarity - 0.5) * 10 - 1e-9);
    if (similarity < 0.5) return -1;
    if (band < 0) band = 0;
    return band < OG_QUOTE_BANDS ? band : OG_QUOTE_BANDS - 1;
}

static void add_from(double *sums, unsigned n_sums, unsigned distance, double n)
{
    for (unsigned d = distance; d < n_sums; d++)
        sums[d] += n;
}

static struct og_signature signature_of(const struct og_quote_eval *e,
                                        size_t question)
{
    struct og_signature s = {{0, 0}};
    size_t n;
    const uint64_t *words = og_eval_question(e, question, &n);
    for (size_t i = 0; i < n; i++)
        og_signature_add(&s, og_word_key(words[i]), e->n_bits, e->word_bits);
    return s;
}

/* All sentences within each distance, whether they are reused or not. */
static void count_matches(const struct og_quote_eval *e, og_quote_recall *out)
{
    const struct og_sentence_segment *m = &e->sentences->segment[0];
    for (size_t i = 0; i < e->n_questions; i++) {
        const struct og_signature q = signature_of(e, i);
        for (size_t k = 0; k < m->totals.n_wordsets; k++) {
            const struct og_signature s = og_sentence_segment_signature(m, k);
            const unsigned d = og_signature_distance(&q, &s);
            if (d >= DISTANCES) continue;
            out->n_matches[d] += m->place_starts[k + 1] - m->place_starts[k];
        }
    }
    for (unsigned d = 0; d < DISTANCES; d++) {
        out->n_matches[d] /= (double)e->n_questions;
        if (d != 0) out->n_matches[d] += out->n_matches[d - 1];
    }
}

/* The model for a pair if its similarity were exactly `at`: for words of equal
 * weight the similarity is the square of the share of words. */
static void predict(const struct og_quote_eval *e,
                    const struct og_truth_pair *p, double at, double *paper,
                    double *both)
{
    const struct og_sentence_segment *m = &e->sentences->segment[0];
    size_t n;
    (void)og_eval_question(e, p->question, &n);
    const double shared = (double)n * sqrt(at), added = (double)n - shared;
    const double other = (double)(m->wordset_starts[p->wordset + 1] -
                                  m->wordset_starts[p->wordset]) -
                         p->n_shared;
    const double by_paper =
        og_bit_switch(e->n_bits, e->word_bits, shared, added, 0);
    const double by_both =
        og_bit_switch(e->n_bits, e->word_bits, shared, added, other);
    for (unsigned d = 0; d < DISTANCES; d++) {
        paper[d] += p->n_places * og_max_bit_diff(e->n_bits, by_paper, d);
        both[d] += p->n_places * og_max_bit_diff(e->n_bits, by_both, d);
    }
}

static void count_pairs(const struct og_quote_eval *e, og_quote_recall *out)
{
    const struct og_sentence_segment *m = &e->sentences->segment[0];
    double all[OG_QUOTE_BANDS] = {0}, beside[4] = {0}, total = 0;
    for (size_t i = 0; i < e->n_pairs; i++) {
        const struct og_truth_pair *p = &e->pairs[i];
        const int band = band_of(p->similarity);
        if (band < 0) continue;
        const struct og_signature q = signature_of(e, p->question);
        const struct og_signature s =
            og_sentence_segment_signature(m, p->wordset);
        const unsigned d = og_signature_distance(&q, &s);
        add_from(out->recall[band], DISTANCES, d, p->n_places);
        add_from(out->total, ALL_DISTANCES, d, p->n_places);
        all[band] += p->n_places;
        total += p->n_places;
        for (int edge = 0; edge < 4; edge++) { /* 0.6 to 0.9 */
            if (band != edge && band != edge + 1) continue;
            predict(e, p, 0.6 + 0.1 * edge, out->predicted[edge],
                    out->predicted_both[edge]);
            beside[edge] += p->n_places;
        }
    }
    for (unsigned d = 0; d < DISTANCES; d++) {
        for (unsigned b = 0; b < OG_QUOTE_BANDS; b++)
            out->recall[b][d] /= all[b] + (all[b] == 0);
        for (unsigned k = 0; k < 4; k++) {
            out->predicted[k][d] /= beside[k] + (beside[k] == 0);
            out->predicted_both[k][d] /= beside[k] + (beside[k] == 0);
        }
    }
    for (unsigned d = 0; d < ALL_DISTANCES; d++)
        out->total[d] /= total + (total == 0);
}

void og_eval_count_near(const struct og_quote_eval *e, unsigned distance,
                        double *out_recall, double *out_recall_70)
{
    const struct og_sentence_segment *m = &e->sentences->segment[0];
    double all[2] = {0, 0}, near[2] = {0, 0};
    for (size_t i = 0; i < e->n_pairs; i++) {
        const struct og_truth_pair *p = &e->pairs[i];
        const struct og_signature q = signature_of(e, p->question);
        const struct og_signature s =
            og_sentence_segment_signature(m, p->wordset);
        const double n =
            og_signature_distance(&q, &s) <= distance ? p->n_places : 0;
        all[0] += p->n_places;
        near[0] += n;
        if (p->similarity < 0.7) continue;
        all[1] += p->n_places;
        near[1] += n;
    }
    *out_recall = all[0] == 0 ? 1 : near[0] / all[0];
    *out_recall_70 = all[1] == 0 ? 1 : near[1] / all[1];
}

og_status og_quote_eval_recall(og_quote_eval *e, uint32_t n_bits,
                               uint32_t word_bits, og_quote_recall *out,
                               og_error *err)
{
    memset(out, 0, sizeof(*out));
    TRY(og_eval_lay_signatures(e, n_bits, word_bits, err));
    out->n_bits = e->n_bits;
    out->word_bits = e->word_bits;
    count_matches(e, out);
    count_pairs(e, out);
    return OG_OK;
}
