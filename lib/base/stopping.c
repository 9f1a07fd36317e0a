#include "lib/base/stopping.h"

static _Thread_local bool (*asked)(void *ctx);
static _Thread_local void *asked_ctx;

void og_stop_set(bool (*should_stop)(void *ctx), void *ctx)
{
    asked = should_stop;
    asked_ctx = ctx;
}

og_status og_stop_check(og_error *err)
{
    if (asked == NULL || !asked(asked_ctx)) return OG_OK;
    return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
}
