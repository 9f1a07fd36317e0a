#include "signals.h"

#include "say.h"

#include <signal.h>

static volatile int stopped; /* by this signal; 0: not */

static void on_signal(int number)
{
    stopped = number;
    signal(number, SIG_DFL);
}

const volatile int *stop_on_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, 0);
    sigaction(SIGTERM, &action, 0);
    return &stopped;
}

int stop_status(void)
{
    if (stopped == 0) return EXIT_IO;
    say("stopped; what was taken in is kept");
    return 128 + stopped;
}
