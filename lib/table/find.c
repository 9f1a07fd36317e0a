/* Looks up a batch of fingerprints, for the writer.
 *
 * A table is much larger than the caches, so each look-up costs a miss for the
 * tags and, if a tag agrees, one more for the payload. Each would take 100 ns;
 * prefetched in time they overlap. So a batch is processed in groups, and each
 * group in three steps: compute the buckets and prefetch their tags; compare
 * tags and prefetch the payloads; read. While one group is read, the payloads
 * of the next are being fetched, and the tags of the one after it. */

#include "lib/table/bucket.h"

/* Enough to hide a miss behind the work of a group, and few enough for the
 * line fill buffers of a core. */
#define GROUP  24
#define GROUPS 3

struct group {
    size_t n;
    uint64_t mixed[GROUP];
    uint8_t *bucket[GROUP];
    struct og_look look[GROUP];
};

static size_t ask_for_tags(const struct og_table *t, const uint64_t *fps,
                           size_t n, struct group *g)
{
    g->n = n < GROUP ? n : GROUP;
    for (size_t i = 0; i < g->n; i++) {
        g->mixed[i] = og_mix64(fps[i]);
        g->bucket[i] = og_bucket_at(t, og_bucket_of(t, g->mixed[i]));
        __builtin_prefetch(g->bucket[i]);
    }
    return g->n;
}

static void ask_for_payloads(const struct og_table *t, struct group *g)
{
    const uint32_t none = t->options.bucket_slots;
    og_buckets_look(t, g->bucket, g->mixed, g->n, g->look);
    for (size_t i = 0; i < g->n; i++) {
        const uint32_t slot = g->look[i].slot;
        if (slot < none)
            __builtin_prefetch(og_bucket_payload(t, g->bucket[i], slot));
    }
}

/* Used slots come first, so the last tag decides. Above level 0 the bucket that
 * matters is one of those that will result from splitting this one. */
static bool may_have_lost(const struct og_table *t, uint8_t *bucket,
                          uint64_t mixed)
{
    const uint32_t n = t->options.bucket_slots;
    if (bucket[n - 1] == 0) return false;
    const uint32_t home = (uint32_t)og_home_of(t, mixed);
    for (uint32_t slot = 0; t->level > 0 && slot < n; slot++)
        if (og_own_home(t, og_bucket_payload(t, bucket, slot)) != home)
            return false;
    return true;
}

static uint16_t read_field(const uint8_t *p, uint8_t len)
{
    if (len == 0) return 0;
    return len == 1 ? p[0] : (uint16_t)(p[0] | p[1] << 8);
}

static struct og_hit read_hit(const struct og_table *t, const uint8_t *payload)
{
    return (struct og_hit){
        .doc = og_own_doc(t, payload) - 1,
        .offset =
            read_field(payload + t->offset_off, t->options.fields.offset_len),
        .near = read_field(payload + t->near_off, t->options.fields.near_len)};
}

static struct og_hit read_miss(const struct og_table *t, const struct group *g,
                               size_t i)
{
    const bool lost = may_have_lost(t, g->bucket[i], g->mixed[i]);
    return (struct og_hit){
        .doc = OG_NO_DOC, .offset = lost, .near = lost ? t->kept : 0};
}

static void read_hits(const struct og_table *t, const struct group *g,
                      struct og_hit *out)
{
    const uint32_t none = t->options.bucket_slots;
    for (size_t i = 0; i < g->n; i++) {
        uint32_t slot = g->look[i].slot;
        if (slot < none && !og_slot_holds(t, g->bucket[i], slot, g->mixed[i]))
            slot = og_bucket_find(t, g->bucket[i], g->mixed[i]);
        out[i] = slot < none
                     ? read_hit(t, og_bucket_payload(t, g->bucket[i], slot))
                     : read_miss(t, g, i);
    }
}

uint8_t og_table_rank(uint64_t fp)
{
    return og_fp_tag(og_mix64(fp));
}

bool og_table_may_have_lost(const struct og_table *table, uint64_t fp)
{
    const uint64_t mixed = og_mix64(fp);
    return may_have_lost(table, og_bucket_at(table, og_bucket_of(table, mixed)),
                         mixed);
}

void og_table_find_many(const struct og_table *table, const uint64_t *fps,
                        size_t n, struct og_hit *out)
{
    struct group groups[GROUPS];
    size_t asked = 0;
    if (n == 0) return; /* and `fps` may be NULL */
    asked += ask_for_tags(table, fps + asked, n - asked, &groups[0]);
    asked += ask_for_tags(table, fps + asked, n - asked, &groups[1]);
    ask_for_payloads(table, &groups[0]);
    for (unsigned turn = 0; groups[turn].n > 0; turn = (turn + 1) % GROUPS) {
        asked += ask_for_tags(table, fps + asked, n - asked,
                              &groups[(turn + 2) % GROUPS]);
        ask_for_payloads(table, &groups[(turn + 1) % GROUPS]);
        read_hits(table, &groups[turn], out);
        out += groups[turn].n;
    }
}
