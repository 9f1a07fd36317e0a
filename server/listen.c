/* The listening socket: one that systemd passes, a path, or an address. Clients
 * on other machines need a token. */

#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024, FIRST_HANDED = 3 };

static og_status fail(og_error *err, og_status status, const char *what,
                      const char *why)
{
    if (err == NULL) return status;
    *err = (og_error){.status = status};
    snprintf(err->message, sizeof(err->message),
             "cannot listen on '%.200s': %s", what, why);
    return status;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    }
    return address->sa_family == AF_UNIX;
}

/* Stores the actual address of the socket: port 0 has become a real one. */
static og_status describe(struct server *s, int fd, og_error *err)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    char host[64] = "", port[8] = "";
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        return fail(err, OG_ERR_IO, "a socket", strerror(errno));
    s->is_local = is_loopback((const struct sockaddr *)&address);
    if (address.ss_family == AF_UNIX) {
        const struct sockaddr_un *path = (const struct sockaddr_un *)&address;
        snprintf(s->address, sizeof(s->address), "unix:%s", path->sun_path);
        return OG_OK;
    }
    getnameinfo((const struct sockaddr *)&address, len, host, sizeof(host),
                port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
    const bool is_v6 = address.ss_family == AF_INET6;
    snprintf(s->host, sizeof(s->host), is_v6 ? "[%s]" : "%s", host);
    snprintf(s->address, sizeof(s->address), "%s://%s:%s",
             s->options->tls_cert != NULL ? "https" : "http", s->host, port);
    return OG_OK;
}

/* As sd_listen_fds(3) describes it. */
static int handed_over(void)
{
    const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
    if (pid == NULL || n == NULL || atol(pid) != (long)getpid() || atoi(n) < 1)
        return -1;
    fcntl(FIRST_HANDED, F_SETFD, FD_CLOEXEC);
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    return FIRST_HANDED;
}

static og_status listen_path(const char *path, int *out, og_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    if (strlen(path) >= sizeof(address.sun_path))
        return fail(err, OG_ERR_USAGE, path, "the path is too long");
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    /* Removes the socket of a server that has ended: nothing listens on it. */
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fail(err, OG_ERR_IO, path, strerror(errno));
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 &&
        errno == ECONNREFUSED)
        (void)unlink(path);
    if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        chmod(path, 0660) == 0 && listen(fd, BACKLOG) == 0) {
        *out = fd;
        return OG_OK;
    }
    const int why = errno;
    close(fd);
    return fail(err, OG_ERR_IO, path, strerror(why));
}

static int try_address(const struct addrinfo *a)
{
    const int on = 1;
    const int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* "127.0.0.1:7070", "[::1]:0", ":7070" for every address of the machine. */
static og_status listen_address(const char *text, int *out, og_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    char host[256];
    struct addrinfo *found = NULL;
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon[1] == 0 ||
        (size_t)(colon - text) >= sizeof(host))
        return fail(err, OG_ERR_USAGE, text, "expected HOST:PORT or unix:PATH");
    const bool has_brackets =
        text[0] == '[' && colon > text && colon[-1] == ']';
    snprintf(host, sizeof(host), "%.*s",
             (int)(colon - text) - (has_brackets ? 2 : 0),
             text + (has_brackets ? 1 : 0));
    const int wrong =
        getaddrinfo(host[0] != 0 ? host : NULL, colon + 1, &hints, &found);
    if (wrong != 0) return fail(err, OG_ERR_USAGE, text, gai_strerror(wrong));
    int fd = -1;
    for (const struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
        fd = try_address(a);
    const int why = errno;
    freeaddrinfo(found);
    if (fd < 0) return fail(err, OG_ERR_IO, text, strerror(why));
    *out = fd;
    return OG_OK;
}

static og_status open_any(const struct serve_options *o, int *out,
                          og_error *err)
{
    *out = handed_over();
    if (*out >= 0) return OG_OK;
    if (strncmp(o->listen, "unix:", 5) == 0)
        return listen_path(o->listen + 5, out, err);
    return listen_address(o->listen, out, err);
}

og_status listen_open(struct server *s, int *out_fd, og_error *err)
{
    og_status status = open_any(s->options, out_fd, err);
    if (status == OG_OK) status = describe(s, *out_fd, err);
    if (status != OG_OK) return status;
    if (s->is_local || s->options->tokens != NULL) return OG_OK;
    close(*out_fd);
    *out_fd = -1;
    return fail(
        err, OG_ERR_USAGE, s->options->listen,
        "other machines can reach this address, and there are no tokens");
}
