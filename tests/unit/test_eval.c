/* The evaluation against a naive program: a small stream is written to a file,
 * the truth is worked out by comparing every shingle with every shingle, and
 * the measures are computed from their words in the paper (3.1, 3.2). */

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/stage_support.h"

#include "lib/eval/eval.h"

#define N_DOCS     70
#define MAX_TOKENS 120
#define MIN_TOKENS 20
#define K          8

/* ---- a stream ---- */

struct doc {
    uint32_t word[MAX_TOKENS]; /* tokens are "w17" for 17 */
    uint32_t n;
    int64_t time; /* seconds; -1: none is written */
};

struct stream {
    struct doc doc[N_DOCS]; /* in the order of the file */
    char path[64];
};

static void copy_passage(struct doc *to, const struct doc *from, uint64_t *seed)
{
    uint32_t n = 10 + lot_below(seed, 40);
    if (n > from->n) n = from->n;
    if (n > MAX_TOKENS - to->n) n = MAX_TOKENS - to->n;
    const uint32_t at = lot_below(seed, from->n - n + 1);
    memcpy(to->word + to->n, from->word + at, n * sizeof(*to->word));
    to->n += n;
}

static void write_new(struct doc *to, uint64_t *seed)
{
    uint32_t n = 5 + lot_below(seed, 30);
    for (; n > 0 && to->n < MAX_TOKENS; n--)
        to->word[to->n++] = lot_below(seed, 5000);
}

/* Passages of own words and of other documents, in turn. Copies are taken
 * from all documents before it in the file; `time` decides later who was
 * first. A few documents are too short to count. */
static void stream_fill(struct stream *s, uint64_t seed)
{
    memset(s, 0, sizeof(*s));
    for (uint32_t d = 0; d < N_DOCS; d++) {
        struct doc *doc = &s->doc[d];
        const uint32_t wanted = d % 13 == 5 ? 4 : 40 + lot_below(&seed, 60);
        doc->time = 1000 + d;
        while (doc->n < wanted) {
            if (d > 0 && lot_below(&seed, 2))
                copy_passage(doc, &s->doc[lot_below(&seed, d)], &seed);
            else
                write_new(doc, &seed);
        }
        if (d % 13 == 5) doc->n = 12; /* under MIN_TOKENS */
    }
}

static void stream_write(struct stream *s)
{
    strcpy(s->path, "/tmp/origo_test_eval_XXXXXX");
    const int fd = mkstemp(s->path);
    assert_true(fd >= 0);
    strcat(s->path, ".jsonl");
    close(fd);
    FILE *f = fopen(s->path, "w");
    assert_non_null(f);
    for (uint32_t d = 0; d < N_DOCS; d++) {
        const struct doc *doc = &s->doc[d];
        fprintf(f, "{\"id\":\"d%u\",", d);
        if (doc->time >= 0) fprintf(f, "\"time\":%lld,", (long long)doc->time);
        fprintf(f, "\"text\":\"");
        for (uint32_t i = 0; i < doc->n; i++)
            fprintf(f, "w%u%s", doc->word[i], i % 9 == 8 ? ". " : " ");
        fprintf(f, "\"}\n");
    }
    assert_int_equal(fclose(f), 0);
}

static void stream_remove(struct stream *s)
{
    remove(s->path);
    s->path[strlen(s->path) - strlen(".jsonl")] = 0;
    remove(s->path); /* what mkstemp made */
}

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

/* The origin of most selected shingles; the document itself wins ties, then
 * the earlier one. Tokens are old where a shingle from elsewhere stands. */
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

static og_eval *open_stream(const struct stream *s, unsigned n_threads)
{
    og_eval_options options = og_eval_options_default();
    const char *path = s->path;
    og_eval *eval;
    og_error err;
    options.shingle_len = K;
    options.min_tokens = MIN_TOKENS;
    options.n_threads = n_threads;
    assert_int_equal(og_eval_open(&path, 1, &options, &eval, &err), OG_OK);
    return eval;
}

static og_eval_run run_of(og_select_options select, og_evict_kind evict,
                          og_estimate_kind estimate, og_layout_kind layout)
{
    return (og_eval_run){.select = select,
                         .evict = evict,
                         .estimate = estimate,
                         .layout = layout,
                         .bridge_limit = 30,
                         .bucket_slots = 64,
                         .memory_bytes = 4000000};
}

static void assert_near(double a, double b)
{
    assert_true(a - b < 1e-12 && b - a < 1e-12);
}

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

/* A document without a time stands where it arrived. */
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

