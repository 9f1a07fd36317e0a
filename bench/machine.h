#ifndef OG_BENCH_MACHINE_H
#define OG_BENCH_MACHINE_H

/* What the machine can do: the limits that a benchmark prints beside its own
 * figures, measured in the same run. */

#include <stddef.h>
#include <stdint.h>

/* Seconds of a clock that only goes forward. */
double machine_seconds(void);

/* Seconds that a processor has worked for this thread. */
double machine_cpu_seconds(void);

/* Keeps this process, and what it starts, on the processor it runs on. */
void machine_pin(void);
/* Lets it run on all processors again. */
void machine_unpin(void);

/* One line, without a date: processor, number of processors, level, compiler
 * and its flags. */
void machine_print(const char *flags);

/* Bytes of memory that can be taken without swapping; 0 when the system does
 * not say. */
double machine_free_memory(void);

/* Bytes per second of sequential reading, and seconds per cache line of random
 * reading with many overlapping accesses, in huge pages where the system
 * provides them. Both over `len` bytes; 0 if there is no memory. */
struct machine_memory {
    double sequential;
    double random_line;
};
struct machine_memory machine_measure_memory(size_t len);

/* Seconds that GNU `wc -w` takes for a file that it has read before, fastest
 * of three; 0 when it cannot be run. */
double machine_measure_wc(const char *path, const char *locale);

#endif
