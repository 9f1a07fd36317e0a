#ifndef OG_TESTS_TABLE_SUPPORT_H
#define OG_TESTS_TABLE_SUPPORT_H

/* Tables of a chosen number of buckets, and a look into them. */

#include "tests/unit/stage_support.h"

#include "lib/table/bucket.h"
#include "lib/table/table.h"

static const og_evict_kind every_policy[] = {
    OG_EVICT_RANDOM, OG_EVICT_LRU,  OG_EVICT_COPY_COUNT, OG_EVICT_LUCKY,
    OG_EVICT_S3FIFO, OG_EVICT_THIN, OG_EVICT_LEARN};

static const uint32_t every_bucket_size[] = {4, 8, 16, 32, 64, 128, 256};

/* Room for the buckets and for nothing else. */
static inline void table_of(struct og_table *t, struct og_table_options options,
                            uint64_t n_buckets)
{
    options.memory = n_buckets * og_table_bucket_len(&options) + 8;
    assert_int_equal(og_table_init(t, &options, NULL, NULL), OG_OK);
    assert_int_equal(t->n_buckets, n_buckets);
}

static inline void table_add(struct og_table *t, uint32_t doc, uint64_t fp,
                             uint16_t offset, uint16_t near, uint8_t weight)
{
    const struct og_additions add = {.doc = doc,
                                     .fp = &fp,
                                     .offset = &offset,
                                     .near = &near,
                                     .weight = &weight,
                                     .n = 1};
    og_table_add_many(t, &add);
}

static inline struct og_hit table_find(const struct og_table *t, uint64_t fp)
{
    struct og_hit hit;
    og_table_find_many(t, &fp, 1, &hit);
    return hit;
}

static inline bool table_has(const struct og_table *t, uint64_t fp)
{
    return table_find(t, fp).doc != OG_NO_DOC;
}

/* Used slots come first, and n_used counts them. */
static inline void check_used_first(const struct og_table *t)
{
    uint64_t n_used = 0;
    for (uint64_t b = 0; b < t->n_buckets; b++) {
        uint8_t *bucket = og_bucket_at(t, b);
        const uint32_t used = og_bucket_used(t, bucket);
        for (uint32_t slot = 0; slot < t->options.bucket_slots; slot++) {
            const uint8_t *payload = og_bucket_payload(t, bucket, slot);
            assert_int_equal(og_own_doc(t, payload) != 0, slot < used);
        }
        n_used += used;
    }
    assert_int_equal(n_used, t->n_used);
}

#endif
