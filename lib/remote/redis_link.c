#include "lib/remote/redis_link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/os/clock.h"
#include "lib/remote/redis_tls.h"

/* A host that does not answer at all is given up after this many seconds, since
 * there may be others. */
#define CONNECT_SECONDS 5
#define READ_LEN        ((size_t)64 << 10)

struct og_redis_link {
    const og_allocator *allocator;
    struct og_redis_host host;
    int fd;
    struct og_tls *tls;   /* NULL: plain */
    struct og_pack plain; /* to be packed by TLS */
    struct og_pack out;   /* for the socket; sent up to */
    size_t sent;          /* here */
    struct og_pack in;    /* replies; taken up to */
    size_t taken;         /* here */
    struct og_resp reply;
};

/* ---- messages ---- */

static og_status place_of(const struct og_redis_link *link, og_status status,
                          const char *why, og_error *err)
{
    char copy[sizeof(err->message)]; /* it may be err's own */
    snprintf(copy, sizeof(copy), "%.400s", why);
    return og_error_set(err, status, "%.80s:%u: %s", link->host.name,
                        link->host.port, copy);
}

static og_status system_failure(const struct og_redis_link *link,
                                const char *what, int error, og_error *err)
{
    char why[200];
    snprintf(why, sizeof(why), "%s: %s", what, strerror(error));
    return place_of(link, OG_ERR_IO, why, err);
}

/* ---- waiting ---- */

/* OG_ERR_IO: the time is over. */
static og_status wait_for(const struct og_redis_link *link, short events,
                          double until, short *out_events, og_error *err)
{
    for (;;) {
        struct pollfd one = {.fd = link->fd, .events = events};
        const double left = until - og_clock_seconds();
        if (left <= 0)
            return place_of(link, OG_ERR_IO, "no answer in time", err);
        const int n = poll(&one, 1, (int)(left * 1000) + 1);
        if (n < 0 && errno != EINTR)
            return system_failure(link, "cannot wait", errno, err);
        if (n <= 0) continue;
        *out_events = one.revents;
        return OG_OK;
    }
}

/* ---- bytes ---- */

static og_status take_in(struct og_redis_link *link, const char *data,
                         size_t len, og_error *err)
{
    og_error own;
    og_status status = OG_OK;
    if (link->tls == NULL) {
        og_pack_bytes(&link->in, data, len);
        return link->in.failed ? og_error_memory(err, len, "a reply") : OG_OK;
    }
    status = og_tls_feed(link->tls, data, len, &own);
    if (status == OG_OK) status = og_tls_read(link->tls, &link->in, &own);
    if (status == OG_OK) status = og_tls_drain(link->tls, &link->out, &own);
    return status == OG_OK ? OG_OK
                           : place_of(link, own.status, own.message, err);
}

/* Receives the available data. During a handshake it is only passed on. */
static og_status receive(struct og_redis_link *link, bool is_shaking,
                         og_error *err)
{
    char bytes[READ_LEN];
    const ssize_t n = recv(link->fd, bytes, sizeof(bytes), 0);
    if (n == 0)
        return place_of(link, OG_ERR_IO, "the server closed the connection",
                        err);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return OG_OK;
    if (n < 0) return system_failure(link, "cannot receive", errno, err);
    if (is_shaking) return og_tls_feed(link->tls, bytes, (size_t)n, err);
    return take_in(link, bytes, (size_t)n, err);
}

static og_status send_some(struct og_redis_link *link, og_error *err)
{
    const ssize_t n = send(link->fd, link->out.data + link->sent,
                           link->out.len - link->sent, MSG_NOSIGNAL);
    if (n >= 0) link->sent += (size_t)n;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return system_failure(link, "cannot send", errno, err);
    return OG_OK;
}

