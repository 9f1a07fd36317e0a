/* Reading a stream for the experiments of the qSign paper: the first sentences
 * are the collection, the following ones the queries.
 *
 * The stream is read three times, for it may be larger than memory: to count
 * its sentences, to collect the queries, to add the collection. Meanwhile the
 * time of a query is measured five times, on the next sentences of the stream,
 * as in the paper. The
 * truth comes from the exact method; some queries are also answered by a scan,
 * which must give the same result. */

#include <stdlib.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/quote_eval.h"
#include "eval/measure/read_stream.h"
#include "lib/os/clock.h"

enum {
    GROWTH_QUESTIONS = 2000, /* too many for the caches of a processor */
    CHECKED = 20,
    LONGEST_QUESTION = 512,
    OF_ONE_DOCUMENT = 8, /* queries, so that many documents are involved */
};

og_quote_eval_options og_quote_eval_options_default(void)
{
    return (og_quote_eval_options){.n_sentences = 1000000,
                                   .n_questions = 1000,
                                   .min_words = 4,
                                   .threshold = 0.5};
}

/* ---- reading ---- */

struct reading {
    struct og_quote_eval *eval;
    const og_input *input;
    bool is_first; /* problems are reported once */
    og_status (*take)(struct reading *r, const og_document *doc, og_error *err);
    uint64_t n_seen, n_wanted; /* sentences */
    struct og_splitter splitter;
    struct og_word_reader words;
    size_t step; /* of growth */
};

static og_status take_document(void *ctx, const og_document *doc, og_error *err)
{
    struct reading *r = ctx;
    return r->take(r, doc, err);
}

static og_status read_stream(struct reading *r, og_error *err)
{
    og_input input = *r->input;
    struct og_eval_read_counts counts;
    if (!r->is_first) input.on_problem = NULL;
    r->n_seen = 0;
    TRY(og_eval_read_stream(&input, take_document, r, &counts, err));
    if (counts.failure.status == OG_OK) return OG_OK;
    return og_error_set(err, counts.failure.status, "%s",
                        counts.failure.message);
}

static void progress(const struct og_quote_eval *e, const char *what,
                     uint64_t done, uint64_t total)
{
    if (e->options.on_progress != NULL)
        e->options.on_progress(e->options.ctx, what, done, total);
}

/* ---- the three readings ---- */

static og_status count_sentences(struct reading *r, const og_document *doc,
                                 og_error *err)
{
    TRY(og_split(&r->splitter, doc->text, err));
    r->n_seen += r->splitter.n;
    return OG_OK;
}

static og_status add_question(struct og_quote_eval *e, const uint64_t *words,
                              size_t n, og_error *err)
{
    if (!OG_GROW(NULL, e->words, e->words_cap, e->n_words + n) ||
        !OG_GROW(NULL, e->starts, e->starts_cap, e->n_all + 2))
        return og_error_memory(err, n * 8, "questions");
    memcpy(e->words + e->n_words, words, n * sizeof(*words));
    e->starts[e->n_all++] = e->n_words;
    e->n_words += n;
    e->starts[e->n_all] = e->n_words;
    return OG_OK;
}

/* The number of sentences after which a step of growth is measured. */
static uint64_t step_end(const struct reading *r, size_t step)
{
    return r->n_wanted * (step + 1) / OG_QUOTE_GROWTH;
}

static og_status gather_questions(struct reading *r, const og_document *doc,
                                  og_error *err)
{
    struct og_quote_eval *e = r->eval;
    TRY(og_split(&r->splitter, doc->text, err));
    while (r->step < OG_QUOTE_GROWTH && r->n_seen >= step_end(r, r->step))
        e->growth_first[r->step++] = e->n_all;
    r->n_seen += r->splitter.n;
    if (r->step == 0) return OG_OK;
    size_t *n = &e->growth_n[r->step - 1];
    const bool is_last = r->step == OG_QUOTE_GROWTH;
    const size_t most = is_last && e->options.n_questions > GROWTH_QUESTIONS
                            ? e->options.n_questions
                            : GROWTH_QUESTIONS;
    if (*n == most) return is_last ? OG_END : OG_OK;
    TRY(og_word_reader_read(&r->words, doc->text, err));
    size_t n_taken = 0;
    for (size_t i = 0; i < r->words.n && n_taken < OF_ONE_DOCUMENT; i++) {
        const struct og_read_sentence *s = &r->words.sentences[i];
        if (*n == most) break;
        if (s->n_words < e->options.min_words || s->n_words > LONGEST_QUESTION)
            continue;
        TRY(add_question(e, r->words.words + s->first_word, s->n_words, err));
        n_taken++;
        ++*n;
    }
    return OG_OK;
}

static void choose_questions(struct og_quote_eval *e, size_t step)
{
    e->first = e->growth_first[step];
    e->n_questions = e->growth_n[step];
}

static og_status ask(struct og_quote_eval *e, size_t i, og_quote_method method,
                     og_error *err)
{
    og_quote_options o = og_quote_options_default();
    size_t n;
    const uint64_t *words = og_eval_question(e, i, &n);
    o.threshold = e->options.threshold;
    o.max_candidates = UINT64_MAX;
    o.method = method;
    return og_sentences_find(e->sentences, words, n, &o, err);
}

