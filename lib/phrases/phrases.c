/* Passages that many documents repeat, of a store or of a stream.
 *
 * The documents are read several times; a pass is one og_stream_documents().
 *
 *     count     all shingles, in counters of fixed number
 *     recount   those that kept a counter, exactly; only if some lost theirs
 *     runs      frequent shingles become passages, the best are kept
 *     check     each is searched for in each document; those in most are chosen
 *     report    the same for the chosen ones: holders, periods, shares, sources
 *
 * Memory: the counters, the frequent shingles (as much again), the texts of
 * some thousand passages, and the names of sources. Nothing grows with the
 * number of documents. */

#include <string.h>

#include "lib/phrases/phrase_runs.h"
#include "lib/phrases/phrase_set.h"
#include "lib/phrases/phrase_tally.h"
#include "lib/source/block.h"
#include "lib/store/store.h"
#include "lib/store/text/stored_texts.h"
#include "lib/stream/engine.h"
#include "lib/trace/filter.h"

#include <origo/phrases.h>

enum {
    MOST_PHRASES = 10000,
    LEAST_TOKENS = 8,
    SPARE = 4, /* this many times the limit are checked before some are
                  chosen */
    FEW = 256  /* and at least this many */
};

enum pass { PASS_COUNT, PASS_RECOUNT, PASS_RUNS, PASS_CHECK, PASS_TELL };

static const char *const pass_names[] = {"counting", "counting again",
                                         "joining", "checking", "telling"};

struct phrase_job {
    og_phrases_options options;
    og_token_kind kind;
    uint32_t fold;
    uint32_t shingle_len; /* min_tokens, but at most 32 */
    struct og_shingle_factors key;
    /* where documents come from */
    og_input input;
    struct og_stored_texts *stored; /* NULL: from the input */
    uint32_t n_stored;
    og_stream_counts counts; /* of the first pass */
    og_status first_status;  /* of a file that could not be read; it has been
                                reported */
    og_error first_error;
    /* the passes */
    enum pass pass;
    uint64_t n_documents, n_seen;
    struct og_phrase_counter counter;
    struct og_phrase_shingles shingles;
    uint32_t complete_above;
    struct og_phrase_pool pool;
    struct og_phrase_set set;
    struct og_phrase_periods periods;
    struct og_phrase_tally *tally;
};

struct phrase_worker {
    struct og_shingler shingler;
    struct og_phrase_runs runs;
    struct og_phrase_matches matches;
    struct og_phrase_found *places;
    size_t places_cap;
};

/* The result of a worker for a document; in the arena of its batch. */
struct phrase_made {
    const uint64_t *fps;
    size_t n_fps;
    const struct og_phrase_run *runs;
    const struct og_phrase_found *places; /* of the runs or the passages */
    size_t n_places, n_covered;
};

/* The object of which og_phrases is the public part. */
struct phrase_result {
    og_phrases shown; /* first */
    struct og_phrase_tally *tally;
    struct og_phrase_periods periods;
};

og_phrases_options og_phrases_options_default(void)
{
    return (og_phrases_options){.limit = 20,
                                .min_documents = 3,
                                .memory = (uint64_t)64 << 20,
                                .source = "host"};
}

/* ---- any thread ---- */

static og_status start_worker(void *ctx, void *mine, og_error *err)
{
    const struct phrase_job *job = ctx;
    struct phrase_worker *w = mine;
    (void)err;
    og_shingler_init(&w->shingler, job->kind, &job->key, NULL);
    return OG_OK;
}

static void stop_worker(void *ctx, void *mine)
{
    struct phrase_worker *w = mine;
    (void)ctx;
    og_shingler_release(&w->shingler);
    og_phrase_runs_release(&w->runs);
    og_phrase_matches_release(&w->matches);
    OG_UNGROW(NULL, w->places, w->places_cap);
}

static bool is_asked_for(const og_phrases_options *o, const og_document *doc)
{
    if (!o->has_since && !o->has_until) return true;
    return doc->has_time && (!o->has_since || doc->time >= o->since) &&
           (!o->has_until || doc->time < o->until);
}

