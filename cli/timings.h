#ifndef CLI_TIMINGS_H
#define CLI_TIMINGS_H

/* --timings: where the time of a stream went, as a table on stderr. */

#include <origo/origo.h>

enum { TIMINGS_STAGES = 24, TIMINGS_THREADS = 258 };

struct timings {
    unsigned n;
    struct timings_stage {
        char name[24];
        double seconds, busiest; /* over all threads; of the busiest one */
        unsigned n_threads;
        unsigned long long n;
    } stages[TIMINGS_STAGES];
    double wait;                     /* wall-clock seconds, over all threads */
    double threads[TIMINGS_THREADS]; /* CPU seconds of each */
    double start;                    /* of the process, at the start */
};

/* Begins. */
void timings_start(struct timings *t);
/* og_input.on_timing. */
void timings_add(struct timings *t, const og_timing *timing);
/* The table. What the process did outside the threads of the stream is the last
 * stage: opening, syncing, writing. */
void timings_print(const struct timings *t, const og_stream_counts *counts);

#endif
