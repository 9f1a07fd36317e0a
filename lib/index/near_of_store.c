/* The index of near-duplicates of a store, and queries to it. */

#include <string.h>

#include "lib/index/index_kinds.h"
#include "lib/index/near_shared.h"
#include "lib/near/near_batch.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_disk.h"

/* The current query. */
struct near_question {
    const struct near_of_store *of;
    og_trace *trace; /* for looking documents up */
    const og_document *asked;
    uint32_t n_documents; /* that the store had when the query began */
};

struct near_of_store {
    struct og_asked_index base;
    og_near *near;
    struct near_question question; /* for single queries */
    struct og_near_batch run;
    struct og_near_shared shared; /* of a store on servers */
};

/* ---- opening ---- */

static void close_near(void *index)
{
    struct near_of_store *x = index;
    og_near_batch_release(&x->run);
    og_near_close(x->near);
    og_asked_index_free(&x->base, sizeof(*x));
}

static og_status open_engine(struct near_of_store *x, const char *folder,
                             bool is_new, const og_near_options *options,
                             og_error *err)
{
    og_store *store = x->base.store;
    struct og_near_place place = {
        .folder = folder,
        .uuid = store->disk != NULL ? store->disk->conf.uuid : NULL,
        .is_writable = !store->is_read_only,
        .is_new = is_new && folder != NULL};
    og_near_options used = *options;
    if (og_store_has_texts(store))
        TRY(og_store_stored(store, &place.stored, err));
    if (store->shared != NULL) TRY(og_near_shared_options(store, &used, err));
    TRY(og_near_open(&place, &used, &x->near, err));
    if (store->shared != NULL)
        og_near_shared_connect(&x->shared, store, x->near);
    return OG_OK;
}

/* A store with a table has one cap for both: unless options are given, the
 * index of near documents may use as much memory as the table, but not more
 * than its default. */
static og_near_options usual_options(const og_store *store)
{
    og_near_options usual = og_near_options_default();
    if ((store->indexes.on & OG_INDEX_PASSAGES) != 0 &&
        store->params.memory < usual.memory)
        usual.memory = store->params.memory;
    return usual;
}

static og_status open_near(og_store *store, const char *folder, bool is_new,
                           const og_store_options *options, void **out,
                           uint32_t *out_n, og_error *err)
{
    const og_near_options usual = usual_options(store);
    const og_near_options *making =
        options != NULL && options->near_options != NULL ? options->near_options
                                                         : &usual;
    struct near_of_store *x;
    TRY(og_asked_index_new(store, sizeof(*x), out, err));
    x = *out;
    const og_status status = open_engine(x, folder, is_new, making, err);
    if (status != OG_OK) {
        close_near(x);
        *out = NULL;
        return status;
    }
    *out_n = x->near->n_documents;
    return OG_OK;
}

static og_status n_saved(const og_store *store, const char *folder,
                         uint32_t *out, og_error *err)
{
    return og_near_files_documents(folder, store->disk->conf.uuid, out, err);
}

/* ---- documents ---- */

static og_status add(void *index, uint32_t number, const og_document *doc,
                     int64_t time, og_error *err)
{
    struct near_of_store *x = index;
    (void)time;
    return og_near_add(x->near, number, doc->text, err);
}

static void skip(void *index, uint32_t number)
{
    struct near_of_store *x = index;
    x->near->n_documents = number + 1;
}

static og_status flush(void *index, const struct og_phases *phases,
                       og_error *err)
{
    (void)phases;
    struct near_of_store *x = index;
    return og_near_flush(x->near, err);
}

static og_status refresh(void *index, og_error *err)
{
    struct near_of_store *x = index;
    struct og_shared *shared = x->base.store->shared;
    if (shared != NULL) TRY(og_shared_refresh(shared, err));
    return og_near_catch_up(x->near, err);
}

static void describe(const void *index, struct og_index_making *out)
{
    const struct near_of_store *x = index;
    *out = (struct og_index_making){.near = x->near->options};
}

/* ---- queries ---- */

/* Whether the match is the queried document itself, which is not reported. */
static bool is_itself(const struct og_entry *entry, const og_document *doc)
{
    return entry->text_len == doc->text.len && entry->id.len == doc->id.len &&
           doc->id.len != 0 &&
           memcmp(entry->id.data, doc->id.data, doc->id.len) == 0 &&
           entry->text_hash == og_text_hash(doc->text);
}

static og_status name_match(void *ctx, uint32_t number, og_near_match *match,
                            bool *out_is_reported, og_error *err)
{
    const struct near_question *q = ctx;
    struct og_entry entry;
    *out_is_reported =
        og_asked_index_shows(&q->of->base, q->n_documents, number);
    if (!*out_is_reported) return OG_OK;
    TRY(og_lookup_get(&q->trace->lookup, number, &entry, err));
    *out_is_reported = !is_itself(&entry, q->asked);
    match->id = entry.id;
    match->has_time = entry.has_time;
    match->time = entry.has_time ? entry.time : 0;
    match->time_source = entry.has_time ? entry.time_source : OG_TIME_UNKNOWN;
    return OG_OK;
}

/* Those of servers are fetched at once, and not one by one. */
static og_status expect_matches(void *ctx, const uint32_t *numbers, size_t n,
                                og_error *err)
{
    const struct near_question *q = ctx;
    struct og_shared *shared = q->of->base.store->shared;
    return shared != NULL ? og_shared_look_for(shared, numbers, n, err) : OG_OK;
}

/* ---- runs ---- */

struct near_asker {
    struct og_run_asker base;
    struct og_near_asker near;
    struct near_question question;
};

static void free_asker(void *asker)
{
    struct near_asker *a = asker;
    og_near_asker_release(&a->near);
    og_run_asker_free(&a->base, sizeof(*a));
}

