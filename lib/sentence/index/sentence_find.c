/* From the words of a sentence to the wordsets that share enough of them. */

#include <math.h>
#include <string.h>

#include "lib/sentence/index/sentences.h"

/* Of twenty thousand sentences that differ in a word or two, each is similar to
 * all others, and few readers want more than some thousand. Older segments come
 * first. */
static uint64_t most_compared(const og_quote_options *options)
{
    return options->max_compared == 0
               ? UINT64_MAX
               : options->max_compared + options->max_matches;
}

/* ---- the query ---- */

/* The words are far apart in memory: what looking them up will read is
 * prefetched for all of them. */
static void place_words(const struct og_sentence_segment *m,
                        struct og_question *q, size_t *places)
{
    for (size_t i = 0; i < q->n; i++)
        og_sentence_segment_expect_directory(m, q->words[i]);
    for (size_t i = 0; i < q->n; i++)
        og_sentence_segment_expect_word(m, q->words[i]);
    for (size_t i = 0; i < q->n; i++) {
        places[i] = og_sentence_segment_find_word(m, q->words[i]);
        if (places[i] != m->totals.n_words) q->df[i] += m->counts[places[i]];
    }
}

/* Document frequencies are sums over all segments and the memtable, so that
 * they are up to date after every document. The position of a word in each
 * segment is needed again, and kept: segment by segment, the rarest words
 * first. */
static og_status pose(struct og_quote_asker *a, const uint64_t *words, size_t n,
                      double threshold, og_error *err)
{
    struct og_question *q = &a->question;
    TRY(og_question_set(q, words, n, err));
    if (!OG_GROW(a->s->allocator, a->places, a->places_cap,
                 (a->s->n_segments + 1) * (n + 1)))
        return og_error_memory(err, n * sizeof(*a->places), "a question");
    for (size_t i = 0; i < n; i++)
        q->df[i] = a->memtable_df != NULL
                       ? a->memtable_df[words - a->read.words + i]
                       : og_memtable_df(&a->s->memtable, words[i]);
    for (size_t m = 0; m < a->s->n_segments; m++)
        place_words(&a->s->segment[m], q, a->places + m * n);
    og_question_weigh(q, a->at.n_sentences, threshold);
    return OG_OK;
}

static og_status keep(struct og_quote_asker *a, size_t segment, size_t wordset,
                      double similarity, uint32_t n_shared, og_error *err)
{
    if (similarity < a->question.threshold) return OG_OK;
    if (!OG_GROW(a->s->allocator, a->found, a->found_cap, a->n_found + 1))
        return og_error_memory(err, sizeof(*a->found), "matches");
    a->found[a->n_found++] = (struct og_found_wordset){
        (uint32_t)segment, (uint32_t)wordset, n_shared, similarity};
    return OG_OK;
}

static og_status check_memory(struct og_quote_asker *a, og_error *err)
{
    if (!a->list.no_memory) return OG_OK;
    a->list.no_memory = false;
    return og_error_memory(err, a->list.n * 4, "candidates");
}

/* Candidates found by words are nearly all similar: a few thousand are enough.
 * Signatures also return dissimilar ones, mostly at a distance that finds most
 * matches; there max_candidates is the only limit. A scan is the baseline for
 * both, and has no limit. */
static void cut_compared(struct og_quote_asker *a,
                         const og_quote_options *options)
{
    if (options->method == OG_QUOTE_EXACT) og_wordset_list_cut(&a->list);
}

/* ---- the memtable ---- */

/* The memtable has whole words, from which the keys are taken on the way. */
static double overlap_memtable(const struct og_quote_asker *a, size_t wordset,
                               uint32_t *out_n_shared)
{
    const struct og_question *q = &a->question;
    const struct og_memtable_wordset *f = &a->s->memtable.wordsets[wordset];
    const uint64_t *words = a->s->memtable.words + f->first_word;
    double weight = 0;
    uint32_t n_shared = 0;
    size_t k = 0;
    for (size_t i = 0; i < q->n && k < f->n_words; i++) {
        while (k < f->n_words &&
               og_word_key(words[k]) < og_word_key(q->words[i]))
            k++;
        if (k == f->n_words ||
            og_word_key(words[k]) != og_word_key(q->words[i]))
            continue;
        weight += q->weights[i];
        n_shared++;
    }
    *out_n_shared = n_shared;
    if (n_shared == q->n && n_shared != 0) return 1;
    return (double)n_shared / (double)q->n * (weight / q->total);
}

