#include "lib/base/hash_table.h"

enum { FEWEST = 64 };

bool og_hash_table_reserve(struct og_hash_table *t)
{
    struct og_hash_table wider = *t;
    if (2 * (t->n + 1) <= t->n_slots) return true;
    wider.n_slots = t->n_slots == 0 ? FEWEST : 2 * t->n_slots;
    wider.slots =
        og_allocate_zero(t->allocator, wider.n_slots * sizeof(*wider.slots));
    if (wider.slots == NULL) return false;
    for (size_t i = 0; i < t->n_slots; i++) {
        if (t->slots[i].number == 0) continue;
        size_t at = og_hash_table_home(&wider, t->slots[i].hash);
        while (wider.slots[at].number != 0)
            at = (at + 1) & (wider.n_slots - 1);
        wider.slots[at] = t->slots[i];
    }
    OG_UNGROW(t->allocator, t->slots, t->n_slots);
    *t = wider;
    return true;
}
