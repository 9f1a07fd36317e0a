#ifndef OG_HAMMING_CODE_DESIGN_H
#define OG_HAMMING_CODE_DESIGN_H

/*   in:  codes of whole documents                        (lib/sketch)
 *   out: every code within k bits of a given one   (the caller)
 *
 * A design says which tables find all codes within k bits of a code. Each table
 * has a mask, a set of bit positions, and a radius: it finds the codes that
 * differ from the query in at most `radius` positions of the mask. A design is
 * exact if every set of k positions leaves some table
 * with no more than its radius. There are two families:
 *
 *   blocks   (Manku, Jain, Das Sarma 2007) split the bits into r blocks; k
 *            differences touch k of them at most, so r - k blocks are equal:
 *            one table for each choice of r - k blocks, radius 0. The bits
 *            that remain can be split again, with the same k.
 *   parts    (multi-index hashing) m parts with the radii a(1) .. a(m), where
 *            the sum of all a(i) + 1 is k + 1: if each part exceeded its
 *            radius, there would be k + 1 differences. */

#include "lib/base/status.h"

enum {
    OG_CODE_BITS = 64,
    OG_CODE_BITS_WIDE = 128,  /* two codes of 64: hamming_wide.c */
    OG_CODE_TABLES = 64,      /* in one design; past that a scan is cheaper */
    OG_CODE_LEVELS = 4,       /* splits of splits */
    OG_CODE_SLICES_MOST = 15, /* the largest distance of slices: 4 bits count */
};

/* The form of a table. All forms find the same codes. */
enum og_code_form {
    OG_CODE_DIRECTORY = 0, /* code_index.h: the fastest */
    OG_CODE_SORTED,        /* code_permuted.h: the paper's, 8 bytes per code */
    OG_CODE_PACKED,        /* the paper's packed ones, 5 to 6 bytes per code */
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

/* Blocks: split[0] of them first, then split[1] of the rest, and so on. False
 * if a split does not have more blocks than differences, or has more than bits,
 * or if the tables would exceed OG_CODE_TABLES. */
bool og_code_design_blocks(struct og_code_design *design, unsigned max_distance,
                           const unsigned *split, unsigned n_splits);

/* `n_parts` parts as even as possible. False if there are more parts than
 * max_distance + 1 or than bits, or none. */
bool og_code_design_parts(struct og_code_design *design, unsigned max_distance,
                          unsigned n_parts);

void og_code_design_scan(struct og_code_design *design, unsigned max_distance);

/* The four of the paper for k = 3: 20, 16, 10 or 4 tables. False for other
 * numbers. */
bool og_code_design_paper(struct og_code_design *design, unsigned n_tables);

/* The recurrence X(f, k, d) of the paper, section 3.1.2: the smallest number of
 * block tables whose masks all have at least `min_bits` positions, and the
 * splits that reach it. The paper computes with fractions of bits; here a block
 * has whole bits, and min_bits holds for the smallest mask. Returns 0 if no
 * design of at most OG_CODE_TABLES tables does. */
unsigned og_code_tables_needed(unsigned n_bits, unsigned max_distance,
                               unsigned min_bits, unsigned *out_split,
                               unsigned *out_n_splits);

/* "directory", "sorted", ...; NULL if there is none. */
const char *og_code_form_name(enum og_code_form form);

/* Whether the form can implement the design: sorted tables find a radius of 0
 * only, slices need no tables and count to OG_CODE_SLICES_MOST. */
bool og_code_form_fits(enum og_code_form form,
                       const struct og_code_design *design);

/* The fewest positions that any mask has; 0 for a scan. */
unsigned og_code_design_min_bits(const struct og_code_design *design);

/* Reduces each mask to its first positions, so that a directory over it has
 * about one entry for every few codes at most. It remains exact: codes that
 * agree in a mask agree in a part of it. */
void og_code_design_fit(struct og_code_design *design, uint64_t n_codes);

/* Places that one query probes: the keys within the radius, over all tables. */
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

/* The bits of `code` at the positions of the mask, compressed; the highest
 * position is the highest bit of the key. */
static inline uint64_t og_code_key(const struct og_code_runs *runs,
                                   uint64_t code)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < runs->n; i++)
        key = key << (runs->run[i].left & 63) |
              (code >> runs->run[i].shift & runs->run[i].mask);
    return key;
}

/* The inverse: distributes bits of a key to the positions of the mask. */
uint64_t og_code_spread(const struct og_code_runs *runs, uint64_t key);

/* Whether an earlier table than `table` also finds `code`, which has then been
 * reported. `other` is the XOR of the two codes. */
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
