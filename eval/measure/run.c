/* Runs combinations over a stream and scores them.
 *
 * The selection of all documents is computed once per rule and shared by its
 * combinations, which run on all cores, each with a table and scratch memory of
 * its own. Every document is queried before it is added. */

#include <pthread.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/selected.h"
#include "lib/align/confirm.h"
#include "lib/os/clock.h"
#include "lib/os/cpu.h"

/* ---- one run ---- */

struct running {
    const struct og_eval *eval;
    const struct og_selected *selected;
    const og_eval_run *run;
    og_eval_result *result;
    struct og_table table;
    struct og_labels labels;
    struct og_copies copies;
    struct og_confirming confirming;
    struct og_tokens sides[OG_CONFIRM_ORIGINS];
    uint8_t *old; /* of each token of a document */
    size_t old_cap;
    uint64_t n_right_dominant, n_right_tokens;
};

static void score_tokens(struct running *r, const struct og_eval_doc *doc)
{
    const uint8_t *old = r->eval->old + doc->first_truth;
    uint64_t n_old_true = 0;
    uint64_t n_both = 0;
    for (uint32_t i = 0; i < doc->n_tokens; i++)
        n_old_true += old[i];
    for (size_t c = 0; c < r->copies.n; c++)
        for (uint32_t i = r->copies.data[c].begin; i < r->copies.data[c].end;
             i++)
            n_both += old[i];
    const uint64_t n_wrong = n_old_true + r->copies.n_old - 2 * n_both;
    r->n_right_tokens += doc->n_tokens - n_wrong;
}

/* ---- with texts ---- */

static og_status give_side(void *ctx, uint32_t doc, uint32_t side,
                           struct og_align_side *out, og_error *err)
{
    struct running *r = ctx;
    (void)err;
    r->sides[side] = og_eval_doc_view(r->eval, &r->eval->docs[doc]);
    *out = (struct og_align_side){.tokens = &r->sides[side]};
    return OG_OK;
}

static bool comes_before(const void *order, uint32_t a, uint32_t b)
{
    (void)order;
    return a < b;
}

/* A token is old by the measure when it is in a shingle that was copied:
 * in a run of equal tokens that is long enough, whichever of several origins it
 * is assigned to. Tokens of a passage between such runs were changed, hence are
 * fresh. */
static void mark_old(struct running *r, uint8_t *old, uint32_t n_tokens)
{
    const struct og_confirming *c = &r->confirming;
    if (c->n_docs == 0) return;
    memcpy(old, c->is_old, n_tokens);
    for (size_t i = 0; i < c->n_found; i++)
        for (size_t j = 0; j < c->found[i].n_runs; j++) {
            const struct og_run *run = &c->runs[c->found[i].first_run + j];
            if (run->len >= r->eval->key.shingle_len)
                memset(old + run->begin, 1, run->len);
        }
    for (size_t i = 0; i < c->rest.n; i++)
        memset(old + c->rest.data[i].begin, 1,
               c->rest.data[i].end - c->rest.data[i].begin);
}

static og_status keep_old(struct og_copies *copies, const uint8_t *old,
                          uint32_t n, og_error *err)
{
    uint32_t end;
    copies->n = copies->n_old = 0;
    for (uint32_t t = 0; t < n; t = end) {
        for (end = t + 1; end < n && old[end] == old[t];)
            end++;
        if (!old[t]) continue;
        if (!OG_GROW(copies->allocator, copies->data, copies->cap,
                     copies->n + 1))
            return og_error_memory(err, sizeof(*copies->data), "copies");
        copies->data[copies->n++] = (struct og_copy){.begin = t, .end = end};
        copies->n_old += end - t;
    }
    return OG_OK;
}

