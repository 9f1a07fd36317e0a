/* A build without libcurl (-Dhttp=disabled). */

#include "fetch.h"

static og_status refuse(og_error *err)
{
    return follow_fail(err, OG_ERR_USAGE, "this build has no support for HTTP");
}

og_status fetch_check(const char *url, const struct follow_names *hosts,
                      og_error *err)
{
    (void)url, (void)hosts;
    return refuse(err);
}

og_status fetch_get(const struct fetch_request *request,
                    struct fetch_answer *out, og_error *err)
{
    (void)request, (void)out;
    return refuse(err);
}

og_status fetch_post(const struct fetch_request *request,
                     struct fetch_answer *out, og_error *err)
{
    (void)request, (void)out;
    return refuse(err);
}

void fetch_answer_release(struct fetch_answer *answer)
{
    (void)answer;
}
