/* How long each way takes, and how much of the truth it finds.
 *
 * All ways use the same segment and the same verification; they differ in
 * how candidates are selected. The paper's rival, the inverted index of All
 * Pairs, adds up the weights of shared words wordset by wordset; words are
 * processed rarest first, and no new wordset is added once the remaining words
 * could not reach its threshold. */

#include <math.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/quote_eval.h"
#include "lib/os/clock.h"
#include "lib/sentence/index/segment_parts.h"

enum { N_KEYS = 65536, SCANNED = 20, GROUP = 16 };
#define MOST_SECONDS  2.0
#define LEAST_SECONDS 0.1

/* ---- signatures over a segment ---- */

void og_eval_take_signatures(struct og_quote_eval *e)
{
    struct og_sentences *s = e->sentences;
    if (e->n_bits == 0 || s == NULL) return;
    s->segment[0].signatures = e->bare.signatures;
    s->segment[0].parts = e->bare.parts;
    s->segment[0].totals.signature_bits = 0;
    s->manifest.signature_bits = s->manifest.word_bits = 0;
    e->n_bits = 0;
}

static void fill_part(const struct og_quote_eval *e, unsigned part, size_t n,
                      uint32_t *starts, uint32_t *wordsets)
{
    const struct og_sentence_segment *m = &e->sentences->segment[0];
    memset(starts, 0, (N_KEYS + 1) * sizeof(*starts));
    for (size_t i = 0; i < n; i++) {
        const struct og_signature s = og_sentence_segment_signature(m, i);
        starts[og_signature_part(&s, part) + 1]++;
    }
    for (size_t i = 0; i < N_KEYS; i++)
        starts[i + 1] += starts[i];
    for (size_t i = 0; i < n; i++) {
        const struct og_signature s = og_sentence_segment_signature(m, i);
        wordsets[starts[og_signature_part(&s, part)]++] = (uint32_t)i;
    }
    memmove(starts + 1, starts, N_KEYS * sizeof(*starts));
    starts[0] = 0;
}

og_status og_eval_lay_signatures(struct og_quote_eval *e, uint32_t n_bits,
                                 uint32_t word_bits, og_error *err)
{
    struct og_sentences *s = e->sentences;
    if (!og_signature_bits_are(n_bits))
        return og_error_set(err, OG_ERR_USAGE, "signatures of %u bits", n_bits);
    if (word_bits == 0) word_bits = og_signature_word_bits(n_bits, 200000, 10);
    if (e->n_bits == n_bits && e->word_bits == word_bits) return OG_OK;
    og_eval_take_signatures(e);
    struct og_sentence_segment *m = &s->segment[0];
    const size_t n = m->totals.n_wordsets, part_len = N_KEYS + 1 + n;
    if (!OG_GROW(NULL, e->signatures, e->signatures_cap, n * (n_bits / 8)) ||
        !OG_GROW(NULL, e->parts, e->parts_cap, part_len * (n_bits / 16)))
        return og_error_memory(err, n * n_bits, "signatures");
    for (size_t i = 0; i < n; i++) {
        struct og_signature g = {{0, 0}};
        for (uint64_t k = m->wordset_starts[i]; k < m->wordset_starts[i + 1];
             k++)
            og_signature_add(&g, m->keys[k], n_bits, word_bits);
        memcpy(e->signatures + i * (n_bits / 8), &g, n_bits / 8);
    }
    e->bare = *m;
    m->signatures = e->signatures;
    m->parts = e->parts;
    m->totals.signature_bits = s->manifest.signature_bits = n_bits;
    s->manifest.word_bits = word_bits;
    e->n_bits = n_bits;
    e->word_bits = word_bits;
    for (unsigned p = 0; p < n_bits / 16; p++)
        fill_part(e, p, n, e->parts + p * part_len,
                  e->parts + p * part_len + N_KEYS + 1);
    return OG_OK;
}

/* ---- the inverted index ---- */

static bool may_begin(const struct og_question *q, size_t n_left, double left,
                      double threshold)
{
    return (double)n_left / (double)q->n * (left / q->total) >= threshold;
}

static og_status keep(struct og_sentences *s, uint32_t wordset, og_error *err)
{
    const struct og_sentence_segment *m = &s->segment[0];
    uint32_t n_shared;
    const double similarity = og_question_overlap(
        &s->own.question, m->keys + m->wordset_starts[wordset],
        (size_t)(m->wordset_starts[wordset + 1] - m->wordset_starts[wordset]),
        &n_shared);
    if (similarity < s->own.question.threshold) return OG_OK;
    if (!OG_GROW(NULL, s->own.found, s->own.found_cap, s->own.n_found + 1))
        return og_error_memory(err, sizeof(*s->own.found), "matches");
    s->own.found[s->own.n_found++] =
        (struct og_found_wordset){0, wordset, n_shared, similarity};
    return OG_OK;
}

