#include "lib/base/hash_table.h"

#include <string.h>

enum { FEWEST = 64 };

bool og_hash_table_reserve(struct og_hash_table *t)
{
    struct og_hash_table wider = *t;
    if (2 * (t->n + 1) <= t->n_slots) return true;
    wider.n_slots = wider.cap = t->n_slots == 0 ? FEWEST : 2 * t->n_slots;
    wider.slots =
        og_allocate_zero(t->allocator, wider.n_slots * sizeof(*wider.slots));
    if (wider.slots == NULL) return false;
    for (size_t i = 0; i < t->n_slots; i++) {
        size_t at;
        if (t->slots[i].number == 0) continue;
        OG_PROBE(at, t->slots[i].hash, wider.n_slots,
                 wider.slots[at].number == 0)
        wider.slots[at] = t->slots[i];
    }
    OG_UNGROW(t->allocator, t->slots, t->cap);
    *t = wider;
    return true;
}

void og_hash_table_empty(struct og_hash_table *t)
{
    if (t->n != 0) memset(t->slots, 0, t->n_slots * sizeof(*t->slots));
    t->n = 0;
}

/* Only the slots that are needed are cleared: a large table that was used once
 * does not make every small one expensive. */
bool og_hash_table_clear(struct og_hash_table *t, size_t n)
{
    const size_t n_slots = og_hash_slots_for(n, FEWEST);
    if (!OG_GROW(t->allocator, t->slots, t->cap, n_slots)) return false;
    memset(t->slots, 0, n_slots * sizeof(*t->slots));
    t->n_slots = n_slots;
    t->n = 0;
    return true;
}
