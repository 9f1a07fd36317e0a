#ifndef OG_BASE_STOPPING_H
#define OG_BASE_STOPPING_H

/* Whether to continue, for steps that may take seconds inside one document:
 * they ask now and then, and end with OG_ERR_STOPPED. Who runs them says whom
 * to ask, for its own thread. Steps that write do not ask: a document is added
 * whole or not at all. Indexes that are derived from it may stay behind. */

#include "lib/base/status.h"

#include <stdbool.h>

/* NULL: nobody is asked, which is so at the beginning. */
void og_stop_set(bool (*should_stop)(void *ctx), void *ctx);

/* Nobody is asked between the two. */
struct og_stop_asked {
    bool (*should_stop)(void *ctx);
    void *ctx;
};
struct og_stop_asked og_stop_pause(void);
void og_stop_resume(struct og_stop_asked asked);

/* OG_OK, or OG_ERR_STOPPED. Costs a call; not for every token. */
og_status og_stop_check(og_error *err);

#endif
