/* Ids and their numbers: a hash table over one byte array. */

#include "lib/report/names.h"
#include "lib/base/bits.h"
#include "lib/token/tokens.h"

#include <string.h>

static uint64_t hash_of(og_bytes id)
{
    return og_mix64(og_token_hash(id.data, id.len, 0));
}

static bool is_name(const struct og_names *names, uint64_t number, og_bytes id)
{
    const og_bytes known = og_names_get(names, (uint32_t)number);
    return known.len == id.len &&
           (id.len == 0 || memcmp(known.data, id.data, id.len) == 0);
}

uint32_t og_names_find(const struct og_names *names, og_bytes id)
{
    const struct og_hash_slot *slot;
    if (names->n == 0) return UINT32_MAX;
    OG_HASH_FIND(&names->by_id, hash_of(id), slot)
    {
        if (is_name(names, slot->number - 1, id))
            return (uint32_t)slot->number - 1;
    }
    return UINT32_MAX;
}

og_status og_names_add(struct og_names *names, og_bytes id, uint32_t *out,
                       og_error *err)
{
    const uint64_t hash = hash_of(id);
    if (!og_hash_table_reserve(&names->by_id) ||
        !OG_GROW(NULL, names->list, names->cap, names->n + 1) ||
        !OG_GROW(NULL, names->bytes, names->bytes_cap,
                 names->bytes_len + id.len + 1))
        return og_error_memory(err, id.len, "names of documents");
    struct og_hash_slot *slot;
    OG_HASH_FIND(&names->by_id, hash, slot)
    {
        if (!is_name(names, slot->number - 1, id)) continue;
        *out = (uint32_t)slot->number - 1;
        return OG_OK;
    }
    *out = (uint32_t)names->n;
    names->list[names->n++] = (struct og_name){names->bytes_len, id.len};
    og_hash_table_put(&names->by_id, slot, hash, names->n);
    if (id.len != 0) memcpy(names->bytes + names->bytes_len, id.data, id.len);
    names->bytes_len += id.len;
    return OG_OK;
}

void og_names_release(struct og_names *names)
{
    OG_UNGROW(NULL, names->list, names->cap);
    OG_UNGROW(NULL, names->bytes, names->bytes_cap);
    og_hash_table_release(&names->by_id);
    memset(names, 0, sizeof(*names));
}
