/* The evaluation against a naive program: a small stream is written to a file,
 * the truth is worked out by comparing every shingle with every shingle, and
 * the measures are computed from their words in the paper (3.1, 3.2). */

#include "eval/evaluation.h"

#include "tests/unit/eval_support.h"
#include <stdio.h>

/* ---- the naive program ---- */

#define NEW UINT32_MAX

/* Documents that count, in the order of (time, arrival). */
struct naive {
    const struct doc *doc[N_DOCS];
    uint32_t n;
    uint32_t origin[N_DOCS][MAX_TOKENS]; /* of each shingle */
    uint32_t dominant[N_DOCS];           /* NEW: there is none */
    bool is_query[N_DOCS];
    bool old[N_DOCS][MAX_TOKENS];
    uint32_t n_queries;
    og_eval_facts facts;
};

static uint32_t n_shingles(const struct doc *doc)
{
    return doc->n < K ? 0 : doc->n - K + 1;
}

static void sort_documents(struct naive *t, struct stream *s)
{
    int64_t last = INT64_MIN;
    for (uint32_t d = 0; d < N_DOCS; d++) {
        struct doc *doc = &s->doc[d];
        if (doc->n < MIN_TOKENS) continue;
        if (doc->time < 0) doc->time = last; /* it comes where it arrived */
        last = doc->time;
        uint32_t at = t->n++;
        for (; at > 0 && t->doc[at - 1]->time > doc->time; at--)
            t->doc[at] = t->doc[at - 1];
        t->doc[at] = doc;
    }
}

static bool holds(const struct doc *doc, const uint32_t *shingle)
{
    for (uint32_t i = 0; i < n_shingles(doc); i++)
        if (memcmp(doc->word + i, shingle, K * sizeof(*shingle)) == 0)
            return true;
    return false;
}

/* "the earliest document D' of S that contains s" */
static uint32_t origin_of(const struct naive *t, const uint32_t *shingle)
{
    uint32_t d = 0;
    while (!holds(t->doc[d], shingle))
        d++;
    return d;
}

/* "If the number of shingles in D with most copied origin D' is 10 % larger
 * than the number of shingles for any other individual origin" */
static uint32_t dominant_of(const uint32_t *origin, uint32_t n)
{
    uint32_t count[N_DOCS] = {0};
    for (uint32_t i = 0; i < n; i++)
        count[origin[i]]++;
    for (uint32_t d = 0; d < N_DOCS; d++) {
        bool dominant = count[d] > 0;
        for (uint32_t other = 0; other < N_DOCS; other++)
            if (other != d && count[d] < 1.1 * count[other]) dominant = false;
        if (dominant) return d;
    }
    return NEW;
}

/* The last fifth of all documents, as far as they have a dominant origin. */
static void choose_queries(struct naive *t)
{
    const uint32_t wanted = (t->n + 4) / 5;
    for (uint32_t d = t->n; d-- > 0 && t->n_queries < wanted;) {
        t->is_query[d] = t->dominant[d] != NEW;
        t->n_queries += t->is_query[d];
    }
}

/* Block by block: a maximal run of shingles copied from one origin. */
static uint64_t count_blocks(const struct naive *t, uint32_t d,
                             uint64_t *n_tokens)
{
    const uint32_t *origin = t->origin[d];
    const uint32_t n = n_shingles(t->doc[d]);
    uint64_t n_blocks = 0;
    for (uint32_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && origin[end] == origin[i])
            end++;
        if (origin[i] == d) continue;
        n_blocks++;
        *n_tokens += end - i + K - 1;
    }
    return n_blocks;
}

static void find_facts(struct naive *t)
{
    uint64_t n_copied = 0, n_fresh = 0, n_tokens = 0, n_block_tokens = 0;
    uint64_t n_blocks = 0, n_with = 0, n_own = 0;
    for (uint32_t d = 0; d < t->n; d++) {
        n_with += t->dominant[d] != NEW;
        n_blocks += count_blocks(t, d, &n_block_tokens);
        t->facts.n_shingles += n_shingles(t->doc[d]);
        for (uint32_t i = 0; i < n_shingles(t->doc[d]); i++)
            n_copied += t->origin[d][i] != d;
        if (!t->is_query[d]) continue;
        n_own += t->dominant[d] == d;
        n_tokens += t->doc[d]->n;
        for (uint32_t i = 0; i < t->doc[d]->n; i++)
            n_fresh += !t->old[d][i];
    }
    t->facts.n_documents = t->n;
    t->facts.n_queries = t->n_queries;
    t->facts.with_dominant = (double)n_with / t->n;
    t->facts.own_dominant = (double)n_own / t->n_queries;
    t->facts.copied = (double)n_copied / (double)t->facts.n_shingles;
    t->facts.block_tokens = (double)n_block_tokens / (double)n_blocks;
    t->facts.fresh = (double)n_fresh / (double)n_tokens;
}

