/* Entries in an array of fixed length that is used as a ring, and for each
 * band a table of chains over them.
 *
 *     entry: [sketch][next entry of each band][document]
 *     band:  [newest entry of each bucket]
 *
 * The hand of the ring goes round; an entry that was matched since the hand
 * came by last is passed over once, and moves to the front by that (a second
 * chance). What goes is taken out of its chains. No question reaches more than
 * MOST_MET entries of a chain, so when one goes that is farther, the chain is
 * cut there: a million equal documents cost each the same.
 *
 * Links are numbers of entries from 1 on, 0 is none: so an index begins as
 * pages of zeros, and those that no entry needs are never touched. Few entries
 * have few buckets, in the first pages, and all are chained anew when there are
 * more. So an index of few documents is opened at their cost, not at that of
 * its room. What a question meets does not depend on it: entries that would be
 * in another bucket of all are passed over. */

#include "lib/near/near_index.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/os/pages.h"

#define NONE      0
#define MOST_MET  1024
#define MOST_ROOM (UINT32_MAX / 2)
/* Buckets at first, and how many times as many then. */
#define FIRST_BUCKETS 1024
#define GROWTH        4
/* Entries of other buckets that a question passes over at most. */
#define MOST_PASSED (4 * MOST_MET)

struct head {
    uint32_t document;
    bool is_touched, is_used;
    uint16_t seen; /* by the question of this number */
};

struct og_near_index {
    const og_allocator *allocator;
    struct og_near_band bands[OG_NEAR_BANDS_MAX];
    size_t n_bands, sketch_len;
    uint32_t room, n, hand;
    uint32_t n_begun;       /* places that were used ever, from the first on */
    uint32_t n_buckets;     /* of each band now, a power of two */
    uint32_t n_all_buckets; /* of each band when there are many entries */
    uint64_t n_evicted;
    uint8_t *sketches;
    uint32_t *next;   /* [entry][band], links */
    uint32_t *newest; /* [band][bucket], links */
    struct head *heads;
    struct og_pages newest_pages, heads_pages;
    uint16_t question; /* number of the last one; 0: none */
    uint32_t *found;
    size_t n_found, found_cap;
};

static size_t entry_len(const struct og_near_index *x)
{
    return x->sketch_len + x->n_bands * sizeof(uint32_t) + sizeof(struct head);
}

static og_status make_tables(struct og_near_index *x, uint64_t memory,
                             og_error *err)
{
    const og_allocator *a = x->allocator;
    const size_t n_links = (size_t)x->n_all_buckets * x->n_bands;
    x->sketches = og_allocate(a, x->room * x->sketch_len);
    x->next = og_allocate(a, x->room * x->n_bands * sizeof(*x->next));
    if (x->sketches == NULL || x->next == NULL)
        return og_error_memory(err, (size_t)memory, "an index");
    TRY(og_pages_init(&x->heads_pages, x->room * sizeof(*x->heads), a, err));
    TRY(og_pages_init(&x->newest_pages, n_links * sizeof(*x->newest), a, err));
    x->heads = x->heads_pages.data;
    x->newest = x->newest_pages.data;
    return OG_OK;
}

og_status og_near_index_new(const struct og_near_band *bands, size_t n_bands,
                            size_t sketch_len, uint64_t memory,
                            const og_allocator *allocator,
                            struct og_near_index **out, og_error *err)
{
    struct og_near_index *x = og_allocate_zero(allocator, sizeof(*x));
    if (x == NULL) return og_error_memory(err, sizeof(*x), "an index");
    x->allocator = allocator;
    memcpy(x->bands, bands, n_bands * sizeof(*bands));
    x->n_bands = n_bands;
    x->sketch_len = sketch_len;
    /* A bucket for each entry or two of them. */
    const size_t each = entry_len(x) + n_bands * sizeof(uint32_t);
    uint64_t room = memory / each;
    if (room > MOST_ROOM) room = MOST_ROOM;
    if (room < 16) room = 16;
    x->room = (uint32_t)room;
    x->n_all_buckets = 16;
    while (x->n_all_buckets <= x->room / 2)
        x->n_all_buckets *= 2;
    x->n_buckets =
        x->n_all_buckets < FIRST_BUCKETS ? x->n_all_buckets : FIRST_BUCKETS;
    const og_status status = make_tables(x, memory, err);
    if (status != OG_OK) {
        og_near_index_free(x);
        return status;
    }
    *out = x;
    return OG_OK;
}

