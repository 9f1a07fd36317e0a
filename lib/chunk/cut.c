/* Where chunks end: the options, and the cutter that feeds the three kinds.
 *
 * The kinds process whole data. The cutter provides it: it keeps the bytes of
 * the unfinished chunk, fewer than max_len, and appends the next feed to them.
 * It copies only as much of the feed as decides about chunks that begin in the
 * kept bytes; from then on the kind works in the feed itself. */

#include "lib/chunk/cut.h"

#include <string.h>

#include "lib/chunk/cut_kinds.h"
#include "lib/chunk/gear.h"

/* ---- options ---- */

static const char *const kind_names[] = {
    [OG_CUT_GEAR] = "gear",
    [OG_CUT_WINNOW] = "winnow",
    [OG_CUT_WINNOW_FAST] = "winnow-fast",
};
enum { N_KINDS = sizeof(kind_names) / sizeof(kind_names[0]) };

bool og_cut_kind_parse(og_bytes name, og_cut_kind *out)
{
    for (int i = 0; i < N_KINDS; i++) {
        if (name.len != strlen(kind_names[i]) ||
            memcmp(name.data, kind_names[i], name.len) != 0)
            continue;
        *out = (og_cut_kind)i;
        return true;
    }
    return false;
}

const char *og_cut_kind_name(og_cut_kind kind)
{
    return (unsigned)kind < N_KINDS ? kind_names[kind] : "?";
}

#define MIN_AVERAGE 128u
#define MAX_AVERAGE (128u << 20)
#define MAX_MAX     (1u << 30)
/* Thresholds of gear are 4 / (average - min) of 2^32: this keeps them small. */
#define MIN_ROOM 16u

/* The winnow rule examines a window of m places, min_len to min_len + m from
 * the last cut. What is the mean distance of cuts on random data?
 *
 * The rightmost minimum of m fresh values is anywhere, in the middle on
 * average: m / 2. But the values are not all fresh. Those between the last cut
 * and the end of its window are known to be larger than the one at the cut; so
 * the next minimum is more likely after them. In units of m, with r the part
 * of the new window that is known to hold no value below v (values as a Poisson
 * process, so that the minimum over a fresh window is exponential):
 * a minimum below v comes from the fresh part with the probability
 * P = 1 - exp(-(1 - r) v) and then is at r + (1 - r) / 2 on average, else
 * it is anywhere; the mean is 1/2 + P r / 2, and r and v of the next
 * window follow. The stationary mean of this chain, 4 * 10^7 steps:
 *
 *     min_len / m   0      1/8    1/4    1/3    1/2    3/4    1 and more
 *     mean / m      .5730  .5602  .5475  .5392  .5240  .5069  .5000
 *
 * (from min_len = m on nothing known is left in a new window). That is
 * .573 - .1 min_len / m, at least .5, within .007. Solved for m: */
static uint64_t winnow_window(const og_cut_options *options)
{
    const uint64_t average = options->average_len, min = options->min_len;
    const uint64_t overlapping = (1000 * average - 900 * min) / 573;
    const uint64_t apart = 2 * (average - min);
    return overlapping < apart ? overlapping : apart;
}

uint32_t og_cut_reach(const og_cut_options *options)
{
    return options->min_len + (uint32_t)winnow_window(options);
}

uint32_t og_cut_need(const og_cut_options *options)
{
    return options->kind == OG_CUT_GEAR ? options->max_len
                                        : og_cut_reach(options);
}

/* The minimum length is a quarter of the average: shorter chunks cost more to
 * name than to send; a larger minimum moves cuts away from the places that the
 * content prefers. gear may go to 4 times the average, which random data reach
 * once in e^12 chunks; winnowing never leaves its window, 1.6 times the
 * average. */
og_cut_options og_cut_options_default(og_cut_kind kind, uint32_t average_len)
{
    og_cut_options options = {.kind = kind};
    if (average_len == 0) average_len = OG_CUT_AVERAGE;
    if (average_len < MIN_AVERAGE) average_len = MIN_AVERAGE;
    if (average_len > MAX_AVERAGE) average_len = MAX_AVERAGE;
    options.average_len = average_len;
    options.min_len = average_len / 4;
    if (options.min_len < OG_CUT_LEAST) options.min_len = OG_CUT_LEAST;
    options.max_len =
        kind == OG_CUT_GEAR ? 4 * average_len : og_cut_reach(&options);
    return options;
}

uint32_t og_cut_least_max(const og_cut_options *options)
{
    if (options->kind == OG_CUT_GEAR) return 2 * options->average_len;
    /* Sums that are out of range anyway must not overflow. */
    return options->average_len <= MAX_AVERAGE &&
                   options->min_len < options->average_len
               ? og_cut_reach(options)
               : options->average_len;
}

