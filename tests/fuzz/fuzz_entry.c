/* Any bytes may be an entry, or the additions of a record. A valid one packs to
 * the same bytes again; everything returned is within them. */

#include "tests/fuzz/fuzz_support.h"

#include "lib/base/checksum.h"
#include "lib/store/catalogue/entry.h"
#include "lib/store/table/additions.h"

static void check_view(og_bytes view, const uint8_t *data, size_t len)
{
    volatile char sink = 0;
    for (size_t i = 0; i < view.len; i++)
        sink ^= view.data[i];
    (void)sink;
    if (view.len > len) abort();
    (void)data;
}

static void try_entry(uint8_t *data, size_t len)
{
    struct og_entry e;
    struct og_pack pack = {0};
    if (len >= 8) og_store64(data, og_checksum(data + 8, len - 8));
    if (!og_entry_unpack((og_bytes){(char *)data, len}, &e)) return;
    check_view(e.id, data, len);
    check_view(e.title, data, len);
    check_view(e.url, data, len);
    check_view(e.extra, data, len);
    if (e.n_origins > OG_ENTRY_ORIGINS) abort();
    /* Numbers may be written longer than they need be: what comes out is at
     * most as long, and the same entry. */
    og_entry_pack(&e, &pack);
    struct og_entry again;
    if (pack.len > len ||
        !og_entry_unpack((og_bytes){(char *)pack.data, pack.len}, &again) ||
        again.text_len != e.text_len || again.id.len != e.id.len)
        abort();
    og_pack_release(&pack);
}

static void try_additions(const uint8_t *data, size_t len)
{
    struct og_unpacked_additions u = {0};
    struct og_pack pack = {0};
    og_error err = {0};
    const og_status status =
        og_additions_unpack(&u, data, len, (struct og_table_fields){0}, &err);
    if (status == OG_OK) {
        og_additions_pack(&u.add, &pack);
        if (pack.len > len) abort();
    } else if (err.message[0] == '\0') {
        abort();
    }
    og_pack_release(&pack);
    og_unpacked_additions_release(&u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len == 0 ? 1 : len); /* at a multiple of 8 */
    if (copy == NULL) return 0;
    if (len > 0) memcpy(copy, data, len);
    try_additions(copy, len);
    try_entry(copy, len);
    free(copy);
    return 0;
}