static void fill_runs(og_eval_run *runs, size_t n)
{
    static const og_select_options rules[] = {
        {.kind = OG_SELECT_ALL},
        {.kind = OG_SELECT_HAILSTORM, .no_overlap = true},
        {.kind = OG_SELECT_WINNOW, .param = 8, .no_overlap = true},
        {.kind = OG_SELECT_HASH_BREAK, .param = 3}};
    for (size_t i = 0; i < n; i++) {
        runs[i] = run_of(rules[i % 4], (og_evict_kind)(i % 7),
                         (og_estimate_kind)(i % 5), (og_layout_kind)(i % 2));
        runs[i].bucket_slots = 16;
        runs[i].memory_percent = i % 3 == 0 ? 50 : 15;
    }
}

static void check_same(const og_eval_result *a, const og_eval_result *b)
{
    og_eval_result timeless_a = *a, timeless_b = *b;
    timeless_a.seconds = timeless_b.seconds = 0;
    assert_memory_equal(&timeless_a, &timeless_b, sizeof(timeless_a));
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { N_RUNS = 60 };
    static struct stream s;
    static og_eval_run runs[N_RUNS];
    static og_eval_result one[N_RUNS], two[N_RUNS], single;
    stream_fill(&s, 20);
    stream_write(&s);
    fill_runs(runs, N_RUNS);
    og_eval *a = open_stream(&s, 1);
    og_eval *b = open_stream(&s, 2);
    assert_int_equal(og_eval_origin(a, runs, N_RUNS, one, NULL), OG_OK);
    assert_int_equal(og_eval_origin(b, runs, N_RUNS, two, NULL), OG_OK);
    for (size_t i = 0; i < N_RUNS; i++) {
        check_same(&one[i], &two[i]);
        assert_true(one[i].dominant >= 0 && one[i].dominant <= 1);
        assert_true(one[i].n_extra_right <= one[i].n_extra);
    }
    /* Nor on the runs beside it. */
    assert_int_equal(og_eval_origin(b, &runs[7], 1, &single, NULL), OG_OK);
    check_same(&single, &one[7]);
    og_eval_close(a);
    og_eval_close(b);
    stream_remove(&s);
}

/* 100 % is 18 bytes for every shingle. */
static void memory_in_percent_of_all_shingles(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_facts facts;
    og_eval_result result;
    stream_fill(&s, 30);
    stream_write(&s);
    og_eval *eval = open_stream(&s, 1);
    og_eval_facts_get(eval, &facts);
    og_eval_run run = run_of((og_select_options){.kind = OG_SELECT_ALL},
                             OG_EVICT_LUCKY, OG_ESTIMATE_BOTH, OG_LAYOUT_PAPER);
    run.memory_percent = 50;
    run.bucket_slots = 4;
    assert_int_equal(og_eval_origin(eval, &run, 1, &result, NULL), OG_OK);
    assert_true(result.table_bytes <= facts.n_shingles * 9);
    assert_true(result.table_bytes + 2 * 4 * 18 > facts.n_shingles * 9);
    assert_true(result.entries_pct > 45 && result.entries_pct <= 50);
    og_eval_close(eval);
    stream_remove(&s);
}

static void too_little_memory_is_told(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_result result;
    og_error err;
    stream_fill(&s, 31);
    stream_write(&s);
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        og_eval *eval = open_stream(&s, n_threads);
        og_eval_run run =
            run_of((og_select_options){.kind = OG_SELECT_ALL}, OG_EVICT_RANDOM,
                   OG_ESTIMATE_NONE, OG_LAYOUT_PAPER);
        run.memory_bytes = 100;
        assert_int_equal(og_eval_origin(eval, &run, 1, &result, &err),
                         OG_ERR_USAGE);
        assert_non_null(strstr(err.message, "has no room for one bucket"));
        og_eval_close(eval);
    }
    stream_remove(&s);
}

static void streams_without_documents_are_told(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval *eval;
    og_error err;
    stream_fill(&s, 32);
    stream_write(&s);
    const char *path = s.path;
    options.min_tokens = 1000;
    assert_int_equal(og_eval_open(&path, 1, &options, &eval, &err),
                     OG_ERR_INPUT);
    assert_null(eval);
    assert_string_equal(err.message,
                        "the stream has no document of 1000 tokens or more");
    og_eval_close(NULL);
    stream_remove(&s);
}

/* Documents of which each has two origins of equal weight, or no shingle at
 * all, give no query, and no measure would be a number. */
static void streams_without_queries_are_told(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval *eval;
    og_error err;
    stream_fill(&s, 33);
    for (uint32_t d = 0; d < N_DOCS; d++)
        s.doc[d].n = K - 1;
    stream_write(&s);
    const char *path = s.path;
    options.min_tokens = 1;
    assert_int_equal(og_eval_open(&path, 1, &options, &eval, &err),
                     OG_ERR_INPUT);
    assert_null(eval);
    assert_string_equal(err.message, "no document of the stream has a dominant "
                                     "origin: there is nothing to ask");
    stream_remove(&s);
}