og_status og_cut_options_check(const og_cut_options *options, og_error *err)
{
    const uint32_t min = options->min_len, average = options->average_len;
    const uint32_t max = options->max_len;
    if ((unsigned)options->kind >= N_KINDS)
        return og_error_set(err, OG_ERR_USAGE, "unknown cut kind %d",
                            (int)options->kind);
    if (min < OG_CUT_LEAST || min > MAX_AVERAGE)
        return og_error_set(err, OG_ERR_USAGE,
                            "the minimum chunk of %u bytes is not in %u .. %u",
                            min, (unsigned)OG_CUT_LEAST, MAX_AVERAGE);
    if (average < min + MIN_ROOM || average > MAX_AVERAGE)
        return og_error_set(err, OG_ERR_USAGE,
                            "the average chunk of %u bytes is not in %u .. %u, "
                            "with a minimum of %u",
                            average, min + MIN_ROOM, MAX_AVERAGE, min);
    const uint32_t least_max = og_cut_least_max(options);
    if (max < least_max || max > MAX_MAX)
        return og_error_set(err, OG_ERR_USAGE,
                            "the maximum chunk of %u bytes is not in %u .. %u, "
                            "as '%s' needs for an average of %u",
                            max, least_max, MAX_MAX, kind_names[options->kind],
                            average);
    return OG_OK;
}

/* Not all of it: a small file would pay for pages that it never uses. */

static og_status work_init(struct og_cutter *cutter, og_error *err)
{
    struct og_cut_work *work = og_allocate(cutter->allocator, sizeof(*work));
    if (work == NULL)
        return og_error_memory(err, sizeof(*work), "finding chunks");
    cutter->work = work;
    /* Cuts data that begin where the open chunk does. *out_used is the length
     * of the chunks that ended. */
    work->places = work->lowest = NULL;
    work->places_cap = work->lowest_cap = 0;
    work->n_compared = 0;
    og_winnow_ring_init(&work->ring, cutter->allocator);
    if (cutter->options.kind != OG_CUT_GEAR) {
        og_shingle_factors_init(&work->key, og_rabin_default(),
                                OG_CUT_WINDOW / 8);
        og_rabin_window_bytes(&work->window, og_rabin_default(), OG_CUT_WINDOW);
    }
    return OG_OK;
}

static void work_release(struct og_cutter *cutter)
{
    struct og_cut_work *work = cutter->work;
    if (work == NULL) return;
    OG_UNGROW(cutter->allocator, work->places, work->places_cap);
    OG_UNGROW(cutter->allocator, work->lowest, work->lowest_cap);
    og_winnow_ring_release(&work->ring);
    og_release(cutter->allocator, work, sizeof(*work));
    cutter->work = NULL;
}

og_status og_cutter_init(struct og_cutter *cutter,
                         const og_cut_options *options,
                         const og_allocator *allocator, og_error *err)
{
    *cutter = (struct og_cutter){.allocator = allocator, .options = *options};
    og_status status = og_cut_options_check(options, err);
    if (status == OG_OK) status = work_init(cutter, err);
    if (status != OG_OK) og_cutter_release(cutter);
    return status;
}

void og_cutter_release(struct og_cutter *cutter)
{
    work_release(cutter);
    OG_UNGROW(cutter->allocator, cutter->ends, cutter->ends_cap);
    OG_UNGROW(cutter->allocator, cutter->pending, cutter->pending_cap);
    og_cutter_clear(cutter);
}

og_status og_cutter_reserve(struct og_cutter *cutter, size_t len, og_error *err)
{
    struct og_cut_work *work = cutter->work;
    if (len > OG_GEAR_BLOCK) len = OG_GEAR_BLOCK;
    if (OG_GROW(cutter->allocator, work->places, work->places_cap, len))
        return OG_OK;
    return og_error_memory(err, len * sizeof(*work->places), "finding chunks");
}

void og_cutter_clear(struct og_cutter *cutter)
{
    cutter->n_ends = 0;
    cutter->begin = 0;
    cutter->n_pending = 0;
}

og_status og_cutter_add_end(struct og_cutter *cutter,
                            const struct og_cut_input *in, size_t end,
                            og_error *err)
{
    if (!OG_GROW(cutter->allocator, cutter->ends, cutter->ends_cap,
                 cutter->n_ends + 1))
        return og_error_memory(err, (cutter->n_ends + 1) * sizeof(uint64_t),
                               "the ends of chunks");
    cutter->ends[cutter->n_ends++] = in->begin + end;
    return OG_OK;
}

