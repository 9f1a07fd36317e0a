/* Counts in fixed memory how many documents contain each feature.
 *
 * There are too many features to count them all: half of them occur in one
 * document only. But those need no counting: it is enough to know that they are
 * rare. So the table counts exactly until it is full, and then drops the rarest
 * (lossy counting, Manku and Motwani 2002): every feature seen in at most d
 * documents, d being the smallest value that makes room. A feature that is
 * added later may have been dropped before, at most d times, and carries d as
 * its error. Hence for every feature, in the table or not,
 *
 *     count <= true document frequency <= count + error,   error <= d
 *
 * and the file states d. A sketch of counters (count-min) has errors of the
 * same size, but on rare and common features alike, and cannot say on which.
 *
 * The position of a feature in the table is the top of its hash or shortly
 * after, so the table is always nearly sorted: sorting it for the file takes no
 * memory and hardly any time. */

#include "lib/sketch/features/idf.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"
#include "lib/os/pages.h"
#include "lib/sketch/features/idf_file.h"

#define LEAST_MEMORY ((uint64_t)64 << 10)

struct og_idf_counter {
    const og_allocator *allocator;
    struct og_pages pages; /* of the table */
    struct og_idf_entry *table;
    size_t n_slots; /* a power of two */
    unsigned shift; /* hash >> shift is a slot */
    size_t n, most; /* entries, and their number when it is full */
    uint64_t n_documents;
    uint32_t error; /* d: no dropped feature had a higher count */
    bool is_sorted; /* og_idf_counter_save() was called: no more counting */
    char words[OG_IDF_WORDS_MAX];
};

og_status og_idf_counter_new(uint64_t memory, const char *words,
                             const og_allocator *allocator,
                             struct og_idf_counter **out, og_error *err)
{
    if (memory < LEAST_MEMORY)
        return og_error_set(
            err, OG_ERR_USAGE, "memory must be at least %llu bytes, not %llu",
            (unsigned long long)LEAST_MEMORY, (unsigned long long)memory);
    struct og_idf_counter *c = og_allocate_zero(allocator, sizeof(*c));
    if (c == NULL) return og_error_memory(err, sizeof(*c), "a counter");
    c->allocator = allocator;
    c->n_slots = 1024;
    c->shift = 64 - 10;
    while (2 * c->n_slots * sizeof(*c->table) <= memory && c->shift > 24) {
        c->n_slots *= 2;
        c->shift--;
    }
    c->most = c->n_slots / 4 * 3;
    snprintf(c->words, sizeof(c->words), "%s", words);
    const og_status status = og_pages_init(
        &c->pages, c->n_slots * sizeof(*c->table), allocator, err);
    if (status != OG_OK) {
        og_release(allocator, c, sizeof(*c));
        return status;
    }
    c->table = c->pages.data;
    *out = c;
    return OG_OK;
}

void og_idf_counter_free(struct og_idf_counter *c)
{
    if (c == NULL) return;
    og_pages_release(&c->pages);
    og_release(c->allocator, c, sizeof(*c));
}

og_idf_info og_idf_counter_info(const struct og_idf_counter *c)
{
    return (og_idf_info){.n_documents = c->n_documents,
                         .n_features = c->n,
                         .max_error = c->error};
}

/* ---- counting ---- */

static size_t next_slot(const struct og_idf_counter *c, size_t at)
{
    return (at + 1) & (c->n_slots - 1);
}

static size_t home_of(const struct og_idf_counter *c, uint64_t hash)
{
    return (size_t)(hash >> c->shift);
}

static size_t find(const struct og_idf_counter *c, uint64_t hash)
{
    size_t at;
    OG_PROBE(at, home_of(c, hash), c->n_slots,
             c->table[at].count == 0 || c->table[at].hash == hash)
    return at;
}

/* Frees a slot and closes the gap: the following entries move up unless that
 * puts them before their home slot. */
static void drop_slot(struct og_idf_counter *c, size_t hole)
{
    const size_t mask = c->n_slots - 1;
    for (size_t at = next_slot(c, hole); c->table[at].count != 0;
         at = next_slot(c, at)) {
        const size_t home = home_of(c, c->table[at].hash);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        c->table[hole] = c->table[at];
        hole = at;
    }
    c->table[hole] = (struct og_idf_entry){0, 0, 0};
    c->n--;
}

static uint64_t most_of(const struct og_idf_entry *e)
{
    return (uint64_t)e->count + e->error;
}

