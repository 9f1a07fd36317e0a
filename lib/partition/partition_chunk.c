/* A partition in pieces that can be sent, stored and loaded:
 *
 *     chunk:    "ogpc" | version 4 | offset 8 | payload | checksum 8
 *     chunk 0:  offset ff .. ff; payload:
 *               memory 8 | layout 1 | eviction 1 | bucket slots 4 |
 *               offset bytes 1 | near bytes 1 | partition bits 1 |
 *               bytes of the table 8 | state (lib/table/table_state.h)
 *     others:   payload: bytes of the table, from the offset on
 *
 * The checksum covers everything before it. It detects accidents; manipulated
 * data is detected by further checks: every chunk must be the next one, of the
 * right length, and after the last one every bucket is checked. Until then the
 * partition answers no requests. */

#include <string.h>

#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/partition/partition.h"
#include "lib/table/table_state.h"

#define VERSION 1
#define HEAD    UINT64_MAX
/* Short enough for a server to process between two other requests. */
#define CHUNK_LEN ((size_t)256 << 10)
#define FRAME_LEN (4 + 4 + 8)
#define SUM_LEN   8

static const char magic[4] = {'o', 'g', 'p', 'c'};

/* ---- saving ---- */

size_t og_partition_n_chunks(const og_partition *partition)
{
    return 1 + (partition->n_loaded + CHUNK_LEN - 1) / CHUNK_LEN;
}

static void pack_head(const og_partition *partition, struct og_pack *out)
{
    const og_partition_options *o = &partition->options;
    og_pack_fixed(out, o->memory, 8);
    og_pack_fixed(out, o->layout, 1);
    og_pack_fixed(out, o->evict, 1);
    og_pack_fixed(out, o->bucket_slots, 4);
    og_pack_fixed(out, o->offset_len, 1);
    og_pack_fixed(out, o->near_len, 1);
    og_pack_fixed(out, o->n_bits, 1);
    og_pack_fixed(out, og_table_len(&partition->table), 8);
    og_table_state_pack(&partition->table, out);
}

og_status og_partition_save_chunk(const og_partition *partition, size_t number,
                                  og_partition_bytes *out, og_error *err)
{
    const size_t off = number == 0 ? 0 : (number - 1) * CHUNK_LEN;
    const size_t left = partition->n_loaded - off;
    if (number >= og_partition_n_chunks(partition))
        return og_error_set(err, OG_ERR_USAGE, "there is no chunk %zu", number);
    struct og_pack pack = {.data = (uint8_t *)out->data, .cap = out->cap};
    og_pack_bytes(&pack, magic, sizeof(magic));
    og_pack_fixed(&pack, VERSION, 4);
    og_pack_fixed(&pack, number == 0 ? HEAD : off, 8);
    if (number == 0)
        pack_head(partition, &pack);
    else
        og_pack_bytes(&pack, partition->table.base + off,
                      left < CHUNK_LEN ? left : CHUNK_LEN);
    const uint64_t sum = pack.failed ? 0 : og_checksum(pack.data, pack.len);
    og_pack_fixed(&pack, sum, SUM_LEN);
    *out = (og_partition_bytes){(char *)pack.data, pack.len, pack.cap};
    if (pack.failed)
        return og_error_memory(err, CHUNK_LEN, "a chunk of a partition");
    return OG_OK;
}

/* ---- loading ---- */

static og_status damaged(og_error *err, const char *what)
{
    return og_error_set(err, OG_ERR_STORE, "the chunk %s", what);
}

/* The offset and the payload of a valid chunk. */
static og_status open_chunk(og_bytes chunk, uint64_t *out_off,
                            struct og_unpacker *out, og_error *err)
{
    const uint8_t *data = (const uint8_t *)chunk.data;
    if (chunk.len < FRAME_LEN + SUM_LEN ||
        memcmp(data, magic, sizeof(magic)) != 0)
        return damaged(err, "is not one of a partition");
    const uint32_t version = og_load32(data + 4);
    if (version != VERSION)
        return og_error_set(err, OG_ERR_STORE,
                            "the chunk has version %u of the format; this is "
                            "version %d",
                            version, VERSION);
    const size_t len = chunk.len - SUM_LEN;
    if (og_checksum(data, len) != og_load64(data + len))
        return damaged(err, "has a wrong checksum");
    *out_off = og_load64(data + 8);
    *out = (struct og_unpacker){data + FRAME_LEN, data + len, false};
    return OG_OK;
}

