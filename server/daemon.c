/* The layer between the HTTP library and the handlers.
 *
 * libmicrohttpd calls begin_request() for the first line of a request,
 * on_access() for its head, for each piece of its body and at its end, and
 * end_request() when all is sent. A request whose work is done on another
 * thread is suspended meanwhile; request_finish() resumes it and on_access() is
 * called once more, to answer. */

#include "handlers.h"
#include "problem.h"
#include "reply.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/* Longer bodies are processed by a thread for slow requests. */
enum { SHORT_BODY = 64 << 10 };
/* A stream goes to the writer in pieces of this size: each costs a sync. */
enum { STREAM_PIECE = 64 << 10 };
/* A reader that read more than this frees its memory. */
enum { WARM_READER = 1 << 20 };
/* Limit for the bytes of all bodies and of all pending results of streams. */
#define MOST_BUFFERED ((size_t)1 << 30)

/* ---- the life of a request ---- */

static void *begin_request(void *ctx, const char *uri,
                           struct MHD_Connection *connection)
{
    struct server *s = ctx;
    struct request *r = calloc(1, sizeof(*r));
    (void)connection;
    if (r == NULL) return NULL;
    const unsigned long long n = atomic_fetch_add(&s->n_requests, 1);
    atomic_fetch_add(&s->n_active, 1);
    r->server = s;
    r->began = server_now();
    r->uri = strdup(uri);
    snprintf(r->id, sizeof(r->id), "%08x-%llu", (unsigned)s->run, n);
    return r;
}

static void end_request(void *ctx, struct MHD_Connection *connection,
                        void **con_cls, enum MHD_RequestTerminationCode code)
{
    struct server *s = ctx;
    struct request *r = *con_cls;
    (void)connection, (void)code;
    if (r == NULL) return;
    *con_cls = NULL;
    const double seconds = (double)(server_now() - r->began) / 1e9;
    r->n_early = early_leave(r);
    if (r->uri != NULL) log_request(&s->log, r, seconds * 1e3);
    watchdog_note(&s->watchdog, r->peer, PEER_IDLE);
    if (r->body.len > WARM_READER) {
        og_reader_free(r->reader);
        r->reader = NULL;
    }
    readers_give_parser(&s->readers, r->reader);
    unpacker_release(&r->unpacker);
    buffer_release(&r->body);
    atomic_fetch_sub(&s->n_buffered, r->n_counted);
    buffer_release(&r->results);
    buffer_release(&r->reply.body);
    free(r->made_id);
    free(r->path);
    free(r->uri);
    free(r);
    atomic_fetch_sub(&s->n_active, 1);
}

void request_finish(struct request *r)
{
    /* The last results are sent by send_early(). */
    if (r->is_early && !r->is_last && early_take(r)) return;
    MHD_resume_connection(r->connection);
}

/* ---- the head ---- */

static bool decode_path(struct request *r)
{
    r->path = malloc(strlen(r->uri) + 1);
    if (r->path == NULL) return problem(r, 503, "out of memory");
    return path_decode(r->uri, r->path, &r->path_len) ||
           problem(r, 400, "the path has an invalid '%%' escape");
}

static bool is_word_of(const char *list, const char *word)
{
    const size_t len = strlen(word);
    if (len == 0 || strchr(word, ' ') != NULL) return false;
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += len)
        if ((at == list || at[-1] == ' ') && (at[len] == ' ' || at[len] == 0))
            return true;
    return false;
}

static enum MHD_Result check_argument(void *ctx, enum MHD_ValueKind kind,
                                      const char *name, const char *value)
{
    struct request *r = ctx;
    (void)kind;
    if (value != NULL && is_word_of(r->route->arguments, name)) return MHD_YES;
    problem(r, 400, "'%.60s' is not an argument of this path, or has no value",
            name);
    return MHD_NO;
}

static bool check_arguments(struct request *r)
{
    MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND,
                              check_argument, r);
    return r->reply.status == 0;
}

