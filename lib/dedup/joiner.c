/* Components of documents. The place of each document is stored on disk: it is
 * needed again only for removed documents and those they are copies of. */

#include "lib/dedup/joiner.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/os/new_file.h"
#include "lib/os/temp_file.h"

static bool is_joined(void *ctx, uint64_t number, uint64_t other)
{
    struct og_joiner *j = ctx;
    return og_forest_root(&j->forest, j->order_of[number]) ==
           og_forest_root(&j->forest, j->order_of[other]);
}

static og_status on_pair(void *ctx, uint64_t number,
                         const struct og_dedup_entry *of, double similarity,
                         og_error *err)
{
    (void)similarity, (void)err;
    struct og_joiner *j = ctx;
    og_forest_join(&j->forest, j->order_of[number], j->order_of[of->number]);
    return OG_OK;
}

og_status og_joiner_start(struct og_joiner *j, struct og_decider *decider,
                          const char *folder, og_error *err)
{
    *j = (struct og_joiner){.places_fd = -1, .folder = folder};
    og_forest_init(&j->forest, NULL);
    decider->ctx = j;
    decider->on_pair = on_pair;
    decider->is_joined = is_joined;
    j->places_fd = og_temp_file_open(folder, err);
    return j->places_fd < 0 ? OG_ERR_IO : OG_OK;
}

void og_joiner_release(struct og_joiner *j)
{
    if (j->places_fd >= 0) close(j->places_fd);
    og_forest_release(&j->forest);
    OG_UNGROW(NULL, j->order_of, j->order_cap);
    OG_UNGROW(NULL, j->number_of, j->number_cap);
    j->places_fd = -1;
}

og_status og_joiner_note(struct og_joiner *j, uint64_t number,
                         const struct og_dedup_place *place, og_error *err)
{
    const size_t old = j->order_cap;
    if (!OG_GROW(NULL, j->order_of, j->order_cap, (size_t)number + 1) ||
        !OG_GROW(NULL, j->number_of, j->number_cap, (size_t)j->n + 1))
        return og_error_memory(err, (size_t)number * 4, "components");
    memset(j->order_of + old, 0xff, (j->order_cap - old) * sizeof(uint32_t));
    if (j->order_of[number] != UINT32_MAX) return OG_OK;
    TRY(og_forest_reach(&j->forest, (size_t)j->n + 1, err));
    j->number_of[j->n] = (uint32_t)number;
    j->order_of[number] = j->n++;
    const off_t at = (off_t)(number * sizeof(*place));
    if (pwrite(j->places_fd, place, sizeof(*place), at) !=
        (ssize_t)sizeof(*place))
        return og_file_failure(err, "write a temporary file in", j->folder,
                               errno);
    return OG_OK;
}

static og_status read_entry(struct og_joiner *j, uint64_t number,
                            struct og_dedup_entry *out, og_error *err)
{
    const size_t len = sizeof(out->place);
    out->number = number;
    if (og_file_read_at(j->places_fd, &out->place, len, number * len) !=
        (int64_t)len)
        return og_file_failure(err, "read a temporary file in", j->folder,
                               errno);
    return OG_OK;
}

og_status og_joined_first(struct og_joiner *j, uint64_t number,
                          struct og_dedup_entry *out_self,
                          struct og_dedup_entry *out_first, og_error *err)
{
    const uint32_t root = og_forest_root(&j->forest, j->order_of[number]);
    out_first->number = j->number_of[root];
    if (out_first->number == number) return OG_OK;
    TRY(read_entry(j, number, out_self, err));
    return read_entry(j, out_first->number, out_first, err);
}
