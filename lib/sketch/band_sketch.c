/* Exact min-hash samples of the mix family, one byte kept of each.
 *
 * One-permutation hashing would be a little faster, but its estimate is worse
 * for documents of few shingles, which are many; a sample costs 0.028 ns per
 * shingle here, so all of them together cost less than tokenising the text.
 *
 * The byte is not a part of the minimum itself: the high bits of a minimum are
 * small, and its low byte depends on the low bytes of one feature and of the
 * multiplier alone, so two features with the same low byte would agree in every
 * lane. It is the top byte of a product of the minimum. */

#include "lib/sketch/band_sketch.h"

#include <string.h>

/* Another seed gives other samples; part of the format of sketch files. */
#define BAND_SEED 0x6f7269676f20u

/* Shingles whose base hashes are kept at a time: they stay in the L1 cache. */
#define RUN 512

og_status og_band_design_check(const struct og_band_design *d, og_error *err)
{
    if (d->n_bands < 1 || d->n_bands > OG_BANDS_MAX)
        return og_error_set(err, OG_ERR_USAGE, "%u bands: must be 1 to %d",
                            (unsigned)d->n_bands, OG_BANDS_MAX);
    if (d->n_rows < 1 || d->n_rows > OG_BAND_SAMPLES_MAX / d->n_bands)
        return og_error_set(err, OG_ERR_USAGE,
                            "%u rows in %u bands: must be 1 to %u",
                            (unsigned)d->n_rows, (unsigned)d->n_bands,
                            (unsigned)(OG_BAND_SAMPLES_MAX / d->n_bands));
    return OG_OK;
}

og_status og_band_sketcher_init(struct og_band_sketcher *s,
                                const struct og_band_design *design,
                                const og_allocator *allocator, og_error *err)
{
    TRY(og_band_design_check(design, err));
    s->design = *design;
    s->n_samples = (size_t)design->n_bands * design->n_rows;
    return og_family_init(&s->family, OG_FAMILY_MIX, BAND_SEED, s->n_samples,
                          allocator, err);
}

void og_band_sketcher_release(struct og_band_sketcher *s)
{
    og_family_release(&s->family);
}

void og_band_sketch(const struct og_band_sketcher *s, const uint64_t *fps,
                    size_t n, uint8_t *out)
{
    uint64_t base[RUN];
    uint32_t least[OG_BAND_SAMPLES_MAX + OG_LANES];
    const size_t n_lanes = (s->n_samples + OG_LANES - 1) / OG_LANES * OG_LANES;
    memset(least, 0xff, n_lanes * sizeof(*least));
    for (size_t at = 0; at < n; at += RUN) {
        const size_t run = n - at < RUN ? n - at : RUN;
        og_family_hash_many(&s->family, fps + at, run, base);
        og_family_least(&s->family, fps + at, base, run, 0, n_lanes, least);
    }
    for (size_t i = 0; i < s->n_samples; i++)
        out[i] = (uint8_t)(least[i] * 0x9e3779b1u >> 24);
}
