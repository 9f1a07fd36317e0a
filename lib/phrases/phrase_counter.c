/* A fixed number of counters for frequent shingles. */

#include "lib/phrases/phrase_counter.h"

#include "lib/base/bits.h"

og_status og_phrase_counter_init(struct og_phrase_counter *c, uint64_t memory,
                                 og_error *err)
{
    const size_t bucket_len = OG_PHRASE_BUCKET * sizeof(*c->counts);
    *c = (struct og_phrase_counter){0};
    c->n_buckets = (size_t)(memory / bucket_len);
    if (c->n_buckets == 0) c->n_buckets = 1;
    c->counts = og_allocate_zero(NULL, c->n_buckets * bucket_len);
    if (c->counts == NULL)
        return og_error_memory(err, c->n_buckets * bucket_len, "counters");
    return OG_OK;
}

void og_phrase_counter_release(struct og_phrase_counter *c)
{
    og_release(NULL, c->counts,
               c->n_buckets * OG_PHRASE_BUCKET * sizeof(*c->counts));
    *c = (struct og_phrase_counter){0};
}

void og_phrase_counter_add(struct og_phrase_counter *c, uint64_t fp,
                           uint32_t document)
{
    const uint64_t home = og_mul_high(og_mix64(fp), c->n_buckets);
    struct og_phrase_count *bucket = c->counts + home * OG_PHRASE_BUCKET;
    struct og_phrase_count *least = bucket;
    for (size_t i = 0; i < OG_PHRASE_BUCKET; i++) {
        struct og_phrase_count *count = &bucket[i];
        if (count->n != 0 && count->fp == fp) {
            count->n += count->last != document;
            count->last = document;
            return;
        }
        if (count->n < least->n) least = count;
    }
    if (least->n > c->complete_above) c->complete_above = least->n;
    *least = (struct og_phrase_count){fp, least->n + 1, document};
}
