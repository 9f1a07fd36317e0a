/* Which shingles go to the table: section 2.1 of the paper.
 *
 * Every rule is a function of its own that appends to the selection. Those for
 * single shingles (All, every l-th, modulo, Hailstorm, syncmers) never use
 * neighbouring shingles: the same shingle is chosen in every document that
 * contains it, or in none (every l-th excepted, which counts). Winnowing uses a
 * window of fingerprints. Hash breaking and DCT (segment.c) do not choose
 * shingles but cut the text into segments. */

#include "lib/select/select.h"

#include <string.h>

#include "lib/select/rules.h"

void og_selection_init(struct og_selection *sel, const og_allocator *allocator)
{
    *sel = (struct og_selection){.allocator = allocator};
}

void og_selection_release(struct og_selection *sel)
{
    const og_allocator *a = sel->allocator;
    og_release(a, sel->fp, sel->cap * sizeof(*sel->fp));
    og_release(a, sel->pos, sel->cap * sizeof(*sel->pos));
    og_release(a, sel->len, sel->cap * sizeof(*sel->len));
    og_release(a, sel->offset, sel->cap * sizeof(*sel->offset));
    og_release(a, sel->near, sel->cap * sizeof(*sel->near));
    og_release(a, sel->spare, sel->cap * sizeof(*sel->spare));
    og_selection_init(sel, a);
}

/* Room for an entry a token plus what a vector store may write too much, so
 * that no rule has to check. Nothing of the old content is needed any more. */
static og_status reserve(struct og_selection *sel, size_t n, og_error *err)
{
    const og_allocator *a = sel->allocator;
    const size_t need = n + OG_SELECT_SLACK;
    if (need <= sel->cap) return OG_OK;
    const size_t cap = need + need / 2;
    og_selection_release(sel);
    sel->cap = cap;
    sel->fp = og_allocate(a, cap * sizeof(*sel->fp));
    sel->pos = og_allocate(a, cap * sizeof(*sel->pos));
    sel->len = og_allocate(a, cap * sizeof(*sel->len));
    sel->offset = og_allocate(a, cap * sizeof(*sel->offset));
    sel->near = og_allocate(a, cap * sizeof(*sel->near));
    sel->spare = og_allocate(a, cap * sizeof(*sel->spare));
    if (sel->fp != NULL && sel->pos != NULL && sel->len != NULL &&
        sel->offset != NULL && sel->near != NULL && sel->spare != NULL)
        return OG_OK;
    og_selection_release(sel);
    return og_error_memory(err, cap * 21, "a selection");
}

static void select_every(size_t n_shingles, uint32_t step,
                         struct og_selection *sel)
{
    for (size_t i = 0; i < n_shingles; i += step)
        sel->pos[sel->n++] = (uint32_t)i;
}

static void select_modulo(const struct og_fps *fps, uint32_t divisor,
                          struct og_selection *sel)
{
    for (size_t i = 0; i < fps->n; i++) {
        sel->pos[sel->n] = (uint32_t)i;
        sel->n += fps->data[i] % divisor == 0;
    }
}

/* The rightmost smallest fingerprint of every window of w fingerprints. The
 * window moves by one: the minimum changes when a fingerprint comes that is not
 * greater, or when the minimum itself leaves and the window is searched again
 * (on average every (w + 1) / 2 fingerprints). */
static void select_winnow(const struct og_fps *fps, uint32_t window,
                          struct og_selection *sel)
{
    const uint64_t *fp = fps->data;
    size_t min = SIZE_MAX;
    for (size_t end = window; end <= fps->n; end++) {
        const size_t first = end - window;
        const size_t last = end - 1;
        size_t now = min;
        if (min == SIZE_MAX || min < first) {
            now = first;
            for (size_t i = first + 1; i <= last; i++)
                if (fp[i] <= fp[now]) now = i;
        } else if (fp[last] <= fp[min]) {
            now = last;
        }
        if (now != min) sel->pos[sel->n++] = (uint32_t)now;
        min = now;
    }
}

/* Complete overlap: goes left to right and marks a shingle as spare if the last
 * one that is not spare and the next selected one touch or overlap, because
 * together they cover it. All shingles have the same length, so no others need
 * be considered. */
static void mark_covered(uint32_t shingle_len, struct og_selection *sel)
{
    if (sel->n == 0) return;
    const uint32_t *const pos = sel->pos;
    uint8_t *const spare = sel->spare;
    const size_t last = sel->n - 1;
    uint32_t end = pos[0] + shingle_len; /* of the last one not spare */
    spare[0] = 0;
    for (size_t i = 1; i < last; i++) {
        const uint32_t own_end = pos[i] + shingle_len;
        const uint32_t is_spare = pos[i + 1] <= end;
        /* No branch, because its direction is unpredictable. */
        end = own_end - ((own_end - end) & -is_spare);
        spare[i] = (uint8_t)is_spare;
    }
    spare[last] = 0;
}

static void drop_spare(struct og_selection *sel)
{
    size_t n = 0;
    for (size_t i = 0; i < sel->n; i++)
        if (!sel->spare[i]) sel->pos[n++] = sel->pos[i];
    sel->n = n;
    memset(sel->spare, 0, n);
}

static void fill_fps(const struct og_fps *fps, uint32_t shingle_len,
                     struct og_selection *sel)
{
    const uint32_t *const pos = sel->pos;
    uint64_t *const fp = sel->fp;
    uint32_t *const len = sel->len;
    for (size_t i = 0; i < sel->n; i++)
        fp[i] = fps->data[pos[i]];
    for (size_t i = 0; i < sel->n; i++)
        len[i] = shingle_len;
}

static bool selects_segments(og_select_kind kind)
{
    return kind == OG_SELECT_HASH_BREAK || kind == OG_SELECT_DCT;
}

og_status og_fps_select(const struct og_tokens *tokens,
                        const struct og_fps *fps,
                        const struct og_shingle_factors *key,
                        const og_select_options *options,
                        struct og_selection *sel, og_error *err)
{
    const uint32_t shingle_len = key->shingle_len;
    TRY(reserve(sel, tokens->n, err));
    sel->n = 0;
    sel->n_shingles = fps->n;
    sel->shingle_len = selects_segments(options->kind) ? 0 : shingle_len;

    switch (options->kind) {
    case OG_SELECT_ALL: select_every(fps->n, 1, sel); break;
    case OG_SELECT_EVERY: select_every(fps->n, options->param, sel); break;
    case OG_SELECT_MODULO: select_modulo(fps, options->param, sel); break;
    case OG_SELECT_WINNOW: select_winnow(fps, options->param, sel); break;
    case OG_SELECT_HAILSTORM:
        og_select_hailstorm(tokens->hash, fps->n, shingle_len, sel);
        break;
    case OG_SELECT_SYNCMER:
        og_select_syncmer(tokens->hash, fps->n, shingle_len, options->param,
                          sel);
        break;
    case OG_SELECT_HASH_BREAK:
        og_select_hash_break(tokens, key->rabin, options->param, sel);
        memset(sel->spare, 0, sel->n);
        return OG_OK;
    case OG_SELECT_DCT:
        og_select_dct(tokens, options->param, sel);
        memset(sel->spare, 0, sel->n);
        return OG_OK;
    }
    if (options->no_overlap || options->sparse)
        mark_covered(shingle_len, sel);
    else
        memset(sel->spare, 0, sel->n);
    if (options->no_overlap) drop_spare(sel);
    fill_fps(fps, shingle_len, sel);
    return OG_OK;
}
