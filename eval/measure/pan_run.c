/* Compares every pair of a PAN corpus and scores the result; or scores the
 * detections of another program. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/pan.h"
#include "lib/align/comparison.h"
#include "lib/os/clock.h"
#include "lib/os/new_file.h"
#include "lib/text/utf8.h"

og_pan_options og_pan_options_default(void)
{
    return (og_pan_options){.compare = og_compare_options_default()};
}

struct run {
    const og_pan_options *options;
    struct og_pan_corpus corpus;
    og_comparison *comparison;
    struct og_pan_cases found; /* of the current subset, then of all */
    double slowest;            /* of a pair of the current subset */
    double seconds;
    FILE *pairs; /* the sums of each pair, or NULL */
    og_error *err;
};

/* ---- one pair ---- */

/* Converts offsets in a text, in ascending order, to code points. */
struct cursor {
    og_bytes text;
    uint64_t byte, n;
};

static uint64_t chars_at(struct cursor *at, uint64_t byte)
{
    if (byte < at->byte) *at = (struct cursor){at->text, 0, 0};
    while (at->byte < byte && at->byte < at->text.len) {
        const struct og_utf8 c =
            og_utf8_decode((const unsigned char *)at->text.data + at->byte,
                           at->text.len - at->byte);
        at->byte += c.len;
        at->n++;
    }
    return at->n;
}

static og_status note_spans(struct run *r, struct og_pan_pair pair,
                            og_bytes document, og_bytes source)
{
    const og_answer *answer = og_comparison_answer(r->comparison);
    struct og_pan_cases *found = &r->found;
    struct cursor here = {document, 0, 0}, there = {source, 0, 0};
    if (!OG_GROW(NULL, found->data, found->cap, found->n + answer->n_spans))
        return og_error_memory(r->err, answer->n_spans, "detections");
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        struct og_pan_case c = {.document = pair.document,
                                .source = pair.source};
        c.begin = chars_at(&here, span->begin);
        c.len = chars_at(&here, span->end) - c.begin;
        c.source_begin = chars_at(&there, span->origin_begin);
        c.source_len = chars_at(&there, span->origin_end) - c.source_begin;
        found->data[found->n++] = c;
    }
    return OG_OK;
}

static og_status compare_texts(struct run *r, struct og_pan_pair pair,
                               og_bytes document, og_bytes source)
{
    const og_document a = {.id = OG_LITERAL("document"), .text = document};
    const og_document b = {.id = OG_LITERAL("source"), .text = source};
    const double began = og_clock_seconds();
    TRY(og_compare(r->comparison, &a, &b, &r->options->compare, r->err));
    const double took = og_clock_seconds() - began;
    r->seconds += took;
    if (took > r->slowest) r->slowest = took;
    return note_spans(r, pair, document, source);
}

static og_status read_in(const struct run *r, const char *folder, uint32_t name,
                         og_bytes *out)
{
    char path[4096];
    const char *file = r->corpus.names.data[name];
    snprintf(path, sizeof(path), "%s/%s", r->corpus.folder, folder);
    if (strchr(file, '/') != NULL)
        return og_error_set(r->err, OG_ERR_INPUT,
                            "pair names '%s', which is no plain file name",
                            file);
    return og_pan_file_read(path, file, out, r->err);
}

static og_status compare_pair(struct run *r, struct og_pan_pair pair)
{
    og_bytes document = {0}, source = {0};
    og_status status = read_in(r, "susp", pair.document, &document);
    if (status == OG_OK) status = read_in(r, "src", pair.source, &source);
    if (status == OG_OK) status = compare_texts(r, pair, document, source);
    free((void *)document.data);
    free((void *)source.data);
    return status;
}

/* ---- XML, as PAN's own programs read it ---- */

static void write_features(FILE *file, const struct og_pan_names *names,
                           struct og_pan_pair pair,
                           const struct og_pan_case *cases, size_t n)
{
    fprintf(file, "<document reference=\"%s\">\n", names->data[pair.document]);
    for (size_t i = 0; i < n; i++)
        fprintf(file,
                "<feature name=\"detected-plagiarism\" this_offset=\"%llu\" "
                "this_length=\"%llu\" source_reference=\"%s\" "
                "source_offset=\"%llu\" source_length=\"%llu\" />\n",
                (unsigned long long)cases[i].begin,
                (unsigned long long)cases[i].len, names->data[pair.source],
                (unsigned long long)cases[i].source_begin,
                (unsigned long long)cases[i].source_len);
    fprintf(file, "</document>\n");
}

