#include "http_client.h"

#include "buffer.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { SECONDS = 10 };

/* ---- addresses ---- */

static bool is_clean(const char *s)
{
    for (; *s != 0; s++)
        if (*s <= ' ' || *s >= 127) return false;
    return true;
}

/* "host", "host:80", "[::1]:80" */
static bool split_host(const char *authority, struct http_address *out)
{
    const char *end = authority[0] == '[' ? strchr(authority, ']') : NULL;
    const size_t skip = end != NULL ? 1 : 0;
    const size_t len =
        end != NULL ? (size_t)(end - authority) - 1 : strcspn(authority, ":");
    const char *rest = authority + len + 2 * skip;
    if (len == 0 || len >= sizeof(out->host)) return false;
    memcpy(out->host, authority + skip, len);
    out->host[len] = 0;
    snprintf(out->port, sizeof(out->port), "%s", out->is_tls ? "443" : "80");
    if (rest[0] == 0) return true;
    const size_t digits = strspn(rest + 1, "0123456789");
    if (rest[0] != ':' || digits == 0 || digits > 5 || rest[1 + digits] != 0)
        return false;
    snprintf(out->port, sizeof(out->port), "%s", rest + 1);
    return true;
}

bool http_address_parse(const char *url, struct http_address *out)
{
    *out = (struct http_address){0};
    if (!is_clean(url)) return false;
    if (strncmp(url, "http://", 7) == 0)
        url += 7;
    else if (strncmp(url, "https://", 8) == 0)
        out->is_tls = true, url += 8;
    else
        return false;
    const size_t len = strcspn(url, "/?#");
    if (len >= sizeof(out->host_and_port) || memchr(url, '@', len) != NULL)
        return false;
    memcpy(out->host_and_port, url, len);
    out->host_and_port[len] = 0;
    const char *path = url + len;
    const size_t path_len = strcspn(path, "#");
    if (path_len + 2 > sizeof(out->path)) return false;
    snprintf(out->path, sizeof(out->path), "%s%.*s", path[0] == '/' ? "" : "/",
             (int)path_len, path);
    return split_host(out->host_and_port, out);
}

/* ---- a connection, with TLS or without ---- */

struct wire {
    int fd;
    gnutls_session_t tls; /* NULL: plain */
    gnutls_certificate_credentials_t trust;
};

static int dial(const struct http_address *a, char *why, size_t why_cap)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct timeval limit = {.tv_sec = SECONDS};
    struct addrinfo *found = NULL;
    const int wrong = getaddrinfo(a->host, a->port, &hints, &found);
    int fd = -1;
    if (wrong != 0) {
        snprintf(why, why_cap, "%s", gai_strerror(wrong));
        return -1;
    }
    for (const struct addrinfo *i = found; i != NULL && fd < 0;
         i = i->ai_next) {
        fd = socket(i->ai_family, i->ai_socktype | SOCK_CLOEXEC, 0);
        if (fd < 0) continue;
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        if (connect(fd, i->ai_addr, i->ai_addrlen) == 0) break;
        snprintf(why, why_cap, "%s", strerror(errno));
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

/* Certificates that are trusted: those of the file, or the system's. An empty
 * set is a failure as well: no server could be verified. */
static int load_trust(gnutls_certificate_credentials_t trust, const char *ca)
{
    const int n = ca != NULL ? gnutls_certificate_set_x509_trust_file(
                                   trust, ca, GNUTLS_X509_FMT_PEM)
                             : gnutls_certificate_set_x509_system_trust(trust);
    return n > 0 ? 0 : n < 0 ? n : GNUTLS_E_NO_CERTIFICATE_FOUND;
}

static void set_up_session(struct wire *w, const char *host)
{
    gnutls_set_default_priority(w->tls);
    gnutls_credentials_set(w->tls, GNUTLS_CRD_CERTIFICATE, w->trust);
    gnutls_server_name_set(w->tls, GNUTLS_NAME_DNS, host, strlen(host));
    gnutls_session_set_verify_cert(w->tls, host, 0);
    gnutls_handshake_set_timeout(w->tls, SECONDS * 1000);
    gnutls_transport_set_int(w->tls, w->fd);
}

static bool shake_hands(struct wire *w, const char *host, const char *ca,
                        char *why, size_t why_cap)
{
    int status = gnutls_certificate_allocate_credentials(&w->trust);
    if (status == 0) status = load_trust(w->trust, ca);
    if (status == 0) status = gnutls_init(&w->tls, GNUTLS_CLIENT);
    if (status == 0) {
        set_up_session(w, host);
        do
            status = gnutls_handshake(w->tls);
        while (status < 0 && !gnutls_error_is_fatal(status));
    }
    if (status < 0) snprintf(why, why_cap, "TLS: %s", gnutls_strerror(status));
    return status >= 0;
}

static void hang_up(struct wire *w)
{
    if (w->tls != NULL) gnutls_deinit(w->tls);
    if (w->trust != NULL) gnutls_certificate_free_credentials(w->trust);
    if (w->fd >= 0) close(w->fd);
}

static bool send_all(struct wire *w, const char *data, size_t len)
{
    while (len > 0) {
        const ssize_t n = w->tls != NULL ? gnutls_record_send(w->tls, data, len)
                                         : send(w->fd, data, len, MSG_NOSIGNAL);
        if (n <= 0) return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* "HTTP/1.1 204 ..." */
static int read_status(struct wire *w)
{
    char head[64] = "";
    size_t len = 0;
    int status = 0;
    while (len < 13) {
        const ssize_t n =
            w->tls != NULL
                ? gnutls_record_recv(w->tls, head + len, sizeof(head) - 1 - len)
                : recv(w->fd, head + len, sizeof(head) - 1 - len, 0);
        if (n <= 0) return 0;
        len += (size_t)n;
    }
    if (strncmp(head, "HTTP/1.", 7) != 0 ||
        sscanf(head + 8, " %3d", &status) != 1)
        return 0;
    return status;
}

int http_post(const struct http_address *a, const char *ca, const char *headers,
              og_bytes body, char *why, size_t why_cap)
{
    struct wire w = {.fd = dial(a, why, why_cap)};
    struct buffer b = {0};
    int status = 0;
    if (w.fd < 0) return 0;
    if (!a->is_tls || shake_hands(&w, a->host, ca, why, why_cap)) {
        buffer_text(&b, "POST ");
        buffer_text(&b, a->path);
        buffer_text(&b, " HTTP/1.1\r\nHost: ");
        buffer_text(&b, a->host_and_port);
        buffer_format(&b,
                      "\r\nUser-Agent: origo/%s\r\n"
                      "Content-Type: application/json\r\n"
                      "Content-Length: %zu\r\nConnection: close\r\n",
                      og_version(), body.len);
        buffer_text(&b, headers);
        buffer_text(&b, "\r\n");
        buffer_bytes(&b, body.data, body.len);
        if (!b.failed && send_all(&w, b.data, b.len)) status = read_status(&w);
        if (status == 0) snprintf(why, why_cap, "there was no answer");
    }
    buffer_release(&b);
    hang_up(&w);
    return status;
}