/* The bytes of a run of tokens. */
static struct og_phrase_found place_of(const struct og_shingler *s,
                                       uint32_t phrase, size_t first, size_t n)
{
    return (struct og_phrase_found){
        .phrase = phrase,
        .n_tokens = (uint32_t)n,
        .begin = og_text_source_begin(&s->text, s->tokens.begin[first]),
        .end = og_text_source_end(&s->text, s->tokens.end[first + n - 1])};
}

static og_status make_runs(const struct phrase_job *job,
                           struct phrase_worker *w, og_error *err)
{
    const struct og_fps *fps = &w->shingler.fps;
    TRY(og_phrase_runs_find(&w->runs, &job->shingles, fps->data, fps->n,
                            job->shingle_len, job->options.min_documents, err));
    if (!OG_GROW(NULL, w->places, w->places_cap, w->runs.n))
        return og_error_memory(err, w->runs.n * 24, "runs");
    for (size_t i = 0; i < w->runs.n; i++)
        w->places[i] =
            place_of(&w->shingler, (uint32_t)i, w->runs.runs[i].first,
                     w->runs.runs[i].n_tokens);
    return OG_OK;
}

static og_status make_matches(const struct phrase_job *job,
                              struct phrase_worker *w, og_error *err)
{
    struct og_phrase_matches *m = &w->matches;
    TRY(og_phrase_set_find(&job->set, &w->shingler, m, err));
    if (!OG_GROW(NULL, w->places, w->places_cap, m->n))
        return og_error_memory(err, m->n * 24, "matches");
    for (size_t i = 0; i < m->n; i++)
        w->places[i] = place_of(&w->shingler, m->list[i].phrase,
                                m->list[i].first, m->list[i].n_tokens);
    return OG_OK;
}

/* What this pass needs of a document with at least one whole shingle. */
static og_status make_wanted(const struct phrase_job *job,
                             struct phrase_worker *w, struct og_batch *b,
                             struct phrase_made *made, og_error *err)
{
    if (job->pass == PASS_COUNT || job->pass == PASS_RECOUNT) {
        made->fps = w->shingler.fps.data;
        made->n_fps = w->shingler.fps.n;
        if (!OG_BATCH_KEEP(b, made->fps, made->n_fps))
            return og_error_memory(err, made->n_fps * 8, "a document");
        return OG_OK;
    }
    if (job->pass == PASS_RUNS) {
        TRY(make_runs(job, w, err));
        made->n_places = w->runs.n;
        made->runs = w->runs.runs;
        if (made->n_places != 0 && !OG_BATCH_KEEP(b, made->runs, w->runs.n))
            return og_error_memory(err, w->runs.n * 24, "a document");
    } else {
        TRY(make_matches(job, w, err));
        made->n_places = w->matches.n;
        made->n_covered = w->matches.n_covered;
    }
    made->places = w->places;
    if (made->n_places != 0 && !OG_BATCH_KEEP(b, made->places, made->n_places))
        return og_error_memory(err, made->n_places * 24, "a document");
    return OG_OK;
}

static og_status make(void *ctx, void *mine, struct og_batch *b,
                      struct og_stream_doc *d, og_error *err)
{
    const struct phrase_job *job = ctx;
    struct phrase_worker *w = mine;
    struct phrase_made made = {0};
    const struct phrase_made *kept = &made;
    if (is_asked_for(&job->options, &d->doc)) {
        w->shingler.text.fold = job->fold;
        TRY(og_shingler_run(&w->shingler, d->doc.text, err));
        d->n_tokens = w->shingler.tokens.n;
        d->n_repaired = w->shingler.text.n_repaired;
        if (d->n_tokens >= job->shingle_len)
            TRY(make_wanted(job, w, b, &made, err));
        og_shingler_trim(&w->shingler);
    }
    if (made.n_places == 0 || job->pass == PASS_CHECK)
        d->doc.text = d->doc.title = (og_bytes){"", 0};
    if (!OG_BATCH_KEEP(b, kept, 1))
        return og_error_memory(err, sizeof(made), "a document");
    d->made = (void *)(uintptr_t)kept;
    return OG_OK;
}

/* ---- the calling thread ---- */

