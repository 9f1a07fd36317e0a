/* Tokens are compared by their SHA-256, always all of them and in constant
 * time: the response time reveals nothing about a token.
 *
 * Without tokens the server is for programs on this machine. A browser is one
 * of them, and runs scripts of foreign sites: so a request must name this
 * server as its host (a foreign name that resolves to it does not), and if it
 * comes from a page, the page must be the server's own or have an allowed
 * origin. */

#include "auth.h"

#include "problem.h"
#include "server.h"

#include <errno.h>
#include <fnmatch.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DIGEST = 32, LEAST_TOKEN = 16, MOST_TOKEN = 512 };

struct auth_token {
    unsigned char digest[DIGEST];
    enum role role;
};

/* ---- the file ---- */

static bool parse_role(const char *name, enum role *out)
{
    static const char *const names[] = {"", "read", "write", "admin"};
    for (int i = ROLE_READ; i <= ROLE_ADMIN; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (enum role)i;
        return true;
    }
    return false;
}

static og_status fail(og_error *err, og_status status, const char *path,
                      unsigned line, const char *why)
{
    if (err == NULL) return status;
    *err = (og_error){.status = status, .line = line};
    snprintf(err->message, sizeof(err->message),
             line != 0 ? "tokens '%s', line %u: %s" : "tokens '%s'%.0u: %s",
             path, line, why);
    return status;
}

static const char *read_line(char *line, struct auth_token *out)
{
    char *save = NULL;
    const char *token = strtok_r(line, " \t\r\n", &save);
    const char *role = strtok_r(NULL, " \t\r\n", &save);
    if (role == NULL || strtok_r(NULL, " \t\r\n", &save) != NULL)
        return "expected TOKEN ROLE";
    const size_t len = strlen(token);
    if (len < LEAST_TOKEN) return "a token needs at least 16 characters";
    if (len > MOST_TOKEN) return "a token has at most 512 characters";
    if (!parse_role(role, &out->role))
        return "the role must be read, write or admin";
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, len, out->digest) != 0)
        return "cannot hash the token";
    return NULL;
}

static og_status read_file(const char *path, FILE *file,
                           struct auth_token **out, size_t *out_n,
                           og_error *err)
{
    char line[MOST_TOKEN + 64];
    for (unsigned number = 1; fgets(line, sizeof(line), file) != NULL;
         number++) {
        const size_t blank = strspn(line, " \t\r\n");
        if (line[blank] == 0 || line[blank] == '#') continue;
        struct auth_token *tokens = realloc(*out, (*out_n + 1) * sizeof(**out));
        if (tokens == NULL)
            return fail(err, OG_ERR_MEMORY, path, 0, "out of memory");
        *out = tokens;
        const char *wrong = read_line(line, &tokens[*out_n]);
        if (wrong != NULL) return fail(err, OG_ERR_INPUT, path, number, wrong);
        ++*out_n;
    }
    if (ferror(file)) return fail(err, OG_ERR_IO, path, 0, strerror(errno));
    if (*out_n == 0)
        return fail(err, OG_ERR_INPUT, path, 0, "the file has no token");
    return OG_OK;
}

static og_status load(const char *path, struct auth_token **out, size_t *out_n,
                      og_error *err)
{
    FILE *file = fopen(path, "re");
    *out = NULL;
    *out_n = 0;
    if (file == NULL) return fail(err, OG_ERR_IO, path, 0, strerror(errno));
    const og_status status = read_file(path, file, out, out_n, err);
    fclose(file);
    if (status == OG_OK) return OG_OK;
    free(*out);
    *out = NULL;
    *out_n = 0;
    return status;
}

og_status auth_open(struct auth *a, const char *path, og_error *err)
{
    *a = (struct auth){.path = path};
    pthread_rwlock_init(&a->lock, NULL);
    return path != NULL ? load(path, &a->tokens, &a->n_tokens, err) : OG_OK;
}

og_status auth_reload(struct auth *a, og_error *err)
{
    struct auth_token *tokens;
    size_t n;
    if (a->path == NULL) return OG_OK;
    const og_status status = load(a->path, &tokens, &n, err);
    if (status != OG_OK) return status;
    pthread_rwlock_wrlock(&a->lock);
    free(a->tokens);
    a->tokens = tokens;
    a->n_tokens = n;
    pthread_rwlock_unlock(&a->lock);
    return OG_OK;
}

void auth_close(struct auth *a)
{
    free(a->tokens);
    pthread_rwlock_destroy(&a->lock);
}

/* ---- a request ---- */

enum role auth_role(struct auth *a, const char *authorization)
{
    unsigned char digest[DIGEST];
    enum role role = ROLE_NONE;
    if (a->path == NULL) return ROLE_ADMIN;
    if (authorization == NULL || strncasecmp(authorization, "Bearer ", 7) != 0)
        return ROLE_NONE;
    const char *token = authorization + 7;
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, strlen(token), digest) != 0)
        return ROLE_NONE;
    pthread_rwlock_rdlock(&a->lock);
    for (size_t i = 0; i < a->n_tokens; i++)
        if (gnutls_memcmp(digest, a->tokens[i].digest, DIGEST) == 0)
            role = a->tokens[i].role;
    pthread_rwlock_unlock(&a->lock);
    return role;
}

/* Without the port. */
static size_t host_len(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : NULL;
    return end != NULL ? (size_t)(end - host) + 1 : strcspn(host, ":");
}

static bool is_host(const char *host, size_t len, const char *name)
{
    return strlen(name) == len && strncasecmp(host, name, len) == 0;
}

/* Whether the host of the request names this server. */
static bool is_own_host(const struct server *s, const char *host)
{
    const size_t len = host_len(host);
    if (is_host(host, len, "localhost") || is_host(host, len, "127.0.0.1") ||
        is_host(host, len, "[::1]") || is_host(host, len, s->host))
        return true;
    for (size_t i = 0; i < s->options->hosts.n; i++)
        if (is_host(host, len, s->options->hosts.items[i])) return true;
    return false;
}

static bool is_same_origin(const char *origin, const char *host)
{
    const char *slashes = strstr(origin, "://");
    return slashes != NULL && host != NULL &&
           strcasecmp(slashes + 3, host) == 0;
}

static bool is_allowed_origin(const struct server *s, const char *origin)
{
    for (size_t i = 0; i < s->options->origins.n; i++)
        if (fnmatch(s->options->origins.items[i], origin, 0) == 0) return true;
    return false;
}

static bool check_sender(struct request *r)
{
    const struct server *s = r->server;
    const char *host = request_header(r, "Host");
    const char *origin = request_header(r, "Origin");
    if (s->host[0] != 0 && (host == NULL || !is_own_host(s, host)))
        return problem(r, 421, "this server is not known by that host name");
    if (origin == NULL || is_same_origin(origin, host) ||
        is_allowed_origin(s, origin))
        return true;
    return problem(r, 403, "requests from that origin are not allowed");
}

bool auth_check(struct request *r)
{
    struct auth *a = &r->server->auth;
    const char *given = request_header(r, "Authorization");
    r->role = auth_role(a, given);
    /* With tokens, the token decides, whatever the host and the origin. */
    if (a->path == NULL && !check_sender(r)) return false;
    if (r->route->role <= r->role) return true;
    if (r->role == ROLE_NONE)
        return problem(r, 401,
                       given == NULL ? "a bearer token is needed"
                                     : "the token is not known");
    return problem(r, 403, "the token does not allow this");
}
