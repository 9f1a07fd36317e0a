#include "early_results.h"

#include "problem.h"
#include "reply.h"
#include "server.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Memory of a response that has nothing to send. */
enum { KEPT_IDLE = 64 << 10 };

struct early_results {
    struct early_sender *sender;
    struct MHD_Connection *connection;
    char id[32]; /* of the request */
    int fd;
    gnutls_session_t tls; /* NULL: none */
    struct buffer out;
    size_t at;        /* bytes of `out` that are sent */
    size_t n_counted; /* of it, in server.n_buffered */
    uint64_t n_sent;  /* bytes in all */
    uint64_t sent_at; /* when the client last took something */
    bool is_watched;  /* by epoll */
    bool is_tls_full; /* GnuTLS still has the last piece */
    bool is_ended;    /* nothing more is appended */
    bool is_broken;   /* nothing more can be sent */
    bool is_awaited;  /* the connection sleeps until ... */
    size_t room;      /* ... at most so many bytes wait */
    struct early_results *next, **before;
};

/* ---- what is sent ---- */

static size_t n_waiting(const struct early_results *x)
{
    return x->is_broken ? 0 : x->out.len - x->at;
}

static void count_memory(struct early_results *x)
{
    atomic_size_t *all = &x->sender->server->n_buffered;
    if (x->out.cap > x->n_counted)
        atomic_fetch_add(all, x->out.cap - x->n_counted);
    else
        atomic_fetch_sub(all, x->n_counted - x->out.cap);
    x->n_counted = x->out.cap;
}

static void put_chunk(struct early_results *x, const char *data, size_t len)
{
    if (len == 0 || x->is_broken) return;
    buffer_format(&x->out, "%zx\r\n", len);
    buffer_bytes(&x->out, data, len);
    buffer_text(&x->out, "\r\n");
    count_memory(x);
}

/* An error after the status line was sent is the last line. The last chunk is
 * missing, so that no client takes the results for all. */
static void put_problem(struct early_results *x, unsigned status,
                        const char *detail)
{
    struct buffer line = {0};
    problem_write(&line, status, detail, x->id);
    put_chunk(x, line.data, line.failed ? 0 : line.len);
    buffer_release(&line);
    x->is_ended = true;
}

/* ---- sending; the lock is held ---- */

static ssize_t send_tls(struct early_results *x, const char *data, size_t len)
{
    /* What GnuTLS could not send it keeps, and continues without data. */
    const ssize_t n = x->is_tls_full ? gnutls_record_send(x->tls, NULL, 0)
                                     : gnutls_record_send(x->tls, data, len);
    x->is_tls_full = n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED;
    if (x->is_tls_full) errno = EAGAIN;
    return n;
}

