#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

/* The progress of a stream, its problems and its summary, on stderr while
 * answers go to stdout. */

#include "timings.h"

#include <origo/origo.h>
#include <stdbool.h>

struct progress {
    bool bar;     /* stderr is a terminal, and no other output scrolls there */
    bool verbose; /* report every problem */
    bool bar_is_shown;
    uint64_t n_problems;
    uint64_t total_bytes;     /* of all input files; 0: unknown */
    double start, last_shown; /* seconds of a monotonic clock */
    double step_start;        /* when the current kind of steps began */
    uint64_t n_shown;         /* documents of this pass when last shown */
    double pass_start;        /* when it began */
    struct timings timings;   /* of --timings */
};

/* Starts it, and returns an input of these files whose callbacks report
 * problems and progress. */
og_input progress_input(struct progress *p, const char *const *paths,
                        size_t n_paths, bool quiet, bool verbose);
void progress_start(struct progress *p, const char *const *paths,
                    size_t n_paths, bool quiet, bool verbose);
/* Results go to stdout: if that is the same terminal, nothing else is shown. */
void progress_prints(struct progress *p);
void progress_problem(struct progress *p, const og_problem *problem);
void progress_show(struct progress *p, const char *step,
                   const og_stream_counts *counts);

/* For work that is counted in steps; `what` names their kind, `total` 0:
 * unknown. A `done` of 0 begins another kind. */
void progress_step(struct progress *p, const char *what, uint64_t done,
                   uint64_t total);

/* Since the start. */
double progress_seconds(const struct progress *p);

/* Removes the bar and states how many problems were not shown. */
void progress_end(struct progress *p);

/* The line at the end. `store` may be NULL. */
void progress_summary(const struct progress *p, const og_stream_counts *counts,
                      const og_store *store);

#endif
