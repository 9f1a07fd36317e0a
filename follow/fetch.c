#include "fetch.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Seconds: of a connection, and of a whole feed. A server may answer a stream
 * of documents slowly, so only silence ends that. */
enum { CONNECT = 20, WHOLE = 120, SILENCE = 300, MOST_REDIRECTS = 5 };

/* ---- allowed hosts ---- */

static bool is_allowed(const char *host, const char *port,
                       const struct follow_names *hosts)
{
    char both[300];
    snprintf(both, sizeof(both), "%s:%s", host, port);
    for (size_t i = 0; i < hosts->n; i++)
        if (strcasecmp(hosts->items[i], host) == 0 ||
            strcasecmp(hosts->items[i], both) == 0)
            return true;
    return false;
}

static og_status check_parts(CURLU *parts, const char *url,
                             const struct follow_names *hosts, og_error *err)
{
    char *scheme = NULL, *host = NULL, *port = NULL, *user = NULL;
    og_status status = OG_OK;
    const bool is_address =
        curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) ==
            CURLUE_OK &&
        (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    if (!is_address)
        status =
            follow_fail(err, OG_ERR_USAGE, "'%.200s' is not an HTTP URL", url);
    else if (curl_url_get(parts, CURLUPART_USER, &user, 0) == CURLUE_OK)
        status = follow_fail(err, OG_ERR_USAGE, "'%.200s' contains a user name",
                             url);
    else if (hosts != NULL && !is_allowed(host, port, hosts))
        status =
            follow_fail(err, OG_ERR_USAGE,
                        "host '%.200s' of '%.200s' is not allowed", host, url);
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_free(user);
    return status;
}

og_status fetch_check(const char *url, const struct follow_names *hosts,
                      og_error *err)
{
    CURLU *const parts = curl_url();
    if (parts == NULL) return follow_fail(err, OG_ERR_MEMORY, "out of memory");
    const og_status status = check_parts(parts, url, hosts, err);
    curl_url_cleanup(parts);
    return status;
}

/* ---- responses ---- */

static size_t take_body(char *data, size_t size, size_t n, void *ctx)
{
    struct fetch_answer *const a = ctx;
    const size_t len = size * n;
    if (len > a->max_bytes - a->len) return 0;
    if (a->cap - a->len <= len) {
        const size_t cap = 2 * (a->len + len) + 1;
        char *const body = realloc(a->body, cap);
        if (body == NULL) return 0;
        a->body = body;
        a->cap = cap;
    }
    memcpy(a->body + a->len, data, len);
    a->len += len;
    a->body[a->len] = 0;
    return len;
}

static void take_value(const char *line, size_t len, const char *name,
                       char out[FETCH_TAG])
{
    const size_t n = strlen(name);
    if (len <= n || strncasecmp(line, name, n) != 0) return;
    line += n, len -= n;
    while (len > 0 && (*line == ' ' || *line == '\t'))
        line++, len--;
    while (len > 0 && (unsigned char)line[len - 1] <= ' ')
        len--;
    if (len >= FETCH_TAG || memchr(line, '\t', len) != NULL) return;
    memcpy(out, line, len);
    out[len] = 0;
}

static size_t take_header(char *line, size_t size, size_t n, void *ctx)
{
    struct fetch_answer *const a = ctx;
    const size_t len = size * n;
    char seconds[FETCH_TAG] = "";
    if (len > 5 && memcmp(line, "HTTP/", 5) == 0)
        a->etag[0] = a->last_modified[0] = 0;
    take_value(line, len, "etag:", a->etag);
    take_value(line, len, "last-modified:", a->last_modified);
    take_value(line, len, "retry-after:", seconds);
    if (seconds[0] >= '0' && seconds[0] <= '9')
        a->retry_after = (unsigned)strtoul(seconds, NULL, 10);
    return len;
}

static int look_for_stop(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c,
                         curl_off_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    return follow_should_stop(ctx);
}

void fetch_answer_release(struct fetch_answer *a)
{
    free(a->body);
    *a = (struct fetch_answer){0};
}

/* ---- queries ---- */

static bool add_line(struct curl_slist **lines, const char *name,
                     const char *value)
{
    char line[FETCH_TAG + 300];
    if (value == NULL || value[0] == 0) return true;
    snprintf(line, sizeof(line), "%s: %s", name, value);
    struct curl_slist *const more = curl_slist_append(*lines, line);
    if (more == NULL) return false;
    *lines = more;
    return true;
}

