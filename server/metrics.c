#include "metrics.h"

#include "server.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Upper bounds in microseconds; the last step has none. */
static const uint64_t steps[METRICS_STEPS - 1] = {
    250, 500, 1000, 2500, 5000, 10000, 25000, 100000, 250000, 1000000, 10000000,
};

void metrics_count(struct metrics *m, const struct request *r, double seconds)
{
    const size_t at =
        r->route != NULL ? (size_t)(r->route - routes) : METRICS_ROUTES - 1;
    struct metrics_route *route = &m->routes[at];
    const uint64_t micros = (uint64_t)(seconds * 1e6);
    const unsigned of = r->reply.status / 100;
    size_t step = 0;
    while (step < METRICS_STEPS - 1 && micros > steps[step])
        step++;
    atomic_fetch_add(&route->by_class[of < 6 ? of : 5], 1);
    atomic_fetch_add(&route->steps[step], 1);
    atomic_fetch_add(&route->micros, micros);
}

static uint64_t resident(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%*u %llu", &pages) != 1) pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void head(struct buffer *b, const char *name, const char *type,
                 const char *help)
{
    buffer_format(b, "# HELP origo_%s %s\n# TYPE origo_%s %s\n", name, help,
                  name, type);
}

static void one(struct buffer *b, const char *name, const char *type,
                const char *help, uint64_t value)
{
    head(b, name, type, help);
    buffer_format(b, "origo_%s %llu\n", name, (unsigned long long)value);
}

static void label(struct buffer *b, size_t at)
{
    const struct route *r = at < n_routes ? &routes[at] : NULL;
    buffer_format(b, "method=\"%s\",path=\"%s\"", r != NULL ? r->method : "",
                  r != NULL ? r->path : "");
}

static uint64_t total(const struct metrics_route *r)
{
    uint64_t n = 0;
    for (int i = 0; i < METRICS_STEPS; i++)
        n += atomic_load(&r->steps[i]);
    return n;
}

static void write_requests(const struct metrics *m, struct buffer *b)
{
    head(b, "requests_total", "counter", "requests answered");
    for (size_t i = 0; i < METRICS_ROUTES; i++)
        for (unsigned c = 1; c < 6; c++) {
            const uint64_t n = atomic_load(&m->routes[i].by_class[c]);
            if (n == 0) continue;
            buffer_text(b, "origo_requests_total{");
            label(b, i);
            buffer_format(b, ",status=\"%uxx\"} %llu\n", c,
                          (unsigned long long)n);
        }
}

static void write_seconds(const struct metrics *m, struct buffer *b)
{
    head(b, "request_seconds", "histogram",
         "from the first line of a request to its answer");
    for (size_t i = 0; i < METRICS_ROUTES; i++) {
        const struct metrics_route *r = &m->routes[i];
        uint64_t n = 0;
        if (total(r) == 0) continue;
        for (int s = 0; s < METRICS_STEPS; s++) {
            n += atomic_load(&r->steps[s]);
            buffer_text(b, "origo_request_seconds_bucket{");
            label(b, i);
            if (s == METRICS_STEPS - 1)
                buffer_text(b, ",le=\"+Inf\"");
            else
                buffer_format(b, ",le=\"%llu.%06llu\"",
                              (unsigned long long)(steps[s] / 1000000),
                              (unsigned long long)(steps[s] % 1000000));
            buffer_format(b, "} %llu\n", (unsigned long long)n);
        }
        const unsigned long long micros = atomic_load(&r->micros);
        buffer_text(b, "origo_request_seconds_sum{");
        label(b, i);
        buffer_format(b, "} %llu.%06llu\norigo_request_seconds_count{",
                      micros / 1000000, micros % 1000000);
        label(b, i);
        buffer_format(b, "} %llu\n", (unsigned long long)n);
    }
}

void metrics_write(struct server *s, struct buffer *b)
{
    struct metrics *m = &s->metrics;
    og_store_info info;
    writer_info(&s->writer, &info);
    write_requests(m, b);
    write_seconds(m, b);
    one(b, "documents", "gauge", "documents of the store", info.n_documents);
    one(b, "table_bytes", "gauge", "bytes of the table in use",
        info.table_used_bytes);
    one(b, "table_slots_used", "gauge", "fingerprints in the table",
        info.n_slots_used);
    one(b, "table_evicted_total", "counter", "fingerprints evicted",
        info.n_evicted);
    one(b, "journal_bytes", "gauge", "bytes to replay at the next start",
        info.journal_bytes);
    one(b, "added_total", "counter", "documents added", m->n_added);
    one(b, "known_total", "counter", "documents already known", m->n_known);
    one(b, "removed_total", "counter", "documents removed", m->n_removed);
    one(b, "traced_total", "counter", "documents traced", m->n_traced);
    one(b, "commits_total", "counter", "group commits", m->n_commits);
    one(b, "rejected_total", "counter", "requests that found the queue full",
        m->n_rejected);
    one(b, "timed_out_total", "counter", "requests that timed out",
        m->n_timed_out);
    one(b, "queue_length", "gauge", "requests waiting for the writer",
        request_queue_length(&s->writer.queue));
    one(b, "connections", "gauge", "open connections",
        watchdog_count(&s->watchdog));
    one(b, "event_clients", "gauge", "connections waiting for events",
        hub_count(&s->hub));
    one(b, "events_total", "counter", "events published", m->n_events);
    one(b, "event_clients_dropped_total", "counter",
        "clients disconnected because they read events too slowly",
        m->n_clients_dropped);
    one(b, "webhooks_total", "counter", "webhooks delivered", m->n_hooks);
    one(b, "webhooks_failed_total", "counter", "webhooks that failed for good",
        m->n_hooks_failed);
    one(b, "resident_bytes", "gauge", "memory of the process", resident());
    one(b, "uptime_seconds", "gauge", "seconds since the start",
        (server_now() - m->began) / 1000000000);
}

void metrics_live(struct server *s, struct buffer *b)
{
    struct metrics *m = &s->metrics;
    uint64_t n = 0, micros = 0;
    for (size_t i = 0; i < METRICS_ROUTES; i++) {
        n += total(&m->routes[i]);
        micros += atomic_load(&m->routes[i].micros);
    }
    buffer_format(
        b,
        "\"n_requests\":%llu,\"request_micros\":%llu,"
        "\"n_traced\":%llu,\"n_added\":%llu,\"n_known\":%llu,"
        "\"n_waiting\":%zu,\"n_connections\":%zu,"
        "\"n_event_clients\":%zu,\"resident_bytes\":%llu,"
        "\"uptime_seconds\":%llu",
        (unsigned long long)n, (unsigned long long)micros,
        (unsigned long long)m->n_traced, (unsigned long long)m->n_added,
        (unsigned long long)m->n_known, request_queue_length(&s->writer.queue),
        watchdog_count(&s->watchdog), hub_count(&s->hub),
        (unsigned long long)resident(),
        (unsigned long long)((server_now() - m->began) / 1000000000));
}
