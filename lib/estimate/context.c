/* CX: origo's own estimation. */

#include "lib/estimate/anchors.h"
#include "lib/estimate/bridge.h"

/* Says how many tokens around every hit belong to the copy. */
static void reach(const struct og_selection *sel, struct og_labels *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        if (labels->hits[i].doc == OG_NO_DOC) continue;
        struct og_label *label = &labels->data[i];
        label->before = og_context_before(sel->near[i], labels->hits[i].near);
        label->behind = og_context_behind(sel->near[i], labels->hits[i].near);
    }
}

/* Two hits on one diagonal: all between them is taken for copied unless their
 * contexts say where the copy ended. */
static og_status bridge(const struct og_selection *sel,
                        const struct og_estimate_options *options,
                        struct og_labels *labels, og_error *err)
{
    TRY(og_anchors_reset(labels, labels->n, err));
    og_bridges_begin(labels);
    for (uint32_t i = 0; i < labels->n; i++) {
        const struct og_hit *hit = &labels->hits[i];
        if (hit->doc == OG_NO_DOC) continue;
        const uint16_t diagonal = (uint16_t)(sel->offset[i] - hit->offset);
        struct og_anchor *anchor =
            og_anchors_at(labels, (uint64_t)hit->doc << 16 | diagonal);
        if (anchor->last != 0) {
            const uint32_t from = anchor->last - 1;
            if (i - from < options->bridge_limit &&
                labels->data[from].behind == OG_CONTEXT_TOKENS &&
                labels->data[i].before == OG_CONTEXT_TOKENS)
                og_bridge_between(labels, from, i, hit->doc);
        }
        anchor->last = i + 1;
    }
    return OG_OK;
}

/* A selected shingle that lies inside the reach of a hit has its origin. */
static void expand(const struct og_selection *sel, struct og_labels *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        const uint32_t doc = labels->hits[i].doc;
        if (doc == OG_NO_DOC) continue;
        const uint32_t begin = sel->pos[i] - labels->data[i].before;
        const uint32_t end = sel->pos[i] + sel->len[i] + labels->data[i].behind;
        for (size_t j = i; j-- > 0 && sel->pos[j] >= begin;)
            if (labels->data[j].doc == OG_NO_DOC)
                labels->data[j] =
                    (struct og_label){.doc = doc, .how = OG_HOW_EXPANDED};
        for (size_t j = i + 1;
             j < labels->n && sel->pos[j] + sel->len[j] <= end; j++)
            if (labels->data[j].doc == OG_NO_DOC)
                labels->data[j] =
                    (struct og_label){.doc = doc, .how = OG_HOW_EXPANDED};
    }
}

og_status og_estimate_context(const struct og_selection *sel,
                              const struct og_estimate_options *options,
                              struct og_labels *labels, og_error *err)
{
    reach(sel, labels);
    TRY(bridge(sel, options, labels, err));
    expand(sel, labels);
    return OG_OK;
}
