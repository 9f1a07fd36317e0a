/* A build without librdkafka (-Dkafka=disabled). */

#include "following.h"

og_status source_kafka_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err)
{
    (void)f, (void)out;
    return follow_fail(err, OG_ERR_USAGE,
                       "this build has no support for Kafka: '%s'", name);
}
