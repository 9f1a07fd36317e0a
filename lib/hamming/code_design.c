/* Which tables find all codes within k bits: code_design.h explains the idea.
 *
 * The paper's example for f = 64, k = 3 has four designs: 6 blocks, 3 equal (20
 * tables); 4 blocks, 1 equal, and the other 48 bits again in 4 blocks, 1 equal
 * (16); 5 blocks, 2 equal (10); 4 blocks, 1 equal (4). All are produced by one
 * recursion over the splits. Blocks differ by one bit at most, the larger ones
 * first, as in the paper (11 11 11 11 10 10). */

#include "lib/hamming/code_design.h"

#include <stdio.h>

/* ---- sets of positions ---- */

/* The first n positions of a set, from the top. */
static uint64_t take_top(uint64_t set, unsigned n)
{
    uint64_t top = 0;
    for (; n != 0 && set != 0; n--) {
        const uint64_t bit = UINT64_C(1) << (63 - __builtin_clzll(set));
        top |= bit;
        set &= ~bit;
    }
    return top;
}

static unsigned size_of(uint64_t set)
{
    return (unsigned)__builtin_popcountll(set);
}

/* Divides a set into n blocks as even as possible, the larger ones first. */
static void cut_blocks(uint64_t set, unsigned n, uint64_t *blocks)
{
    const unsigned n_bits = size_of(set);
    for (unsigned i = 0; i < n; i++) {
        blocks[i] = take_top(set, n_bits / n + (i < n_bits % n));
        set &= ~blocks[i];
    }
}

/* ---- blocks ---- */

struct maker {
    struct og_code_design *design;
    const unsigned *split;
    unsigned n_splits;
};

static bool add_table(struct og_code_design *design, uint64_t mask,
                      unsigned radius)
{
    if (design->n_tables == OG_CODE_TABLES) return false;
    design->mask[design->n_tables] = mask;
    design->radius[design->n_tables++] = (uint8_t)radius;
    return true;
}

static bool split_rest(const struct maker *m, unsigned level, uint64_t picked,
                       uint64_t rest);

/* Every way to choose `n` of the blocks from `next` on. */
static bool pick_blocks(const struct maker *m, unsigned level, uint64_t picked,
                        uint64_t rest, const uint64_t *blocks,
                        unsigned n_blocks, unsigned n)
{
    if (n == 0) return split_rest(m, level + 1, picked, rest);
    for (unsigned i = 0; i + n <= n_blocks; i++)
        if (!pick_blocks(m, level, picked | blocks[i], rest & ~blocks[i],
                         blocks + i + 1, n_blocks - i - 1, n - 1))
            return false;
    return true;
}

static bool split_rest(const struct maker *m, unsigned level, uint64_t picked,
                       uint64_t rest)
{
    uint64_t blocks[OG_CODE_BITS];
    if (level == m->n_splits) return add_table(m->design, picked, 0);
    const unsigned n = m->split[level];
    if (n <= m->design->max_distance || n > size_of(rest)) return false;
    cut_blocks(rest, n, blocks);
    return pick_blocks(m, level, picked, rest, blocks, n,
                       n - m->design->max_distance);
}

bool og_code_design_blocks(struct og_code_design *design, unsigned max_distance,
                           const unsigned *split, unsigned n_splits)
{
    const struct maker m = {design, split, n_splits};
    og_code_design_scan(design, max_distance);
    return n_splits != 0 && split_rest(&m, 0, 0, UINT64_MAX);
}

bool og_code_design_paper(struct og_code_design *design, unsigned n_tables)
{
    static const struct {
        unsigned n_tables, split[2], n_splits;
    } paper[] = {{20, {6}, 1}, {16, {4, 4}, 2}, {10, {5}, 1}, {4, {4}, 1}};
    for (size_t i = 0; i < sizeof(paper) / sizeof(paper[0]); i++)
        if (paper[i].n_tables == n_tables)
            return og_code_design_blocks(design, 3, paper[i].split,
                                         paper[i].n_splits);
    return false;
}

/* ---- parts, scan ---- */