static og_status add_up(struct og_quote_eval *e, double threshold,
                        size_t *out_n, og_error *err)
{
    struct og_sentences *s = e->sentences;
    const struct og_sentence_segment *m = &s->segment[0];
    const struct og_question *q = &s->own.question;
    double left = q->total;
    size_t n = 0;
    for (size_t i = 0; i < q->n; i++) {
        const uint32_t word = q->rare[i];
        const size_t place = og_sentence_segment_find_word(m, q->words[word]);
        const bool begins = may_begin(q, q->n - i, left, threshold);
        const float weight = (float)q->weights[word];
        left -= q->weights[word];
        if (place == m->totals.n_words) continue;
        const uint64_t end = m->word_starts[place + 1];
        if (begins && !OG_GROW(NULL, e->touched, e->touched_cap,
                               n + (size_t)(end - m->word_starts[place])))
            return og_error_memory(err, n, "candidates");
        for (uint64_t k = m->word_starts[place]; k < end; k++) {
            const uint32_t wordset = m->postings[k];
            if (e->sums[wordset] == 0) {
                if (!begins) continue;
                e->touched[n++] = wordset;
            }
            e->sums[wordset] += weight;
        }
    }
    *out_n = n;
    return OG_OK;
}

static og_status ask_inverted(struct og_quote_eval *e, const uint64_t *words,
                              size_t n_words, double threshold, bool verifies,
                              og_error *err)
{
    struct og_sentences *s = e->sentences;
    struct og_question *q = &s->own.question;
    const struct og_sentence_segment *m = &s->segment[0];
    size_t n = 0;
    s->own.n_found = 0;
    s->own.list.n_seen = 0;
    if (e->sums_cap < m->totals.n_wordsets) {
        const size_t old = e->sums_cap;
        if (!OG_GROW(NULL, e->sums, e->sums_cap, m->totals.n_wordsets))
            return og_error_memory(err, m->totals.n_wordsets * 4, "sums");
        memset(e->sums + old, 0, (e->sums_cap - old) * sizeof(*e->sums));
    }
    TRY(og_question_set(q, words, n_words, err));
    for (size_t i = 0; i < n_words; i++) {
        const size_t place = og_sentence_segment_find_word(m, words[i]);
        q->df[i] = place == m->totals.n_words ? 0 : m->counts[place];
    }
    og_question_weigh(q, s->n_sentences, e->options.threshold);
    TRY(add_up(e, threshold, &n, err));
    for (size_t i = 0; i < n; i++) {
        const double share = e->sums[e->touched[i]] / q->total;
        e->sums[e->touched[i]] = 0;
        if (share < threshold - 1e-5) continue;
        s->own.list.n_seen++;
        if (verifies) TRY(keep(s, e->touched[i], err));
    }
    return OG_OK;
}

/* ---- timing ---- */

static og_quote_options options_of(const struct og_quote_eval *e,
                                   const og_quote_way *way)
{
    og_quote_options o = og_quote_options_default();
    o.threshold =
        way->kind == OG_WAY_EXACT ? way->threshold : e->options.threshold;
    o.max_candidates = UINT64_MAX;
    o.method = way->kind == OG_WAY_QSIGN   ? OG_QUOTE_QSIGN
               : way->kind == OG_WAY_EXACT ? OG_QUOTE_EXACT
                                           : OG_QUOTE_SCAN;
    o.distance = (int)way->distance;
    return o;
}

/* Selection alone, for figure 9. */
static og_status select_only(struct og_quote_eval *e, const og_quote_way *way,
                             const uint64_t *words, size_t n, og_error *err)
{
    struct og_sentences *s = e->sentences;
    struct og_signature signature = {{0, 0}};
    if (way->kind == OG_WAY_INVERTED)
        return ask_inverted(e, words, n, way->threshold, false, err);
    for (size_t i = 0; i < n; i++)
        og_signature_add(&signature, og_word_key(words[i]), e->n_bits,
                         e->word_bits);
    s->own.list.n = 0;
    s->own.list.n_seen = s->own.list.n_skipped = 0;
    s->own.list.limit = UINT64_MAX;
    og_find_by_signature(&s->segment[0], &signature, way->distance,
                         &s->own.list);
    og_wordset_list_sort(&s->own.list);
    return OG_OK;
}

static og_status ask_way(struct og_quote_eval *e, const og_quote_way *way,
                         const og_quote_options *o, size_t i, bool is_selection,
                         og_error *err)
{
    size_t n;
    const uint64_t *words = og_eval_question(e, i, &n);
    if (is_selection) return select_only(e, way, words, n, err);
    if (way->kind == OG_WAY_INVERTED)
        return ask_inverted(e, words, n, way->threshold, true, err);
    return og_sentences_find(e->sentences, words, n, o, err);
}