/* "suspicious-document00005-source-document01090.xml" */
static og_status write_xml(const struct run *r, struct og_pan_pair pair,
                           const struct og_pan_case *cases, size_t n)
{
    const char *document = r->corpus.names.data[pair.document];
    const char *source = r->corpus.names.data[pair.source];
    char path[4096];
    snprintf(path, sizeof(path), "%s/%.*s-%.*s.xml", r->options->write_to,
             (int)strcspn(document, "."), document, (int)strcspn(source, "."),
             source);
    FILE *file = fopen(path, "w");
    if (file == NULL) return og_file_failure(r->err, "write", path, errno);
    write_features(file, &r->corpus.names, pair, cases, n);
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed) return OG_OK;
    return og_file_failure(r->err, "write", path, errno);
}

/* ---- subsets ---- */

static og_status compare_subset(struct run *r,
                                const struct og_pan_subset *subset)
{
    for (size_t i = 0; i < subset->n_pairs; i++) {
        const size_t first = r->found.n;
        TRY(compare_pair(r, subset->pairs[i]));
        if (r->options->write_to != NULL)
            TRY(write_xml(r, subset->pairs[i], r->found.data + first,
                          r->found.n - first));
    }
    return OG_OK;
}

static int by_pair(const void *a, const void *b)
{
    const struct og_pan_pair *x = a, *y = b;
    if (x->document != y->document) return x->document < y->document ? -1 : 1;
    return (x->source > y->source) - (x->source < y->source);
}

/* The detections of another program for this subset's pairs. */
static og_status pick_subset(struct run *r, const struct og_pan_subset *subset,
                             const struct og_pan_cases *all)
{
    for (size_t i = 0; i < all->n && subset->n_pairs > 0; i++) {
        const struct og_pan_pair pair = {all->data[i].document,
                                         all->data[i].source};
        if (bsearch(&pair, subset->pairs, subset->n_pairs, sizeof(pair),
                    by_pair) == NULL)
            continue;
        if (!OG_GROW(NULL, r->found.data, r->found.cap, r->found.n + 1))
            return og_error_memory(r->err, sizeof(*all->data), "detections");
        r->found.data[r->found.n++] = all->data[i];
    }
    return OG_OK;
}

static og_status print_scores(struct run *r, const char *name, size_t n_pairs,
                              struct og_pan_cases *truth,
                              struct og_pan_cases *found, double seconds,
                              double slowest)
{
    const struct og_pan_score score = og_pan_score(truth, found);
    const og_pan_row row = {.subset = name,
                            .n_pairs = n_pairs,
                            .n_cases = truth->n,
                            .n_found = found->n,
                            .plagdet = score.plagdet,
                            .precision = score.precision,
                            .recall = score.recall,
                            .granularity = score.granularity,
                            .seconds = seconds,
                            .slowest = slowest};
    if (r->options->on_row(r->options->ctx, &row)) return OG_OK;
    return og_error_set(r->err, OG_ERR_STOPPED, "stopped by the caller");
}

static og_status append(struct og_pan_cases *to,
                        const struct og_pan_cases *from, og_error *err)
{
    if (from->n == 0) return OG_OK;
    if (!OG_GROW(NULL, to->data, to->cap, to->n + from->n))
        return og_error_memory(err, from->n * sizeof(*to->data), "passages");
    memcpy(to->data + to->n, from->data, from->n * sizeof(*to->data));
    to->n += from->n;
    return OG_OK;
}