static bool check_length(struct request *r)
{
    const char *length = request_header(r, "Content-Length");
    const struct serve_options *o = r->server->options;
    const uint64_t most = r->is_streamed ? o->max_stream : o->max_body;
    r->has_length = length != NULL;
    if (length != NULL && strtoull(length, NULL, 10) > most)
        return problem(r, 413, "the body is longer than %llu bytes",
                       (unsigned long long)most);
    return true;
}

static bool check_encoding(struct request *r)
{
    if (unpacker_init(&r->unpacker, request_header(r, "Content-Encoding")))
        return true;
    return problem(r, 415, "bodies may be compressed with gzip or zstd");
}

/* OPTIONS: a browser's preflight request (CORS). */
static void answer_options(struct request *r, const char *allow)
{
    r->reply.status = 204;
    r->reply.allow = allow;
}

static bool find_route(struct request *r)
{
    const char *allow;
    const og_bytes path = {r->path, r->path_len};
    r->route = route_find(r->method, path, &r->rest, &allow);
    if (r->route != NULL) return true;
    if (allow == NULL) return problem(r, 404, "there is no such path");
    if (strcmp(r->method, "OPTIONS") == 0) {
        answer_options(r, allow);
        return false;
    }
    r->reply.allow = allow;
    return problem(r, 405, "this path accepts %s", allow);
}

/* False: the reply is set. */
static bool take_head(struct request *r, const char *version)
{
    if (r->uri == NULL) return problem(r, 503, "out of memory");
    if (atomic_load(&r->server->is_draining))
        return problem(r, 503, "the server is stopping");
    if (!decode_path(r) || !find_route(r) || !auth_check(r) ||
        !check_arguments(r))
        return false;
    r->place = r->route->place;
    r->is_streamed = r->route->is_stream != NULL && r->route->is_stream(r);
    return early_choose(r, version) && check_length(r) && check_encoding(r);
}

/* ---- the body ---- */

static bool has_line(const struct buffer *b)
{
    return b->len > 0 && memchr(b->data, '\n', b->len) != NULL;
}

static struct request_queue *queue_of(const struct request *r)
{
    struct server *s = r->server;
    switch (r->place) {
    case PLACE_WRITER: return &s->writer.queue;
    case PLACE_READER: return &s->short_workers.queue;
    default: return &s->long_workers.queue;
    }
}

static void sleep_until_run(struct request *r, bool must)
{
    struct server *s = r->server;
    watchdog_note(&s->watchdog, r->peer, PEER_WAITING);
    MHD_suspend_connection(r->connection);
    if (request_queue_put(queue_of(r), r, must)) return;
    atomic_fetch_add(&s->metrics.n_rejected, 1);
    problem(r, 429, "too many requests are waiting; try again");
    MHD_resume_connection(r->connection);
}

/* Updates the server's count of bytes in memory by what changed in this request
 * since the last call: its body, and the results of a stream. */
static void count_memory(struct request *r)
{
    atomic_size_t *all = &r->server->n_buffered;
    const size_t now = r->body.cap + r->results.cap;
    if (now > r->n_counted) {
        const size_t more = now - r->n_counted;
        if (atomic_fetch_add(all, more) + more > MOST_BUFFERED)
            r->is_refused = true;
    } else {
        atomic_fetch_sub(all, r->n_counted - now);
    }
    r->n_counted = now;
}

static void take_piece(struct request *r, const char *data, size_t len)
{
    const struct serve_options *o = r->server->options;
    const uint64_t most = r->is_streamed ? o->max_stream : o->max_body;
    r->n_received += len;
    if (r->is_too_long || r->is_broken || r->is_refused) return;
    if (r->reply.status != 0) { /* the reply is set: ignore the rest */
        buffer_release(&r->body);
        return;
    }
    switch (unpacker_feed(&r->unpacker, data, len, most, &r->body)) {
    case UNPACK_FINE: break;
    case UNPACK_TOO_LONG: r->is_too_long = true; break;
    case UNPACK_BROKEN: r->is_broken = true; break;
    }
    count_memory(r);
    if (r->is_refused) buffer_release(&r->body);
    /* A line that is too long cannot be a document. */
    if (r->is_streamed && !has_line(&r->body) && r->body.len > o->max_body)
        r->is_too_long = true;
}

