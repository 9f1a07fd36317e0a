/* NB, E, B and BE: section 2.3 of the paper.
 *
 * A bridge joins two hits s and s' of one origin that are equally far apart
 * here and there, less than T selected shingles; the last such hit before s'
 * is the only partner (condition d). Offsets are known modulo 2^8, so "equally
 * far" means the same diagonal modulo 2^8. One pass finds all bridges: for
 * every (origin, diagonal) it remembers the last hit. What lies between gets
 * the label unless it has one; `next` skips what is labelled, so that each
 * shingle is touched a constant number of times however the bridges nest.
 *
 * A guess never replaces what the table said itself. */

#include "lib/estimate/anchors.h"
#include "lib/estimate/context.h"

struct og_table_fields og_estimate_fields(og_estimate_kind kind)
{
    switch (kind) {
    case OG_ESTIMATE_NONE: break;
    case OG_ESTIMATE_EXPAND: return (struct og_table_fields){0, 2};
    case OG_ESTIMATE_BRIDGE: return (struct og_table_fields){1, 0};
    case OG_ESTIMATE_BOTH: return (struct og_table_fields){1, 2};
    case OG_ESTIMATE_CONTEXT: return (struct og_table_fields){2, 2};
    }
    return (struct og_table_fields){0, 0};
}

og_context_kind og_estimate_context_kind(og_estimate_kind kind)
{
    switch (kind) {
    case OG_ESTIMATE_NONE: break;
    case OG_ESTIMATE_EXPAND:
    case OG_ESTIMATE_BRIDGE:
    case OG_ESTIMATE_BOTH: return OG_CONTEXT_ORDER;
    case OG_ESTIMATE_CONTEXT: return OG_CONTEXT_BITS;
    }
    return OG_CONTEXT_NONE;
}

static void label_hits(struct og_labels *labels)
{
    for (size_t i = 0; i < labels->n; i++)
        labels->data[i] = (struct og_label){
            .doc = labels->hits[i].doc, .hit = (uint32_t)i, .how = OG_HOW_HIT};
}

static uint8_t before(uint16_t near)
{
    return (uint8_t)near;
}

static uint8_t after(uint16_t near)
{
    return (uint8_t)(near >> 8);
}

static bool agrees_before(const struct og_selection *sel,
                          const struct og_labels *labels, size_t i)
{
    return before(sel->near[i]) == before(labels->hits[i].near);
}

static bool agrees_after(const struct og_selection *sel,
                         const struct og_labels *labels, size_t i)
{
    return after(sel->near[i]) == after(labels->hits[i].near);
}

static void expand_to(struct og_labels *labels, size_t to, size_t hit)
{
    struct og_label *label = &labels->data[to];
    if (label->doc == OG_NO_DOC)
        *label = (struct og_label){.doc = labels->hits[hit].doc,
                                   .hit = (uint32_t)hit,
                                   .how = OG_HOW_EXPANDED};
}

static void expand(const struct og_selection *sel, struct og_labels *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        if (labels->hits[i].doc == OG_NO_DOC) continue;
        if (i > 0 && agrees_before(sel, labels, i)) expand_to(labels, i - 1, i);
        if (i + 1 < labels->n && agrees_after(sel, labels, i))
            expand_to(labels, i + 1, i);
    }
}

/* The first shingle from i on without a label; shortens the way for later
 * calls. */
static uint32_t next_unlabelled(struct og_labels *labels, uint32_t i)
{
    uint32_t end = i;
    while (labels->next[end] != end)
        end = labels->next[end];
    while (labels->next[i] != end) {
        const uint32_t following = labels->next[i];
        labels->next[i] = end;
        i = following;
    }
    return end;
}

static void bridges_begin(struct og_labels *labels)
{
    for (uint32_t i = 0; i < labels->n; i++)
        labels->next[i] = labels->data[i].doc == OG_NO_DOC ? i : i + 1;
    labels->next[labels->n] = (uint32_t)labels->n;
}

static void bridge_between(struct og_labels *labels, uint32_t from, uint32_t to)
{
    uint32_t i = next_unlabelled(labels, from + 1);
    while (i < to) {
        labels->data[i] = (struct og_label){
            .doc = labels->hits[from].doc, .hit = from, .how = OG_HOW_BRIDGED};
        labels->next[i] = i + 1;
        i = next_unlabelled(labels, i + 1);
    }
}

/* Both neighbour bytes of a hit must agree for BE: after s and before s'. */
static og_status bridge(const struct og_selection *sel,
                        const struct og_estimate_options *options,
                        struct og_labels *labels, og_error *err)
{
    const bool ask_neighbours = options->kind == OG_ESTIMATE_BOTH;
    TRY(og_anchors_reset(labels, labels->n, err));
    bridges_begin(labels);
    for (uint32_t i = 0; i < labels->n; i++) {
        const struct og_hit *hit = &labels->hits[i];
        if (hit->doc == OG_NO_DOC) continue;
        const uint8_t diagonal = (uint8_t)(sel->offset[i] - hit->offset);
        struct og_anchor *anchor =
            og_anchors_at(labels, (uint64_t)hit->doc << 8 | diagonal);
        if (anchor->last != 0) {
            const uint32_t from = anchor->last - 1;
            const bool close = i - from < options->bridge_limit;
            if (close && (!ask_neighbours || (agrees_after(sel, labels, from) &&
                                              agrees_before(sel, labels, i))))
                bridge_between(labels, from, i);
        }
        anchor->last = i + 1;
    }
    return OG_OK;
}

og_status og_estimate(const struct og_selection *sel,
                      const struct og_estimate_options *options,
                      struct og_labels *labels, og_error *err)
{
    label_hits(labels);
    switch (options->kind) {
    case OG_ESTIMATE_NONE: return OG_OK;
    case OG_ESTIMATE_EXPAND: break;
    case OG_ESTIMATE_BRIDGE: return bridge(sel, options, labels, err);
    case OG_ESTIMATE_BOTH: TRY(bridge(sel, options, labels, err)); break;
    case OG_ESTIMATE_CONTEXT:
        return og_estimate_context(sel, options->n_docs, labels, err);
    }
    expand(sel, labels);
    return OG_OK;
}