static og_status take_runs(struct phrase_job *job, const og_document *doc,
                           const struct phrase_made *made, og_error *err)
{
    for (size_t i = 0; i < made->n_places; i++) {
        const struct og_phrase_run *run = &made->runs[i];
        const struct og_phrase_found *place = &made->places[i];
        const struct og_phrase_candidate c = {
            .seed = run->seed, .most = run->most, .n_tokens = run->n_tokens};
        if (run->n_tokens < job->options.min_tokens) continue;
        TRY(og_phrase_pool_add(&job->pool, &c,
                               (og_bytes){doc->text.data + place->begin,
                                          (size_t)(place->end - place->begin)},
                               err));
    }
    return OG_OK;
}

/* The name of its source; a string field without its quotes. */
static og_bytes source_of(const struct phrase_job *job, const og_document *doc)
{
    og_bytes name = og_same_value(job->options.source, doc);
    if (name.len >= 2 && name.data[0] == '"' &&
        name.data[name.len - 1] == '"') {
        name.data++;
        name.len -= 2;
    }
    return name;
}

static og_status take_holding(struct phrase_job *job,
                              const struct og_stream_doc *d, uint64_t number,
                              og_error *err)
{
    const struct phrase_made *made = d->made;
    const struct og_phrase_holding holding = {.doc = &d->doc,
                                              .source = source_of(job, &d->doc),
                                              .number = number,
                                              .n_tokens = d->n_tokens,
                                              .n_covered = made->n_covered,
                                              .found = made->places,
                                              .n_found = made->n_places};
    return og_phrase_tally_add(job->tally, &holding, err);
}

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct phrase_job *job = ctx;
    const struct phrase_made *made = d->made;
    (void)b;
    if (!is_asked_for(&job->options, &d->doc)) return OG_OK;
    const uint64_t number = job->n_seen++;
    if (job->n_seen >= UINT32_MAX - 1)
        return og_error_set(err, OG_ERR_LIMIT, "more than 2^32 documents");
    switch (job->pass) {
    case PASS_COUNT:
        for (size_t i = 0; i < made->n_fps; i++)
            og_phrase_counter_add(&job->counter, made->fps[i],
                                  (uint32_t)job->n_seen);
        return d->doc.has_time
                   ? og_phrase_periods_add(&job->periods, d->doc.time, err)
                   : OG_OK;
    case PASS_RECOUNT:
        for (size_t i = 0; i < made->n_fps; i++)
            og_phrase_shingles_add(&job->shingles, made->fps[i],
                                   (uint32_t)job->n_seen);
        return OG_OK;
    case PASS_RUNS: return take_runs(job, &d->doc, made, err);
    case PASS_CHECK:
        for (size_t i = 0; i < made->n_places; i++)
            job->pool.list[made->places[i].phrase].n++;
        return OG_OK;
    case PASS_TELL: return take_holding(job, d, number, err);
    }
    return OG_OK;
}

static og_status next_stored(void *ctx, og_document *out, uint64_t *out_number,
                             og_error *err)
{
    struct phrase_job *job = ctx;
    bool is_there = false;
    while (!is_there) {
        if (job->n_stored == og_stored_texts_n(job->stored)) return OG_END;
        *out_number = job->n_stored++;
        TRY(og_stored_texts_get(job->stored, (uint32_t)*out_number, out,
                                &is_there, err));
    }
    return OG_OK;
}

/* ---- passes ---- */

static og_status run_pass(struct phrase_job *job, enum pass pass, og_error *err)
{
    og_stream_counts again = {0};
    struct og_stream_work work = {.ctx = job,
                                  .worker_len = sizeof(struct phrase_worker),
                                  .start_worker = start_worker,
                                  .stop_worker = stop_worker,
                                  .make = make,
                                  .take = take,
                                  .uses_time = pass == PASS_COUNT,
                                  .step = pass_names[pass]};
    og_input input = job->input;
    const bool is_first = pass == PASS_COUNT;
    if (job->stored != NULL) {
        work.next = next_stored;
        work.name = og_stored_texts_path(job->stored);
    } else if (!is_first) {
        input.on_problem = NULL;
        if (input.next != NULL) TRY(input.rewind(input.ctx, err));
    }
    job->pass = pass;
    job->n_stored = 0;
    job->n_seen = 0;
    og_stream_counts *counts = is_first ? &job->counts : &again;
    const og_status status = og_stream_documents(&input, &work, counts, err);
    if (status == OG_OK || !counts->is_reported) return status;
    if (is_first) {
        job->first_status = status;
        if (err != NULL) job->first_error = *err;
    }
    return OG_OK;
}

