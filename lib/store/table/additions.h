#ifndef OG_STORE_TABLE_ADDITIONS_H
#define OG_STORE_TABLE_ADDITIONS_H

/* The records that change a table, as bytes of the journal.
 *
 *     DOCUMENT:  entry length 4 | 0 4 | entry, padded to 8 | additions
 *     REMOVE:    document 4 | n 4 | n times: length 4 | 0 4 | additions, padded
 *                to 8
 *     additions: document 4 | n 4 | n_origins 4 | parts 4 |
 *                fingerprints 8 n | (place 4, origin 4) n_origins | offsets 2 n
 * | nears 2 n | weights n | a bit for each spare one, low first
 *
 * `parts` says which of the last four are present. Replaying them needs only
 * the table: the labels that led to them are not computed again. */

#include "lib/base/packing.h"
#include "lib/table/table.h"

/* Appends the additions; out->failed reports missing memory. */
void og_additions_pack(const struct og_additions *add, struct og_pack *out);

/* Memory for what unpacked additions do not find in the bytes as it is. */
struct og_unpacked_additions {
    const og_allocator *allocator;
    uint32_t *origin;
    size_t origin_cap;
    uint8_t *spare;
    size_t spare_cap;
    uint64_t *turned; /* big-endian machines: the numbers, turned */
    size_t turned_cap;
    struct og_additions add; /* views of the bytes and of the above */
};
void og_unpacked_additions_release(struct og_unpacked_additions *u);

/* `data` must be at a multiple of 8 and stay as long as u->add is used.
 * `fields` are those of the table. OG_ERR_STORE: these are not additions;
 * OG_ERR_MEMORY. u->add.earlier is left NULL. */
og_status og_additions_unpack(struct og_unpacked_additions *u,
                              const uint8_t *data, size_t len,
                              struct og_table_fields fields, og_error *err);

#endif
