/* Looking up while the writer works, from any number of threads. */

#include "lib/table/bucket.h"

/* The base is set before the level when a table moves, so that the buckets of a
 * level are there. */
struct og_table_view og_table_view(const struct og_table *t)
{
    struct og_table_view view;
    view.level = __atomic_load_n(&t->level, __ATOMIC_ACQUIRE);
    view.base = __atomic_load_n(&t->base, __ATOMIC_RELAXED);
    view.payload_len = t->home_off + (view.level > 0 ? OG_HOME_LEN : 0);
    view.bucket_len =
        t->payload_off + t->options.bucket_slots * view.payload_len;
    return view;
}

static struct og_hit shared_hit(const struct og_table *t, uint64_t home,
                                uint64_t mixed)
{
    const struct og_table_view view = og_table_view(t);
    const uint8_t *bucket = view.base + (home >> view.level) * view.bucket_len;
    const struct og_table_fields *fields = &t->options.fields;
    const uint64_t rest = og_fp_rest(t, mixed);
    for (uint32_t slot = 0; slot < t->options.bucket_slots; slot++) {
        if (og_get8(bucket + slot) != og_fp_tag(mixed)) continue;
        const uint8_t *payload =
            bucket + t->payload_off + slot * view.payload_len;
        const uint64_t doc = og_get_bytes(payload + t->doc_off, 4);
        if (doc == 0 || og_get_bytes(payload, t->rest_len) != rest) continue;
        if (view.level > 0 &&
            og_get_bytes(payload + t->home_off, OG_HOME_LEN) != (uint32_t)home)
            continue;
        return (struct og_hit){.doc = (uint32_t)doc - 1,
                               .offset = (uint16_t)og_get_bytes(
                                   payload + t->offset_off, fields->offset_len),
                               .near = (uint16_t)og_get_bytes(
                                   payload + t->near_off, fields->near_len)};
    }
    return (struct og_hit){.doc = OG_NO_DOC};
}

/* Reads until the stripe was even and the same before and after. The writer
 * holds a stripe for well under a microsecond, or all of them while the table
 * grows, and never waits for readers. */
static struct og_hit find_shared(const struct og_table *t, uint64_t fp)
{
    const uint64_t mixed = og_mix64(fp);
    const uint64_t home = og_home_of(t, mixed);
    const uint32_t *stripe =
        &t->stripes[(home >> t->first_level) % OG_TABLE_STRIPES];
    for (;;) {
        const uint32_t before = __atomic_load_n(stripe, __ATOMIC_ACQUIRE);
        if (before % 2 != 0) continue;
        const struct og_hit hit = shared_hit(t, home, mixed);
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
        const uint64_t home = og_home_of(table, og_mix64(fps[ahead]));
        const struct og_table_view view = og_table_view(table);
        __builtin_prefetch(view.base + (home >> view.level) * view.bucket_len);
        out[i] = find_shared(table, fps[i]);
    }
}
