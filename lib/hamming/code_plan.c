/* The planner. It weighs every design of blocks that the recurrence gives for
 * some number of leading bits, every design of parts, and the scan, each with a
 * model that was fitted to 1, 10 and 100 million random codes (least squares of
 * the ratios; all 18 tables of bench/results/hamming.txt come out within a
 * third of their measured time):
 *
 *     a table         0.026 us: its own pages and lines
 *     a probe         0.0044 us for each doubling of the table beyond 4 MB:
 *                     a directory entry and a bucket, many overlapping, the
 * slower the larger the table is a code compared 0.00077 us in a bucket a code
 * scanned  0.00036 us, or 0.00009 when all are in the cache
 *
 * Other forms of tables, fitted to the same file:
 *
 *     sorted          0.18 us a table and 0.04 for each doubling beyond 4 MB,
 *                     0.003 us a code compared
 *     packed          1 us a table: half a block is unpacked; 0.0095 a code
 *     slices          0.00005 us a code
 *
 * A model is not a measurement: it only needs to separate designs whose costs
 * differ by factors. */

#include "lib/hamming/code_plan.h"

#include "lib/base/c_locale.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/hamming/code_index.h"

static const double TABLE_US = 0.026, PROBE_US = 0.0044, NEAR_BYTES = 4e6;
static const double BUCKET_CODE_US = 0.00077;
static const double SCAN_CODE_US = 0.00036, NEAR_SCAN_CODE_US = 0.00009;
static const double NEAR_SCAN_CODES = 2e6; /* 16 MB */

static const double SORTED_TABLE_US = 0.18, SORTED_FAR_US = 0.04;
static const double SORTED_CODE_US = 0.003, PACKED_TABLE_US = 1.0;
static const double PACKED_CODE_US = 0.0095, SLICES_CODE_US = 0.00005;

static double scan_model(uint64_t n)
{
    const double each =
        (double)n <= NEAR_SCAN_CODES ? NEAR_SCAN_CODE_US : SCAN_CODE_US;
    return TABLE_US + (double)n * each;
}

/* How often the table's size doubles beyond the cache. */
static double distance_of(double bytes)
{
    double doublings = 0;
    for (; bytes >= 2 * NEAR_BYTES; bytes /= 2)
        doublings++;
    return bytes <= NEAR_BYTES ? doublings : doublings + bytes / NEAR_BYTES - 1;
}

/* Sorted tables, packed or not: the codes with the key of the mask. */
static double sorted_model(const struct og_code_design *d, uint64_t n)
{
    const bool is_packed = d->form == OG_CODE_PACKED;
    const double far = distance_of(8 * (double)n);
    double us = 0;
    for (unsigned t = 0; t < d->n_tables; t++) {
        const int bits = __builtin_popcountll(d->mask[t]);
        const double n_compared =
            bits > 62 ? 1 : (double)n / (double)(UINT64_C(1) << bits);
        us +=
            is_packed ? PACKED_TABLE_US : SORTED_TABLE_US + far * SORTED_FAR_US;
        us += n_compared * (is_packed ? PACKED_CODE_US : SORTED_CODE_US);
    }
    return us;
}

/* Compared codes: in each table the share of the keys that is probed. */
static double model(const struct og_code_design *d, uint64_t n)
{
    double us = 0;
    if (d->form == OG_CODE_SLICES) return TABLE_US + (double)n * SLICES_CODE_US;
    if (d->form != OG_CODE_DIRECTORY) return sorted_model(d, n);
    if (d->n_tables == 0) return scan_model(n);
    for (unsigned t = 0; t < d->n_tables; t++) {
        struct og_code_design one = {.n_tables = 1};
        one.mask[0] = d->mask[t];
        one.radius[0] = d->radius[t];
        const int bits = __builtin_popcountll(d->mask[t]);
        const double probes = og_code_design_probes(&one);
        us +=
            TABLE_US +
            probes * PROBE_US *
                distance_of((double)og_code_table_len(d->mask[t], n)) +
            probes * (double)n / (double)(UINT64_C(1) << bits) * BUCKET_CODE_US;
    }
    return us;
}

/* ---- all designs ---- */

typedef void (*weigh)(void *ctx, const struct og_code_plan *candidate);

/* A directory has about as many keys as codes; a sorted table has no directory,
 * and every leading position saves comparisons. */
static void weigh_design(struct og_code_plan *p, enum og_code_form form,
                         uint64_t n, weigh f, void *ctx)
{
    if (!og_code_form_fits(form, &p->design)) return;
    p->design.form = form;
    if (form == OG_CODE_DIRECTORY) og_code_design_fit(&p->design, n);
    p->bytes = og_code_design_bytes(&p->design, n);
    p->microseconds = model(&p->design, n);
    f(ctx, p);
}

