/* Runs combinations over a stream and scores them.
 *
 * The selection of all documents is worked out once for each rule and shared
 * by its combinations, which run on all cores, each with a table and scratch
 * memory of its own. Every document is asked before it is put in. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/eval/eval.h"
#include "lib/os/clock.h"
#include "lib/os/cpu.h"

/* The selections of all documents, one behind the other. */
struct selected {
    struct og_selection all;       /* its offset and near are not used */
    size_t *first;                 /* of each document; n_docs + 1 places */
    uint16_t *offset[2], *near[2]; /* for OG_NOTE_ORDER and OG_NOTE_CONTEXT */
};

static void selected_release(struct selected *s)
{
    og_selection_release(&s->all);
    free(s->first);
    for (int i = 0; i < 2; i++) {
        free(s->offset[i]);
        free(s->near[i]);
    }
    *s = (struct selected){0};
}

static bool selected_reserve(struct selected *s, size_t n)
{
    struct og_selection *all = &s->all;
    if (n <= all->cap) return true;
    size_t cap = all->cap < 1024 ? 1024 : all->cap;
    while (cap < n)
        cap += cap / 2;
    void *print = realloc(all->print, cap * sizeof(*all->print));
    if (print != NULL) all->print = print;
    void *pos = realloc(all->pos, cap * sizeof(*all->pos));
    if (pos != NULL) all->pos = pos;
    void *len = realloc(all->len, cap * sizeof(*all->len));
    if (len != NULL) all->len = len;
    void *spare = realloc(all->spare, cap * sizeof(*all->spare));
    if (spare != NULL) all->spare = spare;
    bool good = print != NULL && pos != NULL && len != NULL && spare != NULL;
    for (int i = 0; i < 2; i++) {
        void *offset = realloc(s->offset[i], cap * sizeof(uint16_t));
        if (offset != NULL) s->offset[i] = offset;
        void *near = realloc(s->near[i], cap * sizeof(uint16_t));
        if (near != NULL) s->near[i] = near;
        good = good && offset != NULL && near != NULL;
    }
    if (good) all->cap = cap;
    return good;
}

static og_status append(struct selected *s, struct og_selection *sel,
                        const struct og_tokens *tokens, og_error *err)
{
    const size_t n = s->all.n;
    if (!selected_reserve(s, n + sel->n))
        return og_error_memory(err, (n + sel->n) * 24, "selections");
    memcpy(s->all.print + n, sel->print, sel->n * sizeof(*sel->print));
    memcpy(s->all.pos + n, sel->pos, sel->n * sizeof(*sel->pos));
    memcpy(s->all.len + n, sel->len, sel->n * sizeof(*sel->len));
    memcpy(s->all.spare + n, sel->spare, sel->n * sizeof(*sel->spare));
    for (int i = 0; i < 2; i++) {
        og_selection_note(sel, tokens,
                          i == 0 ? OG_NOTE_ORDER : OG_NOTE_CONTEXT);
        memcpy(s->offset[i] + n, sel->offset, sel->n * sizeof(*sel->offset));
        memcpy(s->near[i] + n, sel->near, sel->n * sizeof(*sel->near));
    }
    s->all.n += sel->n;
    s->all.shingle_len = sel->shingle_len;
    return OG_OK;
}

static og_status select_all(const struct og_eval *eval,
                            const og_select_options *rule, struct selected *s,
                            og_error *err)
{
    struct og_prints prints;
    struct og_selection sel;
    og_prints_init(&prints, NULL);
    og_selection_init(&sel, NULL);
    og_status status = OG_OK;
    s->first = calloc(eval->n_docs + 1, sizeof(*s->first));
    if (s->first == NULL)
        status = og_error_memory(err, eval->n_docs * 8, "selections");
    for (size_t i = 0; i < eval->n_docs && status == OG_OK; i++) {
        const struct og_tokens tokens = og_eval_doc_view(eval, &eval->docs[i]);
        status = og_tokens_print(&tokens, &eval->key, &prints, err);
        if (status == OG_OK)
            status =
                og_prints_select(&tokens, &prints, &eval->key, rule, &sel, err);
        if (status == OG_OK) status = append(s, &sel, &tokens, err);
        s->first[i + 1] = s->all.n;
    }
    og_selection_release(&sel);
    og_prints_release(&prints);
    return status;
}

/* ---- one run ---- */

struct running {
    const struct og_eval *eval;
    const struct selected *selected;
    const og_eval_run *run;
    og_eval_result *result;
    struct og_table table;
    struct og_labels labels;
    struct og_copies copies;
    uint64_t n_right_dominant, n_right_tokens;
};

static struct og_selection selection_of(const struct running *r, size_t doc)
{
    const struct selected *s = r->selected;
    const size_t first = s->first[doc];
    const int note =
        og_estimate_note(r->run->estimate) == OG_NOTE_CONTEXT ? 1 : 0;
    return (struct og_selection){
        .print = s->all.print + first,
        .pos = s->all.pos + first,
        .len = s->all.len + first,
        .offset = s->offset[note] + first,
        .near = s->near[note] + first,
        .spare = s->all.spare + first,
        .n_shingles = og_eval_doc_shingles(r->eval, &r->eval->docs[doc]),
        .shingle_len = s->all.shingle_len,
        .n = s->first[doc + 1] - first,
    };
}

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

