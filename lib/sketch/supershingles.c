/* Supershingles: many samples in few values, and tables in which similar
 * documents meet.
 *
 * A value over r samples agrees if all r agree: with probability J^r. Of b such
 * values n must agree, so a pair of similarity J is found with the probability
 * that a binomial variable reaches n: a steep curve, the S-curve (figures 3.1
 * and 3.2 of the book). Alta Vista required two of six over 14 samples each; a
 * later form four of six, over 5 samples, in 16 bits each.
 *
 * To find pairs without comparing all documents, every choice of n of the b
 * values has a table, and documents that agree in all n of them have the same
 * key there. Two of six and four of six both take 15 tables. */

#include <assert.h>
#include <math.h>
#include <origo/sketch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"

/* C(64, 3) is more; an application that needs that wants another design. */
#define TABLES_MAX 20000

og_status og_bands_check(const og_bands *b, og_error *err)
{
    if (b->n_bands < 1 || b->n_bands > 64)
        return og_error_set(err, OG_ERR_USAGE, "'%u' bands: must be 1 to 64",
                            (unsigned)b->n_bands);
    if (b->n_rows < 1 || (uint64_t)b->n_rows * b->n_bands > 4096)
        return og_error_set(err, OG_ERR_USAGE,
                            "%u bands of '%u' rows: must be 1 to 4096 samples",
                            (unsigned)b->n_bands, (unsigned)b->n_rows);
    if (b->n_needed < 1 || b->n_needed > b->n_bands)
        return og_error_set(err, OG_ERR_USAGE,
                            "'%u' bands needed: must be 1 to %u",
                            (unsigned)b->n_needed, (unsigned)b->n_bands);
    if (b->n_bits < 1 || b->n_bits > 64)
        return og_error_set(err, OG_ERR_USAGE,
                            "'%u' bits of a band: must be 1 to 64",
                            (unsigned)b->n_bits);
    return OG_OK;
}

void og_supershingles(const og_bands *bands, const uint32_t *samples,
                      uint64_t *out)
{
    for (uint32_t b = 0; b < bands->n_bands; b++) {
        uint64_t value = og_mix64(b + 1);
        for (uint32_t r = 0; r < bands->n_rows; r++)
            value = og_mix64(value ^ *samples++) + 0x9e3779b97f4a7c15u;
        out[b] = og_mix64(value) >> (64 - bands->n_bits);
    }
}

/* Sums from the end with the small terms, so that one in a thousand million
 * keeps its digits. */
double og_bands_probability(const og_bands *bands, double similarity)
{
    const double all = pow(similarity, bands->n_rows);
    const double p = all + (1 - all) * ldexp(1, -(int)bands->n_bits);
    const uint32_t n = bands->n_bands;
    double sum = 0;
    if (p >= 1) return 1;
    for (uint32_t i = n; i >= bands->n_needed; i--) {
        const double choices =
            lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0);
        const double ones = p > 0 ? i * log(p) : -INFINITY;
        sum += exp(choices + ones + (n - i) * log1p(-p));
    }
    return sum < 1 ? sum : 1;
}

/* ---- tables ---- */

#define NO_DOC UINT32_MAX

/* Documents with the same key, in a chain. */
struct list {
    uint32_t first, last;
};

struct table {
    uint64_t bands;            /* the choice: a bit for each */
    struct og_hash_table keys; /* numbers of lists, from 1 */
    struct list *lists;
    size_t lists_cap;
    uint32_t *next; /* the next document with the same key */
    size_t next_cap;
};

struct og_band_tables {
    og_bands bands;
    struct table *tables;
    size_t n_tables;
    uint32_t n_docs;
    uint32_t *met;
    size_t n_met, met_cap;
    uint32_t *met_at; /* met_at[doc] == n_docs: it is already in met[] */
    size_t met_at_cap;
};

static size_t count_choices(uint32_t n, uint32_t k)
{
    double count = 1;
    for (uint32_t i = 1; i <= k; i++)
        count = count * (n - k + i) / i;
    return count > TABLES_MAX ? TABLES_MAX + 1 : (size_t)(count + 0.5);
}

/* The next larger word with the same number of ones (Gosper). */
static uint64_t next_choice(uint64_t bits)
{
    const uint64_t low = bits & -bits;
    const uint64_t sum = bits + low;
    return sum | (bits ^ sum) / low >> 2;
}

