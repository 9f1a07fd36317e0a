#ifndef OG_OS_SECRET_H
#define OG_OS_SECRET_H

/* A number unknown outside this process, for hashes that must resist crafted
 * input. It only determines places in tables and what is compared for equality:
 * no answer depends on it. */

#include <stdint.h>

/* The same throughout the run, never 0. Any thread. */
uint64_t og_secret(void);

/* A new one each time, never 0: for stored keys. */
uint64_t og_secret_draw(void);

#endif
