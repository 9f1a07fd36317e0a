/* The plane of the two texts is divided into cells: BLOCK tokens of the
 * document by SHIFT tokens of shift between the texts. Each seed marks the
 * cells along its way and their neighbours; a run is kept if its cell is
 * marked. The marks are bits in a hash table, so a cell may be marked by
 * chance: then a run is kept that could have been dropped, and nothing
 * worse. */

#include "lib/align/near_seeds.h"

#include <string.h>

#include "lib/align/aligner.h"
#include "lib/base/bits.h"

enum {
    BLOCK = 64,
    SHIFT = 16,
    LONG = 8,            /* a run that needs no seed */
    BITS_EACH = 8,       /* for a marked cell */
    MOST_CELLS = 1 << 20 /* of all seeds; beyond that everything is kept */
};

void og_near_seeds_init(struct og_near_seeds *near,
                        const og_allocator *allocator)
{
    *near = (struct og_near_seeds){.allocator = allocator};
}

void og_near_seeds_release(struct og_near_seeds *near)
{
    OG_UNGROW(near->allocator, near->bits, near->bits_cap);
}

/* Both texts have less than 2^31 tokens. */
static int64_t shift_of(const struct og_run *run)
{
    return ((int64_t)run->origin_begin - run->begin + ((int64_t)1 << 32)) /
           SHIFT;
}

static size_t bit_of(int64_t block, int64_t shift, size_t mask)
{
    return (size_t)og_mix64((uint64_t)block << 40 ^ (uint64_t)shift) & mask;
}

static size_t cells_of(const struct og_run *seed)
{
    return 3 * ((size_t)seed->len / BLOCK + 4);
}

static void mark_seed(uint64_t *bits, size_t mask, const struct og_run *seed)
{
    const int64_t first = (int64_t)seed->begin / BLOCK - 1;
    const int64_t last = ((int64_t)seed->begin + seed->len) / BLOCK + 1;
    const int64_t shift = shift_of(seed);
    for (int64_t block = first; block <= last; block++)
        for (int64_t s = shift - 1; s <= shift + 1; s++) {
            const size_t bit = bit_of(block, s, mask);
            bits[bit / 64] |= UINT64_C(1) << (bit % 64);
        }
}

static void take_others_out(const uint64_t *bits, size_t mask,
                            struct og_runs *runs)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++) {
        const struct og_run *run = &runs->data[i];
        const size_t bit = bit_of(run->begin / BLOCK, shift_of(run), mask);
        if (run->len >= LONG || (bits[bit / 64] >> (bit % 64) & 1) != 0)
            runs->data[n++] = *run;
    }
    runs->n = n;
}

og_status og_near_seeds_keep(struct og_near_seeds *near,
                             const struct og_run *seeds, size_t n_seeds,
                             struct og_runs *runs, og_error *err)
{
    size_t n_cells = 0;
    size_t n_bits = 1024;
    for (size_t i = 0; i < n_seeds && n_cells <= MOST_CELLS; i++)
        n_cells += cells_of(&seeds[i]);
    if (n_cells > MOST_CELLS) return OG_OK;
    while (n_bits < n_cells * BITS_EACH)
        n_bits *= 2;
    if (!OG_GROW(near->allocator, near->bits, near->bits_cap, n_bits / 64))
        return og_error_memory(err, n_bits / 8, "seeds");
    memset(near->bits, 0, n_bits / 8);
    for (size_t i = 0; i < n_seeds; i++)
        mark_seed(near->bits, n_bits - 1, &seeds[i]);
    take_others_out(near->bits, n_bits - 1, runs);
    return OG_OK;
}
