/* The tables and figures of the qSign paper in Markdown, its own figures
 * beside ours where the two can be compared. */

#include "eval/quote_tables.h"

#include "eval/evaluation.h"
#include "eval/markdown.h"

#include <stdio.h>
#include <string.h>

static void head(struct md_table *t, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        md_cell(t, "%s", names[i]);
    md_end_row(t);
}
#define HEAD(table, ...)                                                       \
    head((table), (const char *const[]){__VA_ARGS__},                          \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* ---- table 2 ---- */

/* Google_10000 of the paper, the largest in its Table 2: recall of the bands
 * from 0.9 down to 0.5, total, matches per sentence; d = 0 to 5. */
static const struct {
    uint32_t n_bits;
    double rows[7][6];
} published[] = {
    {16,
     {{0.955, 0.982, 0.987, 0.999, 0.999, 1},
      {0.783, 0.878, 0.949, 0.996, 0.998, 1},
      {0.139, 0.523, 0.758, 0.940, 0.996, 1},
      {0, 0.143, 0.423, 0.640, 0.894, 0.905},
      {0, 0.122, 0.348, 0.512, 0.811, 0.835},
      {0.767, 0.846, 0.907, 0.957, 0.986, 0.989},
      {5.1, 37.9, 267.8, 1277.6, 4398.2, 11531.5}}},
    {32,
     {{0.922, 0.948, 0.982, 0.986, 0.990, 0.992},
      {0.681, 0.807, 0.872, 0.913, 0.940, 0.965},
      {0.057, 0.281, 0.484, 0.616, 0.762, 0.883},
      {0, 0.011, 0.037, 0.196, 0.344, 0.466},
      {0, 0.018, 0.024, 0.128, 0.220, 0.390},
      {0.716, 0.780, 0.833, 0.867, 0.897, 0.926},
      {2.7, 2.9, 3.2, 3.9, 7.2, 21.9}}},
};

static void published_cells(struct md_table *t, uint32_t n_bits, unsigned row)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned d = 0; d <= 5 && published[i].n_bits == n_bits; d++)
            md_cell(t, row == 6 ? "%.1f" : "%.3f", published[i].rows[row][d]);
}

static og_status print_table_2(const struct quote_measured *m,
                               const og_quote_recall *r, og_error *err)
{
    static const char *const bands[] = {"0.5 to 0.6", "0.6 to 0.7",
                                        "0.7 to 0.8", "0.8 to 0.9", "0.9 to 1"};
    const bool has_paper = r->n_bits <= 32;
    struct md_table t = {0};
    uint64_t total = 0;
    printf("#### Recall within d bits, %u-bit signatures, l = %u (Table 2)%s"
           "\n\n",
           r->n_bits, r->word_bits,
           has_paper ? "; right half: the paper, Google_10000" : "");
    md_cell(&t, "similarity");
    md_cell(&t, "reused");
    const unsigned step = r->n_bits == 128 ? 2 : 1;
    for (unsigned half = 0; half <= has_paper; half++)
        for (unsigned d = 0; d <= 5; d++)
            md_cell(&t, "d=%u", half ? d : d * step);
    md_end_row(&t);
    for (int b = OG_QUOTE_BANDS - 1; b >= 0; b--) {
        md_cell(&t, "%s", bands[b]);
        md_cell(&t, "%llu", (unsigned long long)m->facts.n_pairs[b]);
        total += m->facts.n_pairs[b];
        for (unsigned d = 0; d <= 5; d++)
            md_cell(&t, "%.3f", r->recall[b][d * step]);
        published_cells(&t, r->n_bits, (unsigned)(OG_QUOTE_BANDS - 1 - b));
        md_end_row(&t);
    }
    md_cell(&t, "total");
    md_cell(&t, "%llu", (unsigned long long)total);
    for (unsigned d = 0; d <= 5; d++)
        md_cell(&t, "%.3f", r->total[d * step]);
    published_cells(&t, r->n_bits, 5);
    md_end_row(&t);
    md_cell(&t, "matches per sentence");
    md_cell(&t, " ");
    for (unsigned d = 0; d <= 5; d++)
        md_cell(&t, "%.1f", r->n_matches[d * step]);
    published_cells(&t, r->n_bits, 6);
    md_end_row(&t);
    return md_end_table(&t, err);
}

