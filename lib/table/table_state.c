#include "lib/table/table_state.h"

#include "lib/table/bucket.h"

void og_table_state_pack(const struct og_table *table, struct og_pack *out)
{
    og_pack_fixed(out, table->n_used, 8);
    og_pack_fixed(out, table->n_evicted, 8);
    og_pack_fixed(out, table->n_added, 8);
    og_pack_fixed(out, table->random, 8);
    if (table->learning != NULL) og_learning_pack(table->learning, out);
}

bool og_table_state_unpack(struct og_table *table, struct og_unpacker *from)
{
    table->n_used = og_take_fixed(from, 8);
    table->n_evicted = og_take_fixed(from, 8);
    table->n_added = og_take_fixed(from, 8);
    table->random = og_take_fixed(from, 8);
    if (table->learning != NULL) og_learning_unpack(table->learning, from);
    return !from->bad && table->n_used <= og_table_slots(table);
}
