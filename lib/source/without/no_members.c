/* A library that was built without libarchive (-Darchive=disabled). */

#include "lib/source/members.h"

og_status og_members_open(struct og_unpack *unpack, og_bytes head,
                          const og_allocator *allocator,
                          struct og_members **out, og_error *err)
{
    (void)unpack, (void)head, (void)allocator;
    *out = NULL;
    return og_error_set(err, OG_ERR_INPUT,
                        "this build reads no archives (tar, zip, bzip2, xz)");
}

void og_members_free(struct og_members *members)
{
    (void)members;
}

og_status og_members_next(struct og_members *members, struct og_member *out,
                          og_error *err)
{
    (void)members, (void)out, (void)err;
    return OG_END;
}

og_status og_members_read(void *members, char *out, size_t cap, size_t *out_len,
                          og_error *err)
{
    (void)members, (void)out, (void)cap, (void)err;
    *out_len = 0;
    return OG_OK;
}
