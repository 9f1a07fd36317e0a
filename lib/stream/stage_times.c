#include "lib/stream/stage_times.h"

#include <string.h>

#include "lib/os/clock.h"

#define WAIT "wait"

static void add_seconds(struct og_stage_times *times, const char *stage,
                        double seconds)
{
    unsigned i = 0;
    while (i < times->n && strcmp(times->stages[i].stage, stage) != 0)
        i++;
    if (i == OG_STAGES_MOST) i--;
    if (i == times->n) times->stages[times->n++].stage = stage;
    times->stages[i].seconds += seconds;
    times->stages[i].n++;
}

struct og_stage_begin og_stage_begin(struct og_stage_times *times)
{
    if (!times->is_on) return (struct og_stage_begin){0, 0};
    const struct og_stage_begin begin = {og_clock_thread(), times->inner};
    times->inner = 0;
    return begin;
}

void og_stage_end(struct og_stage_times *times, const char *stage,
                  struct og_stage_begin begin)
{
    if (!times->is_on) return;
    const double seconds = og_clock_thread() - begin.at;
    add_seconds(times, stage, seconds - times->inner);
    times->inner = begin.inner + seconds;
}

void og_stage_rest(struct og_stage_times *times, const char *stage)
{
    if (!times->is_on) return;
    double rest = og_clock_thread();
    for (unsigned i = 0; i < times->n; i++)
        if (strcmp(times->stages[i].stage, WAIT) != 0)
            rest -= times->stages[i].seconds;
    add_seconds(times, stage, rest > 0 ? rest : 0);
}

double og_wait_begin(const struct og_stage_times *times)
{
    return times->is_on ? og_clock_seconds() : 0;
}

void og_wait_end(struct og_stage_times *times, double begin)
{
    if (times->is_on) add_seconds(times, WAIT, og_clock_seconds() - begin);
}
