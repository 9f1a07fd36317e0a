#include "reply.h"

#include "problem.h"
#include "server.h"

#include <fnmatch.h>
#include <stdio.h>
#include <time.h>

static void add_header(struct MHD_Response *response, const char *name,
                       const char *value)
{
    if (value != NULL) MHD_add_response_header(response, name, value);
}

static void allow_origin(const struct request *r, struct MHD_Response *response)
{
    const struct serve_list *origins = &r->server->options->origins;
    const char *origin = origins->n > 0 ? request_header(r, "Origin") : NULL;
    for (size_t i = 0; origin != NULL && i < origins->n; i++) {
        if (fnmatch(origins->items[i], origin, 0) != 0) continue;
        add_header(response, "Access-Control-Allow-Origin", origin);
        add_header(response, "Vary", "Origin");
        add_header(response, "Access-Control-Allow-Headers",
                   "Authorization, Content-Type, Content-Encoding");
        add_header(response, "Access-Control-Allow-Methods",
                   "GET, POST, DELETE");
        return;
    }
}

void reply_add_headers(const struct request *r, struct MHD_Response *response)
{
    const struct reply *reply = &r->reply;
    char seconds[16];
    if (reply->status != 204) add_header(response, "Content-Type", reply->type);
    add_header(response, "X-Request-Id", r->id);
    add_header(response, "Cache-Control", "no-store");
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "Content-Security-Policy",
               reply->csp != NULL
                   ? reply->csp
                   : "default-src 'none'; frame-ancestors 'none'");
    add_header(response, "Allow", reply->allow);
    if (reply->status == 401)
        add_header(response, "WWW-Authenticate", "Bearer realm=\"origo\"");
    if (reply->retry_after != 0) {
        snprintf(seconds, sizeof(seconds), "%u", reply->retry_after);
        add_header(response, "Retry-After", seconds);
    }
    if (atomic_load(&r->server->is_draining))
        add_header(response, "Connection", "close");
    allow_origin(r, response);
}

struct MHD_Response *reply_make_response(struct request *r)
{
    struct reply *reply = &r->reply;
    if (reply->stream != NULL) return reply->stream;
    if (reply->fixed != NULL)
        return MHD_create_response_from_buffer(
            reply->fixed_len, (void *)reply->fixed, MHD_RESPMEM_PERSISTENT);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        reply->body.len, reply->body.data, MHD_RESPMEM_MUST_FREE);
    if (response != NULL) reply->body.data = NULL;
    return response;
}

/* ---- without the library ---- */

/* "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale. */
static void write_date(struct buffer *b)
{
    static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed",
                                    "Thu", "Fri", "Sat"};
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr",
                                       "May", "Jun", "Jul", "Aug",
                                       "Sep", "Oct", "Nov", "Dec"};
    const time_t now = time(NULL);
    struct tm t;
    if (gmtime_r(&now, &t) == NULL) return;
    buffer_format(b, "Date: %s, %02d %s %d %02d:%02d:%02d GMT\r\n",
                  days[t.tm_wday], t.tm_mday, months[t.tm_mon],
                  t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

static enum MHD_Result write_header(void *ctx, enum MHD_ValueKind kind,
                                    const char *name, const char *value)
{
    struct buffer *b = ctx;
    (void)kind;
    buffer_text(b, name);
    buffer_text(b, ": ");
    buffer_text(b, value);
    buffer_text(b, "\r\n");
    return MHD_YES;
}

void reply_write_head(const struct request *r, struct buffer *out)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        out->failed = true;
        return;
    }
    buffer_text(out, "HTTP/1.1 200 OK\r\n");
    write_date(out);
    reply_add_headers(r, response);
    add_header(response, "Connection", "close");
    add_header(response, "Transfer-Encoding", "chunked");
    MHD_get_response_headers(response, write_header, out);
    MHD_destroy_response(response);
    buffer_text(out, "\r\n");
}