static og_status new_asker(void *index, og_trace *trace, void **out,
                           og_error *err)
{
    enum { CACHE_LEN = 1 << 20 }; /* there is one for each thread */
    struct near_of_store *x = index;
    TRY(og_run_asker_new(x->base.store, trace, sizeof(struct near_asker), out,
                         err));
    struct near_asker *a = *out;
    const og_status status =
        og_near_asker_init(&a->near, x->near, a->base.stored, CACHE_LEN, err);
    if (status == OG_OK) return OG_OK;
    free_asker(a);
    *out = NULL;
    return status;
}

static og_status thread_of(void *ctx, void *worker, size_t i,
                           struct og_near_thread *out, og_error *err)
{
    struct near_of_store *x = ctx;
    void *asker;
    TRY(og_run_asker_get(x->base.run, worker, &og_index_near, x, &asker, err));
    struct near_asker *a = asker;
    a->question = (struct near_question){
        x, a->base.trace, x->base.run->docs[i].doc, x->base.n_documents};
    og_lookup_clear(&a->base.trace->lookup);
    *out = (struct og_near_thread){
        .asker = &a->near,
        .arena = &a->base.arena,
        .scope = {&a->question, name_match, expect_matches}};
    return OG_OK;
}

static og_status begin_run(void *index, const struct og_index_run *run,
                           og_error *err)
{
    struct near_of_store *x = index;
    return og_near_batch_begin(&x->run, run->n, err);
}

static void put_run_doc(void *index, size_t i, const struct og_index_doc *doc)
{
    struct near_of_store *x = index;
    x->run.docs[i].text = doc->doc->text;
    x->run.docs[i].number = doc->number;
}

static og_status take_run(void *index, const struct og_index_run *run,
                          og_error *err)
{
    struct near_of_store *x = index;
    x->run.phases = run->phases;
    x->run.ctx = x;
    x->run.thread_of = thread_of;
    x->run.query = run->question;
    og_asked_index_begin(&x->base, run);
    return og_near_batch_take(&x->run, x->near, err);
}

static void get_answer(const void *index, size_t i, struct og_index_doc *doc)
{
    const struct near_of_store *x = index;
    doc->answer = x->run.docs[i].matches;
    doc->n_answer = x->run.docs[i].n_matches;
}

static uint32_t n_documents(const void *index)
{
    return ((const struct near_of_store *)index)->near->n_documents;
}

const struct og_index_ops og_index_near = {
    .name = "near",
    .bit = OG_INDEX_NEAR,
    .open = open_near,
    .close = close_near,
    .n_saved = n_saved,
    .add = add,
    .begin_run = begin_run,
    .put_run_doc = put_run_doc,
    .take_run = take_run,
    .get_answer = get_answer,
    .n_documents = n_documents,
    .refresh = refresh,
    .new_asker = new_asker,
    .free_asker = free_asker,
    .skip = skip,
    .flush = flush,
    .describe = describe,
    .is_file = og_near_files_has,
};

/* ---- one document ---- */

static og_status ask_one(struct near_of_store *x, struct og_near_asker *asker,
                         struct near_question *q, const og_near_query *query,
                         const og_near_match **out, size_t *out_n,
                         og_error *err)
{
    const og_near_stream_options usual = og_near_stream_options_default();
    const og_near_query usual_query = {usual.threshold, usual.max_distance};
    const struct og_near_scope scope = {q, name_match, expect_matches};
    og_lookup_clear(&q->trace->lookup);
    return og_near_find(x->near, asker, q->asked->text,
                        query != NULL ? query : &usual_query, &scope, out,
                        out_n, err);
}

og_status og_store_near(og_store *store, const og_document *doc,
                        const og_near_query *query, const og_near_match **out,
                        size_t *out_n, og_error *err)
{
    void *index;
    *out = NULL;
    *out_n = 0;
    TRY(og_index_get(store, OG_INDEX_NEAR, &index, err));
    struct near_of_store *x = index;
    x->question = (struct near_question){x, x->base.trace, doc,
                                         og_asked_index_now(&x->base)};
    return ask_one(x, NULL, &x->question, query, out, out_n, err);
}

static og_status ask_shared(struct near_of_store *x, og_trace *trace,
                            const og_document *doc, const og_near_query *query,
                            const og_near_match **out, size_t *out_n,
                            og_error *err)
{
    void *asker;
    TRY(og_index_asker(trace, &og_index_near, x, &asker, err));
    struct near_asker *a = asker;
    a->question =
        (struct near_question){x, trace, doc, og_asked_index_now(&x->base)};
    return ask_one(x, &a->near, &a->question, query, out, out_n, err);
}

og_status og_trace_near(og_trace *trace, const og_document *doc,
                        const og_near_query *query, const og_near_match **out,
                        size_t *out_n, og_error *err)
{
    void *index;
    *out = NULL;
    *out_n = 0;
    TRY(og_index_enter(trace->store, OG_INDEX_NEAR, false, &index, err));
    const og_status status =
        ask_shared(index, trace, doc, query, out, out_n, err);
    og_index_leave(trace->store, OG_INDEX_NEAR, false);
    return status;
}

og_status og_store_near_info(og_store *store, og_near_info *out, og_error *err)
{
    void *index;
    *out = (og_near_info){0};
    TRY(og_index_get(store, OG_INDEX_NEAR, &index, err));
    const og_near *near = ((struct near_of_store *)index)->near;
    *out = (og_near_info){.n_documents = og_near_index_n(near->index),
                          .n_room = og_near_index_room(near->index),
                          .n_evicted = og_near_index_n_evicted(near->index),
                          .n_exact = near->n_exact,
                          .n_estimated = near->n_estimated,
                          .options = near->options};
    return OG_OK;
}
