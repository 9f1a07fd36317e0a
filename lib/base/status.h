#ifndef OG_BASE_STATUS_H
#define OG_BASE_STATUS_H

#include <origo/status.h>

/* Passes a failure on to the caller. */
#define TRY(expr)                                                              \
    do {                                                                       \
        const og_status try_status_ = (expr);                                  \
        if (try_status_ != OG_OK) return try_status_;                          \
    } while (0)

/* Writes the message to err (which may be NULL) and returns `status`, so that
 * `return og_error_set(err, OG_ERR_INPUT, "...")` reads as one statement. */
og_status og_error_set(og_error *err, og_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the position, after the message was written to err. Returns `status`. */
og_status og_error_place(og_error *err, og_status status, const char *file,
                         uint64_t line, uint64_t byte);

/* Copies the message, position and status of another error. */
og_status og_error_pass(og_error *err, const og_error *from);

/* "out of memory (4096 bytes for tokens)" */
og_status og_error_memory(og_error *err, size_t len, const char *what);

#endif
