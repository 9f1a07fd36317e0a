#ifndef OG_BASE_PERMITS_H
#define OG_BASE_PERMITS_H

/* Bytes that threads may use at a time, all together. A thread asks before it
 * uses many and waits until others have returned theirs. A thread that holds
 * some must not ask again: two of them would wait for each other. */

#include <pthread.h>
#include <stdint.h>

struct og_permits {
    pthread_mutex_t lock;
    pthread_cond_t is_less;
    uint64_t taken, most;
};

void og_permits_init(struct og_permits *permits, uint64_t most);
void og_permits_release(struct og_permits *permits);

/* Waits; one thread is always admitted. NULL: without waiting. */
void og_permits_take(struct og_permits *permits, uint64_t len);
void og_permits_return(struct og_permits *permits, uint64_t len);

#endif