static void find_truth(struct naive *t, struct stream *s)
{
    memset(t, 0, sizeof(*t));
    sort_documents(t, s);
    for (uint32_t d = 0; d < t->n; d++) {
        const struct doc *doc = t->doc[d];
        for (uint32_t i = 0; i < n_shingles(doc); i++) {
            t->origin[d][i] = origin_of(t, doc->word + i);
            for (uint32_t j = i; t->origin[d][i] != d && j < i + K; j++)
                t->old[d][j] = true;
        }
        t->dominant[d] = dominant_of(t->origin[d], n_shingles(doc));
    }
    choose_queries(t);
    find_facts(t);
}

/* ---- NHs with memory enough, NB: what it answers ---- */

struct answers {
    bool selected[N_DOCS][MAX_TOKENS];
    double ssr, dominant, freshness;
};

static uint64_t hash_of(uint32_t word)
{
    char text[16];
    const int len = snprintf(text, sizeof(text), "w%u", word);
    return og_token_hash(text, (size_t)len, 0);
}

static bool is_covered(const bool *selected, uint32_t shingle, uint32_t n)
{
    for (uint32_t token = shingle; token < shingle + K; token++) {
        bool covered = false;
        for (uint32_t i = 0; i < n; i++)
            covered |=
                selected[i] && i != shingle && i <= token && token < i + K;
        if (!covered) return false;
    }
    return true;
}

/* Hailstorm, then the pass that drops what the others cover whole. */
static void select_nhs(const struct doc *doc, bool *selected)
{
    const uint32_t n = n_shingles(doc);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t min = UINT64_MAX;
        for (uint32_t j = i; j < i + K; j++)
            if (hash_of(doc->word[j]) < min) min = hash_of(doc->word[j]);
        selected[i] = hash_of(doc->word[i]) == min ||
                      hash_of(doc->word[i + K - 1]) == min;
    }
    for (uint32_t i = 0; i < n; i++)
        if (selected[i] && is_covered(selected, i, n)) selected[i] = false;
}

/* The earliest document before d that selected the shingle; d: none did. */
static uint32_t stored_origin(const struct naive *t, const struct answers *a,
                              uint32_t d, uint32_t shingle)
{
    const uint32_t *words = t->doc[d]->word + shingle;
    for (uint32_t other = 0; other < d; other++)
        for (uint32_t i = 0; i < n_shingles(t->doc[other]); i++)
            if (a->selected[other][i] &&
                memcmp(t->doc[other]->word + i, words, K * 4) == 0)
                return other;
    return d;
}

/* The origin of most selected shingles; the document itself wins ties, then the
 * earlier one. Tokens are old if a copied shingle covers them. */
static bool ask(const struct naive *t, const struct answers *a, uint32_t d,
                uint64_t *n_right)
{
    uint32_t count[N_DOCS] = {0};
    bool old[MAX_TOKENS] = {0};
    for (uint32_t i = 0; i < n_shingles(t->doc[d]); i++) {
        if (!a->selected[d][i]) continue;
        const uint32_t origin = stored_origin(t, a, d, i);
        count[origin]++;
        for (uint32_t j = i; origin != d && j < i + K; j++)
            old[j] = true;
    }
    for (uint32_t i = 0; i < t->doc[d]->n; i++)
        *n_right += old[i] == t->old[d][i];
    uint32_t best = d;
    for (uint32_t other = 0; other < t->n; other++)
        if (count[other] > count[best]) best = other;
    return best == t->dominant[d];
}

static void answer_all(const struct naive *t, struct answers *a)
{
    uint64_t n_selected = 0, n_right_tokens = 0, n_tokens = 0, n_right = 0;
    memset(a, 0, sizeof(*a));
    for (uint32_t d = 0; d < t->n; d++) {
        select_nhs(t->doc[d], a->selected[d]);
        for (uint32_t i = 0; i < n_shingles(t->doc[d]); i++)
            n_selected += a->selected[d][i];
    }
    for (uint32_t d = 0; d < t->n; d++) {
        if (!t->is_query[d]) continue;
        n_tokens += t->doc[d]->n;
        n_right += ask(t, a, d, &n_right_tokens);
    }
    a->ssr = (double)n_selected / (double)t->facts.n_shingles;
    a->dominant = (double)n_right / t->n_queries;
    a->freshness = (double)n_right_tokens / (double)n_tokens;
}

/* ---- comparing ---- */

static void check_facts(const og_eval *eval, const og_eval_facts *expected)
{
    og_eval_facts f;
    og_eval_facts_get(eval, &f);
    assert_int_equal(f.n_documents, expected->n_documents);
    assert_int_equal(f.n_shingles, expected->n_shingles);
    assert_int_equal(f.n_queries, expected->n_queries);
    assert_near(f.with_dominant, expected->with_dominant);
    assert_near(f.own_dominant, expected->own_dominant);
    assert_near(f.copied, expected->copied);
    assert_near(f.block_tokens, expected->block_tokens);
    assert_near(f.fresh, expected->fresh);
}

