/* Any bytes, cut by the kind that the first one chooses (the tables of a kind
 * take longer than the bytes): whole, in pieces, on the plain level and on the
 * best one, the ends are the same, in order, and keep to the lengths. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/chunk/chunk_tree.h"
#include "lib/os/cpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_lengths(const struct og_cuts *cuts, size_t len,
                          const og_cut_options *o)
{
    uint64_t begin = 0;
    for (size_t i = 0; i < cuts->n; i++) {
        const uint64_t n = cuts->end[i] - begin;
        if (cuts->end[i] <= begin || n > o->max_len) abort();
        if (n < o->min_len && i + 1 < cuts->n) abort();
        begin = cuts->end[i];
    }
    if (begin != len) abort();
}

static size_t expect(const struct og_cutter *cutter, const struct og_cuts *cuts,
                     size_t next)
{
    for (size_t i = 0; i < cutter->n_ends; i++, next++)
        if (next >= cuts->n || cuts->end[next] != cutter->ends[i]) abort();
    return next;
}

static void cut_in_pieces(const uint8_t *data, size_t len,
                          const og_cut_options *o, const struct og_cuts *cuts)
{
    struct og_cutter cutter;
    size_t next = 0;
    if (og_cutter_init(&cutter, o, NULL, NULL) != OG_OK) abort();
    for (size_t off = 0, n; off < len; off += n) {
        n = 1 + data[off] * 3u;
        if (n > len - off) n = len - off;
        if (og_cutter_feed(&cutter, data + off, n, NULL) != OG_OK) abort();
        next = expect(&cutter, cuts, next);
    }
    if (og_cutter_end(&cutter, NULL) != OG_OK) abort();
    if (expect(&cutter, cuts, next) != cuts->n) abort();
    og_cutter_release(&cutter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const uint8_t choice = len > 0 ? data[0] : 0;
    const og_cut_options o = og_cut_options_default((og_cut_kind)(choice % 3),
                                                    len > 0 ? 128 + choice : 0);
    struct og_cuts plain, best;
    og_cuts_init(&plain, NULL);
    og_cuts_init(&best, NULL);
    og_cpu_force(OG_CPU_PLAIN);
    if (og_cut_all(data, len, &o, &plain, NULL) != OG_OK) abort();
    og_cpu_force(OG_CPU_AVX512);
    if (og_cut_all(data, len, &o, &best, NULL) != OG_OK) abort();
    check_lengths(&best, len, &o);
    if (plain.n != best.n) abort();
    if (plain.n > 0 &&
        memcmp(plain.end, best.end, plain.n * sizeof(*plain.end)) != 0)
        abort();
    cut_in_pieces(data, len, &o, &best);
    og_cuts_release(&plain);
    og_cuts_release(&best);
    return 0;
}
