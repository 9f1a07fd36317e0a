#ifndef SERVER_PROBLEM_H
#define SERVER_PROBLEM_H

/* Errors as application/problem+json (RFC 9457). */

#include "request.h"

/* Replaces the reply. Returns false, so that a step may `return
 * problem(...)`. */
bool problem(struct request *r, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with the HTTP status that corresponds to an error of the
 * library. */
bool problem_of(struct request *r, const og_error *err);
/* The document alone; `id` is that of the request. */
void problem_write(struct buffer *b, unsigned status, const char *detail,
                   const char *id);
const char *problem_title(unsigned status);

#endif