static og_status send_all(struct og_redis_link *link, double until,
                          bool is_shaking, og_error *err)
{
    while (link->sent < link->out.len) {
        short events = 0;
        TRY(wait_for(link, POLLIN | POLLOUT, until, &events, err));
        if ((events & POLLOUT) != 0) TRY(send_some(link, err));
        if ((events & ~POLLOUT) != 0) TRY(receive(link, is_shaking, err));
    }
    link->out.len = link->sent = 0;
    return OG_OK;
}

og_status og_redis_link_flush(struct og_redis_link *link, double until,
                              og_error *err)
{
    if (link->tls != NULL && link->plain.len > 0) {
        og_error own;
        og_status status =
            og_tls_write(link->tls, link->plain.data, link->plain.len, &own);
        link->plain.len = 0;
        if (status == OG_OK) status = og_tls_drain(link->tls, &link->out, &own);
        if (status != OG_OK)
            return place_of(link, own.status, own.message, err);
    }
    return send_all(link, until, false, err);
}

/* ---- commands and replies ---- */

og_status og_redis_link_put(struct og_redis_link *link, const og_bytes *words,
                            size_t n_words, og_error *err)
{
    struct og_pack *out = link->tls != NULL ? &link->plain : &link->out;
    char head[32];
    int len = snprintf(head, sizeof(head), "*%zu\r\n", n_words);
    og_pack_bytes(out, head, (size_t)len);
    for (size_t i = 0; i < n_words; i++) {
        len = snprintf(head, sizeof(head), "$%zu\r\n", words[i].len);
        og_pack_bytes(out, head, (size_t)len);
        og_pack_bytes(out, words[i].data, words[i].len);
        og_pack_bytes(out, "\r\n", 2);
    }
    return out->failed ? og_error_memory(err, out->len, "a command") : OG_OK;
}

/* What was taken makes room for what comes. */
static void make_room(struct og_redis_link *link)
{
    if (link->taken == 0) return;
    link->in.len -= link->taken;
    memmove(link->in.data, link->in.data + link->taken, link->in.len);
    link->taken = 0;
}

og_status og_redis_link_get(struct og_redis_link *link, double until,
                            const struct og_resp **out, og_error *err)
{
    for (;;) {
        size_t len = 0;
        enum og_resp_state state = OG_RESP_CUT;
        const size_t n_left = link->in.len - link->taken;
        if (n_left > 0)
            state = og_resp_parse(
                (og_bytes){(const char *)link->in.data + link->taken, n_left},
                &link->reply, &len);
        if (state == OG_RESP_WHOLE) {
            link->taken += len;
            *out = &link->reply;
            return OG_OK;
        }
        if (state == OG_RESP_NO_MEMORY)
            return og_error_memory(err, n_left, "a reply");
        if (state == OG_RESP_BAD)
            return place_of(link, OG_ERR_IO,
                            "what it answers is no reply of Redis", err);
        short events;
        make_room(link);
        TRY(wait_for(link, POLLIN, until, &events, err));
        TRY(receive(link, false, err));
        /* TLS may have something to say of its own. */
        if (link->sent < link->out.len) TRY(send_all(link, until, false, err));
    }
}

/* ---- opening ---- */

static og_status finish_connect(struct og_redis_link *link, double until,
                                og_error *err)
{
    short events;
    int error = 0;
    socklen_t len = sizeof(error);
    TRY(wait_for(link, POLLOUT, until, &events, err));
    if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
        error = errno;
    if (error != 0) return system_failure(link, "cannot connect", error, err);
    return OG_OK;
}

