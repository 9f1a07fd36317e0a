#ifndef CLI_SAY_H
#define CLI_SAY_H

/* Messages on stderr, and exit statuses. Results go to stdout and never through
 * these functions. */

#include <origo/origo.h>
#include <stdbool.h>
#include <stdio.h>

enum exit_status { /* a documented contract */
                   EXIT_DONE = 0,
                   EXIT_FOUND = 1, /* with --exit-code only */
                   EXIT_USAGE = 2,
                   EXIT_IO = 3,
                   EXIT_STORE = 4,    /* it is damaged */
                   EXIT_NO_STORE = 5, /* there is none */
                   EXIT_BUSY = 6,     /* another process writes to it */
};

/* "origo: ..." and a newline. Control characters become '?', because file names
 * are untrusted. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The two lines of wrong usage: the error, and where to find help. `command`
 * may be NULL. Returns EXIT_USAGE. */
int say_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports the error and returns its exit status. */
int say_error(const char *command, const og_error *err);

/* Remembers why a write to stdout failed, for finish_stdout() to report. */
void stdout_failed(int failed_errno);

/* Closes stdout and checks that all of it was written. Returns `status`, or
 * EXIT_IO after a message on stderr. If the reader closed the pipe there is no
 * message, and the program ends here, as by SIGPIPE. */
int finish_stdout(int status);

/* ---- suggestions ---- */

struct suggestion {
    const char *typed;
    const char *name; /* the nearest so far, NULL if none is near */
    size_t distance;
};
struct suggestion suggest_start(const char *typed);
void suggest_try(struct suggestion *best, const char *name);

#endif