static bool make_lines(const struct fetch_request *r, bool is_post,
                       struct curl_slist **out)
{
    char bearer[FETCH_TAG + 8] = "";
    if (r->token != NULL)
        snprintf(bearer, sizeof(bearer), "Bearer %s", r->token);
    return add_line(out, "If-None-Match", r->etag) &&
           add_line(out, "If-Modified-Since", r->last_modified) &&
           add_line(out, "Authorization", bearer) &&
           (!is_post ||
            (add_line(out, "Content-Type", "application/x-ndjson") &&
             (*out = curl_slist_append(*out, "Expect:")) != NULL));
}

/* As in OpenSSL, and so in librdkafka: systems keep their certificates in
 * different places, and not every libcurl searches all of them. */
static void set_certificates(CURL *curl)
{
    const char *const path = getenv("SSL_CERT_FILE");
    if (path != NULL && *path != 0)
        curl_easy_setopt(curl, CURLOPT_CAINFO, path);
}

static void set_options(CURL *curl, const struct fetch_request *r,
                        struct fetch_answer *out, bool is_post)
{
    char agent[64]; /* which is copied */
    snprintf(agent, sizeof(agent), "origo/%s", og_version());
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    set_certificates(curl);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, agent);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, out);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_for_stop);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA,
                     (void *)(uintptr_t)r->following);
    if (r->unix_path != NULL)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, r->unix_path);
    if (is_post) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r->body.data);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)r->body.len);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE);
    } else {
        curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
        curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)WHOLE);
    }
}

static og_status status_of(CURLcode code, const struct fetch_request *r,
                           const struct fetch_answer *a, const char *story,
                           og_error *err)
{
    if (code == CURLE_OK) return OG_OK;
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return follow_fail(err, OG_ERR_STOPPED, "stopped");
    if (code == CURLE_WRITE_ERROR && a->len > 0)
        return follow_fail(err, OG_ERR_LIMIT,
                           "the answer is longer than %zu bytes", r->max_bytes);
    return follow_fail(err, OG_ERR_IO, "%.300s",
                       story[0] != 0 ? story : curl_easy_strerror(code));
}

/* One request, without redirects; *out_next is the target of a redirect, for
 * curl_free(), or NULL. */
static og_status ask_once(CURL *curl, const struct fetch_request *r,
                          const char *url, bool is_post,
                          struct fetch_answer *out, char **out_next,
                          og_error *err)
{
    char story[CURL_ERROR_SIZE] = "";
    struct curl_slist *lines = NULL;
    char *next = NULL;
    fetch_answer_release(out);
    out->max_bytes = r->max_bytes;
    curl_easy_reset(curl);
    set_options(curl, r, out, is_post);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, story);
    if (!make_lines(r, is_post, &lines)) {
        curl_slist_free_all(lines);
        return follow_fail(err, OG_ERR_MEMORY, "out of memory");
    }
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines);
    const CURLcode code = curl_easy_perform(curl);
    const og_status status = status_of(code, r, out, story, err);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &out->status);
    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &next);
    *out_next = status == OG_OK && next != NULL ? strdup(next) : NULL;
    curl_slist_free_all(lines);
    return status;
}

static void start_library(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static CURL *new_handle(og_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_library);
    CURL *const curl = curl_easy_init();
    if (curl == NULL) follow_fail(err, OG_ERR_MEMORY, "cannot start libcurl");
    return curl;
}

og_status fetch_get(const struct fetch_request *r, struct fetch_answer *out,
                    og_error *err)
{
    CURL *const curl = new_handle(err);
    char *url = strdup(r->url);
    og_status status = curl != NULL && url != NULL ? OG_OK : OG_ERR_MEMORY;
    for (int n = 0; status == OG_OK && url != NULL; n++) {
        char *next = NULL;
        status = n > MOST_REDIRECTS
                     ? follow_fail(err, OG_ERR_LIMIT, "too many redirects")
                     : fetch_check(url, r->hosts, err);
        if (status == OG_OK)
            status = ask_once(curl, r, url, false, out, &next, err);
        free(url);
        url = next;
    }
    free(url);
    if (curl != NULL) curl_easy_cleanup(curl);
    return status;
}

og_status fetch_post(const struct fetch_request *r, struct fetch_answer *out,
                     og_error *err)
{
    CURL *const curl = new_handle(err);
    char *next = NULL;
    if (curl == NULL) return OG_ERR_MEMORY;
    const og_status status = ask_once(curl, r, r->url, true, out, &next, err);
    free(next); /* documents go to the given server, or nowhere */
    curl_easy_cleanup(curl);
    return status;
}
