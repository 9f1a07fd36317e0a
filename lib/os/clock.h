#ifndef OG_OS_CLOCK_H
#define OG_OS_CLOCK_H

#include <pthread.h>
#include <stdint.h>

/* Seconds since some fixed moment, never running backwards. */
double og_clock_seconds(void);

/* Seconds that the processor has worked for this thread. */
double og_clock_thread(void);
/* For another thread, which was not joined yet. */
double og_clock_of_thread(pthread_t thread);

/* The wall clock: microseconds since 1970-01-01T00:00:00Z. */
int64_t og_clock_now(void);

#endif
