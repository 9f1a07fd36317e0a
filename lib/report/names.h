#ifndef OG_REPORT_NAMES_H
#define OG_REPORT_NAMES_H

/*   in:  ids, with repetitions            (links, clusters, pages)
 *   out: a small number for each, from 0 */

#include "lib/base/hash_table.h"
#include "lib/base/memory.h"

struct og_name {
    size_t off, len;
};

/* All zero is empty; og_names_release() frees it. */
struct og_names {
    struct og_name *list;
    size_t n, cap;
    char *bytes;
    size_t bytes_len, bytes_cap;
    struct og_hash_table by_id; /* number + 1 */
};

/* The number of an id; a new id gets the next number. OG_ERR_MEMORY. */
og_status og_names_add(struct og_names *names, og_bytes id, uint32_t *out,
                       og_error *err);
/* UINT32_MAX: not found. */
uint32_t og_names_find(const struct og_names *names, og_bytes id);

static inline og_bytes og_names_get(const struct og_names *names, uint32_t i)
{
    return (og_bytes){names->bytes + names->list[i].off, names->list[i].len};
}

void og_names_release(struct og_names *names);

#endif
