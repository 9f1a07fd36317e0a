#ifndef OG_OS_PREFAULT_H
#define OG_OS_PREFAULT_H

/*   in:  pages that nobody has used yet
 *   out: the same, provided by the system, while others already use them
 *
 * The first touch of a page costs more than all that a table does with it
 * later: the system has to find and clear it. A thread of its own does that
 * ahead of the one that fills the table. The bytes are never read or written,
 * so nobody has to wait for it. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/os/pages.h"

struct og_prefault {
    pthread_t thread;
    const struct og_pages *pages;
    atomic_bool stop;
    bool is_running;
};

/* A wish: where the system cannot do it nothing happens. The pages must not be
 * released before og_prefault_stop(). */
void og_prefault_start(struct og_prefault *prefault,
                       const struct og_pages *pages);

/* Does nothing when it was not started (all zeros). */
void og_prefault_stop(struct og_prefault *prefault);

#endif
