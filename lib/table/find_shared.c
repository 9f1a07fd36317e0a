/* Look-ups while the writer works, from any number of threads. */

#include "lib/table/bucket.h"

/* The base is set before the level when a table moves, so that the buckets of a
 * level exist. */
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

bool og_table_is_growing(const struct og_table *table)
{
    return og_table_view(table).level > 0;
}

/* Tags are read one by one only under a thread checker: elsewhere a vector
 * loads the same bytes. */
static uint32_t shared_tag(const uint8_t *tags, uint32_t first, uint32_t n,
                           uint8_t tag)
{
#if OG_THREAD_CHECKER
    while (first < n && og_get8(tags + first) != tag)
        first++;
    return first;
#else
    return og_tags_next(tags, first, n, tag);
#endif
}

/* The fields of a payload, to which the same applies. */
static bool shared_holds(const struct og_table *t, const uint8_t *payload,
                         uint64_t rest)
{
#if OG_THREAD_CHECKER
    return og_get_bytes(payload, t->rest_len) == rest;
#else
    return og_own_rest(t, payload) == rest;
#endif
}

static uint32_t shared_word(const uint8_t *p)
{
#if OG_THREAD_CHECKER
    return (uint32_t)og_get_bytes(p, 4);
#else
    return og_load32(p);
#endif
}

/* Like may_have_lost() of find.c. */
static struct og_hit shared_miss(const struct og_table *t,
                                 const struct og_table_view *view,
                                 const uint8_t *bucket, uint64_t home)
{
    const uint32_t n = t->options.bucket_slots;
    bool lost = og_get8(bucket + n - 1) != 0;
    for (uint32_t slot = 0; lost && view->level > 0 && slot < n; slot++)
        lost = shared_word(bucket + t->payload_off + slot * view->payload_len +
                           t->home_off) == (uint32_t)home;
    const uint16_t kept = __atomic_load_n(&t->kept, __ATOMIC_RELAXED);
    return (struct og_hit){
        .doc = OG_NO_DOC, .offset = lost, .near = lost ? kept : 0};
}

static struct og_hit shared_hit(const struct og_table *t, uint64_t home,
                                uint64_t mixed)
{
    const struct og_table_view view = og_table_view(t);
    const uint8_t *bucket = view.base + (home >> view.level) * view.bucket_len;
    const struct og_table_fields *fields = &t->options.fields;
    const uint64_t rest = og_fp_rest(t, mixed);
    const uint32_t n = t->options.bucket_slots;
    const uint8_t tag = og_fp_tag(mixed);
    for (uint32_t slot = shared_tag(bucket, 0, n, tag); slot < n;
         slot = shared_tag(bucket, slot + 1, n, tag)) {
        const uint8_t *payload =
            bucket + t->payload_off + slot * view.payload_len;
        const uint32_t doc = shared_word(payload + t->doc_off);
        if (doc == 0 || !shared_holds(t, payload, rest)) continue;
        if (view.level > 0 &&
            shared_word(payload + t->home_off) != (uint32_t)home)
            continue;
        return (struct og_hit){.doc = doc - 1,
                               .offset = (uint16_t)og_get_bytes(
                                   payload + t->offset_off, fields->offset_len),
                               .near = (uint16_t)og_get_bytes(
                                   payload + t->near_off, fields->near_len)};
    }
    return shared_miss(t, &view, bucket, home);
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

/* Prefetches the tags of a bucket. */
static void ask_for_tags(const struct og_table *t, uint64_t fp)
{
    const struct og_table_view view = og_table_view(t);
    const uint64_t home = og_home_of(t, og_mix64(fp));
    __builtin_prefetch(view.base + (home >> view.level) * view.bucket_len);
}

/* Prefetches the payload of a matching tag. It need not be the right one, so
 * the stripe is not checked. */
static void ask_for_payload(const struct og_table *t, uint64_t fp)
{
    const struct og_table_view view = og_table_view(t);
    const uint64_t mixed = og_mix64(fp);
    const uint32_t n = t->options.bucket_slots;
    const uint8_t *bucket =
        view.base + (og_home_of(t, mixed) >> view.level) * view.bucket_len;
    const uint32_t slot = shared_tag(bucket, 0, n, og_fp_tag(mixed));
    if (slot < n)
        __builtin_prefetch(bucket + t->payload_off + slot * view.payload_len);
}

/* Two misses each, prefetched in time: see find.c. */
void og_table_find_shared(const struct og_table *table, const uint64_t *fps,
                          size_t n, struct og_hit *out)
{
    enum { TAGS_AHEAD = 32, PAYLOAD_AHEAD = 12 };
    for (size_t i = 0; i < n && i < TAGS_AHEAD; i++)
        ask_for_tags(table, fps[i]);
    for (size_t i = 0; i < n && i < PAYLOAD_AHEAD; i++)
        ask_for_payload(table, fps[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + TAGS_AHEAD < n) ask_for_tags(table, fps[i + TAGS_AHEAD]);
        if (i + PAYLOAD_AHEAD < n)
            ask_for_payload(table, fps[i + PAYLOAD_AHEAD]);
        out[i] = find_shared(table, fps[i]);
    }
}