static og_status count_shingles(struct phrase_job *job, og_error *err)
{
    TRY(og_phrase_counter_init(&job->counter, job->options.memory, err));
    TRY(run_pass(job, PASS_COUNT, err));
    job->n_documents = job->n_seen;
    og_phrase_periods_finish(&job->periods);
    uint32_t left;
    TRY(og_phrase_shingles_init(&job->shingles, &job->counter,
                                job->options.min_documents, job->options.memory,
                                &left, err));
    const bool is_exact = job->counter.complete_above == 0;
    job->complete_above = job->counter.complete_above;
    if (left > job->complete_above) job->complete_above = left;
    og_phrase_counter_release(&job->counter);
    if (is_exact) return OG_OK;
    og_phrase_shingles_reset(&job->shingles);
    return run_pass(job, PASS_RECOUNT, err);
}

static size_t room_for(const struct phrase_job *job)
{
    const size_t room = (size_t)job->options.limit * SPARE;
    return room > FEW ? room : FEW;
}

static og_status find_phrases(struct phrase_job *job, og_error *err)
{
    TRY(run_pass(job, PASS_RUNS, err));
    og_phrase_shingles_release(&job->shingles);
    og_phrase_pool_sort(&job->pool);
    return og_phrase_set_init(&job->set, &job->pool, job->kind, job->fold,
                              job->shingle_len, err);
}

/* Keeps the candidates that are in most documents; returns how many others were
 * in enough. */
static uint64_t choose(struct phrase_job *job)
{
    struct og_phrase_pool *pool = &job->pool;
    size_t n = 0;
    for (size_t i = 0; i < pool->n; i++) {
        struct og_phrase_candidate c = pool->list[i];
        if (c.n < job->options.min_documents) continue;
        c.most = c.n;
        pool->list[i] = pool->list[n];
        pool->list[n++] = c;
    }
    while (pool->n > n) /* those in too few */
        og_phrase_pool_drop(pool);
    pool->n_kept = job->options.limit;
    og_phrase_pool_sort(pool);
    return n - pool->n;
}

static og_status choose_phrases(struct phrase_job *job, uint64_t *out_n_more,
                                og_error *err)
{
    TRY(run_pass(job, PASS_CHECK, err));
    *out_n_more = choose(job);
    og_phrase_set_release(&job->set);
    return og_phrase_set_init(&job->set, &job->pool, job->kind, job->fold,
                              job->shingle_len, err);
}

static og_status report_phrases(struct phrase_job *job,
                                struct phrase_result *result, og_error *err)
{
    result->periods = job->periods; /* the result owns them from now on */
    memset(&job->periods, 0, sizeof(job->periods));
    TRY(og_phrase_tally_new(job->set.n, job->options.limit, job->n_documents,
                            &result->periods, &result->tally, err));
    job->tally = result->tally;
    TRY(run_pass(job, PASS_TELL, err));
    og_phrase_tally_finish(result->tally, job->options.min_documents,
                           &result->shown);
    result->shown.min_documents = job->options.min_documents;
    result->shown.min_tokens = job->options.min_tokens;
    result->shown.complete_above = job->complete_above;
    return OG_OK;
}

static og_status check_options(const og_phrases_options *o, og_error *err)
{
    if (o->limit < 1 || o->limit > MOST_PHRASES)
        return og_error_set(err, OG_ERR_USAGE, "limit %u: must be 1 to %d",
                            o->limit, MOST_PHRASES);
    if (o->min_documents < 2)
        return og_error_set(err, OG_ERR_USAGE,
                            "min_documents %u: must be 2 or more",
                            o->min_documents);
    if (o->min_tokens == 1 || o->min_tokens > OG_PHRASE_TOKENS_MAX / 2)
        return og_error_set(err, OG_ERR_USAGE, "min_tokens %u: must be 2 to %d",
                            o->min_tokens, OG_PHRASE_TOKENS_MAX / 2);
    if (o->memory < 4096)
        return og_error_set(err, OG_ERR_USAGE,
                            "memory: must be 4096 bytes or more");
    if (o->source == NULL)
        return og_error_set(err, OG_ERR_USAGE, "source: missing");
    return OG_OK;
}