/* Called when the body is complete. False: the reply says what is wrong. */
static bool check_body(struct request *r)
{
    const struct serve_options *o = r->server->options;
    if (r->reply.status != 0) return false;
    if (r->is_refused)
        return problem(r, 503, "too many bodies are being received; try again");
    if (r->is_too_long)
        return problem(
            r, 413,
            "the body, or its decompressed form, is longer than %llu bytes",
            (unsigned long long)(r->is_streamed ? o->max_stream : o->max_body));
    if (r->is_broken || (!r->unpacker.is_whole && r->n_received > 0))
        return problem(r, 400, "the body cannot be decompressed");
    return true;
}

/* ---- the answer ---- */

/* The end of early results: the library closes the connection. */
static enum MHD_Result send_early(struct request *r)
{
    struct server *s = r->server;
    if (r->phase != PHASE_ENDING) {
        r->phase = PHASE_ENDING;
        metrics_count(&s->metrics, r, (double)(server_now() - r->began) / 1e9);
        watchdog_note(&s->watchdog, r->peer, PEER_READING);
        early_end(r);
    }
    if (!early_is_sent(r)) return MHD_YES;
    r->phase = PHASE_DONE;
    return MHD_NO;
}

static enum MHD_Result send_reply(struct request *r)
{
    if (r->early != NULL) return send_early(r);
    if (r->reply.body.failed) problem(r, 503, "out of memory");
    struct MHD_Response *response = reply_make_response(r);
    if (response == NULL) return MHD_NO;
    reply_add_headers(r, response);
    /* Before the client can have the answer and ask for the counts. */
    if (r->client == NULL)
        metrics_count(&r->server->metrics, r,
                      (double)(server_now() - r->began) / 1e9);
    watchdog_note(&r->server->watchdog, r->peer,
                  r->client != NULL ? PEER_WAITING : PEER_READING);
    r->phase = PHASE_DONE;
    const enum MHD_Result queued =
        MHD_queue_response(r->connection, r->reply.status, response);
    MHD_destroy_response(response);
    return queued;
}

/* ---- what the library calls ---- */

static bool has_body(const struct request *r)
{
    const char *length = request_header(r, "Content-Length");
    return request_header(r, "Transfer-Encoding") != NULL ||
           (length != NULL && strcmp(length, "0") != 0);
}

static enum MHD_Result first_call(struct request *r, const char *method,
                                  const char *version,
                                  struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    r->connection = connection;
    r->peer = info != NULL ? info->socket_context : NULL;
    snprintf(r->method, sizeof(r->method), "%s", method);
    r->phase = PHASE_BODY;
    /* An answer before the body was received ends the connection. */
    if (!take_head(r, version) && has_body(r)) return send_reply(r);
    watchdog_begin(&r->server->watchdog, r->peer, r->id);
    return MHD_YES;
}

/* The request is complete. */
static enum MHD_Result last_call(struct request *r)
{
    r->phase = PHASE_WAITING;
    if (!check_body(r)) return send_reply(r);
    r->is_last = true;
    if (r->route->prepare != NULL && !r->is_streamed) r->route->prepare(r);
    if (r->reply.status != 0) return send_reply(r);
    if (r->place < PLACE_WORKER && r->body.len > SHORT_BODY)
        r->place = PLACE_WORKER;
    if (r->place != PLACE_HERE) {
        sleep_until_run(r, r->is_streamed);
        return MHD_YES;
    }
    r->route->run(r);
    return send_reply(r);
}

/* Whether more of the body is here already, so that on_access() is called again
 * at once. Less than this may be nothing but the ends of chunks. */
static bool is_more_here(const struct request *r)
{
    enum { CERTAINLY_BODY = 4096 };
    int n = 0;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info != NULL && ioctl(info->connect_fd, FIONREAD, &n) == 0 &&
           n >= CERTAINLY_BODY;
}

/* Lines are collected into larger pieces as long as they keep coming. A client
 * that sent a Content-Length and gets no result before the end has the whole
 * body; any other may wait for an effect before it sends the next line. */
