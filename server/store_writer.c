#include "store_writer.h"

#include "problem.h"
#include "server.h"

#include <stdio.h>
#include <string.h>

/* A group ends after this time or this many requests, which limits how long a
 * request waits for others. */
#define GROUP_TIME ((uint64_t)4000000) /* nanoseconds */
enum { GROUP_MOST = 512 };
/* How often the state of the store is read. */
#define INFO_TIME ((uint64_t)500000000)

/* ---- groups ---- */

static void refresh_info(struct writer *w)
{
    og_store_info info;
    og_store_info_get(w->server->store, &info);
    pthread_mutex_lock(&w->info_lock);
    w->info = info;
    pthread_mutex_unlock(&w->info_lock);
}

void writer_info(struct writer *w, og_store_info *out)
{
    pthread_mutex_lock(&w->info_lock);
    *out = w->info;
    out->n_documents = atomic_load(&w->n_documents);
    pthread_mutex_unlock(&w->info_lock);
}

/* From now on nothing is accepted: what is in memory may not be on disk. */
static void fail(struct writer *w, const og_error *err)
{
    if (atomic_load(&w->has_failed)) return; /* the first is the cause */
    snprintf(w->failure, sizeof(w->failure), "%.250s", err->message);
    atomic_store(&w->has_failed, true);
    log_say(&w->server->log, "cannot write: %s", err->message);
}

static void commit(struct writer *w, struct request *group)
{
    og_error err = {0};
    if (og_store_commit(w->server->store, &err) == OG_OK) {
        atomic_fetch_add(&w->server->metrics.n_commits, 1);
        hub_release(&w->server->hub);
        return;
    }
    fail(w, &err);
    hub_forget(&w->server->hub);
    for (struct request *r = group; r != NULL; r = r->next)
        if (r->has_written) {
            problem(r, 503, "cannot make it durable: %s", err.message);
            r->results.len = 0;
            r->is_broken = true;
        }
}

static void run_one(struct writer *w, struct request *r)
{
    if (atomic_load(&w->has_failed) && r->adds) {
        problem(r, 503, "nothing can be written: %s", w->failure);
        r->is_broken = true;
        return;
    }
    r->route->run(r);
}

/* Whether anything was written. */
static bool run_group(struct writer *w)
{
    const uint64_t until = server_now() + GROUP_TIME;
    struct request *group = NULL, **last = &group, *r;
    bool has_written = false;
    for (int n = 0;
         n < GROUP_MOST && (r = request_queue_try(&w->queue)) != NULL; n++) {
        run_one(w, r);
        has_written |= r->has_written;
        r->next = NULL;
        *last = r;
        last = &r->next;
        if (server_now() > until) break;
    }
    if (has_written) commit(w, group);
    atomic_store(&w->n_documents, og_store_n_documents(w->server->store));
    while ((r = group) != NULL) {
        group = r->next;
        request_finish(r);
    }
    return has_written;
}

static void *run_writer(void *ctx)
{
    struct writer *w = ctx;
    uint64_t seen = 0;
    bool is_stale = false;
    while (request_queue_wait(&w->queue)) {
        is_stale |= run_group(w);
        if (!is_stale || server_now() - seen < INFO_TIME) continue;
        refresh_info(w);
        seen = server_now();
        is_stale = false;
    }
    return NULL;
}

/* ---- handlers ---- */

og_status writer_add(struct writer *w, const og_document *doc,
                     bool wants_answer, const og_trace_options *asking,
                     bool *out_is_new, og_error *err)
{
    struct server *s = w->server;
    const bool has_listeners =
        hub_is_wanted(&s->hub) || watches_any(&s->watches);
    const bool asks = wants_answer || has_listeners;
    const uint64_t before = og_store_n_documents(s->store);
    static const og_trace_options usual = {.no_texts = true};
    og_status status = OG_OK;
    if (asks)
        status =
            og_trace_configure(w->trace, asking != NULL ? asking : &usual, err);
    if (status == OG_OK)
        status = og_store_add(s->store, doc, asks ? w->trace : NULL, err);
    if (status != OG_OK) {
        /* A shared store may become reachable again. */
        const bool is_lasting =
            status == OG_ERR_IO && !og_store_is_shared(s->store);
        if (is_lasting || status == OG_ERR_STORE) fail(w, err);
        return status;
    }
    *out_is_new = og_store_n_documents(s->store) != before;
    atomic_fetch_add(*out_is_new ? &s->metrics.n_added : &s->metrics.n_known,
                     1);
    if (has_listeners && *out_is_new)
        hub_hold(&s->hub, &s->watches, doc, og_trace_answer(w->trace));
    return OG_OK;
}

og_status writer_start(struct writer *w, struct server *s, og_error *err)
{
    *w = (struct writer){.server = s};
    request_queue_init(&w->queue, s->options->max_queue);
    pthread_mutex_init(&w->info_lock, NULL);
    const og_status loaded = og_store_index_load(
        s->store, og_store_indexes(s->store) & ~(unsigned)OG_INDEX_PASSAGES,
        err);
    if (loaded != OG_OK) return loaded;
    w->trace = og_trace_new(s->store);
    w->reader = og_reader_new();
    refresh_info(w);
    atomic_store(&w->n_documents, og_store_n_documents(s->store));
    w->is_running = w->trace != NULL && w->reader != NULL &&
                    pthread_create(&w->thread, NULL, run_writer, w) == 0;
    if (w->is_running) return OG_OK;
    if (err != NULL) {
        *err = (og_error){.status = OG_ERR_MEMORY};
        snprintf(err->message, sizeof(err->message),
                 "cannot start the writer thread");
    }
    return OG_ERR_MEMORY;
}

void writer_stop(struct writer *w)
{
    if (w->is_running) {
        request_queue_stop(&w->queue);
        pthread_join(w->thread, NULL);
        w->is_running = false;
    }
    og_trace_free(w->trace);
    og_reader_free(w->reader);
    w->trace = NULL;
    w->reader = NULL;
}
