#include "log.h"

#include "request.h"
#include "server.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Always with three digits of a second, so that lines align and sort. */
static void stamp(char out[40])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const size_t len = og_time_format((int64_t)now.tv_sec * 1000000, out);
    snprintf(out + len - 1, 40 - (len - 1), ".%03dZ",
             (int)(now.tv_nsec / 1000000));
}

/* One call for each line, so that lines of two threads stay apart. */
static void put(struct buffer *b)
{
    buffer_text(b, "\n");
    for (size_t done = 0; done < b->len && !b->failed;) {
        const ssize_t n = write(2, b->data + done, b->len - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    buffer_release(b);
}

/* A path is untrusted input: nothing in it may end the line. */
static void put_path(struct buffer *b, const char *path)
{
    for (size_t i = 0; path[i] != 0 && i < 200; i++) {
        const char c = path[i] > ' ' && path[i] < 127 ? path[i] : '?';
        buffer_bytes(b, &c, 1);
    }
}

void log_say(const struct log *log, const char *format, ...)
{
    char message[640], time[40];
    struct buffer b = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    stamp(time);
    if (log->is_json) {
        buffer_format(&b, "{\"time\":\"%s\",\"message\":", time);
        buffer_c_string(&b, message);
        buffer_text(&b, "}");
    } else {
        buffer_format(&b, "%s ", time);
        buffer_text(&b, message);
    }
    put(&b);
}

static const char *role_name(enum role role)
{
    static const char *const names[] = {"none", "read", "write", "admin"};
    return names[role];
}

void log_request(const struct log *log, const struct request *r,
                 double milliseconds)
{
    char time[40];
    struct buffer b = {0};
    const uint64_t len = r->n_early > 0           ? r->n_early
                         : r->reply.fixed != NULL ? r->reply.fixed_len
                                                  : r->reply.body.len;
    const unsigned tenths = (unsigned)(milliseconds * 10 + 0.5);
    if (log->is_quiet) return;
    stamp(time);
    if (log->is_json) {
        buffer_format(&b, "{\"time\":\"%s\",\"id\":\"%s\",\"method\":", time,
                      r->id);
        buffer_c_string(&b, r->method);
        buffer_text(&b, ",\"path\":");
        buffer_c_string(&b, r->uri);
        buffer_format(&b,
                      ",\"status\":%u,\"role\":\"%s\",\"in\":%llu,"
                      "\"out\":%llu,\"ms\":%u.%u}",
                      r->reply.status, role_name(r->role),
                      (unsigned long long)r->n_received,
                      (unsigned long long)len, tenths / 10, tenths % 10);
    } else {
        buffer_format(&b, "%s %s %s ", time, r->id, r->method);
        put_path(&b, r->uri);
        buffer_format(&b, " %u %u.%u ms", r->reply.status, tenths / 10,
                      tenths % 10);
    }
    put(&b);
}
