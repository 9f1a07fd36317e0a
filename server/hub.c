#include "hub.h"

#include "problem.h"
#include "server.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* MOST_PENDING: bytes that wait for one client. */
enum { MOST_PENDING = 256 << 10, MOST_CLIENTS = 1024 };

struct event {
    const char *kind;
    struct buffer data; /* JSON */
    char *id;           /* of the document; NULL: of none */
    char *source;       /* host of its address, or NULL */
    double copied;      /* share of its tokens */
    struct event *next;
};

struct client {
    struct hub *hub;
    struct MHD_Connection *connection;
    struct connection *peer;
    char *pattern, *source; /* NULL: all */
    double min_share;
    struct buffer pending;
    bool is_asleep, is_dropped;
    struct client *next, **before;
};

/* ---- clients ---- */

static void wake(struct client *c)
{
    if (!c->is_asleep) return;
    c->is_asleep = false;
    MHD_resume_connection(c->connection);
}

/* libmicrohttpd's callback for the next bytes of the response. */
static ssize_t read_events(void *ctx, uint64_t pos, char *out, size_t most)
{
    struct client *c = ctx;
    struct hub *h = c->hub;
    ssize_t n = 0;
    (void)pos;
    pthread_mutex_lock(&h->lock);
    if (c->is_dropped || (h->is_closing && c->pending.len == 0)) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (c->pending.len > 0) {
        n = (ssize_t)(c->pending.len < most ? c->pending.len : most);
        memcpy(out, c->pending.data, (size_t)n);
        buffer_drop(&c->pending, (size_t)n);
    } else {
        c->is_asleep = true;
        MHD_suspend_connection(c->connection);
    }
    pthread_mutex_unlock(&h->lock);
    return n;
}

static void free_client(void *ctx)
{
    struct client *c = ctx;
    struct hub *h = c->hub;
    pthread_mutex_lock(&h->lock);
    *c->before = c->next;
    if (c->next != NULL) c->next->before = c->before;
    h->n_clients--;
    atomic_store(&h->n_wanting, h->n_clients);
    pthread_mutex_unlock(&h->lock);
    buffer_release(&c->pending);
    free(c->pattern);
    free(c->source);
    free(c);
}

static bool enter(struct hub *h, struct client *c)
{
    pthread_mutex_lock(&h->lock);
    const bool has_room = h->n_clients < MOST_CLIENTS && !h->is_closing;
    if (has_room) {
        c->next = h->clients;
        if (c->next != NULL) c->next->before = &c->next;
        c->before = &h->clients;
        h->clients = c;
        h->n_clients++;
        atomic_store(&h->n_wanting, h->n_clients);
    }
    pthread_mutex_unlock(&h->lock);
    return has_room;
}

static char *copy_argument(const struct request *r, const char *name)
{
    const char *value = request_argument(r, name);
    return value != NULL ? strdup(value) : NULL;
}

void handle_events(struct request *r)
{
    enum { BLOCK = 4096 };
    double share = 0;
    struct hub *h = &r->server->hub;
    if (!request_number(r, "min_share", 0, 1, &share)) return;
    struct client *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        problem(r, 503, "out of memory");
        return;
    }
    *c = (struct client){.hub = h,
                         .connection = r->connection,
                         .peer = r->peer,
                         .pattern = copy_argument(r, "id"),
                         .source = copy_argument(r, "source"),
                         .min_share = share};
    buffer_text(&c->pending, "retry: 2000\n: origo\n\n");
    struct MHD_Response *response = NULL;
    if (enter(h, c))
        response = MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, BLOCK, read_events, c, free_client);
    else
        free(c->pattern), free(c->source), buffer_release(&c->pending), free(c);
    if (response == NULL) {
        problem(r, 503, "too many clients are waiting for events");
        return;
    }
    r->client = c;
    r->reply.status = 200;
    r->reply.type = "text/event-stream";
    r->reply.stream = response;
}

/* ---- events ---- */

static void free_event(struct event *e)
{
    buffer_release(&e->data);
    free(e->id);
    free(e->source);
    free(e);
}

static struct event *hold(struct hub *h, const char *kind)
{
    struct event *e = calloc(1, sizeof(*e));
    if (e == NULL) return NULL;
    e->kind = kind;
    *h->last_held = e;
    h->last_held = &e->next;
    return e;
}

/* "example.org" of "https://me@example.org:80/x"; NULL: it has none. */
static char *host_of(og_bytes url)
{
    char *copy = copy_of_bytes(url);
    char *slashes = copy != NULL ? strstr(copy, "://") : NULL;
    char *host = NULL;
    if (slashes != NULL) {
        char *begin = slashes + 3;
        begin[strcspn(begin, "/?#")] = 0;
        char *at = strrchr(begin, '@');
        if (at != NULL) begin = at + 1;
        begin[strcspn(begin, ":")] = 0;
        if (begin[0] != 0) host = strdup(begin);
    }
    free(copy);
    return host;
}

static void write_time(struct buffer *b, const og_document *doc)
{
    char time[40];
    if (!doc->has_time) return;
    og_time_format(doc->time, time);
    buffer_format(b, ",\"time\":\"%s\"", time);
}