/* The smallest d that frees a third of the table. */
static uint32_t choose_error(const struct og_idf_counter *c)
{
    enum { LEVELS = 4096 };
    size_t n_of[LEVELS] = {0}, n_below = 0;
    for (size_t i = 0; i < c->n_slots; i++) {
        if (c->table[i].count == 0) continue;
        const uint64_t most = most_of(&c->table[i]);
        n_of[most < LEVELS ? most : LEVELS - 1]++;
    }
    uint32_t error = 0;
    while (error + 1 < LEVELS && n_below < c->n / 3)
        n_below += n_of[++error];
    /* Above the levels the counts are unknown: double. */
    if (error + 1 == LEVELS && c->error >= error) error = 2 * c->error;
    return error > c->error ? error : c->error + 1;
}

static void make_room(struct og_idf_counter *c)
{
    c->error = choose_error(c);
    size_t first = 0;
    while (c->table[first].count != 0)
        first++;
    /* From a free slot on and once around, so that no run is visited twice; a
     * slot whose entry was dropped may now hold another one. */
    for (size_t i = 1; i <= c->n_slots; i++) {
        const size_t at = (first + i) & (c->n_slots - 1);
        while (c->table[at].count != 0 && most_of(&c->table[at]) <= c->error)
            drop_slot(c, at);
    }
}

static void count(struct og_idf_counter *c, uint64_t hash)
{
    size_t at = find(c, hash);
    if (c->table[at].count != 0) {
        if (c->table[at].count != UINT32_MAX) c->table[at].count++;
        return;
    }
    while (c->n >= c->most) {
        make_room(c);
        at = find(c, hash);
    }
    c->table[at] = (struct og_idf_entry){hash, 1, c->error};
    c->n++;
}

void og_idf_counter_add(struct og_idf_counter *c, const uint64_t *hash,
                        size_t n)
{
    enum { AHEAD = 16 };
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n)
            __builtin_prefetch(&c->table[home_of(c, hash[i + AHEAD])]);
        count(c, hash[i]);
    }
}

void og_idf_counter_end_document(struct og_idf_counter *c)
{
    c->n_documents++;
}

/* ---- sorting in place ---- */

static void reverse(struct og_idf_entry *e, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct og_idf_entry kept = e[i];
        e[i] = e[n - 1 - i];
        e[n - 1 - i] = kept;
    }
}

/* Entries that wrapped around the end of the table are at its beginning; moves
 * them to the end. Their order is left to the next step. */
static void unwrap(struct og_idf_counter *c, size_t n_first)
{
    struct og_idf_entry *e = c->table;
    size_t n_over = 0;
    for (size_t i = 0; i < n_first; i++) {
        if (home_of(c, e[i].hash) <= c->n_slots / 2) continue;
        const struct og_idf_entry kept = e[n_over];
        e[n_over++] = e[i];
        e[i] = kept;
    }
    reverse(e, n_over);
    reverse(e + n_over, c->n - n_over);
    reverse(e, c->n);
}

static void sort(struct og_idf_counter *c)
{
    struct og_idf_entry *e = c->table;
    size_t n = 0, n_first = 0;
    while (n_first < c->n_slots && e[n_first].count != 0)
        n_first++;
    for (size_t i = 0; i < c->n_slots; i++)
        if (e[i].count != 0) e[n++] = e[i];
    unwrap(c, n_first);
    /* Nearly sorted: only its own run precedes each. */
    for (size_t i = 1; i < n; i++) {
        const struct og_idf_entry moving = e[i];
        size_t at = i;
        for (; at > 0 && e[at - 1].hash > moving.hash; at--)
            e[at] = e[at - 1];
        e[at] = moving;
    }
    c->is_sorted = true;
}

static struct og_idf_head head_of(struct og_idf_counter *c)
{
    struct og_idf_head head = {.n_documents = c->n_documents,
                               .n_features = c->n,
                               .max_error = c->error};
    memcpy(head.words, c->words, sizeof(head.words));
    if (!c->is_sorted) sort(c);
    return head;
}

og_status og_idf_counter_save(struct og_idf_counter *c, const char *path,
                              og_error *err)
{
    const struct og_idf_head head = head_of(c);
    return og_idf_save(path, &head, c->table, err);
}

og_status og_idf_counter_finish(struct og_idf_counter *c, og_idf **out,
                                og_error *err)
{
    const struct og_idf_head head = head_of(c);
    return og_idf_from_entries(&head, c->table, out, err);
}
