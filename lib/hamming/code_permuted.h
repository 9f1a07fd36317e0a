#ifndef OG_HAMMING_CODE_PERMUTED_H
#define OG_HAMMING_CODE_PERMUTED_H

/* The tables of the paper: each contains all codes with their bits permuted so
 * that the positions of its mask lead, sorted. Codes that agree with the query
 * in the mask are adjacent, and found by interpolation search. Plain (8 bytes
 * per code and table) or packed (section 3.2, about half). The directory tables
 * of code_index.h answer the same queries with fewer cache misses; these are
 * kept for their small size when packed, and as a baseline. Radii are 0:
 * designs of blocks only. */

#include "lib/hamming/code_design.h"
#include "lib/hamming/code_packed.h"
#include "lib/os/pages.h"

struct og_code_permuted_table {
    struct og_code_runs lead, rest; /* the positions of the mask, and the
                                       others */
    struct og_pages pages;          /* plain: u64[n], ascending */
    struct og_code_packed packed;
};

struct og_code_permuted {
    struct og_code_design design;
    size_t n;
    bool is_packed;
    struct og_code_permuted_table table[OG_CODE_TABLES];
};

/* `codes` must be ascending and distinct; not needed afterwards. */
og_status og_code_permuted_init(struct og_code_permuted *permuted,
                                const struct og_code_design *design,
                                const uint64_t *codes, size_t n, bool packed,
                                const og_allocator *allocator, og_error *err);
void og_code_permuted_release(struct og_code_permuted *permuted);
uint64_t og_code_permuted_bytes(const struct og_code_permuted *permuted);

/* Like og_code_index_ask(). */
bool og_code_permuted_ask(const struct og_code_permuted *permuted,
                          const uint64_t *questions, size_t n_questions,
                          unsigned max_distance, void *ctx,
                          bool (*on_match)(void *ctx, size_t question,
                                           uint64_t code));

#endif
