#ifndef OG_BASE_STOPPING_H
#define OG_BASE_STOPPING_H

/* Whether to continue, for steps that may take seconds inside one document:
 * they check now and then, and end with OG_ERR_STOPPED. Their caller sets the
 * function to call, for its own thread. Steps that write do not check: a
 * document is added whole or not at all. Indexes derived from it may lag
 * behind. */

#include "lib/base/status.h"

#include <stdbool.h>

/* NULL: never stops, as initially. */
void og_stop_set(bool (*should_stop)(void *ctx), void *ctx);

/* Checking is suspended between the two. */
struct og_stop_asked {
    bool (*should_stop)(void *ctx);
    void *ctx;
};
struct og_stop_asked og_stop_pause(void);
void og_stop_resume(struct og_stop_asked asked);

/* OG_OK, or OG_ERR_STOPPED. Costs a call; not for every token. */
og_status og_stop_check(og_error *err);

#endif
