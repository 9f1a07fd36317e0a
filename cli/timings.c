#include "timings.h"

#include "say.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double process_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void timings_start(struct timings *t)
{
    memset(t, 0, sizeof(*t));
    t->start = process_seconds();
}

static struct timings_stage *stage_of(struct timings *t, const char *name)
{
    unsigned i = 0;
    while (i < t->n && strcmp(t->stages[i].name, name) != 0)
        i++;
    if (i == TIMINGS_STAGES) return &t->stages[i - 1];
    if (i == t->n)
        snprintf(t->stages[t->n++].name, sizeof(t->stages[i].name), "%s", name);
    return &t->stages[i];
}

void timings_add(struct timings *t, const og_timing *timing)
{
    if (strcmp(timing->stage, "wait") == 0) {
        t->wait += timing->seconds;
        return;
    }
    struct timings_stage *stage = stage_of(t, timing->stage);
    stage->seconds += timing->seconds;
    if (timing->seconds > stage->busiest) stage->busiest = timing->seconds;
    stage->n_threads++;
    stage->n += timing->n;
    if (timing->thread < TIMINGS_THREADS)
        t->threads[timing->thread] += timing->seconds;
}

static double share_of(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

void timings_print(const struct timings *t, const og_stream_counts *counts)
{
    const double all = process_seconds() - t->start;
    double busiest = 0;
    double sum = 0;
    for (unsigned i = 0; i < TIMINGS_THREADS; i++)
        if (t->threads[i] > busiest) busiest = t->threads[i];
    say("%-10s %10s %7s %10s %8s %10s", "stage", "CPU s", "share", "busiest s",
        "threads", "times");
    for (unsigned i = 0; i < t->n; i++) {
        const struct timings_stage *s = &t->stages[i];
        say("%-10s %10.3f %6.1f%% %10.3f %8u %10llu", s->name, s->seconds,
            share_of(s->seconds, all), s->busiest, s->n_threads, s->n);
        sum += s->seconds;
    }
    const double other = all > sum ? all - sum : 0;
    say("%-10s %10.3f %6.1f%%", "other", other, share_of(other, all));
    say("%-10s %10.3f %6.1f%% %10.3f", "all", all, 100.0, busiest);
    say("busiest thread %.1f%%, waiting %.3f s, %llu bytes of text",
        share_of(busiest, all), t->wait,
        (unsigned long long)counts->n_text_bytes);
}
