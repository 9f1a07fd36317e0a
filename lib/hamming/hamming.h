#ifndef OG_HAMMING_HAMMING_H
#define OG_HAMMING_HAMMING_H

/*   in:  codes with ids, and queries                         (lib/sketch)
 *   out: all codes within some bits of a query, with their ids
 *
 * The internals of og_hamming. hamming.c adds entries and writes runs,
 * hamming_ask.c answers queries. */

#include "lib/disk/manifest.h"
#include "lib/hamming/code_merge.h"

#include <origo/neighbour.h>

/* An entry of the memtable: unsorted, compared one by one. */
struct og_waiting_code {
    uint64_t id_off;
    uint32_t id_len;
    bool removed;
};

struct og_code_hit { /* a near code, and where it was found */
    uint64_t code;
    uint32_t run; /* index in runs; n_runs: in the memtable */
    uint32_t place;
};

struct og_hamming {
    const og_allocator *allocator;
    char *folder; /* NULL: in memory */
    bool is_writable;
    int lock_fd;
    unsigned n_bits, max_distance;
    unsigned run_distance; /* of the tables: of halves, if n_bits is 128 */
    struct og_code_choice choice;
    uint64_t buffer;
    uint32_t waiting_most;
    uint64_t next;       /* number of the next file */
    uint64_t generation; /* of the manifest */
    bool is_unlisted;    /* a run on disk is not in the manifest yet */

    uint64_t *waiting_codes;
    struct og_waiting_code *waiting;
    char *waiting_ids;
    size_t codes_cap, waiting_cap, ids_cap;
    size_t n_waiting, ids_len;

    struct og_code_segment run[OG_CODE_RUNS_MOST]; /* the oldest first */
    uint64_t number[OG_CODE_RUNS_MOST];            /* 0: not on disk */
    size_t n_runs;

    struct og_code_hit *hits; /* of the current query */
    size_t hits_cap, n_hits;
    uint32_t *sorted; /* indices of memtable entries of one code */
    size_t sorted_cap;
    uint8_t *encoded; /* the same, encoded as in a run */
    size_t encoded_cap;
    og_wide_code *near; /* 128-bit codes that are near */
    size_t near_cap, n_near;
    bool no_memory;
};

/* Reserves room for n more entries, with ids of ids_len bytes in all: they stay
 * together in the memtable, and in one run. */
og_status og_hamming_reserve(struct og_hamming *h, size_t n, size_t ids_len,
                             og_error *err);
/* Adds an entry in that room; its id is `prefix` and `id`. */
void og_hamming_append(struct og_hamming *h, uint64_t code, og_bytes prefix,
                       og_bytes id, bool removed);

/* og_hamming_ask() on the codes of the runs, without its checks. */
og_status og_hamming_ask_runs(
    struct og_hamming *h, uint64_t code, unsigned max_distance, void *ctx,
    bool (*on_match)(void *ctx, const og_hamming_match *match), og_error *err);

/* Checks widths and distances. */
og_status og_hamming_check_options(const og_hamming_options *options,
                                   og_error *err);
/* Refuses a query for which the index was not made. */
og_status og_hamming_check_ask(const struct og_hamming *h, unsigned n_bits,
                               unsigned max_distance, og_error *err);
og_status og_hamming_check_entry(const struct og_hamming *h, unsigned n_bits,
                                 og_bytes id, og_error *err);

/* The largest distances of the halves of two 128-bit codes of which at least
 * one holds if the codes are within max_distance; -1: none needed. */
static inline int og_half_distance(unsigned max_distance, bool of_low)
{
    return of_low ? (int)((max_distance + 1) / 2) - 1 : (int)(max_distance / 2);
}

static inline unsigned og_wide_distance(og_wide_code a, og_wide_code b)
{
    return (unsigned)(__builtin_popcountll(a.high ^ b.high) +
                      __builtin_popcountll(a.low ^ b.low));
}

/* Sorts the memtable entries in `places` by code, id and age, and keeps the
 * youngest of equal ones. Returns their number. */
size_t og_waiting_sort(const struct og_hamming *h, uint32_t *places, size_t n);

static inline og_bytes og_waiting_id(const struct og_hamming *h, uint32_t i)
{
    return (og_bytes){h->waiting_ids + h->waiting[i].id_off,
                      h->waiting[i].id_len};
}

#endif
