#ifndef OG_NEIGHBOUR_HAMMING_H
#define OG_NEIGHBOUR_HAMMING_H

/* The inside of an og_hamming. hamming.c takes entries in and writes runs,
 * hamming_ask.c answers. */

#include "lib/neighbour/code_manifest.h"

/* An entry that waits: unsorted, compared one by one. */
struct waiting {
    uint64_t id_off;
    uint32_t id_len;
    bool removed;
};

struct og_hit { /* a code that is near, and where it was found */
    uint64_t code;
    uint32_t run; /* place in runs; n_runs: it waits */
    uint32_t place;
};

struct og_hamming {
    const og_allocator *allocator;
    char *folder; /* NULL: in memory */
    bool is_writable;
    int lock_fd;
    unsigned max_distance;
    uint64_t memory, buffer;
    uint32_t waiting_most;
    int want;
    uint64_t next; /* number of the next file */

    uint64_t *waiting_codes;
    struct waiting *waiting;
    char *waiting_ids;
    size_t codes_cap, waiting_cap, ids_cap;
    size_t n_waiting, ids_len;

    struct og_code_image run[OG_CODE_RUNS_MOST]; /* the oldest first */
    uint64_t number[OG_CODE_RUNS_MOST];          /* 0: not on disk */
    size_t n_runs;

    struct og_hit *hits; /* of the question under way */
    size_t hits_cap, n_hits;
    uint32_t *sorted; /* places of waiting entries of one code */
    size_t sorted_cap;
    uint8_t *encoded; /* these, as a run has them */
    size_t encoded_cap;
    bool no_memory;
};

/* Sorts the waiting entries named by `places` by code, id and age, and leaves
 * the youngest of equal ones. Returns how many. */
size_t og_waiting_sort(const struct og_hamming *h, uint32_t *places, size_t n);

static inline og_bytes og_waiting_id(const struct og_hamming *h, uint32_t i)
{
    return (og_bytes){h->waiting_ids + h->waiting[i].id_off,
                      h->waiting[i].id_len};
}

#endif
