#ifndef OG_HAMMING_CODE_INDEX_H
#define OG_HAMMING_CODE_INDEX_H

/* The tables of a design over a set of codes, and the question "which are
 * within k bits of this one".
 *
 * A table contains the codes as they are, sorted by their key (the bits at the
 * positions of its mask), after a directory with one entry for every key: the
 * bucket of a key is two neighbouring entries. So a probe is two memory
 * accesses, both known before either arrives, and all probes of a question,
 * or of a group of questions, are under way together. Interpolation search
 * (code_permuted.h, the paper's) needs several accesses, one after the other.
 *
 *     starts   u32[2^bits + 2]    bucket of key: starts[key] .. starts[key+1]
 *     codes    u64[n]             on a cache line of its own
 *
 * The codes of a set are different from one another; how many documents have
 * a code is the business of whoever asks. */

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
    const uint64_t *codes; /* ascending; the caller's, must stay */
    struct og_code_table table[OG_CODE_TABLES];
    struct og_pages pages; /* empty when the tables are mapped */
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

/* Turns the bytes of its numbers round: a file has them low one first. */
void og_code_table_turn(uint64_t mask, size_t n, void *table);

/* Whether every bucket lies in the table: what makes a probe safe. */
bool og_code_table_sound(uint64_t mask, size_t n, const void *table);

/* Tables one after the other, as og_code_table_fill() made them, borrowed. */
void og_code_index_view(struct og_code_index *index,
                        const struct og_code_design *design,
                        const uint64_t *codes, size_t n, const void *tables);

/* `codes` ascending and different. The design is taken as it is: see
 * og_code_design_fit(). */
og_status og_code_index_init(struct og_code_index *index,
                             const struct og_code_design *design,
                             const uint64_t *codes, size_t n,
                             const og_allocator *allocator, og_error *err);
void og_code_index_release(struct og_code_index *index);

/* Bytes of all tables, without the codes themselves; of packed ones about. */
uint64_t og_code_design_bytes(const struct og_code_design *design, uint64_t n);

/* Each code within max_distance of each question, once, in any order.
 * max_distance is at most that of the design. Returns false when on_match
 * did. */
bool og_code_index_ask(const struct og_code_index *index,
                       const uint64_t *questions, size_t n_questions,
                       unsigned max_distance, void *ctx,
                       bool (*on_match)(void *ctx, size_t question,
                                        uint64_t code));

/* Sorts ascending, in time that does not depend on the order or on repeats;
 * `spare` has room for n. Returns the number of different codes, which are
 * then the first ones. */
size_t og_code_sort(uint64_t *codes, uint64_t *spare, size_t n);
void og_code_sort_all(uint64_t *codes, uint64_t *spare, size_t n);

/* The first place whose value is not below `value`; n when there is none.
 * Interpolation search, a few steps of it, then halving: so that values that
 * are far from random cost log n and not n. */
size_t og_code_search(const uint64_t *values, size_t n, uint64_t value);

#endif