/* ---- another order of arrival ---- */

static og_eval *open_in_order(const struct stream *s, og_order order)
{
    og_eval_options options = og_eval_options_default();
    const char *path = s->path;
    og_eval *eval;
    options.shingle_len = K;
    options.min_tokens = MIN_TOKENS;
    options.order = order;
    assert_int_equal(og_eval_open(&path, 1, &options, &eval, NULL), OG_OK);
    return eval;
}

/* Each document once, those from the first query on in the order of time, and
 * those before it not. */
static void check_arrival(const og_eval *eval, og_order order)
{
    uint32_t n_history = 0;
    uint32_t n_moved = 0;
    uint8_t seen[N_DOCS] = {0};
    while (!eval->docs[n_history].is_query)
        n_history++;
    assert_true(n_history > 2);
    for (uint32_t i = 0; i < eval->n_docs; i++) {
        const uint32_t doc = eval->arrival[i];
        assert_true(doc < eval->n_docs && !seen[doc]);
        seen[doc] = 1;
        n_moved += doc != i;
        if (i >= n_history) assert_int_equal(doc, i);
        if (i < n_history && order == OG_ORDER_REVERSE)
            assert_int_equal(doc, n_history - 1 - i);
    }
    assert_true(order == OG_ORDER_RIGHT ? n_moved == 0 : n_moved > 0);
}

/* With memory for everything no score depends on it. */
static void arrival_changes_no_score(void **state)
{
    (void)state;
    static struct stream s;
    const og_params params = og_params_default();
    const og_eval_run run =
        run_of(params.select, params.evict, params.estimate, params.layout);
    og_eval_result right;
    og_eval_result result;
    stream_fill(&s, 35);
    stream_write(&s);
    for (int order = OG_ORDER_RIGHT; order <= OG_ORDER_RANDOM; order++) {
        og_eval *eval = open_in_order(&s, (og_order)order);
        check_arrival(eval, (og_order)order);
        assert_int_equal(og_eval_origin(eval, &run, 1, &result, NULL), OG_OK);
        if (order == OG_ORDER_RIGHT) right = result;
        assert_true(result.dominant == right.dominant);
        assert_true(result.freshness == right.freshness);
        assert_int_equal(result.n_extra, right.n_extra);
        assert_int_equal(result.n_extra_right, right.n_extra_right);
        og_eval_close(eval);
    }
    stream_remove(&s);
}

static void shingle_lengths_are_checked(void **state)
{
    (void)state;
    static const uint32_t wrong[] = {0, 1, 33, UINT32_MAX};
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval *eval;
    og_error err;
    stream_fill(&s, 34);
    stream_write(&s);
    const char *path = s.path;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        options.shingle_len = wrong[i];
        assert_int_equal(og_eval_open(&path, 1, &options, &eval, &err),
                         OG_ERR_USAGE);
        assert_null(eval);
        assert_non_null(strstr(err.message, "the shingle length is"));
    }
    for (options.shingle_len = 2; options.shingle_len <= 32;
         options.shingle_len += 30) {
        assert_int_equal(og_eval_open(&path, 1, &options, &eval, &err), OG_OK);
        og_eval_close(eval);
    }
    stream_remove(&s);
}

static void check_refused(og_eval *eval, const og_eval_run *run,
                          const char *message)
{
    og_eval_run runs[2];
    og_eval_result results[2];
    og_error err;
    runs[0] = run_of((og_select_options){.kind = OG_SELECT_ALL},
                     OG_EVICT_RANDOM, OG_ESTIMATE_NONE, OG_LAYOUT_PAPER);
    runs[1] = *run;
    assert_int_equal(og_eval_origin(eval, runs, 2, results, &err),
                     OG_ERR_USAGE);
    assert_string_equal(err.message, message);
}