static void for_each_design(uint64_t n, unsigned max_distance,
                            enum og_code_form form, weigh f, void *ctx)
{
    struct og_code_plan p;
    unsigned split[OG_CODE_LEVELS], n_splits, n_before = 0;
    og_code_design_scan(&p.design, max_distance);
    weigh_design(&p, form, n, f, ctx);
    for (unsigned parts = 1; parts <= max_distance && parts <= 16; parts++)
        if (og_code_design_parts(&p.design, max_distance, parts))
            weigh_design(&p, form, n, f, ctx);
    /* More than 32 leading bits are of no use to a set of codes that fits a
     * table. */
    for (unsigned bits = 1; bits <= 32; bits++) {
        const unsigned n_tables = og_code_tables_needed(
            OG_CODE_BITS, max_distance, bits, split, &n_splits);
        if (n_tables == 0 || n_tables == n_before) continue;
        n_before = n_tables;
        if (og_code_design_blocks(&p.design, max_distance, split, n_splits))
            weigh_design(&p, form, n, f, ctx);
    }
}

/* ---- the best ---- */

/* Of those nearly as fast as the fastest, the smallest. */
static const double NEARLY = 1.25;

struct choice {
    struct og_code_plan *best;
    uint64_t memory;
    int want;
    double fastest; /* first pass; then the limit for the second */
    bool found;
};

static bool may_take(const struct choice *c, const struct og_code_plan *p)
{
    return c->want == OG_CODE_WANT_BEST
               ? p->bytes <= c->memory
               : p->design.n_tables == (unsigned)c->want;
}

static void find_fastest(void *ctx, const struct og_code_plan *candidate)
{
    struct choice *c = ctx;
    if (!may_take(c, candidate)) return;
    if (c->fastest == 0 || candidate->microseconds < c->fastest)
        c->fastest = candidate->microseconds;
}

static void find_smallest(void *ctx, const struct og_code_plan *candidate)
{
    struct choice *c = ctx;
    if (!may_take(c, candidate)) return;
    if (candidate->microseconds > c->fastest * NEARLY) return;
    if (c->found && c->best->bytes <= candidate->bytes) return;
    *c->best = *candidate;
    c->found = true;
}

static void find_least_bytes(void *ctx, const struct og_code_plan *candidate)
{
    struct choice *c = ctx;
    if (c->found && c->best->bytes <= candidate->bytes) return;
    *c->best = *candidate;
    c->found = true;
}

og_status og_code_plan(struct og_code_plan *plan, uint64_t n_codes,
                       unsigned max_distance,
                       const struct og_code_choice *choice, og_error *err)
{
    const enum og_code_form form = choice->form;
    struct choice c = {
        .best = plan, .memory = choice->memory, .want = choice->want};
    for_each_design(n_codes, max_distance, form, find_fastest, &c);
    for_each_design(n_codes, max_distance, form, find_smallest, &c);
    if (!c.found && c.want == OG_CODE_WANT_BEST)
        for_each_design(n_codes, max_distance, form, find_least_bytes, &c);
    if (c.found) return OG_OK;
    if (c.want == OG_CODE_WANT_BEST)
        return og_error_set(err, OG_ERR_USAGE,
                            "no design of form '%s' for %d bits and distance "
                            "%u",
                            og_code_form_name(form), OG_CODE_BITS,
                            max_distance);
    return og_error_set(err, OG_ERR_USAGE,
                        "no design of %d tables for %d bits and distance %u",
                        c.want, OG_CODE_BITS, max_distance);
}

/* ---- and why ---- */

struct page {
    char *out;
    size_t cap, len;
    uint64_t memory;
    const struct og_code_plan *plan;
};

static void print(struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(struct page *page, const char *format, ...)
{
    va_list args;
    if (page->len >= page->cap) return;
    va_start(args, format);
    const int n = og_text_format_list(page->out + page->len,
                                      page->cap - page->len, format, args);
    va_end(args);
    if (n > 0) page->len += (size_t)n;
}

static bool same_design(const struct og_code_plan *a,
                        const struct og_code_plan *b)
{
    return a->design.n_tables == b->design.n_tables && a->bytes == b->bytes &&
           a->microseconds == b->microseconds;
}

static void print_candidate(void *ctx, const struct og_code_plan *candidate)
{
    struct page *page = ctx;
    char name[64];
    og_code_design_name(&candidate->design, name, sizeof(name));
    print(page, "%c %-30s %12.1f MB %14.2f us%s\n",
          same_design(candidate, page->plan) ? '*' : ' ', name,
          (double)candidate->bytes / 1e6, candidate->microseconds,
          candidate->bytes > page->memory ? "  too large" : "");
}

void og_code_plan_explain(const struct og_code_plan *plan, uint64_t n_codes,
                          const struct og_code_choice *choice, char *out,
                          size_t out_cap)
{
    struct page page = {out, out_cap, 0, choice->memory, plan};
    char name[64];
    og_code_design_name(&plan->design, name, sizeof(name));
    print(&page,
          "%llu codes of %d bits, distance %u, at most %.1f MB of tables\n",
          (unsigned long long)n_codes, OG_CODE_BITS, plan->design.max_distance,
          (double)choice->memory / 1e6);
    print(&page, "  %-30s %15s %17s\n", "design", "tables", "a question");
    for_each_design(n_codes, plan->design.max_distance, choice->form,
                    print_candidate, &page);
    if (choice->want == OG_CODE_WANT_BEST && plan->bytes > choice->memory)
        print(&page, "taken: %s, the smallest there is\n", name);
    else if (choice->want == OG_CODE_WANT_BEST)
        print(&page,
              "taken: %s, the smallest that fits and is nearly as fast as the "
              "fastest\n",
              name);
    else
        print(&page, "taken: %s, as asked for\n", name);
}