bool og_code_design_parts(struct og_code_design *design, unsigned max_distance,
                          unsigned n_parts)
{
    uint64_t parts[OG_CODE_BITS];
    og_code_design_scan(design, max_distance);
    if (n_parts == 0 || n_parts > max_distance + 1 || n_parts > OG_CODE_BITS)
        return false;
    cut_blocks(UINT64_MAX, n_parts, parts);
    const unsigned sum = max_distance + 1; /* of all radius + 1 */
    for (unsigned i = 0; i < n_parts; i++)
        add_table(design, parts[i], sum / n_parts + (i < sum % n_parts) - 1);
    return true;
}

void og_code_design_scan(struct og_code_design *design, unsigned max_distance)
{
    *design = (struct og_code_design){.max_distance = max_distance};
}

/* ---- the recurrence ---- */

struct search {
    unsigned max_distance;
    unsigned split[OG_CODE_LEVELS];
    unsigned best_split[OG_CODE_LEVELS];
    unsigned n_best_splits;
    unsigned best; /* tables; OG_CODE_TABLES + 1: none yet */
};

/* n over k, or a number above OG_CODE_TABLES if it is larger than that. */
static unsigned choose(unsigned n, unsigned k)
{
    uint64_t c = 1;
    if (k > n - k) k = n - k;
    for (unsigned i = 1; i <= k; i++) {
        c = c * (n - k + i) / i;
        if (c > OG_CODE_TABLES) return OG_CODE_TABLES + 1;
    }
    return (unsigned)c;
}

/* The smaller blocks chosen at every level: the fewest bits a mask can have. (A
 * larger block chosen first leaves a smaller rest, whose blocks may be smaller
 * by one; so both are tried.) */
static unsigned fewest_bits(unsigned n_bits, unsigned max_distance,
                            const unsigned *split, unsigned n_splits)
{
    if (n_splits == 0) return 0;
    const unsigned n = split[0], pick = n - max_distance;
    const unsigned n_large = n_bits % n, n_small = n - n_large;
    unsigned fewest = OG_CODE_BITS + 1;
    for (unsigned large = pick > n_small ? pick - n_small : 0;
         large <= pick && large <= n_large; large++) {
        const unsigned bits = pick * (n_bits / n) + large;
        const unsigned all = bits + fewest_bits(n_bits - bits, max_distance,
                                                split + 1, n_splits - 1);
        if (all < fewest) fewest = all;
    }
    return fewest;
}

/* Every first split with every second one and so on, as long as the product is
 * below the best. */
static void search_splits(struct search *s, unsigned n_bits, unsigned rest,
                          unsigned min_bits, unsigned level, unsigned n_tables)
{
    if (n_tables >= s->best) return;
    if (level != 0 &&
        fewest_bits(n_bits, s->max_distance, s->split, level) >= min_bits) {
        s->best = n_tables;
        s->n_best_splits = level;
        for (unsigned i = 0; i < level; i++)
            s->best_split[i] = s->split[i];
        return;
    }
    if (level == OG_CODE_LEVELS) return;
    for (unsigned n = s->max_distance + 1; n <= rest; n++) {
        const unsigned ways = choose(n, s->max_distance);
        if (ways * n_tables >= s->best) break;
        const unsigned bits = (n - s->max_distance) * ((rest + n - 1) / n);
        s->split[level] = n;
        search_splits(s, n_bits, bits < rest ? rest - bits : 0, min_bits,
                      level + 1, n_tables * ways);
    }
}

unsigned og_code_tables_needed(unsigned n_bits, unsigned max_distance,
                               unsigned min_bits, unsigned *out_split,
                               unsigned *out_n_splits)
{
    struct search s = {.max_distance = max_distance,
                       .best = OG_CODE_TABLES + 1};
    if (n_bits > OG_CODE_BITS || max_distance >= n_bits) return 0;
    search_splits(&s, n_bits, n_bits, min_bits, 0, 1);
    if (s.best > OG_CODE_TABLES) return 0;
    for (unsigned i = 0; i < s.n_best_splits; i++)
        out_split[i] = s.best_split[i];
    *out_n_splits = s.n_best_splits;
    return s.best;
}

