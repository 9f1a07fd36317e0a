#ifndef OG_HAMMING_CODE_DESIGN_H
#define OG_HAMMING_CODE_DESIGN_H

/*   in:  codes of whole documents                        (lib/sketch)
 *   out: every code within so many bits of a given one   (the caller)
 *
 * A design says which tables find all codes within k bits of a code. Each
 * table has a mask, a set of bit positions, and a radius: it finds the codes
 * that differ from the one asked for in at most `radius` positions of the
 * mask. A design is exact when every set of k positions leaves some table
 * with no more than its radius. Two families are:
 *
 *   blocks   (Manku, Jain, Das Sarma 2007) split the bits into r blocks; k
 *            differences touch k of them at most, so r - k blocks are equal:
 *            one table for each choice of r - k blocks, radius 0. The bits
 *            that are left can be split again, with the same k.
 *   parts    (multi-index hashing) m parts with the radii a(1) .. a(m), where
 *            the sum of all a(i) + 1 is k + 1: were each part beyond its
 *            radius, there would be k + 1 differences. */

#include "lib/base/status.h"

enum {
    OG_CODE_BITS = 64,
    OG_CODE_BITS_WIDE = 128,  /* two codes of 64: hamming_wide.c */
    OG_CODE_TABLES = 64,      /* in one design; past that a scan is cheaper */
    OG_CODE_LEVELS = 4,       /* splits of splits */
    OG_CODE_SLICES_MOST = 15, /* the largest distance of slices: 4 bits count */
};

/* What a table is made of. Each form finds the same codes. */
enum og_code_form {
    OG_CODE_DIRECTORY = 0, /* code_index.h: the fastest */
    OG_CODE_SORTED,        /* code_permuted.h: the paper's, 8 bytes a code */
    OG_CODE_PACKED,        /* the paper's packed ones, 5 to 6 bytes a code */
    OG_CODE_SLICES,        /* code_slices.h: no table, a scan by bits */
    OG_CODE_FORMS,
};

struct og_code_design {
    enum og_code_form form;
    unsigned n_tables; /* 0: no table, a scan */
    unsigned max_distance;
    uint64_t mask[OG_CODE_TABLES];
    uint8_t radius[OG_CODE_TABLES];
};

/* Blocks, split[0] of them first, split[1] of what is left, and so on. False
 * when a split has no more blocks than differences or more than bits, or when
 * the tables would be more than OG_CODE_TABLES. */
bool og_code_design_blocks(struct og_code_design *design, unsigned max_distance,
                           const unsigned *split, unsigned n_splits);

/* `n_parts` parts as even as they go. False when there are more parts than
 * max_distance + 1, than bits, or none. */
bool og_code_design_parts(struct og_code_design *design, unsigned max_distance,
                          unsigned n_parts);

void og_code_design_scan(struct og_code_design *design, unsigned max_distance);

/* The four of the paper for k = 3: 20, 16, 10 or 4 tables. False for others. */
bool og_code_design_paper(struct og_code_design *design, unsigned n_tables);

/* The recurrence X(f, k, d) of the paper, section 3.1.2: the smallest number
 * of block tables whose masks all have at least `min_bits` positions, and the
 * splits that reach it. The paper computes with fractions of bits; here a
 * block has whole bits, and min_bits holds for the smallest mask. Returns 0
 * when no design of OG_CODE_TABLES tables does. */
unsigned og_code_tables_needed(unsigned n_bits, unsigned max_distance,
                               unsigned min_bits, unsigned *out_split,
                               unsigned *out_n_splits);

/* "directory", "sorted", ...; NULL when there is none. */
const char *og_code_form_name(enum og_code_form form);

/* Whether tables of the form can be those of the design: sorted ones find a
 * radius of 0 only, slices need none and count to OG_CODE_SLICES_MOST. */
bool og_code_form_fits(enum og_code_form form,
                       const struct og_code_design *design);

/* The fewest positions that any mask has; 0 for a scan. */
unsigned og_code_design_min_bits(const struct og_code_design *design);

/* Cuts each mask to its first positions, so that a directory over it has no
 * more than about one entry for every few codes. Exactness stays: what agrees
 * in a mask agrees in a part of it. */
void og_code_design_fit(struct og_code_design *design, uint64_t n_codes);

/* Places that one question looks at: the keys within the radius, over all
 * tables. */
double og_code_design_probes(const struct og_code_design *design);

/* "10 tables of 25 bits", "2 tables of 24 bits within 1", "scan". */
void og_code_design_name(const struct og_code_design *design, char *out,
                         size_t out_cap);

/* ---- keys ---- */

/* A mask as runs of positions, so that its key is a few shifts: what the
 * instruction PEXT computes, on every machine. (Each mask of these designs
 * has three runs or fewer, and PEXT is slow on some processors.) */
struct og_code_runs {
    unsigned n;
    unsigned n_bits; /* positions of the mask */
    struct {
        uint8_t shift; /* of the code to the right */
        uint8_t left;  /* of the key to the left, to make room */
        uint64_t mask;
    } run[OG_CODE_BITS / 2];
};

void og_code_runs_init(struct og_code_runs *runs, uint64_t mask);

/* The bits of `code` at the positions of the mask, moved together; the
 * highest position is the highest bit of the key. */
static inline uint64_t og_code_key(const struct og_code_runs *runs,
                                   uint64_t code)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < runs->n; i++)
        key = key << (runs->run[i].left & 63) |
              (code >> runs->run[i].shift & runs->run[i].mask);
    return key;
}

/* The other way round: bits of a key to the positions of the mask. */
uint64_t og_code_spread(const struct og_code_runs *runs, uint64_t key);

/* Whether an earlier table than `table` finds `code` too: then it was reported
 * already. `other` is the XOR of the two codes. */
static inline bool
og_code_design_found_before(const struct og_code_design *design, unsigned table,
                            uint64_t other)
{
    for (unsigned t = 0; t < table; t++)
        if (__builtin_popcountll(other & design->mask[t]) <= design->radius[t])
            return true;
    return false;
}

#endif
