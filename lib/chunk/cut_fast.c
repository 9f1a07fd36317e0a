/* Winnowing in two parts (the book, 6.2): places are ordered by a cheap short
 * hash, then by the Rabin fingerprint, which is expensive and rarely needed.
 *
 * The short hash is the high byte of the gear hash, the lead. A scan (gear.h)
 * finds the places whose lead is zero, one in 256 of random data; only they are
 * fingerprinted and put into the ring. While a window has one of them, its
 * minimum is among them.
 *
 * A window without any is decided the long way: the lowest lead in it is
 * determined, and the places that have it are fingerprinted. On random data
 * that is rare: (255/256)^w for a window of w places, once in 55 windows of 1
 * KiB, 10^-18 at 10 KiB. On data of low entropy it is the rule: a block of
 * zeros has one lead, and that one is not zero (og_gear_table ensures it). Of
 * the book's two ways, keeping lists by lead or recomputing the leads, this is
 * the second: lists cost something at every place, recomputing costs one pass
 * over a window that could not be decided otherwise. Where places of one lead
 * are dense, as in zeros, they are fingerprinted in blocks.
 *
 * The gain is not "a factor of at least 256", as the book has it: the lead of
 * every place must still be computed, and that bounds it. */

#include "lib/chunk/cut_kinds.h"
#include "lib/chunk/gear.h"

#define LEAD_SHIFT 24
#define LEAD_ONE   (1u << LEAD_SHIFT)

struct walk {
    struct og_cutter *cutter;
    const struct og_cut_input *in;
    size_t first, last; /* the window of the open chunk */
};

static void open_chunk(struct walk *walk, size_t begin)
{
    const og_cut_options *options = &walk->cutter->options;
    walk->first = begin + options->min_len;
    walk->last = begin + og_cut_reach(options);
    og_winnow_ring_drop_before(&walk->cutter->work->ring, walk->first);
}

/* ---- a window without a zero lead ---- */

/* Collects the places of the window with its lowest lead, in order, counted
 * from the first of the window. There is room for all. */
static size_t find_lowest(const struct walk *walk, uint32_t *lowest)
{
    const uint8_t *const data = walk->in->data;
    uint32_t hash = og_gear_hash(data + walk->first);
    uint32_t lead = hash >> LEAD_SHIFT;
    size_t n = 0;
    lowest[n++] = 0;
    for (size_t place = walk->first + 1; place <= walk->last; place++) {
        hash = (hash << 1) + og_gear_table[data[place - 1]];
        if (hash >> LEAD_SHIFT > lead) continue;
        if (hash >> LEAD_SHIFT < lead) n = 0;
        lead = hash >> LEAD_SHIFT;
        lowest[n++] = (uint32_t)(place - walk->first);
    }
    return n;
}

static uint64_t fp_of(const struct walk *walk, uint32_t place)
{
    return og_cut_fp(walk->cutter->work, walk->in->data + walk->first + place);
}

static size_t rightmost_min(const struct walk *walk, const uint32_t *lowest,
                            size_t n)
{
    uint64_t min = fp_of(walk, lowest[0]);
    size_t at = lowest[0];
    for (size_t i = 1; i < n; i++) {
        const uint64_t fp = fp_of(walk, lowest[i]);
        if (fp > min) continue;
        min = fp;
        at = lowest[i];
    }
    return walk->first + at;
}

/* The same for dense places, as in zeros: all are fingerprinted in blocks,
 * which is cheaper than one by one. */
static size_t rightmost_min_dense(const struct walk *walk,
                                  const uint32_t *lowest, size_t n)
{
    struct og_cut_work *work = walk->cutter->work;
    const uint8_t *const data = walk->in->data + walk->first;
    const size_t n_places = walk->last - walk->first + 1;
    uint64_t min = UINT64_MAX;
    size_t at = lowest[0], i = 0;
    for (size_t block = 0; block < n_places; block += OG_CUT_FP_BLOCK) {
        const size_t left = n_places - block;
        const size_t n_block = left < OG_CUT_FP_BLOCK ? left : OG_CUT_FP_BLOCK;
        og_cut_fp_block(work, data + block, n_block, work->fps);
        for (; i < n && lowest[i] < block + n_block; i++) {
            const uint64_t fp = work->fps[lowest[i] - block];
            at = fp <= min ? lowest[i] : at;
            min = fp <= min ? fp : min;
        }
    }
    return walk->first + at;
}

static og_status decide_long_way(struct walk *walk, size_t *out_end,
                                 og_error *err)
{
    struct og_cut_work *work = walk->cutter->work;
    const size_t n_places = walk->last - walk->first + 1;
    if (!OG_GROW(walk->cutter->allocator, work->lowest, work->lowest_cap,
                 n_places))
        return og_error_memory(err, n_places * sizeof(uint32_t), "winnowing");
    const size_t n = find_lowest(walk, work->lowest);
    *out_end = n > n_places / 8 ? rightmost_min_dense(walk, work->lowest, n)
                                : rightmost_min(walk, work->lowest, n);
    return OG_OK;
}

/* ---- the walk over zero leads ---- */

static og_status end_chunk(struct walk *walk, og_error *err)
{
    const struct og_winnow_ring *ring = &walk->cutter->work->ring;
    size_t end = 0;
    if (og_winnow_ring_is_empty(ring))
        TRY(decide_long_way(walk, &end, err));
    else
        end = (size_t)og_winnow_ring_min(ring)->place;
    open_chunk(walk, end);
    return og_cutter_add_end(walk->cutter, walk->in, end, err);
}

/* Ends chunks whose window ends before `place`: nothing more enters it. */
static og_status end_before(struct walk *walk, size_t place, og_error *err)
{
    while (walk->last < place)
        TRY(end_chunk(walk, err));
    return OG_OK;
}

static og_status walk_block(struct walk *walk, size_t block, size_t len,
                            og_error *err)
{
    struct og_cut_work *work = walk->cutter->work;
    const size_t n =
        og_gear_scan(walk->in->data + block, len, LEAD_ONE, work->places);
    for (size_t i = 0; i < n; i++) {
        const size_t place = block + work->places[i];
        TRY(end_before(walk, place, err));
        if (place < walk->first) continue;
        const uint64_t fp = og_cut_fp(work, walk->in->data + place);
        if (!og_winnow_ring_push(&work->ring, place, fp))
            return og_error_memory(err, 2 * work->ring.cap, "winnowing");
    }
    return end_before(walk, block + len + 1, err);
}

og_status og_cut_winnow_fast(struct og_cutter *cutter,
                             const struct og_cut_input *in, og_error *err)
{
    struct walk walk = {cutter, in, 0, 0};
    TRY(og_cutter_reserve(cutter, in->len, err));
    og_winnow_ring_clear(&cutter->work->ring);
    open_chunk(&walk, 0);
    /* Before min_len, which is more than a window, nothing can end. */
    for (size_t block = OG_CUT_WINDOW; block < in->len;
         block += OG_GEAR_BLOCK) {
        const size_t left = in->len - block;
        TRY(walk_block(&walk, block,
                       left < OG_GEAR_BLOCK ? left : OG_GEAR_BLOCK, err));
    }
    const size_t begin = walk.first - cutter->options.min_len;
    return in->is_last && begin < in->len
               ? og_cutter_add_end(cutter, in, in->len, err)
               : OG_OK;
}
