/* Messages on stderr, exit statuses, suggestions; see say.h. */

#include "say.h"

#include "print_string.h"
#include "signals.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say_line(const char *format, va_list args)
{
    char line[1024];
    vsnprintf(line, sizeof(line), format, args);
    unsigned code;
    for (size_t i = 0, len = strlen(line); i < len; i++)
        for (size_t n = control_at(line + i, len - i, &code); n > 0; n--)
            line[i + n - 1] = '?';
    fprintf(stderr, "origo: %s\n", line);
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_line(format, args);
    va_end(args);
}

int say_usage(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_line(format, args);
    va_end(args);
    if (command == NULL)
        fprintf(stderr, "'origo -h' shows the usage\n");
    else
        fprintf(stderr, "'origo %s -h' shows the usage\n", command);
    return EXIT_USAGE;
}

/* A query is often the first command that a user types. */
static int say_no_store(const char *command)
{
    static const char *const questions[] = {"trace", "near", "quote"};
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
        if (command != NULL && strcmp(command, questions[i]) == 0)
            fprintf(stderr, "'origo add' creates one; '-s :memory:' compares "
                            "the files with one another\n");
    return EXIT_NO_STORE;
}

int say_error(const char *command, const og_error *err)
{
    if (err->status == OG_ERR_USAGE)
        return say_usage(command, "%s", err->message);
    if (err->status == OG_ERR_IO && pipe_is_broken()) return EXIT_IO;
    say("%s", err->message);
    switch (err->status) {
    case OG_ERR_STORE: return EXIT_STORE;
    case OG_ERR_NO_STORE: return say_no_store(command);
    case OG_ERR_BUSY: return EXIT_BUSY;
    default: return EXIT_IO;
    }
}

static int report_write_error(int failed_errno)
{
    char reason[128];
    snprintf(reason, sizeof(reason), "%s", strerror(failed_errno));
    reason[0] = (char)tolower((unsigned char)reason[0]);
    if (failed_errno != EPIPE)
        say("cannot write to standard output: %s", reason);
    return EXIT_IO;
}

static int first_errno; /* of stdout; 0: no error so far */

void stdout_failed(int failed_errno)
{
    if (first_errno == 0) first_errno = failed_errno != 0 ? failed_errno : EIO;
}

static int finish(int status)
{
    if (first_errno != 0) return report_write_error(first_errno);
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    if (fclose(stdout) == 0 && !failed) return status;
    return report_write_error(errno != 0 ? errno : EIO);
}

int finish_stdout(int status)
{
    status = finish(status);
    if (pipe_is_broken()) end_of_pipe();
    return status;
}

/* ---- suggestions ----------------------------------------------------------
 * The distance counts letters put in, left out, changed or swapped with their
 * neighbour: the slips of typing. Names are short, so the plain table of
 * dynamic programming will do. */

#define LONGEST 40

static size_t min3(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static size_t typing_distance(const char *a, const char *b)
{
    static size_t d[LONGEST + 1][LONGEST + 1];
    const size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (size_t i = 0; i <= n; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            const size_t change = a[i - 1] != b[j - 1];
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
                           d[i - 1][j - 1] + change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    }
    return d[n][m];
}

struct suggestion suggest_start(const char *typed)
{
    /* One wrong letter in three, and at least one: anything farther is another
     * word. */
    const size_t slips = strlen(typed) / 3;
    return (struct suggestion){typed, NULL, (slips > 0 ? slips : 1) + 1};
}

void suggest_try(struct suggestion *best, const char *name)
{
    const size_t distance = typing_distance(best->typed, name);
    if (distance >= best->distance || distance >= strlen(name)) return;
    best->distance = distance;
    best->name = name;
}
