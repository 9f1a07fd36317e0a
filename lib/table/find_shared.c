/* Looking up while the writer works, from any number of threads. */

#include "lib/table/bucket.h"

static struct og_hit shared_hit(const struct og_table *t, uint8_t *bucket,
                                uint64_t mixed)
{
    const struct og_table_fields *fields = &t->options.fields;
    const uint64_t rest = og_fp_rest(t, mixed);
    for (uint32_t slot = 0; slot < t->options.bucket_slots; slot++) {
        if (og_get8(bucket + slot) != og_fp_tag(mixed)) continue;
        const uint8_t *payload = og_bucket_payload(t, bucket, slot);
        const uint64_t doc = og_get_bytes(payload + t->doc_off, 4);
        if (doc == 0 || og_get_bytes(payload, t->rest_len) != rest) continue;
        return (struct og_hit){.doc = (uint32_t)doc - 1,
                               .offset = (uint16_t)og_get_bytes(
                                   payload + t->offset_off, fields->offset_len),
                               .near = (uint16_t)og_get_bytes(
                                   payload + t->near_off, fields->near_len)};
    }
    return (struct og_hit){.doc = OG_NO_DOC};
}

/* Reads until the stripe was even and the same before and after. The writer
 * holds a stripe for well under a microsecond and never waits for readers. */
static struct og_hit find_shared(const struct og_table *t, uint64_t fp)
{
    const uint64_t mixed = og_mix64(fp);
    const uint64_t number = og_bucket_of(t, mixed);
    const uint32_t *stripe = &t->stripes[number % OG_TABLE_STRIPES];
    for (;;) {
        const uint32_t before = __atomic_load_n(stripe, __ATOMIC_ACQUIRE);
        if (before % 2 != 0) continue;
        const struct og_hit hit = shared_hit(t, og_bucket_at(t, number), mixed);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(stripe, __ATOMIC_RELAXED) == before) return hit;
    }
}

void og_table_find_shared(const struct og_table *table, const uint64_t *fps,
                          size_t n, struct og_hit *out)
{
    enum { LOOK_AHEAD = 16 };
    for (size_t i = 0; i < n; i++) {
        const size_t ahead = i + LOOK_AHEAD < n ? i + LOOK_AHEAD : n - 1;
        const uint64_t mixed = og_mix64(fps[ahead]);
        __builtin_prefetch(og_bucket_at(table, og_bucket_of(table, mixed)));
        out[i] = find_shared(table, fps[i]);
    }
}