static void pass_lines_on(struct request *r)
{
    if (r->is_too_long || r->is_broken || r->is_refused ||
        r->reply.status != 0 || !has_line(&r->body))
        return;
    const bool may_wait = !r->has_length || r->is_early;
    if (r->body.len >= STREAM_PIECE || (may_wait && !is_more_here(r)))
        sleep_until_run(r, true);
    else
        watchdog_note(&r->server->watchdog, r->peer,
                      r->early != NULL ? PEER_STREAMING : PEER_SENDING);
}

/* False: the client is gone. */
static bool is_early_open(struct request *r)
{
    const enum early_state state = early_state(r);
    if (state == EARLY_ENDED && r->reply.status == 0)
        problem(r, 413, "the results are not read");
    return state != EARLY_BROKEN;
}

static enum MHD_Result next_piece(struct request *r, const char *data,
                                  size_t *len)
{
    enum { FAR_TOO_LONG = 4 << 20 };
    if (r->early != NULL && !is_early_open(r)) return MHD_NO;
    take_piece(r, data, *len);
    *len = 0;
    /* An answer can be sent only after the whole body was received: read the
     * rest of a body that is too long, but not for ever. */
    if (r->is_too_long &&
        r->n_received > r->server->options->max_body + FAR_TOO_LONG)
        return MHD_NO;
    if (r->is_streamed) pass_lines_on(r);
    return MHD_YES;
}

static bool is_asleep(const struct request *r)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        r->connection, MHD_CONNECTION_INFO_CONNECTION_SUSPENDED);
    return info != NULL && info->suspended == MHD_YES;
}

static enum MHD_Result on_access(void *ctx, struct MHD_Connection *connection,
                                 const char *url, const char *method,
                                 const char *version, const char *upload_data,
                                 size_t *upload_data_size, void **con_cls)
{
    struct request *r = *con_cls;
    (void)ctx, (void)url;
    if (r == NULL) return MHD_NO;
    if (r->phase == PHASE_HEAD)
        return first_call(r, method, version, connection);
    if (r->phase == PHASE_DONE) {
        *upload_data_size = 0;
        return MHD_YES;
    }
    /* Suspended with unread input: it is passed again later. */
    if (is_asleep(r)) return MHD_YES;
    if (*upload_data_size > 0)
        return next_piece(r, upload_data, upload_data_size);
    return r->phase == PHASE_BODY ? last_call(r) : send_reply(r);
}

static void on_connection(void *ctx, struct MHD_Connection *connection,
                          void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct server *s = ctx;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        watchdog_leave(&s->watchdog, *socket_context);
        *socket_context = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *socket_context =
        info != NULL ? watchdog_enter(&s->watchdog, info->connect_fd) : NULL;
}

/* What libmicrohttpd complains about is mostly the fault of clients. */
static void on_complaint(void *ctx, const char *format, va_list args)
{
    (void)ctx, (void)format, (void)args;
}

og_status daemon_start(struct server *s, int fd, og_error *err)
{
    const struct serve_options *o = s->options;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_TURBO | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, s->tls_cert.data},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, s->tls_key.data},
        {MHD_OPTION_END, 0, NULL},
    };
    if (o->tls_cert != NULL)
        flags |= MHD_USE_TLS;
    else
        tls[0].option = MHD_OPTION_END;
    s->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, on_access, s, MHD_OPTION_EXTERNAL_LOGGER,
        on_complaint, s, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_THREAD_POOL_SIZE, s->n_threads, MHD_OPTION_CONNECTION_LIMIT,
        o->max_connections, MHD_OPTION_CONNECTION_TIMEOUT, o->timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 << 10,
        MHD_OPTION_URI_LOG_CALLBACK, begin_request, s,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, s,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, s, MHD_OPTION_ARRAY, tls,
        MHD_OPTION_END);
    if (s->daemon != NULL) return OG_OK;
    if (err != NULL) {
        *err = (og_error){.status = OG_ERR_IO};
        snprintf(err->message, sizeof(err->message),
                 "cannot start the server%s",
                 o->tls_cert != NULL ? ": check the certificate" : "");
    }
    return OG_ERR_IO;
}

void daemon_stop(struct server *s)
{
    if (s->daemon != NULL) MHD_stop_daemon(s->daemon);
    s->daemon = NULL;
}
