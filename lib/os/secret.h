#ifndef OG_OS_SECRET_H
#define OG_OS_SECRET_H

/* A number that nobody outside of this process knows, for hashes that crafted
 * input must not meet. It decides nothing but places in tables and what is
 * compared for equality: no answer depends on it. */

#include <stdint.h>

/* The same for the whole run, never 0. Any thread. */
uint64_t og_secret(void);

/* A new one each time, never 0: for what is stored. */
uint64_t og_secret_draw(void);

#endif
