#ifndef OG_STREAM_STAGE_TIMES_H
#define OG_STREAM_STAGE_TIMES_H

/* Where the time of a thread goes: the processor's seconds of each stage, and
 * the clock's while it waits. One for each thread, which alone writes to it. */

#include <stdbool.h>
#include <stdint.h>

#define OG_STAGES_MOST 16

struct og_stage_times {
    bool is_on;
    unsigned n;
    struct og_stage_time {
        const char *stage; /* a constant */
        double seconds;
        uint64_t n;
    } stages[OG_STAGES_MOST];
    double inner; /* seconds of stages inside the one at hand */
};

/* What a stage costs leaves out the stages inside it. */
struct og_stage_begin {
    double at, inner;
};
struct og_stage_begin og_stage_begin(struct og_stage_times *times);
void og_stage_end(struct og_stage_times *times, const char *stage,
                  struct og_stage_begin begin);

/* Of a wait: seconds of the clock. */
double og_wait_begin(const struct og_stage_times *times);
void og_wait_end(struct og_stage_times *times, double begin);

#endif