void og_near_index_free(struct og_near_index *x)
{
    if (x == NULL) return;
    const og_allocator *a = x->allocator;
    og_release(a, x->sketches, x->room * x->sketch_len);
    og_release(a, x->next, x->room * x->n_bands * sizeof(*x->next));
    og_pages_release(&x->heads_pages);
    og_pages_release(&x->newest_pages);
    OG_UNGROW(a, x->found, x->found_cap);
    og_release(a, x, sizeof(*x));
}

/* ---- chains ---- */

static uint8_t *sketch_of(const struct og_near_index *x, uint32_t entry)
{
    return x->sketches + (size_t)entry * x->sketch_len;
}

static uint32_t link_to(uint32_t entry)
{
    return entry + 1;
}

static uint32_t entry_of(uint32_t link)
{
    return link - 1;
}

static uint32_t *next_of(const struct og_near_index *x, uint32_t entry,
                         size_t band)
{
    return &x->next[(size_t)entry * x->n_bands + band];
}

static uint64_t key_of(const struct og_near_index *x, const uint8_t *sketch,
                       size_t band)
{
    const struct og_near_band b = x->bands[band];
    uint64_t key = band + 1;
    for (size_t i = 0; i < b.len; i += 8) {
        uint64_t word = 0;
        const size_t n = b.len - i < 8 ? b.len - i : 8;
        memcpy(&word, sketch + b.off + i, n);
        key = og_mix64(key ^ word);
    }
    return key;
}

static uint32_t *bucket_of(const struct og_near_index *x, const uint8_t *sketch,
                           size_t band)
{
    const uint64_t key = key_of(x, sketch, band);
    return &x->newest[band * x->n_buckets + (key & (x->n_buckets - 1))];
}

/* Whether both would be in one bucket if there were all. */
static bool is_of_bucket(const struct og_near_index *x, uint32_t entry,
                         const uint8_t *sketch, size_t band)
{
    if (x->n_buckets == x->n_all_buckets) return true;
    const uint64_t differ =
        key_of(x, sketch_of(x, entry), band) ^ key_of(x, sketch, band);
    return (differ & (x->n_all_buckets - 1)) == 0;
}

static void unchain(struct og_near_index *x, uint32_t entry)
{
    const uint32_t own = link_to(entry);
    for (size_t b = 0; b < x->n_bands; b++) {
        uint32_t *link = bucket_of(x, sketch_of(x, entry), b);
        for (size_t n = 0; n < MOST_MET && *link != own && *link != NONE; n++)
            link = next_of(x, entry_of(*link), b);
        *link = *link == own ? *next_of(x, entry, b) : NONE;
    }
}

static void chain(struct og_near_index *x, uint32_t entry)
{
    for (size_t b = 0; b < x->n_bands; b++) {
        uint32_t *link = bucket_of(x, sketch_of(x, entry), b);
        *next_of(x, entry, b) = *link;
        *link = link_to(entry);
    }
}

/* All buckets are there before the ring is full: nothing went yet, and the
 * entries are in the order of their numbers. */
static void grow(struct og_near_index *x)
{
    const size_t n_links = (size_t)x->n_buckets * x->n_bands;
    memset(x->newest, 0, n_links * sizeof(*x->newest));
    const uint32_t n = x->n_buckets;
    x->n_buckets =
        n > x->n_all_buckets / GROWTH ? x->n_all_buckets : n * GROWTH;
    for (uint32_t i = 0; i < x->n_begun; i++)
        chain(x, i);
}

/* ---- adding ---- */

static void evict(struct og_near_index *x, uint32_t entry)
{
    unchain(x, entry);
    x->heads[entry] = (struct head){0};
    x->n--;
    x->n_evicted++;
}

/* The next place of the ring that is free or not needed any more. */
static uint32_t find_place(struct og_near_index *x)
{
    for (;;) {
        const uint32_t at = x->hand;
        x->hand = (at + 1) % x->room;
        if (!x->heads[at].is_used) return at;
        if (!x->heads[at].is_touched) {
            evict(x, at);
            return at;
        }
        x->heads[at].is_touched = false;
    }
}

