/* Open hash tables with linear probing. */

#include "lib/dedup/unit_table.h"

#include "lib/base/hash_table.h"

struct og_unit_slot {
    uint64_t hash[2]; /* both 0: empty */
    uint64_t first;   /* the number of the document, from 1 */
};

void og_unit_table_release(struct og_unit_table *t)
{
    for (size_t i = 0; i < OG_UNIT_PARTS; i++)
        og_release(NULL, t->parts[i].slots,
                   t->parts[i].n_slots * sizeof(struct og_unit_slot));
    *t = (struct og_unit_table){.parts = {{0}}};
}

static struct og_unit_slot *find(struct og_unit_slot *slots, size_t n_slots,
                                 const uint64_t hash[2])
{
    size_t at;
    OG_PROBE(at, hash[0], n_slots,
             slots[at].hash[1] == 0 ||
                 (slots[at].hash[0] == hash[0] && slots[at].hash[1] == hash[1]))
    return &slots[at];
}

static og_status grow(struct og_unit_part *p, og_error *err)
{
    const size_t n = p->n_slots == 0 ? 64 : 2 * p->n_slots;
    struct og_unit_slot *slots = og_allocate_zero(NULL, n * sizeof(*slots));
    if (slots == NULL)
        return og_error_memory(err, n * sizeof(*slots), "units of text");
    for (size_t i = 0; i < p->n_slots; i++)
        if (p->slots[i].hash[1] != 0)
            *find(slots, n, p->slots[i].hash) = p->slots[i];
    og_release(NULL, p->slots, p->n_slots * sizeof(*slots));
    p->slots = slots;
    p->n_slots = n;
    return OG_OK;
}

og_status og_unit_table_first(struct og_unit_table *t, const uint64_t hash[2],
                              uint64_t document, uint64_t *out, og_error *err)
{
    struct og_unit_part *p = &t->parts[og_unit_part_of(hash)];
    if ((p->n_used + 1) * 4 > p->n_slots * 3) TRY(grow(p, err));
    struct og_unit_slot *slot = find(p->slots, p->n_slots, hash);
    *out = slot->first;
    if (slot->hash[1] != 0) return OG_OK;
    *slot = (struct og_unit_slot){{hash[0], hash[1]}, document};
    p->n_used++;
    return OG_OK;
}