/* Different queries are harder or easier, whatever the size of the collection;
 * so the last ones are also repeated at every size. */
static og_status measure_same(struct og_quote_eval *e, og_quote_growth *g,
                              og_error *err)
{
    og_quote_timing timing;
    choose_questions(e, OG_QUOTE_GROWTH - 1);
    for (unsigned i = 0; i < 2; i++) {
        TRY(og_eval_time(e, &e->facts.grown[i], GROWTH_QUESTIONS, &timing,
                         err));
        g->same_seconds[i] = timing.seconds;
    }
    const size_t n =
        e->n_questions < GROWTH_QUESTIONS ? e->n_questions : GROWTH_QUESTIONS;
    for (size_t i = 0; i < n; i++) {
        TRY(ask(e, i, OG_QUOTE_EXACT, err));
        g->n_postings += (double)e->sentences->own.list.n_seen / (double)n;
        g->n_compared += (double)e->sentences->own.list.n_compared / (double)n;
        g->n_found += (double)e->sentences->own.n_found / (double)n;
    }
    return OG_OK;
}

static og_status measure_growth(struct reading *r, og_error *err)
{
    struct og_quote_eval *e = r->eval;
    choose_questions(e, r->step);
    og_quote_growth *g = &e->facts.growth[r->step++];
    g->n_sentences = e->sentences->n_sentences;
    if (e->n_questions == 0) return OG_OK; /* a stream that is too short */
    TRY(og_sentences_settle(e->sentences, err));
    for (unsigned i = 0; i < OG_QUOTE_GROWN_WAYS; i++) {
        og_quote_timing timing;
        TRY(og_eval_time(e, &e->facts.grown[i], GROWTH_QUESTIONS, &timing,
                         err));
        g->seconds[i] = timing.seconds;
        g->select_seconds[i] = timing.select_seconds;
    }
    og_eval_take_signatures(e);
    return measure_same(e, g, err);
}

static og_status add_document(struct reading *r, const og_document *doc,
                              og_error *err)
{
    struct og_quote_eval *e = r->eval;
    TRY(og_split(&r->splitter, doc->text, err));
    if (r->n_seen >= r->n_wanted) return OG_END;
    double *seconds = &e->facts.growth[r->step].add_seconds;
    r->n_seen += r->splitter.n;
    const double start = og_clock_seconds();
    TRY(og_sentences_add(e->sentences, (uint32_t)e->facts.n_documents, doc,
                         doc->time, err));
    *seconds += og_clock_seconds() - start;
    e->facts.n_documents++;
    if (e->facts.n_documents % 256 == 0)
        progress(e, "sentences", r->n_seen, r->n_wanted);
    if (r->n_seen < step_end(r, r->step)) return OG_OK;
    return measure_growth(r, err);
}

/* ---- the truth ---- */

static uint32_t n_places(const struct og_sentences *s, uint32_t wordset)
{
    return s->segment[0].place_starts[wordset + 1] -
           s->segment[0].place_starts[wordset];
}

static og_status find_truth(struct og_quote_eval *e, og_error *err)
{
    struct og_sentences *s = e->sentences;
    for (size_t i = 0; i < e->n_questions; i++) {
        TRY(ask(e, i, OG_QUOTE_EXACT, err));
        if (!OG_GROW(NULL, e->pairs, e->pairs_cap, e->n_pairs + s->own.n_found))
            return og_error_memory(err, s->own.n_found, "the truth");
        for (size_t k = 0; k < s->own.n_found; k++) {
            const struct og_found_wordset *f = &s->own.found[k];
            e->pairs[e->n_pairs++] = (struct og_truth_pair){
                (uint32_t)i, f->wordset, n_places(s, f->wordset), f->n_shared,
                f->similarity};
            int band = (int)((f->similarity - 0.5) * 10 - 1e-9);
            if (f->similarity < 0.5) continue;
            if (band < 0) band = 0;
            if (band >= OG_QUOTE_BANDS) band = OG_QUOTE_BANDS - 1;
            e->facts.n_pairs[band] += n_places(s, f->wordset);
        }
    }
    return OG_OK;
}

/* The scan and the exact method must agree, wordset for wordset. */
static og_status check_truth(struct og_quote_eval *e, og_error *err)
{
    struct og_sentences *s = e->sentences;
    const size_t step = e->n_questions / CHECKED + 1;
    for (size_t i = 0; i < e->n_questions; i += step) {
        double sums[2] = {0, 0};
        size_t counts[2];
        for (unsigned k = 0; k < 2; k++) {
            TRY(ask(e, i, k == 0 ? OG_QUOTE_EXACT : OG_QUOTE_SCAN, err));
            counts[k] = s->own.n_found;
            for (size_t f = 0; f < s->own.n_found; f++)
                sums[k] += s->own.found[f].similarity *
                           (s->own.found[f].wordset + 1.0);
        }
        const double apart = sums[0] - sums[1];
        if (counts[0] != counts[1] || apart > 1e-6 * sums[0] ||
            apart < -1e-6 * sums[0])
            return og_error_set(err, OG_ERR_STORE,
                                "question %zu: the exact method found %zu "
                                "wordsets, the scan %zu",
                                i, counts[0], counts[1]);
        e->facts.n_checked++;
    }
    return OG_OK;
}