/* ---- figure 7 ---- */

static og_status print_figure_7(const og_quote_recall *r, og_error *err)
{
    struct md_table t = {0};
    printf("#### Predicted and observed recall, %u-bit signatures (figure 7)"
           "\n\n",
           r->n_bits);
    HEAD(&t, "recall", "d=1", "d=2", "d=3", "d=4", "d=5");
    for (int k = 3; k >= 0; k--) {
        md_cell(&t, "observed, %.1f to %.1f", 0.5 + 0.1 * k, 0.6 + 0.1 * k);
        for (unsigned d = 1; d <= 5; d++)
            md_cell(&t, "%.3f", r->recall[k][d]);
        md_end_row(&t);
        if (k == 0) break;
        md_cell(&t, "predicted, %.1f, the paper's model", 0.5 + 0.1 * k);
        for (unsigned d = 1; d <= 5; d++)
            md_cell(&t, "%.3f", r->predicted[k - 1][d]);
        md_end_row(&t);
        md_cell(&t, "predicted, %.1f, both sides", 0.5 + 0.1 * k);
        for (unsigned d = 1; d <= 5; d++)
            md_cell(&t, "%.3f", r->predicted_both[k - 1][d]);
        md_end_row(&t);
    }
    return md_end_table(&t, err);
}

/* ---- figures 8 to 10 ---- */

static og_status print_times(const struct quote_measured *m, og_error *err)
{
    const double scan = m->timing[0].seconds;
    struct md_table t = {0};
    printf("#### Query time and recall (figures 8 to 10)\n\n");
    HEAD(&t, "way", "recall", "recall, 0.7 up", "microseconds", "selecting",
         "verifying", "speed-up over the scan");
    for (size_t i = 0; i < m->n_ways; i++) {
        const og_quote_timing *r = &m->timing[i];
        char name[32];
        quote_way_name(&m->ways[i], name);
        const bool has_parts = r->select_seconds > 0;
        md_cell(&t, "%s", name);
        md_cell(&t, "%.4f", r->recall);
        md_cell(&t, "%.4f", r->recall_70);
        md_cell(&t, "%.1f", r->seconds * 1e6);
        if (has_parts) {
            const double verify = r->seconds - r->select_seconds;
            md_cell(&t, "%.1f", r->select_seconds * 1e6);
            md_cell(&t, "%.1f", verify > 0 ? verify * 1e6 : 0);
        } else {
            md_cell(&t, " ");
            md_cell(&t, " ");
        }
        md_cell(&t, "%.0f", scan / r->seconds);
        md_end_row(&t);
    }
    return md_end_table(&t, err);
}

/* The fastest qSign that reaches a recall; NULL if none does. */
static const og_quote_timing *fastest_at(const struct quote_measured *m,
                                         double recall,
                                         const og_quote_way **out_way)
{
    const og_quote_timing *best = NULL;
    for (size_t i = 0; i < m->n_ways; i++)
        if (m->ways[i].kind == OG_WAY_QSIGN && m->timing[i].recall >= recall &&
            (best == NULL || m->timing[i].seconds < best->seconds)) {
            best = &m->timing[i];
            *out_way = &m->ways[i];
        }
    return best;
}

static const og_quote_timing *exact_at(const struct quote_measured *m,
                                       double threshold)
{
    for (size_t i = 0; i < m->n_ways; i++)
        if (m->ways[i].kind == OG_WAY_EXACT &&
            m->ways[i].threshold > threshold - 0.01 &&
            m->ways[i].threshold < threshold + 0.01)
            return &m->timing[i];
    return &m->timing[0];
}