static og_status time_group(struct og_quote_eval *e, const og_quote_way *way,
                            const og_quote_options *o, size_t first, size_t end,
                            bool is_selection, double *out, og_error *err)
{
    const double start = og_clock_seconds();
    for (size_t i = first; i < end; i++)
        TRY(ask_way(e, way, o, i, is_selection, err));
    *out = og_clock_seconds() - start;
    return OG_OK;
}

/* Seconds per query: groups of them are repeated in several runs, and the
 * fastest time of each group counts, because other work on the machine comes
 * some milliseconds at a time. */
static og_status time_runs(struct og_quote_eval *e, const og_quote_way *way,
                           size_t n, bool is_selection, double *out,
                           og_error *err)
{
    const og_quote_options o = options_of(e, way);
    const size_t n_groups = (n + GROUP - 1) / GROUP;
    double spent = 0, sum = 0;
    if (!OG_GROW(NULL, e->best, e->best_cap, n_groups))
        return og_error_memory(err, n_groups * sizeof(*e->best), "times");
    for (unsigned run = 0; run == 0 || (run < 5 && spent < MOST_SECONDS / 2) ||
                           spent < LEAST_SECONDS;
         run++)
        for (size_t g = 0; g < n_groups; g++) {
            const size_t end = (g + 1) * GROUP < n ? (g + 1) * GROUP : n;
            double seconds;
            TRY(time_group(e, way, &o, g * GROUP, end, is_selection, &seconds,
                           err));
            if (run == 0 || seconds < e->best[g]) e->best[g] = seconds;
            spent += seconds;
        }
    for (size_t g = 0; g < n_groups; g++)
        sum += e->best[g];
    *out = sum / (double)n;
    return OG_OK;
}

og_status og_eval_time(struct og_quote_eval *e, const og_quote_way *way,
                       size_t most, og_quote_timing *out, og_error *err)
{
    size_t n = e->n_questions < most ? e->n_questions : most;
    *out = (og_quote_timing){0};
    if (way->kind == OG_WAY_QSIGN)
        TRY(og_eval_lay_signatures(e, way->n_bits, way->word_bits, err));
    if (way->kind == OG_WAY_SCAN && n > SCANNED) n = SCANNED;
    /* One query shows how many there is time for. */
    const double start = og_clock_seconds();
    const og_quote_options o = options_of(e, way);
    for (size_t i = 0; i < 4 && i < n; i++)
        TRY(ask_way(e, way, &o, i, false, err));
    const double each = (og_clock_seconds() - start) / 4;
    if (each * (double)n > MOST_SECONDS) n = (size_t)(MOST_SECONDS / each) + 4;
    TRY(time_runs(e, way, n, false, &out->seconds, err));
    if (way->kind != OG_WAY_QSIGN && way->kind != OG_WAY_INVERTED) return OG_OK;
    return time_runs(e, way, n, true, &out->select_seconds, err);
}

/* ---- recall ---- */

static og_status count_found(struct og_quote_eval *e, const og_quote_way *way,
                             og_quote_timing *out, og_error *err)
{
    const og_quote_options o = options_of(e, way);
    const struct og_sentences *s = e->sentences;
    double all = 0, all_70 = 0, found = 0, found_70 = 0, seen = 0;
    for (size_t i = 0; i < e->n_pairs; i++) {
        all += e->pairs[i].n_places;
        if (e->pairs[i].similarity >= 0.7) all_70 += e->pairs[i].n_places;
    }
    for (size_t i = 0; i < e->n_questions; i++) {
        TRY(ask_way(e, way, &o, i, false, err));
        seen += (double)s->own.list.n_seen;
        for (size_t k = 0; k < s->own.n_found; k++) {
            const struct og_found_wordset *f = &s->own.found[k];
            const uint32_t n = s->segment[0].place_starts[f->wordset + 1] -
                               s->segment[0].place_starts[f->wordset];
            found += n;
            if (f->similarity >= 0.7) found_70 += n;
        }
    }
    out->recall = all == 0 ? 1 : found / all;
    out->recall_70 = all_70 == 0 ? 1 : found_70 / all_70;
    out->n_candidates = seen / (double)e->n_questions;
    return OG_OK;
}

og_status og_quote_eval_time(og_quote_eval *e, const og_quote_way *way,
                             og_quote_timing *out, og_error *err)
{
    TRY(og_eval_time(e, way, SIZE_MAX, out, err));
    const bool is_long = out->seconds * (double)e->n_questions > MOST_SECONDS;
    if (way->kind == OG_WAY_QSIGN && is_long) {
        og_eval_count_near(e, way->distance, &out->recall, &out->recall_70);
        out->n_candidates = (double)e->sentences->own.list.n_seen;
        return OG_OK;
    }
    if (way->kind != OG_WAY_SCAN) return count_found(e, way, out, err);
    out->recall = out->recall_70 = 1;
    out->n_candidates = (double)e->facts.n_wordsets;
    return OG_OK;
}
