/* Winnowing: the end of a chunk is the rightmost minimum of a window of
 * fingerprints.
 *
 * The window of a chunk that begins at b are the places b + min_len ..
 * b + reach. After its last place the minimum ends the chunk, and the window of
 * the next one begins min_len after that: a part of it has been processed
 * already, and the ring (winnow_ring.h) still has its minima.
 *
 * Two things make it fast. A fingerprint slides from place to place and mostly
 * waits for the previous one, so eight windows slide in eight parts of a block
 * at a time. And a ring of single places has an unpredictable branch per byte,
 * so the ring contains groups of 64 places, each represented by its rightmost
 * minimum, found by vector comparisons; the few places of a window that do not
 * fill a group, at its two ends, are examined when the window is decided. That
 * makes one comparison per place, at most three per group (as the book counts
 * them), and at most 126 per chunk: 1.02 per byte in all for random bytes
 * (counted by tests). */

#include "lib/chunk/cut_kinds.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

/* ---- fingerprints ---- */

uint64_t og_cut_fp(const struct og_cut_work *work, const uint8_t *end)
{
#if defined(OG_TARGET_CLMUL)
    if (og_cpu_level() >= OG_CPU_CLMUL) {
        uint64_t words[OG_CUT_WINDOW / 8], fp;
        memcpy(words, end - OG_CUT_WINDOW, OG_CUT_WINDOW);
        og_fingerprint_clmul(words, 1, &work->key, &fp);
        return fp;
    }
#endif
    const struct og_rabin *rabin = work->key.rabin;
    return og_rabin_extend_tables(rabin, rabin->empty, end - OG_CUT_WINDOW,
                                  OG_CUT_WINDOW);
}

/* og_rabin_slide_byte(), in place: a call for every byte would cost more. */
static inline uint64_t slide(const struct og_cut_work *work,
                             const uint8_t *data, uint64_t fp)
{
    fp ^= work->window.out[0][*(data - OG_CUT_WINDOW)];
    return fp >> 8 ^ work->key.rabin->by_byte[0][(fp ^ *data) & 0xff];
}

static void fp_one_lane(const struct og_cut_work *work, const uint8_t *data,
                        size_t n, uint64_t *out)
{
    if (n == 0) return;
    out[0] = og_cut_fp(work, data);
    for (size_t i = 1; i < n; i++)
        out[i] = slide(work, data + i - 1, out[i - 1]);
}

enum { N_LANES = 8 };

/* The lanes by name, so that their fingerprints stay in registers. */
static void slide_lanes(const struct og_cut_work *work, const uint8_t *data,
                        size_t lane_len, const uint64_t first[N_LANES],
                        uint64_t *out)
{
    const uint8_t *const d4 = data + 4 * lane_len;
    uint64_t *const o4 = out + 4 * lane_len;
    uint64_t p0 = first[0], p1 = first[1], p2 = first[2], p3 = first[3];
    uint64_t p4 = first[4], p5 = first[5], p6 = first[6], p7 = first[7];
    for (size_t i = 1; i < lane_len; i++) {
        const uint8_t *const d = data + i - 1, *const e = d4 + i - 1;
        out[i] = p0 = slide(work, d, p0);
        out[i + lane_len] = p1 = slide(work, d + lane_len, p1);
        out[i + 2 * lane_len] = p2 = slide(work, d + 2 * lane_len, p2);
        out[i + 3 * lane_len] = p3 = slide(work, d + 3 * lane_len, p3);
        o4[i] = p4 = slide(work, e, p4);
        o4[i + lane_len] = p5 = slide(work, e + lane_len, p5);
        o4[i + 2 * lane_len] = p6 = slide(work, e + 2 * lane_len, p6);
        o4[i + 3 * lane_len] = p7 = slide(work, e + 3 * lane_len, p7);
    }
}

void og_cut_fp_block(const struct og_cut_work *work, const uint8_t *data,
                     size_t n, uint64_t *out)
{
    const size_t lane_len = n / N_LANES;
    uint64_t fp[N_LANES];
    if (lane_len < OG_CUT_WINDOW) {
        fp_one_lane(work, data, n, out);
        return;
    }
    for (size_t l = 0; l < N_LANES; l++)
        out[l * lane_len] = fp[l] = og_cut_fp(work, data + l * lane_len);
    slide_lanes(work, data, lane_len, fp, out);
    fp_one_lane(work, data + N_LANES * lane_len, n - N_LANES * lane_len,
                out + N_LANES * lane_len);
}

/* ---- minima ---- */

enum { GROUP = 64 };

/* The rightmost minimum of n fingerprints, with its index. */
static struct og_winnow_item min_plain(const uint64_t *fps, size_t n)
{
    struct og_winnow_item best = {0, UINT64_MAX};
    for (size_t i = 0; i < n; i++) {
        const bool is_less = fps[i] <= best.value;
        best.value = is_less ? fps[i] : best.value;
        best.place = is_less ? i : best.place;
    }
    return best;
}