/* And the bytes of the table. */
static og_partition_options take_options(struct og_unpacker *from,
                                         uint64_t *out_len)
{
    og_partition_options o = {0};
    o.memory = og_take_fixed(from, 8);
    o.layout = (og_layout_kind)og_take_fixed(from, 1);
    o.evict = (og_evict_kind)og_take_fixed(from, 1);
    o.bucket_slots = (uint32_t)og_take_fixed(from, 4);
    o.offset_len = (uint8_t)og_take_fixed(from, 1);
    o.near_len = (uint8_t)og_take_fixed(from, 1);
    o.n_bits = (uint8_t)og_take_fixed(from, 1);
    *out_len = og_take_fixed(from, 8);
    return o;
}

og_status og_partition_new_for(og_bytes chunk, og_partition **out,
                               og_error *err)
{
    struct og_unpacker from;
    uint64_t off = 0, len;
    TRY(open_chunk(chunk, &off, &from, err));
    if (off != HEAD) return damaged(err, "is not the first of a partition");
    const og_partition_options options = take_options(&from, &len);
    if (from.bad) return damaged(err, "is truncated");
    og_error why = {0};
    const og_status status = og_partition_new(&options, out, &why);
    if (status == OG_ERR_USAGE)
        return og_error_set(err, OG_ERR_STORE,
                            "the chunk has options that are invalid: %s",
                            why.message);
    return status == OG_OK ? OG_OK : og_error_pass(err, &why);
}

/* Whether the rest of the chunk is a state. The table keeps its own. */
static og_status check_state(struct og_table *t, struct og_unpacker from,
                             og_error *err)
{
    struct og_pack own = {0};
    og_table_state_pack(t, &own);
    if (own.failed) {
        og_pack_release(&own);
        return og_error_memory(err, own.cap, "the state of a partition");
    }
    const bool is_state =
        og_table_state_unpack(t, &from) && og_unpacker_left(&from) == 0;
    struct og_unpacker back = {own.data, own.data + own.len, false};
    og_table_state_unpack(t, &back);
    og_pack_release(&own);
    return is_state ? OG_OK : damaged(err, "has no valid state");
}

static og_status load_head(og_partition *partition, struct og_unpacker *from,
                           og_error *err)
{
    uint64_t len;
    struct og_table *t = &partition->table;
    const og_partition_options options = take_options(from, &len);
    const bool is_whole = partition->n_loaded == og_table_len(t);
    if (from->bad) return damaged(err, "is truncated");
    if (!og_partition_options_equal(&options, &partition->options) ||
        len != og_table_len(t))
        return damaged(err, "is of a partition with other options");
    if (is_whole && t->n_added > 0)
        return damaged(err, "would replace what the partition has");
    TRY(check_state(t, *from, err));
    og_table_clear(t);
    og_table_state_unpack(t, from);
    partition->n_loaded = 0;
    return OG_OK;
}

static og_status load_bytes(og_partition *partition, uint64_t off,
                            struct og_unpacker *from, og_error *err)
{
    struct og_table *t = &partition->table;
    const size_t left = og_table_len(t) - partition->n_loaded;
    const size_t len = left < CHUNK_LEN ? left : CHUNK_LEN;
    uint64_t bucket;
    if (left == 0) return damaged(err, "is one too many");
    if (off != partition->n_loaded || og_unpacker_left(from) != len)
        return og_error_set(err, OG_ERR_STORE,
                            "the chunk has %zu bytes from %llu on; %zu from "
                            "%zu on are expected",
                            og_unpacker_left(from), (unsigned long long)off,
                            len, partition->n_loaded);
    memcpy(t->base + off, from->at, len);
    if (left == len && !og_table_is_valid(t, &bucket)) {
        memset(t->base + off, 0, len); /* as it was */
        return og_error_set(
            err, OG_ERR_STORE, "the chunks are no table: bucket %llu of %llu",
            (unsigned long long)bucket, (unsigned long long)t->n_buckets);
    }
    partition->n_loaded += len;
    return OG_OK;
}

og_status og_partition_load_chunk(og_partition *partition, og_bytes chunk,
                                  og_error *err)
{
    struct og_unpacker from;
    uint64_t off = 0;
    TRY(open_chunk(chunk, &off, &from, err));
    return off == HEAD ? load_head(partition, &from, err)
                       : load_bytes(partition, off, &from, err);
}