static ssize_t send_some(struct early_results *x)
{
    const char *data = x->out.data + x->at;
    const size_t len = x->out.len - x->at;
    if (x->tls != NULL) return send_tls(x, data, len);
    ssize_t n;
    do
        n = send(x->fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n;
}

/* The thread continues when the socket takes more. */
static void watch(struct early_results *x)
{
    struct epoll_event event = {.events = EPOLLOUT | EPOLLONESHOT,
                                .data.ptr = x};
    const int what = x->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    x->is_watched = true;
    if (epoll_ctl(x->sender->epoll, what, x->fd, &event) != 0)
        x->is_broken = true;
}

static void drop_sent(struct early_results *x)
{
    if (x->at < x->out.len && x->at < x->out.cap / 2) return;
    buffer_drop(&x->out, x->at);
    x->at = 0;
    if (x->out.len == 0 && x->out.cap > KEPT_IDLE) buffer_release(&x->out);
    count_memory(x);
}

static void send_all(struct early_results *x)
{
    x->is_broken |= x->out.failed;
    while (n_waiting(x) > 0) {
        errno = 0;
        const ssize_t n = send_some(x);
        if (n > 0) {
            x->at += (size_t)n;
            x->n_sent += (uint64_t)n;
            x->sent_at = server_now();
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            watch(x);
            break;
        } else {
            x->is_broken = true;
        }
    }
    drop_sent(x);
}

/* ---- connections that sleep; the lock is held ---- */

static void resume(struct early_results *x)
{
    if (!x->is_awaited) return;
    x->is_awaited = false;
    MHD_resume_connection(x->connection);
}

static void resume_if_room(struct early_results *x)
{
    if (n_waiting(x) <= x->room) resume(x);
}

static void end_if_stalled(struct early_results *x)
{
    const uint64_t limit =
        (uint64_t)x->sender->server->options->timeout * 1000000000u;
    if (!x->is_awaited || x->is_ended || server_now() - x->sent_at < limit)
        return;
    put_problem(x, 413,
                "the results are not read; the rest of the body was ignored");
    resume(x);
}

/* ---- the thread ---- */

static void free_left(struct early_sender *e)
{
    for (struct early_results *x; (x = e->left) != NULL;) {
        e->left = x->next;
        free(x);
    }
}

/* Responses that ended after the events came are still in e->left. */
static void serve_events(const struct epoll_event *events, int n)
{
    for (int i = 0; i < n; i++) {
        struct early_results *x = events[i].data.ptr;
        if (x == NULL || x->before == NULL) continue;
        send_all(x);
        resume_if_room(x);
    }
}

static void *run_sender(void *ctx)
{
    enum { MOST_EVENTS = 64, TICK = 1000 };
    struct early_sender *e = ctx;
    struct epoll_event events[MOST_EVENTS];
    bool is_stopping = false;
    while (!is_stopping) {
        const int n = epoll_wait(e->epoll, events, MOST_EVENTS, TICK);
        pthread_mutex_lock(&e->lock);
        serve_events(events, n);
        free_left(e);
        for (struct early_results *x = e->first; x != NULL; x = x->next)
            end_if_stalled(x);
        is_stopping = e->is_stopping;
        pthread_mutex_unlock(&e->lock);
    }
    return NULL;
}

bool early_sender_start(struct early_sender *e, struct server *s)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
    *e = (struct early_sender){.server = s};
    pthread_mutex_init(&e->lock, NULL);
    e->epoll = epoll_create1(EPOLL_CLOEXEC);
    e->wake = eventfd(0, EFD_CLOEXEC);
    e->is_running = e->epoll >= 0 && e->wake >= 0 &&
                    epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->wake, &event) == 0 &&
                    pthread_create(&e->thread, NULL, run_sender, e) == 0;
    if (e->is_running) return true;
    if (e->epoll >= 0) close(e->epoll);
    if (e->wake >= 0) close(e->wake);
    pthread_mutex_destroy(&e->lock);
    return false;
}

void early_sender_stop(struct early_sender *e)
{
    const uint64_t one = 1;
    if (!e->is_running) return;
    pthread_mutex_lock(&e->lock);
    e->is_stopping = true;
    pthread_mutex_unlock(&e->lock);
    (void)!write(e->wake, &one, sizeof(one));
    pthread_join(e->thread, NULL);
    free_left(e);
    close(e->epoll);
    close(e->wake);
    pthread_mutex_destroy(&e->lock);
    e->is_running = false;
}

void early_sender_drain(struct early_sender *e)
{
    pthread_mutex_lock(&e->lock);
    for (struct early_results *x = e->first; x != NULL; x = x->next) {
        if (x->is_ended) continue;
        put_problem(x, 503, "the server is stopping");
        send_all(x);
        /* The library reads the end of the body, and closes. */
        shutdown(x->fd, SHUT_RD);
        resume(x);
    }
    pthread_mutex_unlock(&e->lock);
}

/* ---- one response ---- */

bool early_choose(struct request *r, const char *version)
{
    const char *wish = request_argument(r, "results");
    const char *expect = request_header(r, "Expect");
    const bool is_early = wish != NULL && strcmp(wish, "early") == 0;
    if (wish != NULL && !is_early && strcmp(wish, "late") != 0)
        return problem(r, 400, "'results' must be early or late");
    if (!r->is_streamed || strcmp(version, MHD_HTTP_VERSION_1_1) != 0)
        return true;
    const bool reads_meanwhile =
        request_header(r, "Transfer-Encoding") != NULL ||
        (expect != NULL && strcasecmp(expect, "100-continue") == 0);
    r->is_early = is_early || (wish == NULL && reads_meanwhile);
    return true;
}

/* Small pieces leave at once, whatever the library has set. */
static void send_without_delay(int fd)
{
    const int on = 1, off = 0;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_CORK, &off, sizeof(off));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void enter(struct early_sender *e, struct early_results *x)
{
    pthread_mutex_lock(&e->lock);
    x->next = e->first;
    if (x->next != NULL) x->next->before = &x->next;
    x->before = &e->first;
    e->first = x;
    pthread_mutex_unlock(&e->lock);
}