og_status og_cutter_run(struct og_cutter *cutter, const uint8_t *data,
                        size_t len, uint64_t begin, bool is_last, og_error *err)
{
    const struct og_cut_input in = {data, len, begin, is_last};
    switch (cutter->options.kind) {
    case OG_CUT_WINNOW: return og_cut_winnow(cutter, &in, err);
    case OG_CUT_WINNOW_FAST: return og_cut_winnow_fast(cutter, &in, err);
    case OG_CUT_GEAR: break;
    }
    return og_cut_gear(cutter, &in, err);
}

/* Ends all chunks that begin in the pending bytes, as far as the feed allows.
 * *out_taken: how much of the feed was consumed; afterwards the pending bytes
 * are empty or the feed is used up. */
static og_status cut_from_begin(struct og_cutter *cutter, const uint8_t *data,
                                size_t len, size_t *out_used, og_error *err)
{
    const uint64_t from = cutter->begin;
    *out_used = 0;
    if (len < og_cut_need(&cutter->options)) return OG_OK;
    TRY(og_cutter_run(cutter, data, len, from, false, err));
    cutter->begin = cutter->ends[cutter->n_ends - 1];
    *out_used = (size_t)(cutter->begin - from);
    return OG_OK;
}

static og_status append_pending(struct og_cutter *cutter, const uint8_t *data,
                                size_t len, og_error *err)
{
    const size_t need = cutter->n_pending + len;
    if (!OG_GROW(cutter->allocator, cutter->pending, cutter->pending_cap, need))
        return og_error_memory(err, need, "the bytes of a chunk");
    if (len > 0) memcpy(cutter->pending + cutter->n_pending, data, len);
    cutter->n_pending = need;
    return OG_OK;
}

/* Ends all chunks that begin in the pending bytes, as far as the feed goes.
 * *out_taken: how much of the feed is done with; the pending bytes are then
 * empty or the feed is used up. */
static og_status cut_pending(struct og_cutter *cutter, const uint8_t *data,
                             size_t len, size_t *out_taken, og_error *err)
{
    const size_t n_kept = cutter->n_pending;
    const size_t need = og_cut_need(&cutter->options);
    const size_t n_added = len < need ? len : need;
    size_t n_used;
    *out_taken = 0;
    if (n_kept == 0) return OG_OK;
    TRY(append_pending(cutter, data, n_added, err));
    TRY(cut_from_begin(cutter, cutter->pending, cutter->n_pending, &n_used,
                       err));
    if (n_used >= n_kept) {
        cutter->n_pending = 0;
        *out_taken = n_used - n_kept;
        return OG_OK;
    }
    memmove(cutter->pending, cutter->pending + n_used,
            cutter->n_pending - n_used);
    cutter->n_pending -= n_used;
    *out_taken = n_added;
    return OG_OK;
}

og_status og_cutter_feed(struct og_cutter *cutter, const void *data, size_t len,
                         og_error *err)
{
    const uint8_t *bytes = data;
    size_t n_taken, n_used;
    cutter->n_ends = 0;
    TRY(cut_pending(cutter, bytes, len, &n_taken, err));
    if (cutter->n_pending > 0) return OG_OK;
    bytes += n_taken;
    len -= n_taken;
    TRY(cut_from_begin(cutter, bytes, len, &n_used, err));
    return append_pending(cutter, bytes + n_used, len - n_used, err);
}

og_status og_cutter_end(struct og_cutter *cutter, og_error *err)
{
    cutter->n_ends = 0;
    if (cutter->n_pending == 0) return OG_OK;
    TRY(og_cutter_run(cutter, cutter->pending, cutter->n_pending, cutter->begin,
                      true, err));
    cutter->begin += cutter->n_pending;
    cutter->n_pending = 0;
    return OG_OK;
}

/* ---- all at once ---- */

void og_cuts_init(struct og_cuts *cuts, const og_allocator *allocator)
{
    *cuts = (struct og_cuts){.allocator = allocator};
}

void og_cuts_release(struct og_cuts *cuts)
{
    OG_UNGROW(cuts->allocator, cuts->end, cuts->cap);
    cuts->n = 0;
}

og_status og_cut_all(const void *data, size_t len,
                     const og_cut_options *options, struct og_cuts *cuts,
                     og_error *err)
{
    struct og_cutter cutter;
    cuts->n = 0;
    TRY(og_cutter_init(&cutter, options, cuts->allocator, err));
    og_status status = OG_OK;
    if (len > 0) status = og_cutter_run(&cutter, data, len, 0, true, err);
    if (status == OG_OK) {
        og_cuts_release(cuts);
        cuts->end = cutter.ends;
        cuts->n = cutter.n_ends;
        cuts->cap = cutter.ends_cap;
        cutter.ends = NULL;
        cutter.ends_cap = 0;
    }
    og_cutter_release(&cutter);
    return status;
}
