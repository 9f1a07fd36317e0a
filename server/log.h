#ifndef SERVER_LOG_H
#define SERVER_LOG_H

/* Log lines on stderr: one for each request, and other events; as text, or as
 * JSON for programs. */

#include <stdbool.h>

struct request;

struct log {
    bool is_json, is_quiet; /* quiet: no lines for requests */
};

void log_say(const struct log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_request(const struct log *log, const struct request *r,
                 double milliseconds);

#endif
