#ifndef OG_HAMMING_CODE_INDEX_H
#define OG_HAMMING_CODE_INDEX_H

/* The tables of a design over a set of codes, and the query "which are within k
 * bits of this one".
 *
 * A table contains the codes unchanged, sorted by their key (the bits at the
 * positions of its mask), after a directory with one entry per key: two
 * adjacent entries delimit the bucket of a key. So a probe is two memory
 * accesses that can be prefetched, and all probes of a query,
 * or of a group of queries, overlap. Interpolation search (code_permuted.h, the
 * paper's) needs several accesses, one after the other.
 *
 *     starts   u32[2^bits + 2]    bucket of key: starts[key] .. starts[key+1]
 *     codes    u64[n]             on a cache line of its own
 *
 * The codes of a set are distinct; how many documents have
 * a code is up to the caller. */

#include "lib/hamming/code_design.h"
#include "lib/os/pages.h"

#define OG_CODE_INDEX_MOST ((uint64_t)UINT32_MAX - 64) /* codes in a table */

struct og_code_table {
    struct og_code_runs runs;
    const uint32_t *starts;
    const uint64_t *codes;
};

struct og_code_index {
    struct og_code_design design;
    size_t n;
    const uint64_t *codes; /* ascending; owned by the caller, must outlive the
                              index */
    struct og_code_table table[OG_CODE_TABLES];
    struct og_pages pages; /* empty if the tables are mapped */
    /* Tables of another form; NULL. */
    const og_allocator *allocator;
    struct og_code_permuted *permuted;
    struct og_code_slices *slices;
};
struct og_code_permuted;
struct og_code_slices;

/* Bytes of one table, a multiple of 64. */
size_t og_code_table_len(uint64_t mask, size_t n);

/* Fills the bytes of one table, zeroed before. `spare` has room for n. */
void og_code_table_fill(uint64_t mask, const uint64_t *codes, size_t n,
                        uint64_t *spare, void *out);

/* Reverses the bytes of its numbers: a file is little-endian. */
void og_code_table_turn(uint64_t mask, size_t n, void *table);

/* Whether every bucket is inside the table, which makes probing safe. */
bool og_code_table_sound(uint64_t mask, size_t n, const void *table);

/* Tables one after the other, as og_code_table_fill() made them, borrowed. */
void og_code_index_view(struct og_code_index *index,
                        const struct og_code_design *design,
                        const uint64_t *codes, size_t n, const void *tables);

/* `codes` must be ascending and distinct. The design is used unchanged: see
 * og_code_design_fit(). */
og_status og_code_index_init(struct og_code_index *index,
                             const struct og_code_design *design,
                             const uint64_t *codes, size_t n,
                             const og_allocator *allocator, og_error *err);
void og_code_index_release(struct og_code_index *index);

/* Bytes of all tables, without the codes themselves; approximate for packed
 * ones. */
uint64_t og_code_design_bytes(const struct og_code_design *design, uint64_t n);

/* Each code within max_distance of each query, once, in any order. max_distance
 * is at most that of the design. Returns false if on_match did. */
bool og_code_index_ask(const struct og_code_index *index,
                       const uint64_t *questions, size_t n_questions,
                       unsigned max_distance, void *ctx,
                       bool (*on_match)(void *ctx, size_t question,
                                        uint64_t code));

/* Sorts ascending, in time independent of the order and of repetitions; `spare`
 * has room for n. Returns the number of distinct codes, which are then the
 * first ones. */
size_t og_code_sort(uint64_t *codes, uint64_t *spare, size_t n);
void og_code_sort_all(uint64_t *codes, uint64_t *spare, size_t n);

/* The index of the first value that is not below `value`; n if there is none. A
 * few steps of interpolation search, then bisection: so that values far from
 * random cost log n instead of n. */
size_t og_code_search(const uint64_t *values, size_t n, uint64_t value);

#endif