/* ---- a design as it is ---- */

unsigned og_code_design_min_bits(const struct og_code_design *design)
{
    unsigned fewest = design->n_tables == 0 ? 0 : OG_CODE_BITS;
    for (unsigned t = 0; t < design->n_tables; t++)
        if (size_of(design->mask[t]) < fewest)
            fewest = size_of(design->mask[t]);
    return fewest;
}

/* Two to four codes per directory entry, twice that with a radius, where each
 * further bit is a further place to probe. A bucket is then one or two cache
 * lines, and the directory is at most half as large as the codes. */
void og_code_design_fit(struct og_code_design *design, uint64_t n_codes)
{
    const unsigned log = n_codes < 2 ? 1 : 63 - __builtin_clzll(n_codes);
    for (unsigned t = 0; t < design->n_tables; t++) {
        const unsigned spare = design->radius[t] == 0 ? 1 : 2;
        const unsigned want = log > spare ? log - spare : 1;
        design->mask[t] = take_top(design->mask[t], want < 28 ? want : 28);
    }
}

double og_code_design_probes(const struct og_code_design *design)
{
    double probes = 0;
    for (unsigned t = 0; t < design->n_tables; t++) {
        const unsigned n = size_of(design->mask[t]);
        double ways = 1;
        for (unsigned i = 0; i <= design->radius[t] && i <= n; i++) {
            probes += ways;
            ways = ways * (n - i) / (i + 1);
        }
    }
    return probes;
}

void og_code_design_name(const struct og_code_design *design, char *out,
                         size_t out_cap)
{
    static const char *const kind[] = {"", "sorted ", "packed ", ""};
    if (design->n_tables == 0) {
        snprintf(out, out_cap, "%s",
                 design->form == OG_CODE_SLICES ? "scan by slices" : "scan");
        return;
    }
    const int len =
        snprintf(out, out_cap, "%u %s%s of %u bits", design->n_tables,
                 kind[design->form], design->n_tables == 1 ? "table" : "tables",
                 og_code_design_min_bits(design));
    if (design->radius[0] != 0 && (size_t)len < out_cap)
        snprintf(out + len, out_cap - (size_t)len, " within %u",
                 design->radius[0]);
}

/* ---- keys ---- */

void og_code_runs_init(struct og_code_runs *runs, uint64_t mask)
{
    *runs = (struct og_code_runs){.n_bits = size_of(mask)};
    for (int top = 63; top >= 0; top--) {
        if ((mask >> top & 1) == 0) continue;
        int low = top;
        while (low > 0 && (mask >> (low - 1) & 1) != 0)
            low--;
        const unsigned len = (unsigned)(top - low) + 1;
        runs->run[runs->n].shift = (uint8_t)low;
        /* A run of all 64 bits is the only one. */
        runs->run[runs->n].left = (uint8_t)(len & 63);
        runs->run[runs->n].mask = UINT64_MAX >> (OG_CODE_BITS - len);
        runs->n++;
        top = low;
    }
}

uint64_t og_code_spread(const struct og_code_runs *runs, uint64_t key)
{
    uint64_t code = 0;
    for (unsigned i = runs->n; i-- > 0;) {
        code |= (key & runs->run[i].mask) << runs->run[i].shift;
        key = runs->n == 1 ? 0 : key >> (runs->run[i].left & 63);
    }
    return code;
}

/* ---- forms ---- */

const char *og_code_form_name(enum og_code_form form)
{
    static const char *const names[] = {"directory", "sorted", "packed",
                                        "slices"};
    return (unsigned)form < OG_CODE_FORMS ? names[form] : NULL;
}

bool og_code_form_fits(enum og_code_form form,
                       const struct og_code_design *design)
{
    if (form == OG_CODE_DIRECTORY) return true;
    if (form == OG_CODE_SLICES)
        return design->n_tables == 0 &&
               design->max_distance <= OG_CODE_SLICES_MOST;
    for (unsigned t = 0; t < design->n_tables; t++)
        if (design->radius[t] != 0) return false;
    return design->n_tables != 0;
}