void og_near_index_add(struct og_near_index *x,
                       const struct og_near_entry *entry)
{
    if (x->n >= x->n_buckets / 2 && x->n_buckets < x->n_all_buckets) grow(x);
    const uint32_t at = find_place(x);
    x->heads[at] = (struct head){.document = entry->document, .is_used = true};
    x->n++;
    if (x->n_begun <= at) x->n_begun = at + 1;
    memcpy(sketch_of(x, at), entry->sketch, x->sketch_len);
    chain(x, at);
}

/* ---- finding ---- */

static og_status find_in_band(struct og_near_index *x, const uint8_t *sketch,
                              size_t band, og_error *err)
{
    const struct og_near_band b = x->bands[band];
    uint32_t link = *bucket_of(x, sketch, band), entry;
    size_t n = 0, n_passed = 0;
    for (; link != NONE && n < MOST_MET && n_passed < MOST_PASSED;
         link = *next_of(x, entry, band)) {
        entry = entry_of(link);
        if (!is_of_bucket(x, entry, sketch, band)) {
            n_passed++;
            continue;
        }
        n++;
        if (x->heads[entry].seen == x->question ||
            memcmp(sketch_of(x, entry) + b.off, sketch + b.off, b.len) != 0)
            continue;
        if (!OG_GROW(x->allocator, x->found, x->found_cap, x->n_found + 1))
            return og_error_memory(err, x->n_found * 4, "candidates");
        x->heads[entry].seen = x->question;
        x->found[x->n_found++] = entry;
    }
    return OG_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Questions are counted from 1; after the last, all marks go. */
static void begin_question(struct og_near_index *x)
{
    x->n_found = 0;
    if (++x->question != 0) return;
    for (uint32_t i = 0; i < x->n_begun; i++)
        x->heads[i].seen = 0;
    x->question = 1;
}

og_status og_near_index_find(struct og_near_index *x, const uint8_t *sketch,
                             const uint32_t **out, size_t *out_n, og_error *err)
{
    begin_question(x);
    for (size_t b = 0; b < x->n_bands; b++)
        __builtin_prefetch(bucket_of(x, sketch, b));
    for (size_t b = 0; b < x->n_bands; b++)
        TRY(find_in_band(x, sketch, b, err));
    if (x->n_found > 1)
        qsort(x->found, x->n_found, sizeof(*x->found), by_number);
    *out = x->found;
    *out_n = x->n_found;
    return OG_OK;
}

void og_near_index_get(const struct og_near_index *x, uint32_t number,
                       struct og_near_entry *out)
{
    *out = (struct og_near_entry){.sketch = sketch_of(x, number),
                                  .document = x->heads[number].document};
}

void og_near_index_touch(struct og_near_index *x, uint32_t number)
{
    x->heads[number].is_touched = true;
}

size_t og_near_index_n(const struct og_near_index *x)
{
    return x->n;
}

size_t og_near_index_room(const struct og_near_index *x)
{
    return x->room;
}

uint64_t og_near_index_n_evicted(const struct og_near_index *x)
{
    return x->n_evicted;
}

static og_status
walk_places(const struct og_near_index *x, uint32_t begin, uint32_t end,
            void *ctx,
            og_status (*on_entry)(void *ctx, const struct og_near_entry *entry,
                                  og_error *err),
            og_error *err)
{
    for (uint32_t at = begin; at < end; at++) {
        struct og_near_entry entry;
        if (!x->heads[at].is_used) continue;
        og_near_index_get(x, at, &entry);
        TRY(on_entry(ctx, &entry, err));
    }
    return OG_OK;
}

/* The place behind the hand is the oldest. */
og_status og_near_index_walk(
    const struct og_near_index *x, void *ctx,
    og_status (*on_entry)(void *ctx, const struct og_near_entry *entry,
                          og_error *err),
    og_error *err)
{
    TRY(walk_places(x, x->hand, x->n_begun, ctx, on_entry, err));
    return walk_places(x, 0, x->hand, ctx, on_entry, err);
}