/* Origin by origin, query by query. */
static void check_truth(const og_eval *eval, const struct naive *t)
{
    assert_int_equal(eval->n_docs, t->n);
    for (uint32_t d = 0; d < t->n; d++) {
        const struct og_eval_doc *doc = &eval->docs[d];
        assert_int_equal(doc->n_tokens, t->doc[d]->n);
        assert_int_equal(doc->dominant,
                         t->dominant[d] == NEW ? OG_NO_DOC : t->dominant[d]);
        assert_int_equal(doc->is_query, t->is_query[d]);
        if (!doc->is_query) continue;
        for (uint32_t i = 0; i < n_shingles(t->doc[d]); i++)
            assert_int_equal(eval->truth[doc->first_truth + i],
                             t->origin[d][i]);
        for (uint32_t i = 0; i < doc->n_tokens; i++)
            assert_int_equal(eval->old[doc->first_truth + i], t->old[d][i]);
    }
}

/* All shingles, memory for all of them: the truth itself, in both layouts. */
static void check_all(og_eval *eval)
{
    const og_select_options all = {.kind = OG_SELECT_ALL};
    og_eval_run runs[2];
    og_eval_result results[2];
    for (int layout = 0; layout < 2; layout++)
        runs[layout] = run_of(all, OG_EVICT_RANDOM, OG_ESTIMATE_NONE,
                              (og_layout_kind)layout);
    assert_int_equal(og_eval_origin(eval, runs, 2, results, NULL), OG_OK);
    for (int layout = 0; layout < 2; layout++) {
        assert_true(results[layout].dominant == 1);
        assert_true(results[layout].freshness == 1);
        assert_true(results[layout].overall == 1);
        assert_true(results[layout].ssr == 1);
        assert_int_equal(results[layout].n_extra, 0);
        assert_true(results[layout].table_bytes <= 4000000);
    }
}

static void check_nhs(og_eval *eval, const struct naive *t)
{
    static struct answers a;
    const og_select_options nhs = {.kind = OG_SELECT_HAILSTORM,
                                   .no_overlap = true};
    og_eval_result result;
    answer_all(t, &a);
    for (int layout = 0; layout < 2; layout++) {
        const og_eval_run run = run_of(nhs, OG_EVICT_RANDOM, OG_ESTIMATE_NONE,
                                       (og_layout_kind)layout);
        assert_int_equal(og_eval_origin(eval, &run, 1, &result, NULL), OG_OK);
        assert_near(result.ssr, a.ssr);
        assert_near(result.dominant, a.dominant);
        assert_near(result.freshness, a.freshness);
        assert_near(result.overall, (a.dominant + a.freshness) / 2);
    }
    uint32_t n = 0, n_right = 0;
    for (size_t i = 0; i < OG_EVAL_LENGTHS; i++) {
        n += result.length_n[i];
        n_right += result.length_right[i];
        assert_true(result.length_right[i] <= result.length_n[i]);
    }
    assert_int_equal(n, t->n_queries);
    assert_near((double)n_right / n, a.dominant);
}

static void check_stream(struct stream *s)
{
    static struct naive truth;
    stream_write(s);
    find_truth(&truth, s);
    og_eval *eval = open_stream(s, 1);
    check_facts(eval, &truth.facts);
    check_truth(eval, &truth);
    check_all(eval);
    check_nhs(eval, &truth);
    og_eval_close(eval);
    stream_remove(s);
}

/* ---- tests ---- */

static void a_stream_in_the_order_of_time(void **state)
{
    (void)state;
    static struct stream s;
    for (uint64_t seed = 0; seed < 4; seed++) {
        stream_fill(&s, seed);
        check_stream(&s);
    }
}

/* The file turned round, then shuffled; equal times are in order of arrival. */
static void a_stream_whose_file_is_not_in_the_order_of_time(void **state)
{
    (void)state;
    static struct stream s;
    stream_fill(&s, 10);
    for (uint32_t d = 0; d < N_DOCS; d++)
        s.doc[d].time = 5000 - d;
    check_stream(&s);
    uint64_t seed = 11;
    stream_fill(&s, 11);
    for (uint32_t d = 0; d < N_DOCS; d++)
        s.doc[d].time = lot_below(&seed, 20);
    check_stream(&s);
}

/* A document without a time keeps its position. */
static void a_stream_with_missing_times(void **state)
{
    (void)state;
    static struct stream s;
    uint64_t seed = 12;
    stream_fill(&s, 12);
    for (uint32_t d = 0; d < N_DOCS; d++)
        s.doc[d].time = d % 3 ? -1 : (int64_t)lot_below(&seed, 100);
    /* One too short to count must not lend its time. */
    s.doc[0].time = -1;
    check_stream(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_in_the_order_of_time),
        cmocka_unit_test(a_stream_whose_file_is_not_in_the_order_of_time),
        cmocka_unit_test(a_stream_with_missing_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