static og_status find_in_memtable(struct og_quote_asker *a,
                                  const og_quote_options *options,
                                  const struct og_signature *signature,
                                  int distance, og_error *err)
{
    struct og_wordset_list *list = &a->list;
    list->n = 0;
    if (options->method == OG_QUOTE_QSIGN)
        og_scan_signatures(a->s->memtable.signatures, a->at.n_memtable_wordsets,
                           signature, (unsigned)distance, list);
    else
        og_scan_bitmaps(a->s->memtable.bitmaps, a->at.n_memtable_wordsets,
                        &a->question, list);
    TRY(check_memory(a, err));
    cut_compared(a, options);
    for (size_t i = 0; i < list->n; i++) {
        uint32_t n_shared;
        const double similarity =
            overlap_memtable(a, list->wordsets[i], &n_shared);
        TRY(keep(a, a->s->n_segments, list->wordsets[i], similarity, n_shared,
                 err));
    }
    return OG_OK;
}

/* ---- segments ---- */

static og_status verify(struct og_quote_asker *a, size_t segment,
                        size_t wordset, og_error *err)
{
    const struct og_sentence_segment *m = &a->s->segment[segment];
    uint32_t n_shared;
    const uint64_t *starts = m->wordset_starts + wordset;
    const double similarity =
        og_question_overlap(&a->question, m->keys + starts[0],
                            (size_t)(starts[1] - starts[0]), &n_shared);
    return keep(a, segment, wordset, similarity, n_shared, err);
}

static og_status scan_segment(struct og_quote_asker *a, size_t segment,
                              og_error *err)
{
    for (size_t i = 0; i < a->s->segment[segment].totals.n_wordsets; i++)
        TRY(verify(a, segment, i, err));
    return OG_OK;
}

/* The offset of a wordset's words, then the words: both are random places in
 * memory, and prefetched. */
static og_status verify_list(struct og_quote_asker *a, size_t segment,
                             og_error *err)
{
    enum { STARTS_AHEAD = 16, KEYS_AHEAD = 8 };
    const struct og_sentence_segment *m = &a->s->segment[segment];
    const uint32_t *wordsets = a->list.wordsets;
    const size_t n = a->list.n;
    a->list.n_compared += n;
    for (size_t i = 0; i < n && i < STARTS_AHEAD; i++)
        __builtin_prefetch(m->wordset_starts + wordsets[i]);
    for (size_t i = 0; i < n && i < KEYS_AHEAD; i++)
        __builtin_prefetch(m->keys + m->wordset_starts[wordsets[i]]);
    for (size_t i = 0; i < n; i++) {
        if (i + STARTS_AHEAD < n)
            __builtin_prefetch(m->wordset_starts + wordsets[i + STARTS_AHEAD]);
        if (i + KEYS_AHEAD < n)
            __builtin_prefetch(m->keys +
                               m->wordset_starts[wordsets[i + KEYS_AHEAD]]);
        TRY(verify(a, segment, wordsets[i], err));
    }
    return OG_OK;
}

static og_status find_in_segment(struct og_quote_asker *a, size_t segment,
                                 const og_quote_options *options,
                                 const struct og_signature *signature,
                                 int distance, og_error *err)
{
    const struct og_question *q = &a->question;
    const struct og_sentence_segment *m = &a->s->segment[segment];
    size_t *places = a->places + segment * q->n;
    size_t *rare = a->places + a->s->n_segments * q->n;
    a->list.n = 0;
    if (options->method == OG_QUOTE_SCAN) return scan_segment(a, segment, err);
    if (options->method == OG_QUOTE_QSIGN) {
        if (distance >= 0)
            og_find_by_signature(m, signature, (unsigned)distance, &a->list);
    } else {
        for (size_t i = 0; i < q->n_prefix; i++)
            rare[i] = places[q->rare[i]];
        og_find_by_words(m, q, rare, &a->list);
    }
    og_wordset_list_sort(&a->list);
    TRY(check_memory(a, err));
    cut_compared(a, options);
    return verify_list(a, segment, err);
}

/* ---- the distance ---- */

/* Both shares of the measure fall with every word that is not shared; for words
 * of equal weight it is the square of the share of words. So a sentence of n
 * words at the threshold has this many other words. */
static double words_beside(size_t n, double threshold)
{
    return (double)n * (1 - sqrt(threshold));
}