/* Periods times passages: at most 32 MiB of counts. */
static size_t most_periods(const og_phrases_options *o)
{
    const size_t most = ((size_t)4 << 20) / o->limit;
    return most < OG_PHRASE_PERIODS_MAX ? most : OG_PHRASE_PERIODS_MAX;
}

static og_status run_job(struct phrase_job *job, og_phrases **out,
                         og_error *err)
{
    struct phrase_result *result = og_allocate_zero(NULL, sizeof(*result));
    if (result == NULL) return og_error_memory(err, sizeof(*result), "phrases");
    job->shingle_len = job->options.min_tokens < OG_SHINGLE_MAX
                           ? job->options.min_tokens
                           : OG_SHINGLE_MAX;
    og_shingle_factors_init(&job->key, og_rabin_default(), job->shingle_len);
    og_phrase_periods_init(&job->periods, job->options.period,
                           most_periods(&job->options));
    og_phrase_pool_init(&job->pool, room_for(job));
    og_status status = count_shingles(job, err);
    if (status == OG_OK) status = find_phrases(job, err);
    if (status == OG_OK)
        status = choose_phrases(job, &result->shown.n_more, err);
    if (status == OG_OK) status = report_phrases(job, result, err);
    og_phrase_counter_release(&job->counter);
    og_phrase_shingles_release(&job->shingles);
    og_phrase_set_release(&job->set);
    og_phrase_pool_release(&job->pool);
    og_phrase_periods_release(&job->periods);
    if (status != OG_OK) {
        og_phrases_free(&result->shown);
        return status;
    }
    *out = &result->shown;
    if (err != NULL && job->first_status != OG_OK) *err = job->first_error;
    return job->first_status;
}

void og_phrases_free(og_phrases *phrases)
{
    struct phrase_result *result = (struct phrase_result *)phrases;
    if (result == NULL) return;
    og_phrase_tally_free(result->tally);
    og_phrase_periods_release(&result->periods);
    og_release(NULL, result, sizeof(*result));
}

/* ---- the two doors ---- */

og_status og_store_phrases(og_store *store, const og_phrases_options *options,
                           og_phrases **out, og_error *err)
{
    const og_params *params = og_store_params(store);
    struct phrase_job job = {.options = *options,
                             .kind = params->tokens,
                             .fold = params->fold,
                             .input = og_input_default()};
    *out = NULL;
    TRY(check_options(options, err));
    if (job.options.min_tokens == 0)
        job.options.min_tokens = params->shingle_len > LEAST_TOKENS
                                     ? params->shingle_len
                                     : LEAST_TOKENS;
    job.input.n_threads = options->n_threads;
    job.input.ctx = options->ctx;
    job.input.on_progress = options->on_progress;
    job.input.should_stop = options->should_stop;
    TRY(og_stored_texts_of(store, &job.stored, err));
    const og_status status = run_job(&job, out, err);
    og_stored_texts_close(job.stored);
    return status;
}

og_status og_stream_phrases(const og_input *input,
                            const og_phrases_options *options, og_phrases **out,
                            og_stream_counts *out_counts, og_error *err)
{
    struct phrase_job job = {.options = *options,
                             .kind = options->tokens,
                             .fold = options->fold,
                             .input = og_limited_input(input, options->memory)};
    *out = NULL;
    if (out_counts != NULL) *out_counts = job.counts;
    TRY(check_options(options, err));
    TRY(og_stream_needs_again(input, "counting passages", err));
    if (job.options.min_tokens == 0) job.options.min_tokens = LEAST_TOKENS;
    job.input.reading.extra = true; /* where `source` may be found */
    const og_status status = run_job(&job, out, err);
    if (out_counts != NULL) *out_counts = job.counts;
    return status;
}