static og_status keep_confirmed(struct running *r, uint32_t n_tokens,
                                og_error *err)
{
    if (!OG_GROW(NULL, r->old, r->old_cap, n_tokens))
        return og_error_memory(err, n_tokens, "tokens");
    memset(r->old, 0, n_tokens);
    mark_old(r, r->old, n_tokens);
    return keep_old(&r->copies, r->old, n_tokens, err);
}

static og_status verify(struct running *r, const struct og_eval_doc *doc,
                        const struct og_selection *sel, og_error *err)
{
    const struct og_tokens tokens = og_eval_doc_view(r->eval, doc);
    const struct og_confirm_source source = {
        .ctx = r, .side = give_side, .order = {.earlier = comes_before}};
    TRY(og_confirm(&r->confirming, (struct og_align_side){.tokens = &tokens},
                   sel, &r->labels, &source, err));
    TRY(og_labels_join(sel, &r->labels, &r->copies, err));
    TRY(og_confirm_rest(&r->confirming, &r->copies, tokens.n, err));
    return keep_confirmed(r, (uint32_t)tokens.n, err);
}

/* Segments are not among the shingles whose origin is known. */
static void score_extra(struct running *r, const struct og_eval_doc *doc,
                        const struct og_selection *sel)
{
    const uint32_t *truth = r->eval->truth + doc->first_truth;
    if (sel->shingle_len == 0) return;
    for (size_t i = 0; i < sel->n; i++) {
        const uint32_t label = r->labels.data[i].doc;
        if (label == OG_NO_DOC || r->labels.hits[i].doc != OG_NO_DOC) continue;
        r->result->n_extra++;
        r->result->n_extra_right += truth[sel->pos[i]] == label;
    }
}

static og_status score(struct running *r, uint32_t number,
                       const struct og_selection *sel, og_error *err)
{
    const struct og_eval_doc *doc = &r->eval->docs[number];
    struct og_dominant dominant;
    TRY(og_labels_dominant(&r->labels, &dominant, err));
    if (r->run->verify && r->run->estimate == OG_ESTIMATE_CONTEXT)
        TRY(verify(r, doc, sel, err));
    else
        TRY(og_labels_join(sel, &r->labels, &r->copies, err));
    const uint32_t predicted =
        dominant.doc == OG_NO_DOC ? number : dominant.doc;
    const bool right = predicted == doc->dominant;
    size_t length = og_eval_doc_shingles(r->eval, doc);
    if (length >= OG_EVAL_LENGTHS) length = OG_EVAL_LENGTHS - 1;
    r->result->length_n[length]++;
    r->result->length_right[length] += right;
    r->n_right_dominant += right;
    score_tokens(r, doc);
    score_extra(r, doc, sel);
    return OG_OK;
}

/* A holder that arrived before this document but is later is not its origin. */
static void drop_later(struct running *r, uint32_t number)
{
    if (r->eval->options.order == OG_ORDER_RIGHT) return;
    for (size_t i = 0; i < r->labels.n; i++)
        if (r->labels.hits[i].doc > number)
            r->labels.hits[i] = (struct og_hit){.doc = OG_NO_DOC};
}

static og_status ask_and_add(struct running *r, uint32_t number, og_error *err)
{
    const og_eval_run *run = r->run;
    const bool is_query = r->eval->docs[number].is_query;
    const struct og_selection sel =
        og_selected_view(r->selected, r->eval, number, run->estimate);
    TRY(og_labels_reserve(&r->labels, sel.n, err));
    if (is_query || og_labels_shape_table(run->estimate, run->evict)) {
        const struct og_estimate_options options = {.kind = run->estimate,
                                                    .bridge_limit =
                                                        run->bridge_limit,
                                                    .n_docs = number};
        og_table_find_many(&r->table, sel.fp, sel.n, r->labels.hits);
        drop_later(r, number);
        TRY(og_estimate(&sel, &options, &r->labels, err));
    }
    if (is_query) TRY(score(r, number, &sel, err));
    const struct og_additions additions =
        og_labels_additions(&r->labels, &sel, &r->table, number);
    og_table_add_many(&r->table, &additions);
    return OG_OK;
}

