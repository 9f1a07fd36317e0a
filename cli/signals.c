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

int stop_status(void)
{
    if (stopped == 0) return EXIT_IO;
    say("stopped; what was taken in is kept");
    return 128 + stopped;
}