og_status og_band_tables_new(const og_bands *bands, og_band_tables **out,
                             og_error *err)
{
    TRY(og_bands_check(bands, err));
    const size_t n = count_choices(bands->n_bands, bands->n_needed);
    if (n > TABLES_MAX)
        return og_error_set(
            err, OG_ERR_LIMIT, "%u of %u bands take more than %d tables",
            (unsigned)bands->n_needed, (unsigned)bands->n_bands, TABLES_MAX);
    og_band_tables *t = og_allocate_zero(NULL, sizeof(*t));
    if (t != NULL) {
        t->n_tables = n;
        t->tables = og_allocate_zero(NULL, n * sizeof(*t->tables));
    }
    if (t == NULL || t->tables == NULL) goto no_memory;
    t->bands = *bands;
    uint64_t choice = bands->n_needed == 64
                          ? UINT64_MAX
                          : ((uint64_t)1 << bands->n_needed) - 1;
    for (size_t i = 0; i < n; i++) {
        t->tables[i].bands = choice;
        if (i + 1 < n) choice = next_choice(choice);
    }
    *out = t;
    return OG_OK;
no_memory:
    og_band_tables_free(t);
    return og_error_memory(err, n * sizeof(*t->tables), "band tables");
}

void og_band_tables_free(og_band_tables *t)
{
    if (t == NULL) return;
    for (size_t i = 0; t->tables != NULL && i < t->n_tables; i++) {
        og_hash_table_release(&t->tables[i].keys);
        OG_UNGROW(NULL, t->tables[i].lists, t->tables[i].lists_cap);
        OG_UNGROW(NULL, t->tables[i].next, t->tables[i].next_cap);
    }
    og_release(NULL, t->tables, t->n_tables * sizeof(*t->tables));
    OG_UNGROW(NULL, t->met, t->met_cap);
    OG_UNGROW(NULL, t->met_at, t->met_at_cap);
    og_release(NULL, t, sizeof(*t));
}

size_t og_band_tables_count(const og_band_tables *t)
{
    return t->n_tables;
}

/* The key of the chosen bands, mixed: equal keys have equal hashes. */
static uint64_t hash_of(const struct table *t, const uint64_t *values)
{
    uint64_t key = 0x62616e6473u;
    for (uint64_t bands = t->bands; bands != 0; bands &= bands - 1)
        key = og_mix64(key ^ values[__builtin_ctzll(bands)]) +
              0x9e3779b97f4a7c15u;
    return og_mix64(key);
}

/* Room was reserved before: cannot fail, so a document is in all tables or in
 * none. */
static void add_to(struct table *t, struct og_hash_slot *slot, uint64_t hash,
                   uint32_t doc)
{
    t->next[doc] = NO_DOC;
    if (slot->number == 0) {
        t->lists[t->keys.n] = (struct list){doc, doc};
        og_hash_table_put(&t->keys, slot, hash, t->keys.n + 1);
        return;
    }
    struct list *list = &t->lists[slot->number - 1];
    t->next[list->last] = doc;
    list->last = doc;
}

static bool reserve(og_band_tables *t)
{
    const size_t n = (size_t)t->n_docs + 1;
    for (size_t i = 0; i < t->n_tables; i++) {
        struct table *table = &t->tables[i];
        if (!og_hash_table_reserve(&table->keys) ||
            !OG_GROW(NULL, table->lists, table->lists_cap, table->keys.n + 1) ||
            !OG_GROW(NULL, table->next, table->next_cap, n))
            return false;
    }
    return OG_GROW(NULL, t->met, t->met_cap, n) &&
           OG_GROW(NULL, t->met_at, t->met_at_cap, n);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

og_status og_band_tables_meet(og_band_tables *t, const uint64_t *values,
                              size_t limit, const uint32_t **out, size_t *out_n,
                              og_error *err)
{
    const uint32_t doc = t->n_docs;
    if (limit == 0) limit = SIZE_MAX;
    if (doc == NO_DOC || !reserve(t))
        return og_error_memory(err, doc * sizeof(uint32_t), "band tables");
    t->met_at[doc] = NO_DOC;
    t->n_met = 0;
    for (size_t i = 0; i < t->n_tables; i++) {
        struct table *table = &t->tables[i];
        const uint64_t hash = hash_of(table, values);
        struct og_hash_slot *slot =
            og_hash_table_next(&table->keys, hash, hash);
        uint32_t d =
            slot->number == 0 ? NO_DOC : table->lists[slot->number - 1].first;
        for (size_t n = 0; d != NO_DOC && n < limit; d = table->next[d], n++)
            if (t->met_at[d] != doc) {
                t->met_at[d] = doc;
                t->met[t->n_met++] = d;
            }
        add_to(table, slot, hash, doc);
    }
    t->n_docs++;
    if (t->n_met > 1) qsort(t->met, t->n_met, sizeof(*t->met), by_number);
    *out = t->met;
    *out_n = t->n_met;
    return OG_OK;
}