/* Of 18 bytes per shingle; more is a typing error. */
#define MEMORY_PERCENT_MAX 1000000

static uint64_t memory_of(const struct og_eval *eval, const og_eval_run *run)
{
    enum { PAPER_SLOT = 18 };
    if (run->memory_percent <= 0) return run->memory_bytes;
    return (uint64_t)(run->memory_percent / 100 * (double)eval->n_shingles *
                      PAPER_SLOT);
}

static void fill_result(struct running *r, double seconds)
{
    const struct og_eval *eval = r->eval;
    const double n_shingles = (double)eval->n_shingles;
    og_eval_result *result = r->result;
    result->table_bytes = r->table.pages.len;
    result->entries_pct = 100 * (double)og_table_slots(&r->table) / n_shingles;
    result->ssr = (double)r->selected->n / n_shingles;
    result->dominant =
        (double)r->n_right_dominant / (double)eval->facts.n_queries;
    result->freshness = (double)r->n_right_tokens / (double)eval->n_truth;
    result->overall = (result->dominant + result->freshness) / 2;
    result->seconds = seconds;
}

static struct og_table_options table_options(const struct running *r)
{
    return (struct og_table_options){.layout = r->run->layout,
                                     .evict = r->run->evict,
                                     .fields =
                                         og_estimate_fields(r->run->estimate),
                                     .bucket_slots = r->run->bucket_slots,
                                     .memory = memory_of(r->eval, r->run)};
}

static bool has_no_room(const struct running *r)
{
    const struct og_table_options options = table_options(r);
    return og_table_bytes(&options) == 0;
}

static og_status run_one(struct running *r, og_error *err)
{
    const struct og_table_options options = table_options(r);
    const double begin = og_clock_seconds();
    memset(r->result, 0, sizeof(*r->result));
    og_labels_init(&r->labels, NULL);
    og_copies_init(&r->copies, NULL);
    og_confirming_init(&r->confirming, NULL);
    r->confirming.least = r->eval->key.shingle_len;
    og_status status = og_table_init(&r->table, &options, NULL, err);
    for (uint32_t i = 0; i < r->eval->n_docs && status == OG_OK; i++)
        status = ask_and_add(r, r->eval->arrival[i], err);
    if (status == OG_OK) fill_result(r, og_clock_seconds() - begin);
    og_confirming_release(&r->confirming);
    OG_UNGROW(NULL, r->old, r->old_cap);
    og_copies_release(&r->copies);
    og_labels_release(&r->labels);
    og_table_release(&r->table);
    return status;
}

/* ---- all runs of one rule, on all cores ---- */

struct batch {
    struct og_eval *eval;
    const struct og_selected *selected;
    const og_eval_run *runs;
    og_eval_result *results;
    size_t n_runs;
    const og_select_options *rule;
    pthread_mutex_t lock;
    size_t next;
    uint64_t n_done, n_too_small;
    og_status status;
    og_error err;
    size_t first_too_small; /* the first of them in the order of the runs, */
    og_error too_small;     /* so that the number of threads does not show */
};

static bool same_rule(const og_select_options *a, const og_select_options *b)
{
    return a->kind == b->kind && a->param == b->param &&
           a->no_overlap == b->no_overlap && a->sparse == b->sparse;
}

/* The next run of the batch's rule; n_runs if there is none. */
static size_t take_run(struct batch *b)
{
    pthread_mutex_lock(&b->lock);
    size_t i = b->status == OG_OK ? b->next : b->n_runs;
    while (i < b->n_runs && !same_rule(&b->runs[i].select, b->rule))
        i++;
    b->next = i < b->n_runs ? i + 1 : i;
    pthread_mutex_unlock(&b->lock);
    return i;
}

/* A share of a small stream may be too small for one bucket: there is no result
 * then. */