static void print_claims(const struct quote_measured *m)
{
    const double scan = m->timing[0].seconds;
    const og_quote_timing *exact = exact_at(m, 0.5), *at_70 = exact_at(m, 0.7);
    printf("The exact method finds all reused sentences (recall %.4f; %llu "
           "queries were also answered by a scan, with the same answers): %.1f "
           "microseconds per query at 0.5, %.0f times the speed of the scan; "
           "%.1f at 0.7, %.0f times.\n",
           exact->recall, (unsigned long long)m->facts.n_checked,
           exact->seconds * 1e6, scan / exact->seconds, at_70->seconds * 1e6,
           scan / at_70->seconds);
    const double levels[] = {0.7, 0.9, 0.99};
    for (unsigned i = 0; i < 3; i++) {
        const og_quote_way *way = NULL;
        const og_quote_timing *t = fastest_at(m, levels[i], &way);
        char name[32];
        if (t == NULL) {
            printf("No measured qSign setting reaches a recall of %g.\n",
                   levels[i]);
            continue;
        }
        quote_way_name(way, name);
        printf("The fastest qSign setting with a recall of %g or more: %s, "
               "%.1f microseconds, %.0f times the speed of the scan; the exact "
               "method is %.1f times as fast.\n",
               levels[i], name, t->seconds * 1e6, scan / t->seconds,
               t->seconds / exact->seconds);
    }
    printf("\n");
}

/* ---- figures 11 to 13 ---- */

/* What the exact method does for the same queries at 0.5: its time is at least
 * that of reporting its answers. */
static void growth_of_work(const og_quote_eval_facts *f, struct md_table *t)
{
    static const struct {
        const char *name;
        size_t off;
    } rows[] = {
        {"of these: postings read", offsetof(og_quote_growth, n_postings)},
        {"of these: sets compared", offsetof(og_quote_growth, n_compared)},
        {"of these: sets found", offsetof(og_quote_growth, n_found)},
    };
    for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        double value[OG_QUOTE_GROWTH];
        md_cell(t, "%s", rows[r].name);
        for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++) {
            memcpy(&value[i], (const char *)&f->growth[i] + rows[r].off,
                   sizeof(value[i]));
            md_cell(t, "%.1f", value[i]);
        }
        md_cell(t, "%.1f",
                value[0] > 0 ? value[OG_QUOTE_GROWTH - 1] / value[0] : 0);
        md_end_row(t);
    }
}

static og_status print_growth(const struct quote_measured *m, og_error *err)
{
    const og_quote_eval_facts *f = &m->facts;
    struct md_table t = {0};
    printf("#### Growth: microseconds per query, by the number of sentences in "
           "the collection (figures 11, 12)\n\n");
    md_cell(&t, "sentences");
    for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++)
        md_cell(&t, "%llu", (unsigned long long)f->growth[i].n_sentences);
    md_cell(&t, "growth, for %.1f times the sentences",
            (double)f->growth[OG_QUOTE_GROWTH - 1].n_sentences /
                (double)(f->growth[0].n_sentences + !f->growth[0].n_sentences));
    md_end_row(&t);
    for (unsigned w = 0; w < OG_QUOTE_GROWN_WAYS; w++) {
        char name[32];
        quote_way_name(&f->grown[w], name);
        md_cell(&t, "%s", name);
        for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++)
            md_cell(&t, "%.1f", f->growth[i].seconds[w] * 1e6);
        md_cell(&t, "%.1f",
                f->growth[OG_QUOTE_GROWTH - 1].seconds[w] /
                    f->growth[0].seconds[w]);
        md_end_row(&t);
        if (f->grown[w].kind != OG_WAY_QSIGN) continue;
        md_cell(&t, "of it selecting");
        for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++)
            md_cell(&t, "%.1f", f->growth[i].select_seconds[w] * 1e6);
        md_end_row(&t);
    }
    for (unsigned w = 0; w < 2; w++) {
        char name[32];
        quote_way_name(&f->grown[w], name);
        md_cell(&t, "%s, the same queries", name);
        for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++)
            md_cell(&t, "%.2f", f->growth[i].same_seconds[w] * 1e6);
        md_cell(&t, "%.1f",
                f->growth[OG_QUOTE_GROWTH - 1].same_seconds[w] /
                    f->growth[0].same_seconds[w]);
        md_end_row(&t);
    }
    growth_of_work(f, &t);
    md_cell(&t, "adding one");
    for (unsigned i = 0; i < OG_QUOTE_GROWTH; i++) {
        const uint64_t before = i == 0 ? 0 : f->growth[i - 1].n_sentences;
        const double seconds = f->growth[i].add_seconds -
                               (i == 0 ? 0 : f->growth[i - 1].add_seconds);
        const uint64_t n = f->growth[i].n_sentences - before;
        md_cell(&t, "%.1f", n == 0 ? 0 : seconds / (double)n * 1e6);
    }
    md_end_row(&t);
    return md_end_table(&t, err);
}