static struct early_results *begin(struct request *r)
{
    struct early_sender *e = &r->server->early;
    const union MHD_ConnectionInfo *socket = MHD_get_connection_info(
        r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *tls = MHD_get_connection_info(
        r->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    struct early_results *x = socket != NULL ? calloc(1, sizeof(*x)) : NULL;
    if (x == NULL) return NULL;
    x->sender = e;
    x->connection = r->connection;
    memcpy(x->id, r->id, sizeof(x->id));
    x->fd = socket->connect_fd;
    x->tls = tls != NULL ? tls->tls_session : NULL;
    x->sent_at = server_now();
    r->reply.type = "application/x-ndjson";
    reply_write_head(r, &x->out);
    if (x->out.failed) {
        buffer_release(&x->out);
        free(x);
        return NULL;
    }
    send_without_delay(x->fd);
    enter(e, x);
    return x;
}

/* The client has to read: the connection sleeps until at most `room` bytes
 * wait. */
static bool must_wait(struct early_results *x, size_t room)
{
    if (n_waiting(x) <= room) return false;
    x->is_awaited = true;
    x->room = room;
    return true;
}

bool early_take(struct request *r)
{
    struct server *s = r->server;
    bool waits = false;
    /* Before the first line an error has a status of its own. */
    if (r->early == NULL) {
        if (r->results.len == 0 || r->reply.status != 0) return false;
        r->early = begin(r);
        if (r->early == NULL) return false;
    }
    struct early_results *x = r->early;
    pthread_mutex_lock(&s->early.lock);
    x->is_broken |= r->results.failed;
    if (!x->is_ended) {
        put_chunk(x, r->results.data, r->results.len);
        put_chunk(x, r->reply.body.data, r->reply.body.len);
        x->is_ended = r->reply.status != 0;
        send_all(x);
        waits = !x->is_ended && n_waiting(x) > EARLY_MOST &&
                must_wait(x, EARLY_MOST / 2);
    }
    watchdog_note(&s->watchdog, r->peer, waits ? PEER_WAITING : PEER_STREAMING);
    pthread_mutex_unlock(&s->early.lock);
    r->results.len = 0;
    return waits;
}

enum early_state early_state(struct request *r)
{
    struct early_sender *e = &r->server->early;
    pthread_mutex_lock(&e->lock);
    const enum early_state state = r->early->is_broken  ? EARLY_BROKEN
                                   : r->early->is_ended ? EARLY_ENDED
                                                        : EARLY_OPEN;
    pthread_mutex_unlock(&e->lock);
    return state;
}

void early_end(struct request *r)
{
    struct early_sender *e = &r->server->early;
    struct early_results *x = r->early;
    pthread_mutex_lock(&e->lock);
    x->is_broken |= r->results.failed || r->reply.body.failed;
    if (!x->is_ended) {
        put_chunk(x, r->results.data, r->results.len);
        put_chunk(x, r->reply.body.data, r->reply.body.len);
        if (r->reply.status == 200) buffer_text(&x->out, "0\r\n\r\n");
        x->is_ended = true;
    }
    send_all(x);
    pthread_mutex_unlock(&e->lock);
}

bool early_is_sent(struct request *r)
{
    struct early_sender *e = &r->server->early;
    pthread_mutex_lock(&e->lock);
    const bool waits = n_waiting(r->early) > 0;
    if (waits) {
        MHD_suspend_connection(r->connection);
        (void)must_wait(r->early, 0);
    }
    pthread_mutex_unlock(&e->lock);
    return !waits;
}

uint64_t early_leave(struct request *r)
{
    struct early_sender *e = &r->server->early;
    struct early_results *x = r->early;
    if (x == NULL) return 0;
    r->early = NULL;
    pthread_mutex_lock(&e->lock);
    const uint64_t n = x->n_sent;
    if (x->is_watched) epoll_ctl(e->epoll, EPOLL_CTL_DEL, x->fd, NULL);
    buffer_release(&x->out);
    count_memory(x);
    *x->before = x->next;
    if (x->next != NULL) x->next->before = x->before;
    x->before = NULL;
    x->next = e->left;
    e->left = x;
    pthread_mutex_unlock(&e->lock);
    return n;
}