static void end_run(struct batch *b, size_t run, og_status status,
                    const og_error *err, bool is_too_small)
{
    const og_eval_options *o = &b->eval->options;
    pthread_mutex_lock(&b->lock);
    b->n_done++;
    if (is_too_small) {
        if (b->n_too_small++ == 0 || run < b->first_too_small) {
            b->first_too_small = run;
            b->too_small = *err;
        }
        status = OG_OK;
    }
    if (status != OG_OK && b->status == OG_OK) {
        b->status = status;
        b->err = *err;
    }
    if (o->on_progress != NULL)
        o->on_progress(o->ctx, "running", b->n_done, b->n_runs);
    pthread_mutex_unlock(&b->lock);
}

static void *work(void *ctx)
{
    struct batch *b = ctx;
    size_t i;
    while ((i = take_run(b)) < b->n_runs) {
        og_error err = {0};
        struct running r = {.eval = b->eval,
                            .selected = b->selected,
                            .run = &b->runs[i],
                            .result = &b->results[i]};
        const og_status status = run_one(&r, &err);
        end_run(b, i, status, &err, has_no_room(&r));
    }
    return NULL;
}

#define MOST_THREADS 64

static void work_on_all_cores(struct batch *b)
{
    pthread_t thread[MOST_THREADS];
    unsigned wanted = b->eval->options.n_threads;
    if (wanted == 0) wanted = og_cpu_count();
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    unsigned n = 0;
    while (n + 1 < wanted && pthread_create(&thread[n], NULL, work, b) == 0)
        n++;
    work(b);
    while (n > 0)
        pthread_join(thread[--n], NULL);
}

static og_status run_rule(struct batch *b, og_error *err)
{
    struct og_selected selected;
    og_status status = og_selected_init(&selected, b->eval, b->rule, err);
    if (status == OG_OK) {
        b->selected = &selected;
        b->next = 0;
        work_on_all_cores(b);
        status = b->status;
        if (status != OG_OK && err != NULL) *err = b->err;
    }
    og_selected_release(&selected);
    return status;
}

static bool rule_came_before(const og_eval_run *runs, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (same_rule(&runs[j].select, &runs[i].select)) return true;
    return false;
}

/* Checks everything that a run may choose, as for a store. */
static og_status check_run(const struct og_eval *eval, const og_eval_run *run,
                           og_error *err)
{
    og_params params = og_params_default();
    params.shingle_len = eval->key.shingle_len;
    params.select = run->select;
    params.evict = run->evict;
    params.estimate = run->estimate;
    params.bridge_limit = run->bridge_limit;
    params.layout = run->layout;
    params.bucket_slots = run->bucket_slots;
    TRY(og_params_check(&params, err));
    if (run->memory_percent >= 0 && run->memory_percent <= MEMORY_PERCENT_MAX)
        return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "the memory is %g percent, but must be 0 to %d",
                        run->memory_percent, MEMORY_PERCENT_MAX);
}

og_status og_eval_origin(og_eval *eval, const og_eval_run *runs, size_t n_runs,
                         og_eval_result *results, og_error *err)
{
    for (size_t i = 0; i < n_runs; i++)
        TRY(check_run(eval, &runs[i], err));
    struct batch b = {
        .eval = eval, .runs = runs, .results = results, .n_runs = n_runs};
    pthread_mutex_init(&b.lock, NULL);
    og_status status = OG_OK;
    for (size_t i = 0; i < n_runs && status == OG_OK; i++) {
        if (rule_came_before(runs, i)) continue;
        b.rule = &runs[i].select;
        status = run_rule(&b, err);
    }
    pthread_mutex_destroy(&b.lock);
    if (status == OG_OK && n_runs > 0 && b.n_too_small == n_runs) {
        if (err != NULL) *err = b.too_small;
        return b.too_small.status;
    }
    return status;
}