static void write_document(struct buffer *b, const og_document *doc,
                           const og_answer *answer)
{
    struct origin_share origins[MOST_SHARES];
    const size_t n = shares_of(answer, origins);
    const double all = answer->n_tokens > 0 ? (double)answer->n_tokens : 1;
    buffer_text(b, "{\"id\":");
    buffer_string(b, doc->id);
    write_time(b, doc);
    if (doc->title.len > 0) {
        buffer_text(b, ",\"title\":");
        buffer_string(b, doc->title);
    }
    if (doc->url.len > 0) {
        buffer_text(b, ",\"url\":");
        buffer_string(b, doc->url);
    }
    buffer_format(b, ",\"n_tokens\":%llu,\"novel\":",
                  (unsigned long long)answer->n_tokens);
    buffer_share(b, (double)answer->n_fresh / all);
    buffer_text(b, ",\"origins\":[");
    for (size_t i = 0; i < n; i++) {
        buffer_text(b, i > 0 ? ",{\"id\":" : "{\"id\":");
        buffer_string(b, origins[i].id);
        buffer_text(b, ",\"share\":");
        buffer_share(b, origins[i].share);
        buffer_text(b, "}");
    }
    buffer_text(b, "]}");
}

void hub_hold(struct hub *h, struct watches *w, const og_document *doc,
              const og_answer *answer)
{
    struct event *e = hold(h, "document");
    if (e != NULL) {
        write_document(&e->data, doc, answer);
        e->id = copy_of_bytes(doc->id);
        e->source = host_of(doc->url);
        e->copied = answer->n_tokens > 0
                        ? (double)answer->n_matching / (double)answer->n_tokens
                        : 0;
    }
    /* The events of watches are published as well. */
    struct buffer copy = {0};
    while (watches_next(w, doc, answer, &copy)) {
        e = hold(h, "copy");
        if (e == NULL) break;
        e->id = copy_of_bytes(doc->id);
        e->source = host_of(doc->url);
        e->copied = 1;
        e->data = copy;
        copy = (struct buffer){0};
    }
    buffer_release(&copy);
}

void hub_hold_removal(struct hub *h, og_bytes id)
{
    struct event *e = hub_is_wanted(h) ? hold(h, "removed") : NULL;
    if (e == NULL) return;
    e->id = copy_of_bytes(id);
    e->copied = 1;
    buffer_text(&e->data, "{\"id\":");
    buffer_string(&e->data, id);
    buffer_text(&e->data, "}");
}

static bool is_for(const struct client *c, const struct event *e)
{
    if (e->id == NULL) return true;
    if (c->pattern != NULL && fnmatch(c->pattern, e->id, 0) != 0) return false;
    if (c->source != NULL &&
        (e->source == NULL || strcasecmp(c->source, e->source) != 0))
        return false;
    return e->copied >= c->min_share;
}

/* The lock is held. */
static void publish(struct hub *h, const struct event *e)
{
    const unsigned long long id = ++h->next_id;
    if (e->data.failed) return;
    atomic_fetch_add(&h->server->metrics.n_events, 1);
    for (struct client *c = h->clients; c != NULL; c = c->next) {
        if (c->is_dropped || !is_for(c, e)) continue;
        buffer_format(&c->pending, "id: %llu\nevent: %s\ndata: ", id, e->kind);
        buffer_bytes(&c->pending, e->data.data, e->data.len);
        buffer_text(&c->pending, "\n\n");
        if (c->pending.len > MOST_PENDING || c->pending.failed) {
            c->is_dropped = true;
            atomic_fetch_add(&h->server->metrics.n_clients_dropped, 1);
            watchdog_end(&h->server->watchdog, c->peer);
        }
        wake(c);
    }
}

static struct event *take_held(struct hub *h)
{
    struct event *e = h->held;
    h->held = NULL;
    h->last_held = &h->held;
    return e;
}

void hub_release(struct hub *h)
{
    struct event *e = take_held(h);
    if (e == NULL) return;
    watches_send(&h->server->watches);
    pthread_mutex_lock(&h->lock);
    for (const struct event *at = e; at != NULL; at = at->next)
        publish(h, at);
    pthread_mutex_unlock(&h->lock);
    while (e != NULL) {
        struct event *next = e->next;
        free_event(e);
        e = next;
    }
}

void hub_forget(struct hub *h)
{
    struct event *e = take_held(h);
    watches_forget(&h->server->watches);
    while (e != NULL) {
        struct event *next = e->next;
        free_event(e);
        e = next;
    }
}

void hub_tick(struct hub *h)
{
    struct event e = {.kind = "stats"};
    og_store_info info;
    if (!hub_is_wanted(h)) return;
    writer_info(&h->server->writer, &info);
    buffer_format(&e.data, "{\"n_documents\":%llu,",
                  (unsigned long long)info.n_documents);
    metrics_live(h->server, &e.data);
    buffer_text(&e.data, "}");
    pthread_mutex_lock(&h->lock);
    publish(h, &e);
    pthread_mutex_unlock(&h->lock);
    buffer_release(&e.data);
}

/* ---- the hub ---- */

void hub_init(struct hub *h, struct server *s)
{
    *h = (struct hub){.server = s};
    h->last_held = &h->held;
    pthread_mutex_init(&h->lock, NULL);
}

void hub_release_all(struct hub *h)
{
    hub_forget(h);
    pthread_mutex_destroy(&h->lock);
}

bool hub_is_wanted(struct hub *h)
{
    return atomic_load(&h->n_wanting) > 0;
}

size_t hub_count(struct hub *h)
{
    return atomic_load(&h->n_wanting);
}

void hub_close(struct hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->is_closing = true;
    for (struct client *c = h->clients; c != NULL; c = c->next)
        wake(c);
    pthread_mutex_unlock(&h->lock);
}