double og_recall_sample_share(const struct og_recall_sample *sample, int d)
{
    uint64_t n = 0;
    for (int i = 0; i <= d && i <= 128; i++)
        n += sample->n_at[i];
    return sample->n == 0 ? 0 : (double)n / (double)sample->n;
}

int og_recall_sample_distance(const struct og_recall_sample *sample,
                              double threshold, double recall)
{
    int d = 0;
    if (sample->n < OG_RECALL_SAMPLE || sample->threshold != threshold)
        return -1;
    while (d < 128 && og_recall_sample_share(sample, d) < recall)
        d++;
    return d;
}

/* Adds the matches of the exact method to the sample: a wordset of the same
 * words is at distance 0. */
static void sample_found(struct og_quote_asker *a,
                         const struct og_signature *signature, double threshold)
{
    enum { MOST_EACH = 64 }; /* a form letter must not fill it */
    struct og_recall_sample *sample = &a->s->sample;
    const size_t n = a->n_found < MOST_EACH ? a->n_found : MOST_EACH;
    if (sample->threshold != threshold)
        *sample = (struct og_recall_sample){.threshold = threshold};
    for (size_t i = 0; i < n; i++) {
        const struct og_found_wordset *f = &a->found[i];
        const struct og_signature other =
            f->segment < a->s->n_segments
                ? og_sentence_segment_signature(&a->s->segment[f->segment],
                                                f->wordset)
                : a->s->memtable.signatures[f->wordset];
        sample->n_at[og_signature_distance(signature, &other)]++;
        sample->n++;
    }
}

int og_sentences_distance(const struct og_sentences *s, size_t n_words,
                          const og_quote_options *options)
{
    const uint32_t m = s->manifest.signature_bits;
    if (options->distance >= 0)
        return options->distance < (int)m ? options->distance : (int)m;
    if (options->recall > 0)
        return og_recall_sample_distance(&s->sample, options->threshold,
                                         options->recall);
    const double k = floor(words_beside(n_words, options->threshold));
    const int d = og_signature_radius(
        m, s->manifest.word_bits, (double)n_words - k, k, options->max_false);
    return d < 0 ? 0 : d;
}

static og_status find_in_all(struct og_quote_asker *a,
                             const og_quote_options *options,
                             const struct og_signature *signature, int distance,
                             og_error *err)
{
    for (size_t i = 0; i < a->s->n_segments; i++)
        TRY(find_in_segment(a, i, options, signature, distance, err));
    return find_in_memtable(a, options, signature, distance, err);
}

/* Until the distances of the signatures are known. */
static og_status find_and_sample(struct og_quote_asker *a,
                                 const og_quote_options *options,
                                 const struct og_signature *signature,
                                 og_error *err)
{
    og_quote_options exact = *options;
    exact.method = OG_QUOTE_EXACT;
    TRY(find_in_all(a, &exact, signature, 0, err));
    sample_found(a, signature, options->threshold);
    return OG_OK;
}

og_status og_quote_find(struct og_quote_asker *a, const uint64_t *words,
                        size_t n_words, const og_quote_options *options,
                        og_error *err)
{
    struct og_signature signature = {{0, 0}};
    int distance = 0;
    a->n_found = 0;
    a->list.n_seen = a->list.n_skipped = a->list.n_compared = 0;
    a->list.n_kept = 0;
    a->list.limit = options->max_candidates;
    a->list.most_kept = most_compared(options);
    if (n_words == 0) return OG_OK;
    TRY(pose(a, words, n_words, options->threshold, err));
    if (options->method == OG_QUOTE_QSIGN) {
        for (size_t i = 0; i < n_words; i++)
            og_signature_add(&signature, og_word_key(words[i]),
                             a->s->manifest.signature_bits,
                             a->s->manifest.word_bits);
        distance = og_sentences_distance(a->s, n_words, options);
        if (distance < 0) return find_and_sample(a, options, &signature, err);
    }
    return find_in_all(a, options, &signature, distance, err);
}

og_status og_sentences_find(struct og_sentences *s, const uint64_t *words,
                            size_t n_words, const og_quote_options *options,
                            og_error *err)
{
    TRY(og_sentences_count(s, err));
    s->own.at = og_sentences_mark(s);
    s->own.memtable_df = NULL;
    return og_quote_find(&s->own, words, n_words, options, err);
}
