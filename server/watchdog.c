#include "watchdog.h"

#include "problem.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Past the library, which sends nothing before the request is complete. */
static void answer_408(const struct connection *c)
{
    struct buffer body = {0}, all = {0};
    problem_write(&body, 408, "the request took too long to arrive", c->id);
    buffer_format(&all,
                  "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
                  "Content-Type: application/problem+json\r\n"
                  "X-Request-Id: %s\r\nContent-Length: %zu\r\n\r\n",
                  c->id, body.len);
    buffer_bytes(&all, body.data, body.len);
    if (!body.failed && !all.failed)
        (void)!send(c->fd, all.data, all.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    buffer_release(&body);
    buffer_release(&all);
}

/* Only shuts the socket down. Its owner sees the end and closes it; only then
 * can its number be reused, and by then the connection has left the list. */
static void end_connection(struct connection *c)
{
    if (c->is_ended) return;
    c->is_ended = true;
    shutdown(c->fd, SHUT_RDWR);
}

static void end_late(struct watchdog *w, struct connection *c)
{
    const struct serve_options *o = w->server->options;
    if (c->is_ended) return;
    atomic_fetch_add(&w->server->metrics.n_timed_out, 1);
    if (c->state == PEER_SENDING && o->tls_cert == NULL) answer_408(c);
    end_connection(c);
}

static bool is_late(const struct watchdog *w, const struct connection *c,
                    uint64_t now)
{
    const uint64_t limit = (uint64_t)w->server->options->timeout * 1000000000u;
    const uint64_t age = now > c->since ? now - c->since : 0;
    switch (c->state) {
    case PEER_SENDING:
    case PEER_STREAMING: return age > limit;
    /* libmicrohttpd ends silent connections; a slow head has twice the time. */
    case PEER_IDLE: return age > 2 * limit;
    case PEER_READING: return age > 4 * limit;
    default: return false;
    }
}

static void look_at_all(struct watchdog *w)
{
    const uint64_t now = server_now();
    for (struct connection *c = w->first; c != NULL; c = c->next)
        if (is_late(w, c, now)) end_late(w, c);
}

static void *run_watchdog(void *ctx)
{
    struct watchdog *w = ctx;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&w->lock);
    while (!w->is_stopping) {
        until.tv_sec++;
        pthread_cond_timedwait(&w->tick, &w->lock, &until);
        clock_gettime(CLOCK_REALTIME, &until);
        look_at_all(w);
        pthread_mutex_unlock(&w->lock);
        hub_tick(&w->server->hub);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

bool watchdog_start(struct watchdog *w, struct server *s)
{
    *w = (struct watchdog){.server = s};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->tick, NULL);
    w->is_running = pthread_create(&w->thread, NULL, run_watchdog, w) == 0;
    return w->is_running;
}

void watchdog_stop(struct watchdog *w)
{
    if (!w->is_running) return;
    pthread_mutex_lock(&w->lock);
    w->is_stopping = true;
    pthread_cond_signal(&w->tick);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    w->is_running = false;
}

struct connection *watchdog_enter(struct watchdog *w, int fd)
{
    struct connection *c = calloc(1, sizeof(*c));
    if (c == NULL) return NULL;
    c->fd = fd;
    c->since = server_now();
    pthread_mutex_lock(&w->lock);
    c->next = w->first;
    if (w->first != NULL) w->first->before = c;
    w->first = c;
    w->n++;
    pthread_mutex_unlock(&w->lock);
    return c;
}

void watchdog_leave(struct watchdog *w, struct connection *c)
{
    if (c == NULL) return;
    pthread_mutex_lock(&w->lock);
    if (c->before != NULL)
        c->before->next = c->next;
    else
        w->first = c->next;
    if (c->next != NULL) c->next->before = c->before;
    w->n--;
    pthread_mutex_unlock(&w->lock);
    free(c);
}

void watchdog_note(struct watchdog *w, struct connection *c,
                   enum peer_state state)
{
    if (c == NULL) return;
    pthread_mutex_lock(&w->lock);
    c->state = state;
    c->since = server_now();
    pthread_mutex_unlock(&w->lock);
}

void watchdog_begin(struct watchdog *w, struct connection *c, const char *id)
{
    if (c == NULL) return;
    pthread_mutex_lock(&w->lock);
    snprintf(c->id, sizeof(c->id), "%s", id);
    c->state = PEER_SENDING;
    c->since = server_now();
    pthread_mutex_unlock(&w->lock);
}

void watchdog_end(struct watchdog *w, struct connection *c)
{
    if (c == NULL) return;
    pthread_mutex_lock(&w->lock);
    end_connection(c);
    pthread_mutex_unlock(&w->lock);
}

void watchdog_end_idle(struct watchdog *w)
{
    pthread_mutex_lock(&w->lock);
    for (struct connection *c = w->first; c != NULL; c = c->next)
        if (c->state == PEER_IDLE) end_connection(c);
    pthread_mutex_unlock(&w->lock);
}

void watchdog_end_all(struct watchdog *w)
{
    pthread_mutex_lock(&w->lock);
    for (struct connection *c = w->first; c != NULL; c = c->next)
        end_connection(c);
    pthread_mutex_unlock(&w->lock);
}

size_t watchdog_count(struct watchdog *w)
{
    pthread_mutex_lock(&w->lock);
    const size_t n = w->n;
    pthread_mutex_unlock(&w->lock);
    return n;
}