static void write_sums(struct run *r, const struct og_pan_subset *subset)
{
    char *const *names = r->corpus.names.data;
    for (size_t i = 0; i < subset->n_pairs && r->pairs != NULL; i++) {
        const struct og_pan_pair pair = subset->pairs[i];
        const struct og_pan_sums s =
            og_pan_sums(&subset->cases, &r->found, pair);
        fprintf(r->pairs, "%s\t%s\t%s\t%llu\t%llu\t%.9g\t%.9g\t%llu\t%llu\n",
                subset->name, names[pair.document], names[pair.source],
                (unsigned long long)s.n_cases, (unsigned long long)s.n_found,
                s.recall, s.precision, (unsigned long long)s.n_hit,
                (unsigned long long)s.n_met);
    }
}

struct total {
    struct og_pan_cases truth, found;
    size_t n_pairs;
    double seconds, slowest;
};

static og_status run_subsets(struct run *r, const struct og_pan_cases *others,
                             struct total *total)
{
    for (size_t i = 0; i < r->corpus.n_subsets; i++) {
        struct og_pan_subset *subset = &r->corpus.subsets[i];
        r->found.n = 0;
        r->seconds = r->slowest = 0;
        TRY(others != NULL ? pick_subset(r, subset, others)
                           : compare_subset(r, subset));
        TRY(print_scores(r, subset->name, subset->n_pairs, &subset->cases,
                         &r->found, r->seconds, r->slowest));
        write_sums(r, subset);
        TRY(append(&total->truth, &subset->cases, r->err));
        TRY(append(&total->found, &r->found, r->err));
        total->n_pairs += subset->n_pairs;
        total->seconds += r->seconds;
        if (r->slowest > total->slowest) total->slowest = r->slowest;
    }
    return print_scores(r, "all", total->n_pairs, &total->truth, &total->found,
                        total->seconds, total->slowest);
}

static og_status run_corpus(struct run *r, const char *folder)
{
    const og_pan_options *o = r->options;
    struct og_pan_cases others = {0};
    struct total total = {0};
    og_status status = og_pan_corpus_read(&r->corpus, folder, o->half, r->err);
    if (status == OG_OK && o->detections != NULL)
        status = og_pan_cases_read(&others, &r->corpus.names, o->detections,
                                   "detected-plagiarism", "plagiarism", r->err);
    if (status == OG_OK)
        status = run_subsets(r, o->detections != NULL ? &others : NULL, &total);
    og_pan_cases_release(&total.truth);
    og_pan_cases_release(&total.found);
    og_pan_cases_release(&others);
    return status;
}

static og_status set_thresholds(const struct run *r)
{
    struct og_align_thresholds thresholds = OG_ALIGN_THRESHOLDS_DEFAULT;
    if (r->options->thresholds == NULL) return OG_OK;
    TRY(og_pan_thresholds_set(&thresholds, r->options->thresholds, r->err));
    og_comparison_set_thresholds(r->comparison, &thresholds);
    return OG_OK;
}

static og_status open_pairs(struct run *r)
{
    const char *path = r->options->pairs;
    if (path == NULL) return OG_OK;
    r->pairs = fopen(path, "w");
    if (r->pairs == NULL) return og_file_failure(r->err, "write", path, errno);
    fprintf(r->pairs, "subset\tdocument\tsource\tcases\tfound\trecall\t"
                      "precision\thit\tmet\n");
    return OG_OK;
}

static og_status close_pairs(struct run *r)
{
    FILE *file = r->pairs;
    if (file == NULL) return OG_OK;
    r->pairs = NULL;
    const bool failed = ferror(file) != 0;
    if (fclose(file) == 0 && !failed) return OG_OK;
    return og_file_failure(r->err, "write", r->options->pairs, errno);
}

og_status og_eval_pan(const char *corpus, const og_pan_options *options,
                      og_error *err)
{
    struct run r = {.options = options, .err = err};
    r.comparison = og_comparison_new();
    if (r.comparison == NULL) return og_error_memory(err, 0, "a comparison");
    og_status status = set_thresholds(&r);
    if (status == OG_OK) status = open_pairs(&r);
    if (status == OG_OK) status = run_corpus(&r, corpus);
    if (status == OG_OK) status = close_pairs(&r);
    if (r.pairs != NULL) fclose(r.pairs);
    og_pan_cases_release(&r.found);
    og_pan_corpus_release(&r.corpus);
    og_comparison_free(r.comparison);
    return status;
}
