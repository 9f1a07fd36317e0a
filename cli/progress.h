#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

/* How far a stream is, what was wrong with it, and what it came to: the talk
 * on stderr while answers go to stdout. */

#include "timings.h"

#include <origo/origo.h>
#include <stdbool.h>

struct progress {
    bool bar;     /* stderr is a terminal, and nothing else scrolls there */
    bool verbose; /* report every problem */
    bool bar_is_shown;
    uint64_t n_problems;
    uint64_t total_bytes;     /* of all input files; 0: not known */
    double start, last_shown; /* seconds of a clock that only rises */
    double step_start;        /* when this kind of steps began */
    uint64_t n_shown;         /* documents that this pass had when it showed */
    double pass_start;        /* when it began */
    struct timings timings;   /* of --timings */
};

/* Starts it, and gives an input of these files whose callbacks report
 * problems and progress. */
og_input progress_input(struct progress *p, const char *const *paths,
                        size_t n_paths, bool quiet, bool verbose);
void progress_start(struct progress *p, const char *const *paths,
                    size_t n_paths, bool quiet, bool verbose);
/* Results go to stdout: where that is the terminal as well, they are all that
 * is shown. */
void progress_prints(struct progress *p);
void progress_problem(struct progress *p, const og_problem *problem);
void progress_show(struct progress *p, const char *step,
                   const og_stream_counts *counts);

/* Of work that is counted in steps; `what` names their kind, `total` 0: their
 * number is not known. A `done` of 0 begins another kind. */
void progress_step(struct progress *p, const char *what, uint64_t done,
                   uint64_t total);

/* Since it was started. */
double progress_seconds(const struct progress *p);

/* Takes the bar away and reports how many problems were not reported. */
void progress_end(struct progress *p);

/* The line at the end. `store` may be NULL. */
void progress_summary(const struct progress *p, const og_stream_counts *counts,
                      const og_store *store);

#endif
