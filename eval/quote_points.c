/* The points of the figures of the qSign paper, as TSV for plotting; and the
 * measurements on which the tables are based, too. */

#include "eval/evaluation.h"
#include "eval/quote_tables.h"

#include <stdio.h>
#include <string.h>

static const uint32_t bits[] = {16, 32, 64, 128};

static og_status measure_distance(og_quote_eval *eval, uint32_t n_bits,
                                  uint32_t distance, struct quote_measured *m,
                                  og_error *err)
{
    og_quote_way *way = &m->ways[m->n_ways];
    *way = (og_quote_way){
        .kind = OG_WAY_QSIGN, .n_bits = n_bits, .distance = distance};
    return og_quote_eval_time(eval, way, &m->timing[m->n_ways++], err);
}

/* qSign at growing distances until it finds nearly all or takes long; then at
 * the distances needed for a recall of 0.9, 0.95 and 0.99, however long these
 * take. */
static og_status measure_qsign(og_quote_eval *eval, const og_quote_recall *r,
                               struct quote_measured *m, og_error *err)
{
    static const uint32_t distances[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16};
    static const double recalls[] = {0.9, 0.95, 0.99};
    og_status status = OG_OK;
    uint32_t d = 0;
    for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++) {
        d = distances[i];
        status = measure_distance(eval, r->n_bits, d, m, err);
        const og_quote_timing *timing = &m->timing[m->n_ways - 1];
        if (status != OG_OK || timing->recall > 0.999 || timing->seconds > 0.01)
            break;
    }
    for (size_t i = 0; i < 3 && status == OG_OK; i++) {
        if (r->total[d] >= recalls[i]) continue;
        while (d < r->n_bits && r->total[d] < recalls[i])
            d++;
        status = measure_distance(eval, r->n_bits, d, m, err);
    }
    return status;
}

static og_status measure_way(og_quote_eval *eval, og_quote_way_kind kind,
                             double threshold, struct quote_measured *m,
                             og_error *err)
{
    og_quote_way *way = &m->ways[m->n_ways];
    *way = (og_quote_way){.kind = kind, .threshold = threshold};
    return og_quote_eval_time(eval, way, &m->timing[m->n_ways++], err);
}

og_status quote_measure(og_quote_eval *eval, struct quote_measured *m,
                        og_error *err)
{
    memset(m, 0, sizeof(*m));
    og_quote_eval_facts_get(eval, &m->facts);
    og_status status = measure_way(eval, OG_WAY_SCAN, 0, m, err);
    for (unsigned i = 5; i <= 9 && status == OG_OK; i++)
        status = measure_way(eval, OG_WAY_INVERTED, 0.1 * i, m, err);
    for (unsigned i = 5; i <= 9 && status == OG_OK; i++)
        status = measure_way(eval, OG_WAY_EXACT, 0.1 * i, m, err);
    for (unsigned i = 0; i < 4 && status == OG_OK; i++) {
        status = og_quote_eval_recall(eval, bits[i], 0, &m->recall[i], err);
        if (status == OG_OK)
            status = measure_qsign(eval, &m->recall[i], m, err);
    }
    return status;
}

void quote_way_name(const og_quote_way *way, char out[32])
{
    switch (way->kind) {
    case OG_WAY_SCAN: snprintf(out, 32, "scan"); break;
    case OG_WAY_INVERTED:
        snprintf(out, 32, "inverted index, %.1f", way->threshold);
        break;
    case OG_WAY_EXACT: snprintf(out, 32, "exact, %.1f", way->threshold); break;
    case OG_WAY_QSIGN:
        snprintf(out, 32, "qSign %u bits, d %u", way->n_bits, way->distance);
        break;
    }
}

/* ---- a tenth more ---- */

unsigned quote_incremental_way(unsigned k)
{
    static const unsigned ways[QUOTE_INCREMENTAL] = {0, 2, 4};
    return ways[k];
}

/* The cost per sentence was measured, the rest is multiplication. */
void quote_incremental(const og_quote_eval_facts *f, unsigned way, bool again,
                       double out[OG_QUOTE_GROWTH])
{
    double total =
        f->growth[0].seconds[way] * (double)f->growth[0].n_sentences / 2;
    out[0] = 0;
    for (unsigned i = 1; i < OG_QUOTE_GROWTH; i++) {
        const og_quote_growth *g = &f->growth[i], *last = g - 1;
        const double n = (double)g->n_sentences;
        const double adding = g->add_seconds / n;
        total += (n - (double)last->n_sentences) *
                 (g->seconds[way] + last->seconds[way]) / 2;
        const double more = n / 10 * (g->seconds[way] + adding);
        out[i] = again ? total + g->add_seconds + more : more;
    }
}

/* ---- points ---- */

static void series_name(const og_quote_way *way, char out[32])
{
    switch (way->kind) {
    case OG_WAY_SCAN: snprintf(out, 32, "scan"); break;
    case OG_WAY_INVERTED: snprintf(out, 32, "inverted index"); break;
    case OG_WAY_EXACT: snprintf(out, 32, "exact"); break;
    case OG_WAY_QSIGN: snprintf(out, 32, "%u bits", way->n_bits); break;
    }
}