static void runs_are_checked(void **state)
{
    (void)state;
    static struct stream s;
    stream_fill(&s, 35);
    stream_write(&s);
    og_eval *eval = open_stream(&s, 1);
    const og_eval_run good =
        run_of((og_select_options){.kind = OG_SELECT_HAILSTORM}, OG_EVICT_LEARN,
               OG_ESTIMATE_CONTEXT, OG_LAYOUT_PACKED);
    og_eval_run run = good;
    run.bucket_slots = 0;
    check_refused(eval, &run,
                  "the number of slots in a bucket is 0, but must "
                  "be 4 to 256");
    run.bucket_slots = 48;
    check_refused(eval, &run,
                  "the number of slots in a bucket is 48, but must "
                  "be a power of two");
    run = good;
    run.bridge_limit = 0;
    check_refused(eval, &run,
                  "the bridge limit is 0, but must be 1 to 4294967295");
    run = good;
    run.select = (og_select_options){.kind = OG_SELECT_MODULO};
    check_refused(eval, &run, "the number of selection M0 must be at least 1");
    run.select = (og_select_options){.kind = OG_SELECT_SYNCMER, .param = 8};
    check_refused(eval, &run,
                  "selection Os8 names a token outside a shingle of 8");
    run = good;
    run.memory_percent = -1;
    check_refused(eval, &run,
                  "the memory is -1 percent, but must be 0 to 1000000");
    og_eval_close(eval);
    stream_remove(&s);
}

/* A segment is none of the shingles whose origin is known: labels that are
 * added to its hits are not counted. */
static void segments_have_no_extra_labels(void **state)
{
    (void)state;
    static struct stream s;
    static const og_select_kind kinds[] = {OG_SELECT_HASH_BREAK, OG_SELECT_DCT,
                                           OG_SELECT_MODULO};
    stream_fill(&s, 36);
    stream_write(&s);
    og_eval *eval = open_stream(&s, 1);
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        og_eval_result result;
        og_eval_run run =
            run_of((og_select_options){.kind = kinds[i], .param = 3},
                   OG_EVICT_RANDOM, OG_ESTIMATE_BRIDGE, OG_LAYOUT_PAPER);
        run.bucket_slots = 4;
        run.memory_bytes = 4000;
        assert_int_equal(og_eval_origin(eval, &run, 1, &result, NULL), OG_OK);
        assert_int_equal(result.n_extra > 0, kinds[i] == OG_SELECT_MODULO);
        assert_true(result.n_extra_right <= result.n_extra);
    }
    og_eval_close(eval);
    stream_remove(&s);
}

static void count_problem(void *ctx, const og_problem *problem)
{
    uint32_t *n_problems = ctx;
    assert_true(problem->skipped);
    assert_non_null(problem->message);
    (*n_problems)++;
}

/* With no other file there is no stream either, and the first is named. */
static void nothing_but_missing_files(void **state)
{
    (void)state;
    og_eval_options options = og_eval_options_default();
    const char *const paths[] = {"/nowhere/at/all.jsonl", "/nowhere/else.txt"};
    uint32_t n_problems = 0;
    og_eval *eval;
    og_error err;
    options.ctx = &n_problems;
    options.on_problem = count_problem;
    assert_int_equal(og_eval_open(paths, 2, &options, &eval, &err), OG_ERR_IO);
    assert_null(eval);
    assert_int_equal(n_problems, 2);
    assert_string_equal(err.message, "cannot open '/nowhere/at/all.jsonl': no "
                                     "such file or directory");
    options.on_problem = NULL; /* the message does not depend on it */
    assert_int_equal(og_eval_open(paths, 2, &options, &eval, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "/nowhere/at/all.jsonl"));
}

/* A file that is not there is a problem that is told; the others are read. */
static void a_missing_file_among_others(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval_facts facts;
    uint32_t n_problems = 0;
    og_eval *eval;
    og_error err;
    stream_fill(&s, 37);
    stream_write(&s);
    const char *const paths[] = {"/nowhere/at/all.jsonl", s.path};
    options.ctx = &n_problems;
    options.on_problem = count_problem;
    assert_int_equal(og_eval_open(paths, 2, &options, &eval, &err), OG_OK);
    assert_int_equal(n_problems, 1);
    og_eval_facts_get(eval, &facts);
    assert_true(facts.n_documents > 0);
    og_eval_close(eval);
    /* All too short: that is the story then, not the file. */
    options.min_tokens = 1000;
    assert_int_equal(og_eval_open(paths, 2, &options, &eval, &err),
                     OG_ERR_INPUT);
    assert_string_equal(err.message,
                        "the stream has no document of 1000 tokens or more");
    stream_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_in_the_order_of_time),
        cmocka_unit_test(a_stream_whose_file_is_not_in_the_order_of_time),
        cmocka_unit_test(a_stream_with_missing_times),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(memory_in_percent_of_all_shingles),
        cmocka_unit_test(too_little_memory_is_told),
        cmocka_unit_test(streams_without_documents_are_told),
        cmocka_unit_test(streams_without_queries_are_told),
        cmocka_unit_test(arrival_changes_no_score),
        cmocka_unit_test(shingle_lengths_are_checked),
        cmocka_unit_test(runs_are_checked),
        cmocka_unit_test(segments_have_no_extra_labels),
        cmocka_unit_test(nothing_but_missing_files),
        cmocka_unit_test(a_missing_file_among_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