#if defined(OG_X86)
/* The same for a group. */
OG_TARGET_AVX512 static struct og_winnow_item
min_group_avx512(const uint64_t *fps)
{
    __m512i row[GROUP / 8];
    uint64_t equal = 0;
    for (size_t i = 0; i < GROUP / 8; i++)
        row[i] = _mm512_loadu_si512(fps + 8 * i);
    __m512i min = row[0];
    for (size_t i = 1; i < GROUP / 8; i++)
        min = _mm512_min_epu64(min, row[i]);
    const uint64_t value = _mm512_reduce_min_epu64(min);
    const __m512i all = _mm512_set1_epi64((long long)value);
    for (size_t i = 0; i < GROUP / 8; i++)
        equal |= (uint64_t)_mm512_cmpeq_epu64_mask(row[i], all) << 8 * i;
    return (struct og_winnow_item){63 - (uint64_t)__builtin_clzll(equal),
                                   value};
}
#endif

static struct og_winnow_item min_group(const uint64_t *fps)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512) return min_group_avx512(fps);
#endif
    return min_plain(fps, GROUP);
}

/* ---- the walk ---- */

struct walk {
    struct og_cutter *cutter;
    const struct og_cut_input *in;
    size_t first, last; /* the window of the open chunk */
};

static size_t round_up(size_t place)
{
    return (place + GROUP - 1) / GROUP * GROUP;
}

/* Groups that are not entirely inside the window leave the ring. */
static void open_chunk(struct walk *walk, size_t begin)
{
    const og_cut_options *options = &walk->cutter->options;
    walk->first = begin + options->min_len;
    walk->last = begin + og_cut_reach(options);
    og_winnow_ring_drop_before(&walk->cutter->work->ring,
                               round_up(walk->first));
}

/* Considers the places from .. to - 1, which follow those that `best` covers.
 * There are fewer than two groups of them. */
static void try_edge(struct walk *walk, size_t from, size_t to,
                     struct og_winnow_item *best)
{
    uint64_t fps[2 * GROUP];
    if (from >= to) return;
    walk->cutter->work->n_compared += to - from;
    og_cut_fp_block(walk->cutter->work, walk->in->data + from, to - from, fps);
    const struct og_winnow_item min = min_plain(fps, to - from);
    if (min.value <= best->value)
        *best = (struct og_winnow_item){from + min.place, min.value};
}

/* `n_grouped`: places before this one are in complete groups. */
static og_status end_chunk(struct walk *walk, size_t n_grouped, og_error *err)
{
    const struct og_winnow_ring *ring = &walk->cutter->work->ring;
    struct og_winnow_item best = {walk->last, UINT64_MAX};
    const size_t whole = round_up(walk->first); /* from here on by groups */
    if (whole >= n_grouped) {
        try_edge(walk, walk->first, walk->last + 1, &best);
    } else {
        try_edge(walk, walk->first, whole, &best);
        if (!og_winnow_ring_is_empty(ring) &&
            og_winnow_ring_min(ring)->value <= best.value)
            best = *og_winnow_ring_min(ring);
        try_edge(walk, n_grouped, walk->last + 1, &best);
    }
    open_chunk(walk, (size_t)best.place);
    return og_cutter_add_end(walk->cutter, walk->in, (size_t)best.place, err);
}

static og_status take_group(struct walk *walk, size_t block, size_t from,
                            og_error *err)
{
    struct og_cut_work *work = walk->cutter->work;
    const size_t group = block + from;
    /* A window that ends inside this group must not see its minimum. */
    while (walk->last < group + GROUP - 1)
        TRY(end_chunk(walk, group, err));
    if (group < walk->first) return OG_OK;
    const struct og_winnow_item min = min_group(work->fps + from);
    work->n_compared += GROUP;
    if (!og_winnow_ring_push(&work->ring, group + min.place, min.value))
        return og_error_memory(err, 2 * work->ring.cap, "winnowing");
    return OG_OK;
}

static og_status walk_groups(struct walk *walk, size_t begin, size_t end,
                             og_error *err)
{
    for (size_t block = begin; block < end; block += OG_CUT_FP_BLOCK) {
        const size_t left = end - block;
        const size_t n = left < OG_CUT_FP_BLOCK ? left : OG_CUT_FP_BLOCK;
        og_cut_fp_block(walk->cutter->work, walk->in->data + block, n,
                        walk->cutter->work->fps);
        for (size_t from = 0; from < n; from += GROUP)
            TRY(take_group(walk, block, from, err));
    }
    return OG_OK;
}

og_status og_cut_winnow(struct og_cutter *cutter, const struct og_cut_input *in,
                        og_error *err)
{
    struct walk walk = {cutter, in, 0, 0};
    og_winnow_ring_clear(&cutter->work->ring);
    open_chunk(&walk, 0);
    const size_t n_places = in->len + 1; /* the end is one, too */
    /* min_len is at least one group, so the first one begins after a window. */
    const size_t end = n_places / GROUP * GROUP;
    if (end > GROUP) TRY(walk_groups(&walk, GROUP, end, err));
    while (walk.last < n_places)
        TRY(end_chunk(&walk, end > GROUP ? end : GROUP, err));
    const size_t begin = walk.first - cutter->options.min_len;
    return in->is_last && begin < in->len
               ? og_cutter_add_end(cutter, in, in->len, err)
               : OG_OK;
}
