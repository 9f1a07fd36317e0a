/* The state of the server: for people, load balancers and Prometheus. */

#include "embedded.h"
#include "handlers.h"
#include "problem.h"
#include "server.h"

void handle_health(struct request *r)
{
    static const char fine[] = "ok\n";
    r->reply.status = 200;
    r->reply.type = "text/plain; charset=utf-8";
    r->reply.fixed = fine;
    r->reply.fixed_len = sizeof(fine) - 1;
}

void handle_ready(struct request *r)
{
    const struct writer *w = &r->server->writer;
    if (atomic_load(&w->has_failed))
        problem(r, 503, "nothing can be written: %s", w->failure);
    else
        handle_health(r);
}

void handle_metrics(struct request *r)
{
    metrics_write(r->server, &r->reply.body);
    r->reply.status = 200;
    r->reply.type = "text/plain; version=0.0.4; charset=utf-8";
}

void handle_openapi(struct request *r)
{
    r->reply.status = 200;
    r->reply.type = "application/json";
    r->reply.fixed = embedded_openapi;
    r->reply.fixed_len = embedded_openapi_len;
}

void handle_stats(struct request *r)
{
    struct server *s = r->server;
    struct buffer *b = &r->reply.body;
    og_store_info info;
    char indexes[64];
    writer_info(&s->writer, &info);
    og_indexes_name(og_store_indexes(s->store), indexes);
    buffer_format(b, "{\"version\":\"%s\",\"indexes\":\"%s\",\"keyed\":%s,",
                  og_version(), indexes,
                  og_store_is_keyed(s->store) ? "true" : "false");
    buffer_format(b,
                  "\"n_documents\":%llu,\"n_removed\":%llu,"
                  "\"table_bytes\":%llu,\"table_used_bytes\":%llu,"
                  "\"n_slots\":%llu,\"n_slots_used\":%llu,"
                  "\"n_evicted\":%llu,\"journal_bytes\":%llu,",
                  (unsigned long long)info.n_documents,
                  (unsigned long long)info.n_removed,
                  (unsigned long long)info.table_bytes,
                  (unsigned long long)info.table_used_bytes,
                  (unsigned long long)info.n_slots,
                  (unsigned long long)info.n_slots_used,
                  (unsigned long long)info.n_evicted,
                  (unsigned long long)info.journal_bytes);
    metrics_live(s, b);
    buffer_text(b, "}\n");
    reply_json(r, 200);
}
