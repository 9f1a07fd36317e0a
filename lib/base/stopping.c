#include "lib/base/stopping.h"

static _Thread_local struct og_stop_asked asked;

void og_stop_set(bool (*should_stop)(void *ctx), void *ctx)
{
    asked = (struct og_stop_asked){should_stop, ctx};
}

struct og_stop_asked og_stop_pause(void)
{
    const struct og_stop_asked now = asked;
    og_stop_set(NULL, NULL);
    return now;
}

void og_stop_resume(struct og_stop_asked before)
{
    asked = before;
}

og_status og_stop_check(og_error *err)
{
    if (asked.should_stop == NULL || !asked.should_stop(asked.ctx))
        return OG_OK;
    return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
}
