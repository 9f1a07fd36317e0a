/* CX: origo's own estimation. It labels every shingle of a document, not only
 * the selected ones.
 *
 * With each fingerprint the table stores the context of the shingle: two bits
 * of each of the four tokens before and after it (lib/select/context_bits.c),
 * and its position in the origin. From a hit
 *
 *   - the copy extends in both directions as far as the contexts agree, token
 * by token: the shingles that begin there are copied too;
 *   - where all four agree it most likely continues. It is extended to the
 *     next selected shingle that the table should know but does not, a few
 *     tokens at most. Of a text added long ago a full table keeps the
 *     fingerprints of low rank (lib/table/learn.c): that one of high rank is
 *     missing means nothing;
 *   - two hits that are equally far apart here and in their common origin,
 *     and whose contexts agree on the sides that face each other, are one copy,
 *     with everything between them. One hit of another origin may be there.
 *
 * So the ends of copied passages are exact to the token although one shingle in
 * four was looked up, and counting shingles finds the dominant origin as well
 * as if all had been. */

#include "lib/estimate/context.h"

#include <string.h>

/* Selected shingles that a bridge may span. A table that is full keeps few
 * fingerprints of a passage: with 12 the standards score 0.1 points less, and
 * mail the same. */
#define BRIDGE_MOST 200
/* Tokens by which a copy is extended if nothing contradicts it. With 4, 7 and
 * 12 the average scores are within 0.01 points. */
#define CARRY_ON 7
/* The same over fingerprints that the table has lost. With 12 a tenth less of
 * rare copies of old texts is found at 0.3 % of memory, and mail scores the
 * same (docs/evaluation.md). */
#define CARRY_ON_OVER_LOST 16
/* The latest documents are assumed to be in the table completely: as many as
 * would fill this part of it, a quarter. */
#define WHOLE_SHARE 4

_Static_assert(OG_NO_DOC == UINT32_MAX, "all bits set: no document");

static void label_hits(const struct og_selection *sel, struct og_labels *labels)
{
    memset(labels->every, 0xff, labels->n_every * sizeof(*labels->every));
    for (uint32_t i = 0; i < labels->n; i++)
        if (labels->hits[i].doc != OG_NO_DOC)
            labels->every[sel->pos[i]] = (struct og_label){
                .doc = labels->hits[i].doc, .hit = i, .how = OG_HOW_HIT};
}

static uint16_t diagonal(const struct og_selection *sel,
                         const struct og_labels *labels, uint32_t i)
{
    return (uint16_t)(sel->offset[i] - labels->hits[i].offset);
}

static uint32_t agree_before(const struct og_selection *sel,
                             const struct og_labels *labels, uint32_t i)
{
    return og_context_before(sel->near[i], labels->hits[i].near);
}

static uint32_t agree_after(const struct og_selection *sel,
                            const struct og_labels *labels, uint32_t i)
{
    return og_context_after(sel->near[i], labels->hits[i].near);
}

/* Whether two successive hits are parts of one copy. */
static bool belong_together(const struct og_selection *sel,
                            const struct og_labels *labels, uint32_t a,
                            uint32_t b)
{
    return labels->hits[a].doc == labels->hits[b].doc &&
           b - a - 1 <= BRIDGE_MOST &&
           diagonal(sel, labels, a) == diagonal(sel, labels, b) &&
           agree_after(sel, labels, a) == OG_CONTEXT_TOKENS &&
           agree_before(sel, labels, b) == OG_CONTEXT_TOKENS;
}

/* From either end up to what is already labelled. */
static void fill_between(const struct og_selection *sel,
                         struct og_labels *labels, uint32_t a, uint32_t b)
{
    struct og_label label = {
        .doc = labels->hits[a].doc, .hit = a, .how = OG_HOW_BRIDGED};
    for (uint32_t pos = sel->pos[a] + 1; pos < sel->pos[b]; pos++) {
        if (labels->every[pos].doc != OG_NO_DOC) break;
        labels->every[pos] = label;
    }
    label.hit = b;
    for (uint32_t pos = sel->pos[b] - 1; pos > sel->pos[a]; pos--) {
        if (labels->every[pos].doc != OG_NO_DOC) break;
        labels->every[pos] = label;
    }
}

static void bridge(const struct og_selection *sel, struct og_labels *labels)
{
    uint32_t last = UINT32_MAX;    /* hit, */
    uint32_t earlier = UINT32_MAX; /* and the one before */
    for (uint32_t i = 0; i < labels->n; i++) {
        if (labels->hits[i].doc == OG_NO_DOC) continue;
        if (last != UINT32_MAX && belong_together(sel, labels, last, i))
            fill_between(sel, labels, last, i);
        else if (earlier != UINT32_MAX &&
                 belong_together(sel, labels, earlier, i))
            fill_between(sel, labels, earlier, i);
        earlier = last;
        last = i;
    }
}

/* ---- how far a hit reaches ---- */

/* The hits around the current one. A run is a series of hits on one diagonal of
 * one origin. */
struct reaching {
    const struct og_selection *sel;
    struct og_labels *labels;
    uint32_t n_docs;       /* before this document */
    uint32_t run_end;      /* after the last hit of the run */
    uint32_t highest_kept; /* of the ranks of the run's text, probably */
};

/* The ranks of a run lie anywhere between 0 and the highest that was kept. The
 * highest of n such numbers is, on average, one part in n + 1 below the end;
 * twice that leaves room for chance. */
