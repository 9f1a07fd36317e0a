/* Ids and their numbers: a table of open addressing over one run of bytes. */

#include "lib/report/names.h"
#include "lib/base/bits.h"
#include "lib/token/tokens.h"

#include <string.h>

static bool grow_slots(struct og_names *names)
{
    if (2 * (names->n + 1) <= names->n_slots) return true;
    const size_t n = names->n_slots == 0 ? 1024 : 2 * names->n_slots;
    uint32_t *slots = og_allocate_zero(NULL, n * sizeof(*slots));
    if (slots == NULL) return false;
    for (size_t i = 0; i < names->n; i++) {
        size_t at = names->list[i].hash & (n - 1);
        while (slots[at] != 0)
            at = (at + 1) & (n - 1);
        slots[at] = (uint32_t)i + 1;
    }
    OG_UNGROW(NULL, names->slots, names->n_slots);
    names->slots = slots;
    names->n_slots = n;
    return true;
}

static uint64_t hash_of(og_bytes id)
{
    return og_mix64(og_token_hash(id.data, id.len, 0));
}

/* The slot that has the id, or is free for it. */
static size_t find_slot(const struct og_names *names, og_bytes id,
                        uint64_t hash)
{
    size_t at = hash & (names->n_slots - 1);
    for (; names->slots[at] != 0; at = (at + 1) & (names->n_slots - 1)) {
        const og_bytes known = og_names_get(names, names->slots[at] - 1);
        if (known.len == id.len &&
            (id.len == 0 || memcmp(known.data, id.data, id.len) == 0))
            break;
    }
    return at;
}

uint32_t og_names_find(const struct og_names *names, og_bytes id)
{
    if (names->n_slots == 0) return UINT32_MAX;
    return names->slots[find_slot(names, id, hash_of(id))] - 1;
}

og_status og_names_add(struct og_names *names, og_bytes id, uint32_t *out,
                       og_error *err)
{
    const uint64_t hash = hash_of(id);
    if (!grow_slots(names) ||
        !OG_GROW(NULL, names->list, names->cap, names->n + 1) ||
        !OG_GROW(NULL, names->bytes, names->bytes_cap,
                 names->bytes_len + id.len + 1))
        return og_error_memory(err, id.len, "names of documents");
    const size_t at = find_slot(names, id, hash);
    if (names->slots[at] == 0) {
        names->list[names->n++] =
            (struct og_name){names->bytes_len, id.len, hash};
        names->slots[at] = (uint32_t)names->n;
        if (id.len != 0)
            memcpy(names->bytes + names->bytes_len, id.data, id.len);
        names->bytes_len += id.len;
    }
    *out = names->slots[at] - 1;
    return OG_OK;
}

void og_names_release(struct og_names *names)
{
    OG_UNGROW(NULL, names->list, names->cap);
    OG_UNGROW(NULL, names->bytes, names->bytes_cap);
    OG_UNGROW(NULL, names->slots, names->n_slots);
    memset(names, 0, sizeof(*names));
}
