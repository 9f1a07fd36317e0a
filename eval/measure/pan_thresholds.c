/* Thresholds by their names: "min_weight=36,join_gap=40". */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "eval/measure/pan.h"

#define AT(member)                                                             \
    {                                                                          \
#member, offsetof(struct og_align_thresholds, member)                  \
    }

static const struct {
    const char *name;
    size_t offset;
} members[] = {
    AT(min_cosine),     AT(min_dice),   AT(max_gap),   AT(min_weight),
    AT(mostly),         AT(max_rest),   AT(min_share), AT(above_rest),
    AT(long_share),     AT(long_slope), AT(min_score), AT(min_ratio),
    AT(max_explained),  AT(max_copied), AT(resembles), AT(min_spread),
    AT(min_resembling), AT(drawn_on),   AT(join_gap),  AT(join_ratio),
    AT(join_copy),
};
enum { N_MEMBERS = sizeof(members) / sizeof(members[0]) };
_Static_assert(N_MEMBERS * sizeof(float) == sizeof(struct og_align_thresholds),
               "every threshold has a name");

static float *member_of(struct og_align_thresholds *t, const char *name,
                        size_t len)
{
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (strlen(members[i].name) == len &&
            memcmp(members[i].name, name, len) == 0)
            return (float *)((char *)t + members[i].offset);
    return NULL;
}

og_status og_pan_thresholds_set(struct og_align_thresholds *t, const char *list,
                                og_error *err)
{
    while (*list != '\0') {
        const size_t len = strcspn(list, "=,");
        const size_t whole = strcspn(list, ",");
        float *member = member_of(t, list, len);
        if (member == NULL)
            return og_error_set(err, OG_ERR_USAGE,
                                "there is no threshold '%.*s'", (int)len, list);
        char *end = NULL;
        *member = list[len] == '=' ? strtof(list + len + 1, &end) : 0;
        if (len + 1 >= whole || end != list + whole)
            return og_error_set(err, OG_ERR_USAGE,
                                "'%.*s' is not a name and a number", (int)whole,
                                list);
        list += whole;
        if (*list == ',') list++;
    }
    return OG_OK;
}
