/* A partition: untrusted chunks and batches.
 *
 * The first byte chooses the input, the second the eviction:
 *     0  a chunk, unchanged
 *     1  the payload of a first chunk, with a correct checksum
 *     2  the buckets of a small partition, likewise, and its number of used
 *        slots; if they are accepted as a table, it is used
 *     3  a batch */

#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/partition/partition.h"
#include "lib/table/bucket.h"
#include "lib/table/table_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* magic, version and offset; then the options and the length */
enum { FRAME = 16, N_USED_OFF = FRAME + 8 + 1 + 1 + 4 + 1 + 1 + 1 + 8 };

static og_partition *small_partition(uint8_t kind)
{
    og_partition_options o = og_partition_options_default();
    og_partition *partition;
    o.evict = (og_evict_kind)(kind % (OG_EVICT_LEARN + 1));
    o.layout = (kind & 128) != 0 ? OG_LAYOUT_PAPER : OG_LAYOUT_PACKED;
    o.bucket_slots = 4;
    o.memory = 300;
    if (og_partition_new(&o, &partition, NULL) != OG_OK) abort();
    return partition;
}

static og_status load(og_partition *partition, og_partition_bytes *chunk)
{
    og_store64(chunk->data + chunk->len - 8,
               og_checksum(chunk->data, chunk->len - 8));
    return og_partition_load_chunk(partition,
                                   (og_bytes){chunk->data, chunk->len}, NULL);
}

static void save(const og_partition *partition, size_t number,
                 og_partition_bytes *chunk)
{
    if (og_partition_save_chunk(partition, number, chunk, NULL) != OG_OK)
        abort();
}

/* Enough additions to evict from each bucket; it must stay a table. */
static void use(og_partition *partition)
{
    enum { N = 64 };
    uint64_t fps[N], bucket;
    uint16_t zeros[N] = {0};
    struct og_hit hits[N];
    for (size_t i = 0; i < N; i++)
        fps[i] = og_mix64(i);
    const struct og_additions add = {
        .doc = 5, .fp = fps, .offset = zeros, .near = zeros, .n = N};
    og_table_add_many(&partition->table, &add);
    og_table_find_many(&partition->table, fps, N, hits);
    if (!og_table_is_valid(&partition->table, &bucket)) abort();
}

static void load_head_of(og_partition *partition, const uint8_t *data,
                         size_t len)
{
    og_partition_bytes chunk = {0};
    og_partition *other = NULL;
    save(partition, 0, &chunk);
    const size_t room = chunk.len - FRAME - 8;
    memcpy(chunk.data + FRAME, data, len < room ? len : room);
    load(partition, &chunk);
    if (og_partition_new_for((og_bytes){chunk.data, chunk.len}, &other, NULL) ==
        OG_OK)
        og_partition_free(other);
    og_partition_bytes_release(&chunk);
}

/* The number of used slots is what these tags say, or the fuzzer's. */
static void load_buckets(uint8_t kind, og_partition *partition,
                         const uint8_t *data, size_t len)
{
    if (len == 0) return;
    og_partition_bytes chunk = {0};
    og_partition *twin = small_partition(kind);
    const size_t table_len = og_table_len(&partition->table) - 8;
    memcpy(twin->table.base, data + 1,
           len - 1 < table_len ? len - 1 : table_len);
    uint64_t n_used = data[0] & 127;
    if (data[0] >= 128)
        for (uint64_t i = n_used = 0; i < twin->table.n_buckets; i++)
            n_used +=
                og_bucket_used(&twin->table, og_bucket_at(&twin->table, i));
    save(twin, 0, &chunk);
    og_store64(chunk.data + N_USED_OFF, n_used);
    if (load(partition, &chunk) == OG_OK) {
        save(twin, 1, &chunk);
        if (load(partition, &chunk) == OG_OK) use(partition);
    }
    og_partition_bytes_release(&chunk);
    og_partition_free(twin);
}

static void observe_bytes(og_partition *partition, const uint8_t *data,
                          size_t len)
{
    og_partition_bytes answer = {0};
    const og_bytes batch = {(const char *)data, len};
    uint64_t bucket;
    og_partition_observe(partition, batch, false, &answer, NULL, NULL);
    og_partition_observe(partition, batch, true, &answer, NULL, NULL);
    og_partition_look_up(partition, batch, &answer, NULL, NULL);
    if (!og_table_is_valid(&partition->table, &bucket)) abort();
    og_partition_bytes_release(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 2) return 0;
    og_partition *partition = small_partition(data[1]);
    const uint8_t *rest = data + 2;
    const size_t rest_len = len - 2;
    switch (data[0] % 4) {
    case 0:
        og_partition_load_chunk(partition,
                                (og_bytes){(const char *)rest, rest_len}, NULL);
        break;
    case 1: load_head_of(partition, rest, rest_len); break;
    case 2: load_buckets(data[1], partition, rest, rest_len); break;
    default: observe_bytes(partition, rest, rest_len); break;
    }
    og_partition_free(partition);
    return 0;
}
