/* Gear: the end of a chunk is the first place whose hash is below a threshold.
 *
 * The usual loop hashes from chunk to chunk and tests every hash. Here the data
 * are scanned for all places that could end any chunk (gear.h), many parts at a
 * time; there are few of them, and one walk over them decides. The hash of a
 * place depends on the bytes before it and on nothing else, so the result is
 * that of the usual loop.
 *
 * Normalised chunking (FastCDC): the threshold is low at first and high after
 * the normal point, so that lengths concentrate around the average. With
 * a = average - min, the probabilities of a place are 1 / 4a and 4 / a. If the
 * normal point is x a after min, the mean length after min is, in units of a
 *
 *     4 (1 - e^(-x/4)) + e^(-x/4) / 4 = 4 - 3.75 e^(-x/4)
 *
 * (geometric, hence exponential; max is far away), which is 1 for
 * x = 4 ln 1.25 = 0.8926. A max of twice the average, the smallest one allowed,
 * removes e^(-4 * 1.1) of the last term: .3 % of the mean. */

#include "lib/chunk/cut_kinds.h"
#include "lib/chunk/gear.h"

struct og_gear_rule og_gear_rule_of(const og_cut_options *options)
{
    const uint64_t room = options->average_len - options->min_len;
    const uint64_t one = (uint64_t)1 << 32;
    return (struct og_gear_rule){
        .normal_len = options->min_len + (uint32_t)(room * 8926 / 10000),
        .strict = (uint32_t)(one / (4 * room)),
        .relaxed = (uint32_t)(4 * one / room),
    };
}

struct walk {
    struct og_cutter *cutter;
    const struct og_cut_input *in;
    struct og_gear_rule rule;
    size_t begin; /* of the open chunk */
};

static og_status end_chunk(struct walk *walk, size_t end, og_error *err)
{
    walk->begin = end;
    return og_cutter_add_end(walk->cutter, walk->in, end, err);
}

/* Ends chunks that reach max_len before `place`. */
static og_status end_longest(struct walk *walk, size_t place, og_error *err)
{
    const size_t max_len = walk->cutter->options.max_len;
    while (walk->begin + max_len < place)
        TRY(end_chunk(walk, walk->begin + max_len, err));
    return OG_OK;
}

static bool ends_chunk(const struct walk *walk, size_t place)
{
    const size_t len = place - walk->begin;
    if (len < walk->cutter->options.min_len) return false;
    return len >= walk->rule.normal_len ||
           og_gear_hash(walk->in->data + place) < walk->rule.strict;
}

static og_status walk_block(struct walk *walk, size_t block, size_t len,
                            og_error *err)
{
    const uint32_t *places = walk->cutter->work->places;
    const size_t n =
        og_gear_scan(walk->in->data + block, len, walk->rule.relaxed,
                     walk->cutter->work->places);
    for (size_t i = 0; i < n; i++) {
        const size_t place = block + places[i];
        TRY(end_longest(walk, place, err));
        if (ends_chunk(walk, place)) TRY(end_chunk(walk, place, err));
    }
    return OG_OK;
}

og_status og_cut_gear(struct og_cutter *cutter, const struct og_cut_input *in,
                      og_error *err)
{
    struct walk walk = {cutter, in, og_gear_rule_of(&cutter->options), 0};
    TRY(og_cutter_reserve(cutter, in->len, err));
    /* Before min_len, which is more than a window, nothing can end. */
    for (size_t block = OG_CUT_WINDOW; block < in->len;
         block += OG_GEAR_BLOCK) {
        const size_t left = in->len - block;
        TRY(walk_block(&walk, block,
                       left < OG_GEAR_BLOCK ? left : OG_GEAR_BLOCK, err));
    }
    /* One more, so that a chunk of exactly the maximum length ends too. */
    TRY(end_longest(&walk, in->len + 1, err));
    if (in->is_last && walk.begin < in->len)
        return end_chunk(&walk, in->len, err);
    return OG_OK;
}