static og_status connect_to(struct og_redis_link *link,
                            const struct addrinfo *where, double until,
                            og_error *err)
{
    const int on = 1;
    link->fd = socket(where->ai_family,
                      where->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                      where->ai_protocol);
    if (link->fd < 0) return system_failure(link, "cannot connect", errno, err);
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(link->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    og_status status = OG_OK;
    if (connect(link->fd, where->ai_addr, where->ai_addrlen) != 0)
        status = errno == EINPROGRESS
                     ? finish_connect(link, until, err)
                     : system_failure(link, "cannot connect", errno, err);
    if (status == OG_OK) return OG_OK;
    close(link->fd);
    link->fd = -1;
    return status;
}

static og_status connect_host(struct og_redis_link *link, double until,
                              og_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all;
    char port[16], why[160];
    snprintf(port, sizeof(port), "%u", link->host.port);
    const int failed = getaddrinfo(link->host.name, port, &hints, &all);
    if (failed != 0) {
        snprintf(why, sizeof(why), "cannot find the host: %s",
                 gai_strerror(failed));
        return place_of(link, OG_ERR_IO, why, err);
    }
    og_status status = OG_ERR_IO;
    for (const struct addrinfo *one = all; one != NULL && status != OG_OK;
         one = one->ai_next)
        status = connect_to(link, one, until, err);
    freeaddrinfo(all);
    return status;
}

static og_status shake_hands(struct og_redis_link *link, double until,
                             og_error *err)
{
    og_error own = {0};
    og_status status = og_tls_new(link->host.name, &link->tls, &own);
    while (status == OG_OK) {
        status = og_tls_shake(link->tls, &own);
        const bool is_done = status == OG_OK;
        if (status != OG_OK && status != OG_END) break;
        status = og_tls_drain(link->tls, &link->out, &own);
        if (status != OG_OK) break;
        TRY(send_all(link, until, true, err));
        if (is_done) return OG_OK;
        short events;
        TRY(wait_for(link, POLLIN, until, &events, err));
        TRY(receive(link, true, err));
    }
    return place_of(link, own.status, own.message, err);
}

static og_status log_in(struct og_redis_link *link,
                        const struct og_table_address *address, double until,
                        og_error *err)
{
    const bool has_user = address->user[0] != 0;
    const og_bytes words[3] = {
        og_redis_word("AUTH"),
        og_redis_word(has_user ? address->user : address->password),
        og_redis_word(address->password)};
    const struct og_resp *reply;
    if (address->password[0] == 0) return OG_OK;
    TRY(og_redis_link_put(link, words, has_user ? 3 : 2, err));
    TRY(og_redis_link_flush(link, until, err));
    TRY(og_redis_link_get(link, until, &reply, err));
    const struct og_resp_item *item = &reply->items[0];
    if (item->kind != OG_RESP_ERROR) return OG_OK;
    char why[200];
    snprintf(why, sizeof(why), "%.*s",
             (int)(item->bytes.len < 180 ? item->bytes.len : 180),
             item->bytes.data);
    /* A server that has only just started takes no password yet. */
    const bool is_early = og_resp_is(item->bytes, "LOADING");
    return place_of(link, is_early ? OG_ERR_IO : OG_ERR_USAGE, why, err);
}

og_status og_redis_link_open(const struct og_redis_host *host,
                             const struct og_table_address *address,
                             double until, const og_allocator *allocator,
                             struct og_redis_link **out, og_error *err)
{
    struct og_redis_link *link = og_allocate_zero(allocator, sizeof(*link));
    const double soon = og_clock_seconds() + CONNECT_SECONDS;
    if (soon < until) until = soon;
    *out = NULL;
    if (link == NULL) return og_error_memory(err, sizeof(*link), "a link");
    link->allocator = link->plain.allocator = link->out.allocator =
        link->in.allocator = link->reply.allocator = allocator;
    link->host = *host;
    link->fd = -1;
    og_status status = connect_host(link, until, err);
    if (status == OG_OK && address->is_tls)
        status = shake_hands(link, until, err);
    if (status == OG_OK) status = log_in(link, address, until, err);
    if (status != OG_OK) {
        og_redis_link_close(link);
        return status;
    }
    *out = link;
    return OG_OK;
}

void og_redis_link_close(struct og_redis_link *link)
{
    if (link == NULL) return;
    if (link->fd >= 0) close(link->fd);
    og_tls_free(link->tls);
    og_pack_release(&link->plain);
    og_pack_release(&link->out);
    og_pack_release(&link->in);
    og_resp_release(&link->reply);
    og_release(link->allocator, link, sizeof(*link));
}
