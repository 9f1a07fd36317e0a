#ifndef OG_STREAM_STAGE_TIMES_H
#define OG_STREAM_STAGE_TIMES_H

/* The times of a thread: CPU seconds of each stage, and wall-clock seconds
 * while it waits. One per thread, written by that thread only. */

#include <stdbool.h>
#include <stdint.h>

#define OG_STAGES_MOST 24

struct og_stage_times {
    bool is_on;
    unsigned n;
    struct og_stage_time {
        const char *stage; /* a constant */
        double seconds;
        uint64_t n;
    } stages[OG_STAGES_MOST];
    double inner; /* seconds of stages nested in the current one */
};

/* The cost of a stage excludes the stages nested in it. */
struct og_stage_begin {
    double at, inner;
};
struct og_stage_begin og_stage_begin(struct og_stage_times *times);
void og_stage_end(struct og_stage_times *times, const char *stage,
                  struct og_stage_begin begin);

/* For a thread that ends: the time it used outside its stages. */
void og_stage_rest(struct og_stage_times *times, const char *stage);

/* For a wait: wall-clock seconds. */
double og_wait_begin(const struct og_stage_times *times);
void og_wait_end(struct og_stage_times *times, double begin);

#endif