static void begin_run(struct reaching *r, uint32_t first)
{
    const struct og_hit *hits = r->labels->hits;
    uint32_t highest = 0;
    uint32_t n = 0;
    uint32_t i = first;
    for (; i < r->labels->n; i++) {
        if (hits[i].doc == OG_NO_DOC) continue;
        if (hits[i].doc != hits[first].doc ||
            diagonal(r->sel, r->labels, i) !=
                diagonal(r->sel, r->labels, first))
            break;
        const uint8_t rank = og_table_rank(r->sel->fp[i]);
        if (rank > highest) highest = rank;
        n++;
    }
    r->run_end = i;
    r->highest_kept = highest + 2 * highest / n;
}

/* Whether shingle i, which the table does not know, would be missing even if it
 * had been added with that of the hit: it was never stored, or its rank is
 * among those evicted. Of recent documents nothing is missing. */
static bool says_nothing(const struct reaching *r, uint32_t i, uint32_t hit)
{
    const struct og_hit *missing = &r->labels->hits[i];
    if (missing->doc != OG_NO_DOC || missing->offset == 0) return false;
    if (missing->near == 0) return false; /* the table has no ranks */
    const uint64_t n_whole =
        ((uint64_t)r->n_docs * missing->near >> 16) / WHOLE_SHARE;
    if (r->labels->hits[hit].doc + n_whole >= r->n_docs) return false;
    const bool spare = r->sel->spare != NULL && r->sel->spare[i] != 0;
    return spare || og_table_rank(r->sel->fp[i]) > r->highest_kept;
}

/* How far a copy extends beyond the context of its last hit, if `free` shingles
 * precede the next one that contradicts it. */
static uint32_t carry_on(uint32_t free, bool over_lost)
{
    const uint32_t most =
        OG_CONTEXT_TOKENS + (over_lost ? CARRY_ON_OVER_LOST : CARRY_ON);
    return free < most ? free : most;
}

/* How many of the shingles before that of hit i are copied with it. */
static uint32_t reach_before(const struct reaching *r, uint32_t i)
{
    const uint32_t *pos = r->sel->pos;
    uint32_t reach = agree_before(r->sel, r->labels, i);
    if (reach == OG_CONTEXT_TOKENS) {
        uint32_t known = i; /* the nearest selected one beyond */
        while (known > 0 && pos[known - 1] + reach >= pos[i])
            known--;
        const uint32_t nearest = known;
        while (known > 0 && says_nothing(r, known - 1, i))
            known--;
        const uint32_t free =
            known > 0 ? pos[i] - pos[known - 1] - 1 : UINT32_MAX;
        reach = carry_on(free, known < nearest);
    }
    return reach < pos[i] ? reach : pos[i];
}

static uint32_t reach_after(const struct reaching *r, uint32_t i)
{
    const struct og_labels *labels = r->labels;
    const uint32_t *pos = r->sel->pos;
    uint32_t reach = agree_after(r->sel, labels, i);
    if (reach == OG_CONTEXT_TOKENS) {
        uint32_t known = i + 1;
        while (known < labels->n && pos[known] <= pos[i] + reach)
            known++;
        const uint32_t nearest = known;
        while (known < labels->n && says_nothing(r, known, i))
            known++;
        const uint32_t free =
            known < labels->n ? pos[known] - pos[i] - 1 : UINT32_MAX;
        reach = carry_on(free, known > nearest);
    }
    const uint32_t last = (uint32_t)labels->n_every - 1 - pos[i];
    return reach < last ? reach : last;
}

static bool is_labelled(const struct og_labels *labels, uint32_t pos)
{
    return labels->every[pos].doc != OG_NO_DOC;
}

/* Extends from the hit outwards up to the next known shingle. Inside a bridge
 * that is so on both sides, so the extent is not computed there. */
static void extend(struct reaching *r, uint32_t i)
{
    struct og_labels *labels = r->labels;
    const struct og_label label = {
        .doc = labels->hits[i].doc, .hit = i, .how = OG_HOW_EXPANDED};
    const uint32_t pos = r->sel->pos[i];
    if (i >= r->run_end) begin_run(r, i);
    if (pos > 0 && !is_labelled(labels, pos - 1)) {
        const uint32_t before = reach_before(r, i);
        for (uint32_t step = 1; step <= before; step++) {
            if (is_labelled(labels, pos - step)) break;
            labels->every[pos - step] = label;
        }
    }
    if (pos + 1 < labels->n_every && !is_labelled(labels, pos + 1)) {
        const uint32_t after = reach_after(r, i);
        for (uint32_t step = 1; step <= after; step++) {
            if (is_labelled(labels, pos + step)) break;
            labels->every[pos + step] = label;
        }
    }
}

og_status og_estimate_context(const struct og_selection *sel, uint32_t n_docs,
                              struct og_labels *labels, og_error *err)
{
    labels->n_every = 0;
    if (sel->shingle_len == 0) return OG_OK; /* segments: the hits are all */
    if (sel->n_shingles == 0) return OG_OK;  /* there is no array */
    if (!OG_GROW(labels->allocator, labels->every, labels->every_cap,
                 sel->n_shingles))
        return og_error_memory(err, sel->n_shingles * sizeof(*labels->every),
                               "labels");
    labels->n_every = sel->n_shingles;
    label_hits(sel, labels);
    bridge(sel, labels);
    struct reaching r = {.sel = sel, .labels = labels, .n_docs = n_docs};
    for (uint32_t i = 0; i < labels->n; i++)
        if (labels->hits[i].doc != OG_NO_DOC) extend(&r, i);
    for (size_t i = 0; i < labels->n; i++)
        if (labels->hits[i].doc == OG_NO_DOC)
            labels->data[i] = labels->every[sel->pos[i]];
    return OG_OK;
}