static og_status print_incremental(const struct quote_measured *m,
                                   og_error *err)
{
    const og_quote_eval_facts *f = &m->facts;
    struct md_table t = {0};
    printf("#### Adding a tenth of the sentences: incrementally, and by a full "
           "rebuild (figure 13), in seconds\n\n");
    md_cell(&t, "sentences before");
    for (unsigned i = 1; i < OG_QUOTE_GROWTH; i++)
        md_cell(&t, "%llu", (unsigned long long)f->growth[i].n_sentences);
    md_end_row(&t);
    for (unsigned k = 0; k < QUOTE_INCREMENTAL; k++) {
        const unsigned way = quote_incremental_way(k);
        char name[32];
        quote_way_name(&f->grown[way], name);
        for (unsigned again = 0; again < 2; again++) {
            double seconds[OG_QUOTE_GROWTH];
            quote_incremental(f, way, again != 0, seconds);
            md_cell(&t, "%s, %s", name,
                    again ? "full rebuild" : "incrementally");
            for (unsigned i = 1; i < OG_QUOTE_GROWTH; i++)
                md_cell(&t, "%.2f", seconds[i]);
            md_end_row(&t);
        }
    }
    return md_end_table(&t, err);
}

/* ---- the whole ---- */

og_status quote_tables_print(const struct quote_measured *m, double threshold,
                             og_error *err)
{
    og_status status = OG_OK;
    const og_quote_eval_facts *f = &m->facts;
    printf("%llu sentences of %llu documents, %llu distinct sets of words, "
           "%.1f words each, a dictionary of %llu words; %llu queries of %.1f "
           "words, which are the sentences that follow in the stream. Reused "
           "means a similarity of %g or more; sentences that occur several "
           "times count several times.\n\n",
           (unsigned long long)f->n_sentences,
           (unsigned long long)f->n_documents,
           (unsigned long long)f->n_wordsets, f->mean_words,
           (unsigned long long)f->n_words, (unsigned long long)f->n_questions,
           f->mean_question_words, threshold);
    print_claims(m);
    for (unsigned i = 0; i < 4 && status == OG_OK; i++)
        status = print_table_2(m, &m->recall[i], err);
    for (unsigned i = 0; i < 2 && status == OG_OK; i++)
        status = print_figure_7(&m->recall[i], err);
    if (status == OG_OK) status = print_times(m, err);
    if (status == OG_OK) status = print_growth(m, err);
    if (status == OG_OK) status = print_incremental(m, err);
    return status;
}

/* ---- aligned files ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

og_status aligned_table_print(const char *const *paths, size_t n,
                              double threshold, og_error *err)
{
    struct md_table t = {0};
    HEAD(&t, "asked", "collection", "pairs", "found", "first", "microseconds");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            og_aligned_result r;
            if (i == k) continue;
            const og_status status =
                og_quote_eval_aligned(paths[i], paths[k], threshold, &r, err);
            if (status != OG_OK) {
                md_release(&t);
                return status;
            }
            const double pairs = r.n_pairs == 0 ? 1 : (double)r.n_pairs;
            md_cell(&t, "%s", base_name(paths[i]));
            md_cell(&t, "%s", base_name(paths[k]));
            md_cell(&t, "%llu", (unsigned long long)r.n_pairs);
            md_cell(&t, "%.4f", (double)r.n_found / pairs);
            md_cell(&t, "%.4f", (double)r.n_first / pairs);
            md_cell(&t, "%.1f", r.seconds * 1e6);
            md_end_row(&t);
        }
    return md_end_table(&t, err);
}
