#include "signals.h"

#include "say.h"

#include <signal.h>
#include <stdatomic.h>

#if ATOMIC_INT_LOCK_FREE != 2
#error "a signal handler needs an atomic int without a lock"
#endif

static atomic_int stopped; /* by this signal; 0: not */

static void on_signal(int number)
{
    stopped = number;
    signal(number, SIG_DFL);
}

static bool should_stop(void *ctx)
{
    (void)ctx;
    return stopped != 0;
}

void stop_on_signals(og_input *input)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, 0);
    sigaction(SIGTERM, &action, 0);
    input->should_stop = should_stop;
}

int stop_status(const char *story)
{
    if (stopped == 0) return EXIT_IO;
    say("stopped%s%s", story[0] != 0 ? "; " : "", story);
    return 128 + stopped;
}

int stop_status_added(const og_stream_counts *counts)
{
    char story[160];
    const unsigned long long n = counts->n_added + counts->n_repeated_ids;
    snprintf(story, sizeof(story),
             "the store keeps %llu new %s; the same command resumes from there",
             n, n == 1 ? "document" : "documents");
    return stop_status(story);
}

/* ---- pipes ---- */

static atomic_int broken;

static void on_pipe(int number)
{
    (void)number;
    broken = 1;
}

void watch_pipes(void)
{
    struct sigaction before;
    struct sigaction action = {.sa_handler = on_pipe, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &action, NULL);
}

bool pipe_is_broken(void)
{
    return broken != 0;
}

void end_of_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}
