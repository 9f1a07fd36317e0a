/* A build without hiredis (-Dredis=disabled). */

#include "following.h"

og_status source_redis_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err)
{
    (void)f, (void)out;
    return follow_fail(err, OG_ERR_USAGE,
                       "this build has no support for Redis: '%s'", name);
}