static void print_recall(const struct quote_measured *m, FILE *out)
{
    for (unsigned i = 0; i < 4; i++) {
        const og_quote_recall *r = &m->recall[i];
        for (unsigned d = 0; d <= 5; d++) {
            if (r->n_matches[d] > 0)
                fprintf(out, "6\t%u bits\t%.5f\t%.5f\n", r->n_bits, r->total[d],
                        (double)(m->facts.n_pairs[0] + m->facts.n_pairs[1] +
                                 m->facts.n_pairs[2] + m->facts.n_pairs[3] +
                                 m->facts.n_pairs[4]) /
                            (double)m->facts.n_questions * r->total[d] /
                            r->n_matches[d]);
            for (unsigned b = 0; b < 4; b++)
                fprintf(out, "7-%u\tobserved %.1f to %.1f\t%u\t%.5f\n",
                        r->n_bits, 0.5 + 0.1 * b, 0.6 + 0.1 * b, d,
                        r->recall[b][d]);
            for (unsigned k = 0; k < 3; k++) {
                fprintf(out, "7-%u\tpredicted %.1f\t%u\t%.5f\n", r->n_bits,
                        0.6 + 0.1 * k, d, r->predicted[k][d]);
                fprintf(out, "7-%u\tboth sides %.1f\t%u\t%.5f\n", r->n_bits,
                        0.6 + 0.1 * k, d, r->predicted_both[k][d]);
            }
        }
    }
}

static void print_times(const struct quote_measured *m, FILE *out)
{
    const double scan = m->timing[0].seconds;
    for (size_t i = 1; i < m->n_ways; i++) {
        const og_quote_timing *t = &m->timing[i];
        char name[32];
        series_name(&m->ways[i], name);
        fprintf(out, "8\t%s\t%.5f\t%.8f\n", name, t->recall, t->seconds / scan);
        fprintf(out, "10\t%s\t%.5f\t%.4f\n", name, t->recall, t->seconds * 1e6);
        if (m->ways[i].kind == OG_WAY_EXACT) continue;
        fprintf(out, "9a\t%s\t%.5f\t%.4f\n", name, t->recall,
                t->select_seconds * 1e6);
        fprintf(out, "9b\t%s\t%.5f\t%.4f\n", name, t->recall,
                (t->seconds - t->select_seconds) * 1e6);
        fprintf(out, "9c\t%s\t%.5f\t%.4f\n", name, t->recall, t->seconds * 1e6);
    }
}

/* Figure 12: how a query's time is divided; figure 13: a tenth more sentences,
 * incrementally and by repeating everything. */
static void print_split(const struct quote_measured *m, FILE *out)
{
    const og_quote_eval_facts *f = &m->facts;
    for (unsigned w = 0; w < OG_QUOTE_GROWN_WAYS; w++) {
        char name[32];
        if (f->grown[w].kind != OG_WAY_QSIGN) continue;
        quote_way_name(&f->grown[w], name);
        for (unsigned part = 0; part < 2; part++)
            for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++) {
                const og_quote_growth *g = &f->growth[i];
                const double verifying = g->seconds[w] - g->select_seconds[w];
                fprintf(out, "12-%u\t%s, %s\t%llu\t%.4f\n", f->grown[w].n_bits,
                        name, part == 0 ? "selecting" : "verifying",
                        (unsigned long long)g->n_sentences,
                        (part == 0 ? g->select_seconds[w] : verifying) * 1e6);
            }
    }
}

static void print_incremental(const struct quote_measured *m, FILE *out)
{
    const og_quote_eval_facts *f = &m->facts;
    for (unsigned k = 0; k < QUOTE_INCREMENTAL; k++) {
        char name[32];
        quote_way_name(&f->grown[quote_incremental_way(k)], name);
        for (unsigned again = 0; again < 2; again++) {
            double seconds[OG_QUOTE_GROWTH];
            quote_incremental(f, quote_incremental_way(k), again != 0, seconds);
            for (unsigned i = 1; i < OG_QUOTE_GROWTH; i++)
                fprintf(out, "13\t%s, %s\t%llu\t%.4f\n", name,
                        again ? "all again" : "incrementally",
                        (unsigned long long)f->growth[i].n_sentences,
                        seconds[i]);
        }
    }
}

static void print_growth(const struct quote_measured *m, FILE *out)
{
    const og_quote_eval_facts *f = &m->facts;
    for (unsigned w = 0; w < OG_QUOTE_GROWN_WAYS; w++) {
        char name[32];
        double total = 0;
        uint64_t before = 0;
        quote_way_name(&f->grown[w], name);
        for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++) {
            const og_quote_growth *g = &f->growth[i];
            const double last = i == 0 ? 0 : f->growth[i - 1].seconds[w];
            total +=
                (double)(g->n_sentences - before) * (g->seconds[w] + last) / 2;
            before = g->n_sentences;
            fprintf(out, "11\t%s\t%llu\t%.3f\n", name,
                    (unsigned long long)g->n_sentences, total);
            fprintf(out, "growth\t%s\t%llu\t%.4f\n", name,
                    (unsigned long long)g->n_sentences, g->seconds[w] * 1e6);
            if (w < 2)
                fprintf(out, "growth\t%s, same questions\t%llu\t%.4f\n", name,
                        (unsigned long long)g->n_sentences,
                        g->same_seconds[w] * 1e6);
        }
    }
}

void quote_points_print(const struct quote_measured *m, FILE *out)
{
    fprintf(out, "figure\tseries\tx\ty\n");
    print_recall(m, out);
    print_times(m, out);
    print_growth(m, out);
    print_split(m, out);
    print_incremental(m, out);
}