static void score_extra(struct running *r, const struct og_eval_doc *doc,
                        const struct og_selection *sel)
{
    const uint32_t *truth = r->eval->truth + doc->first_truth;
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

static og_status ask_and_add(struct running *r, uint32_t number, og_error *err)
{
    const og_eval_run *run = r->run;
    const bool is_query = r->eval->docs[number].is_query;
    const struct og_selection sel = selection_of(r, number);
    TRY(og_labels_reserve(&r->labels, sel.n, err));
    if (is_query || og_labels_shape_table(run->estimate, run->evict)) {
        const struct og_estimate_options options = {
            .kind = run->estimate, .bridge_limit = run->bridge_limit};
        og_table_find_many(&r->table, sel.print, sel.n, r->labels.hits);
        TRY(og_estimate(&sel, &options, &r->labels, err));
    }
    if (is_query) TRY(score(r, number, &sel, err));
    const struct og_additions additions =
        og_labels_additions(&r->labels, &sel, run->evict, number);
    og_table_add_many(&r->table, &additions);
    return OG_OK;
}

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
    result->ssr = (double)r->selected->all.n / n_shingles;
    result->dominant =
        (double)r->n_right_dominant / (double)eval->facts.n_queries;
    result->freshness = (double)r->n_right_tokens / (double)eval->n_truth;
    result->overall = (result->dominant + result->freshness) / 2;
    result->seconds = seconds;
}

static og_status run_one(struct running *r, og_error *err)
{
    const struct og_table_options options = {
        .layout = r->run->layout,
        .evict = r->run->evict,
        .fields = og_estimate_fields(r->run->estimate),
        .bucket_slots = r->run->bucket_slots,
        .memory = memory_of(r->eval, r->run)};
    const double begin = og_clock_seconds();
    memset(r->result, 0, sizeof(*r->result));
    og_labels_init(&r->labels, NULL);
    og_copies_init(&r->copies, NULL);
    og_status status = og_table_init(&r->table, &options, NULL, err);
    for (uint32_t i = 0; i < r->eval->n_docs && status == OG_OK; i++)
        status = ask_and_add(r, i, err);
    if (status == OG_OK) fill_result(r, og_clock_seconds() - begin);
    og_copies_release(&r->copies);
    og_labels_release(&r->labels);
    og_table_release(&r->table);
    return status;
}

/* ---- all runs of one rule, on all cores ---- */

struct batch {
    struct og_eval *eval;
    const struct selected *selected;
    const og_eval_run *runs;
    og_eval_result *results;
    size_t n_runs;
    const og_select_options *rule;
    pthread_mutex_t lock;
    size_t next;
    uint64_t n_done;
    og_status status;
    og_error err;
};

static bool same_rule(const og_select_options *a, const og_select_options *b)
{
    return a->kind == b->kind && a->param == b->param &&
           a->no_overlap == b->no_overlap && a->sparse == b->sparse;
}

/* The next run of the batch's rule; n_runs when there is none. */
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

static void end_run(struct batch *b, og_status status, const og_error *err)
{
    const og_eval_options *o = &b->eval->options;
    pthread_mutex_lock(&b->lock);
    b->n_done++;
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
        end_run(b, run_one(&r, &err), &err);
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
    struct selected selected = {0};
    og_status status = select_all(b->eval, b->rule, &selected, err);
    if (status == OG_OK) {
        b->selected = &selected;
        b->next = 0;
        work_on_all_cores(b);
        status = b->status;
        if (status != OG_OK && err != NULL) *err = b->err;
    }
    selected_release(&selected);
    return status;
}

static bool rule_came_before(const og_eval_run *runs, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (same_rule(&runs[j].select, &runs[i].select)) return true;
    return false;
}

og_status og_eval_origin(og_eval *eval, const og_eval_run *runs, size_t n_runs,
                         og_eval_result *results, og_error *err)
{
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
    return status;
}

/* ---- the whole ---- */

og_status og_eval_open(const char *const *paths, size_t n_paths,
                       const og_eval_options *options, og_eval **out,
                       og_error *err)
{
    *out = NULL;
    og_eval *eval = calloc(1, sizeof(*eval));
    if (eval == NULL) return og_error_memory(err, sizeof(*eval), "a stream");
    eval->options = *options;
    og_shingle_key_init(&eval->key, og_rabin_default(), options->shingle_len);
    og_status status = og_eval_read(eval, paths, n_paths, err);
    if (status == OG_OK) status = og_eval_find_truth(eval, err);
    if (status != OG_OK) {
        og_eval_close(eval);
        return status;
    }
    *out = eval;
    return OG_OK;
}

void og_eval_close(og_eval *eval)
{
    if (eval == NULL) return;
    free(eval->hash);
    free(eval->docs);
    free(eval->truth);
    free(eval->old);
    free(eval);
}

void og_eval_facts_get(const og_eval *eval, og_eval_facts *out)
{
    *out = eval->facts;
}
