#include "lib/table/table_state.h"

#include <string.h>

#include "lib/table/bucket.h"
#include "lib/table/common_fps.h"

/* Most lines of a small table are empty. */
static bool is_empty(const uint8_t *line)
{
    static const uint8_t zeros[OG_COMMON_LINE];
    return memcmp(line, zeros, OG_COMMON_LINE) == 0;
}

/* How many; then of each its number and its bytes. */
static void pack_lines(const struct og_table *table, struct og_pack *out)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < table->n_common_lines; i++)
        n += !is_empty(table->common + i * OG_COMMON_LINE);
    og_pack_fixed(out, n, 8);
    for (uint64_t i = 0; i < table->n_common_lines; i++) {
        const uint8_t *line = table->common + i * OG_COMMON_LINE;
        if (is_empty(line)) continue;
        og_pack_fixed(out, i, 8);
        og_pack_bytes(out, line, OG_COMMON_LINE);
    }
}

static void unpack_lines(struct og_table *table, struct og_unpacker *from)
{
    const uint64_t n = og_take_fixed(from, 8);
    for (uint64_t i = 0; i < n && !from->bad; i++) {
        const uint64_t number = og_take_fixed(from, 8);
        const uint8_t *line = og_take_bytes(from, OG_COMMON_LINE);
        if (number >= table->n_common_lines) from->bad = true;
        if (from->bad) break;
        memcpy(table->common + number * OG_COMMON_LINE, line, OG_COMMON_LINE);
    }
}

void og_table_state_pack(const struct og_table *table, struct og_pack *out)
{
    og_pack_fixed(out, table->n_used, 8);
    og_pack_fixed(out, table->n_evicted, 8);
    og_pack_fixed(out, table->n_added, 8);
    og_pack_fixed(out, table->random, 8);
    if (table->learning != NULL) og_learning_pack(table->learning, out);
    if (table->level > 0) pack_lines(table, out);
}

bool og_table_state_unpack(struct og_table *table, struct og_unpacker *from)
{
    table->n_used = og_take_fixed(from, 8);
    table->n_evicted = og_take_fixed(from, 8);
    table->n_added = og_take_fixed(from, 8);
    table->random = og_take_fixed(from, 8);
    if (table->learning != NULL) og_learning_unpack(table->learning, from);
    if (!from->bad) og_table_set_kept(table);
    if (table->level > 0) unpack_lines(table, from);
    return !from->bad && table->n_used <= og_table_slots(table);
}

/* Their number; then the number and the bytes of each. */

static size_t state_len(const struct og_table *t)
{
    return og_evict_state_len(t->options.evict);
}

size_t og_table_buckets_packed_len(const struct og_table *table)
{
    return 4 + 2 * table->n_buckets +
           table->n_used * (1 + state_len(table) + table->payload_len);
}

void og_table_buckets_pack(const struct og_table *table, struct og_pack *out)
{
    og_pack_fixed(out, table->level, 4);
    for (uint64_t i = 0; i < table->n_buckets; i++)
        og_pack_fixed(out, og_bucket_used(table, og_bucket_at(table, i)), 2);
    for (uint64_t i = 0; i < table->n_buckets; i++) {
        uint8_t *bucket = og_bucket_at(table, i);
        const uint32_t used = og_bucket_used(table, bucket);
        og_pack_bytes(out, bucket, used);
        og_pack_bytes(out, bucket + table->state_off, used * state_len(table));
        og_pack_bytes(out, bucket + table->payload_off,
                      used * table->payload_len);
    }
}

/* Used slots come first, so none of them may look empty. */
static void unpack_bucket(struct og_table *t, uint64_t number, size_t used,
                          struct og_unpacker *from)
{
    uint8_t *bucket = og_bucket_at(t, number);
    const uint8_t *tags = og_take_bytes(from, used);
    const uint8_t *states = og_take_bytes(from, used * state_len(t));
    const uint8_t *payloads = og_take_bytes(from, used * t->payload_len);
    if (payloads == NULL || memchr(tags, 0, used) != NULL) {
        from->bad = true;
        return;
    }
    memcpy(bucket, tags, used);
    memcpy(bucket + t->state_off, states, used * state_len(t));
    memcpy(bucket + t->payload_off, payloads, used * t->payload_len);
    if (t->options.evict == OG_EVICT_S3FIFO)
        og_s3fifo_set_ring(t, bucket, (uint32_t)used);
}

bool og_table_buckets_unpack(struct og_table *table, struct og_unpacker *from)
{
    const uint64_t level = og_take_fixed(from, 4);
    if (from->bad || level == 0 || level > table->first_level) return false;
    og_table_set_level(table, (unsigned)level);
    og_pages_enlarge(&table->pages, og_table_len(table));
    struct og_unpacker counts = *from;
    if (og_take_bytes(from, 2 * table->n_buckets) == NULL) return false;
    for (uint64_t i = 0; i < table->n_buckets && !from->bad; i++) {
        const uint64_t used = og_take_fixed(&counts, 2);
        if (used > table->options.bucket_slots) return false;
        if (used > 0) unpack_bucket(table, i, used, from);
    }
    return !from->bad;
}

/* ---- tables filled elsewhere ---- */

static bool are_zeros(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != 0) return false;
    return true;
}

/* Used slots come first and name a document; the others were never used. */
static bool bucket_is_valid(const struct og_table *t, uint8_t *bucket,
                            uint32_t used)
{
    const uint32_t n = t->options.bucket_slots;
    if (!are_zeros(bucket + used, n - used)) return false;
    if (state_len(t) > 0 && !are_zeros(bucket + t->state_off + used, n - used))
        return false;
    for (uint32_t slot = 0; slot < used; slot++)
        if (og_own_doc(t, og_bucket_payload(t, bucket, slot)) == 0)
            return false;
    return t->options.evict != OG_EVICT_S3FIFO ||
           og_s3fifo_is_valid(t, bucket, used);
}

bool og_table_is_valid(const struct og_table *table, uint64_t *out_bucket)
{
    uint64_t n_used = 0;
    for (uint64_t i = 0; i < table->n_buckets; i++) {
        uint8_t *bucket = og_bucket_at(table, i);
        const uint32_t used = og_bucket_used(table, bucket);
        *out_bucket = i;
        if (!bucket_is_valid(table, bucket, used)) return false;
        n_used += used;
    }
    *out_bucket = table->n_buckets;
    return n_used == table->n_used;
}