static void note_facts(struct og_quote_eval *e)
{
    og_sentences_info info;
    og_sentences_info_get(e->sentences, &info);
    e->facts.n_sentences = info.n_sentences;
    e->facts.n_wordsets = info.n_wordsets;
    e->facts.n_words = info.n_words;
    e->facts.n_bytes = info.n_bytes;
    e->facts.mean_words = info.mean_words;
    e->facts.n_questions = e->n_questions;
    e->facts.mean_question_words =
        (double)(e->starts[e->first + e->n_questions] - e->starts[e->first]) /
        (double)e->n_questions;
    for (unsigned i = 1; i < OG_QUOTE_GROWTH; i++)
        e->facts.growth[i].add_seconds += e->facts.growth[i - 1].add_seconds;
}

/* ---- the whole ---- */

static og_status read_all(struct reading *r, og_error *err)
{
    struct og_quote_eval *e = r->eval;
    r->take = count_sentences;
    r->is_first = true;
    TRY(read_stream(r, err));
    r->is_first = false;
    r->n_wanted = r->n_seen - r->n_seen / 10;
    if (r->n_wanted > e->options.n_sentences)
        r->n_wanted = e->options.n_sentences;
    r->take = gather_questions;
    TRY(read_stream(r, err));
    r->step = 0;
    if (e->growth_n[OG_QUOTE_GROWTH - 1] == 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "too few sentences: %llu in all, none to ask",
                            (unsigned long long)r->n_seen);
    r->take = add_document;
    TRY(read_stream(r, err));
    TRY(og_sentences_settle(e->sentences, err));
    while (r->step < OG_QUOTE_GROWTH)
        TRY(measure_growth(r, err));
    choose_questions(e, OG_QUOTE_GROWTH - 1);
    if (e->n_questions > e->options.n_questions)
        e->n_questions = e->options.n_questions;
    note_facts(e);
    progress(e, "truth", 0, 1);
    TRY(find_truth(e, err));
    return check_truth(e, err);
}

static og_status open_eval(struct og_quote_eval *e, struct reading *r,
                           og_error *err)
{
    static const og_quote_way ways[OG_QUOTE_GROWN_WAYS] = {
        {OG_WAY_EXACT, 0, 0, 0, 0.5},  {OG_WAY_EXACT, 0, 0, 0, 0.7},
        {OG_WAY_QSIGN, 16, 0, 1, 0.5}, {OG_WAY_QSIGN, 16, 0, 2, 0.5},
        {OG_WAY_QSIGN, 32, 0, 1, 0.5}, {OG_WAY_QSIGN, 32, 0, 2, 0.5},
        {OG_WAY_SCAN, 0, 0, 0, 0.5},
    };
    const struct og_sentences_place place = {.is_writable = true};
    og_sentences_options o = og_sentences_options_default();
    memcpy(e->facts.grown, ways, sizeof(ways));
    o.memory = UINT64_MAX / 8;
    o.signature_bits = 0;
    o.stop = e->options.stop;
    og_splitter_init(&r->splitter, NULL);
    TRY(og_word_reader_init(&r->words, o.stop, NULL, NULL, err));
    og_status status = og_sentences_open(&place, &o, &e->sentences, err);
    if (status == OG_OK) status = read_all(r, err);
    og_splitter_release(&r->splitter);
    og_word_reader_release(&r->words);
    return status;
}

og_status og_quote_eval_open(const og_input *input,
                             const og_quote_eval_options *options,
                             og_quote_eval **out, og_error *err)
{
    *out = NULL;
    struct og_quote_eval *e = og_allocate_zero(NULL, sizeof(*e));
    if (e == NULL) return og_error_memory(err, sizeof(*e), "an evaluation");
    e->options = *options;
    struct reading r = {.eval = e, .input = input};
    const og_status status = open_eval(e, &r, err);
    if (status != OG_OK) {
        og_quote_eval_close(e);
        return status;
    }
    *out = e;
    return OG_OK;
}

void og_quote_eval_close(og_quote_eval *e)
{
    if (e == NULL) return;
    og_eval_take_signatures(e);
    og_sentences_close(e->sentences);
    OG_UNGROW(NULL, e->words, e->words_cap);
    OG_UNGROW(NULL, e->starts, e->starts_cap);
    OG_UNGROW(NULL, e->pairs, e->pairs_cap);
    OG_UNGROW(NULL, e->signatures, e->signatures_cap);
    OG_UNGROW(NULL, e->parts, e->parts_cap);
    OG_UNGROW(NULL, e->sums, e->sums_cap);
    OG_UNGROW(NULL, e->touched, e->touched_cap);
    OG_UNGROW(NULL, e->best, e->best_cap);
    og_release(NULL, e, sizeof(*e));
}

void og_quote_eval_facts_get(const og_quote_eval *e, og_quote_eval_facts *out)
{
    *out = e->facts;
}
