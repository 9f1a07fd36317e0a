#include "problem.h"

#include <stdarg.h>
#include <stdio.h>

const char *problem_title(unsigned status)
{
    switch (status) {
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Error";
    }
}

void problem_write(struct buffer *b, unsigned status, const char *detail,
                   const char *id)
{
    buffer_text(b, "{\"type\":\"about:blank\",\"title\":");
    buffer_c_string(b, problem_title(status));
    buffer_format(b, ",\"status\":%u,\"detail\":", status);
    buffer_c_string(b, detail);
    buffer_text(b, ",\"instance\":");
    buffer_c_string(b, id);
    buffer_text(b, "}\n");
}

bool problem(struct request *r, unsigned status, const char *format, ...)
{
    char detail[640];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof(detail), format, args);
    va_end(args);
    struct buffer *b = &r->reply.body;
    b->len = 0;
    b->failed = false;
    r->reply.status = status;
    r->reply.type = "application/problem+json";
    r->reply.fixed = NULL;
    if (status == 429 || status == 503) r->reply.retry_after = 1;
    problem_write(b, status, detail, r->id);
    return false;
}

bool problem_of(struct request *r, const og_error *err)
{
    switch (err->status) {
    case OG_ERR_INPUT: return problem(r, 400, "%s", err->message);
    case OG_ERR_LIMIT: return problem(r, 413, "%s", err->message);
    case OG_ERR_USAGE: return problem(r, 409, "%s", err->message);
    case OG_ERR_MEMORY:
    case OG_ERR_BUSY: return problem(r, 503, "%s", err->message);
    default: return problem(r, 500, "%s", err->message);
    }
}
