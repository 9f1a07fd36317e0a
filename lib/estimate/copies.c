/* From labels to runs of tokens. */

#include "lib/estimate/estimate.h"

void og_copies_init(struct og_copies *copies, const og_allocator *allocator)
{
    *copies = (struct og_copies){.allocator = allocator};
}

void og_copies_release(struct og_copies *copies)
{
    OG_UNGROW(copies->allocator, copies->data, copies->cap);
    copies->n = 0;
}

/* The evidence of a run is that of its weakest part: a hit is firmer than a
 * bridge, a bridge firmer than an expansion. */
static og_how weaker(og_how a, og_how b)
{
    return a > b ? a : b;
}

/* The tokens from `begin` to `end` have this label; those that belong to a
 * copy already stay there. */
static void append(struct og_copies *copies, uint32_t begin, uint32_t end,
                   const struct og_label *label)
{
    struct og_copy *last = copies->n > 0 ? &copies->data[copies->n - 1] : NULL;
    if (last != NULL && begin < last->end) begin = last->end;
    if (begin >= end) return;
    copies->n_old += end - begin;
    if (last != NULL && last->doc == label->doc && last->end == begin) {
        last->end = end;
        last->how = weaker(last->how, label->how);
        return;
    }
    copies->data[copies->n++] = (struct og_copy){
        .begin = begin, .end = end, .doc = label->doc, .how = label->how};
}

og_status og_labels_join(const struct og_selection *sel,
                         const struct og_labels *labels,
                         struct og_copies *copies, og_error *err)
{
    const bool all = labels->n_every > 0;
    const size_t n = all ? labels->n_every : labels->n;
    copies->n = 0;
    copies->n_old = 0;
    if (!OG_GROW(copies->allocator, copies->data, copies->cap, n))
        return og_error_memory(err, n * sizeof(*copies->data), "copies");
    for (size_t i = 0; i < n; i++) {
        const struct og_label *label =
            all ? &labels->every[i] : &labels->data[i];
        if (label->doc == OG_NO_DOC) continue;
        const uint32_t begin = all ? (uint32_t)i : sel->pos[i];
        const uint32_t len = all ? sel->shingle_len : sel->len[i];
        append(copies, begin, begin + len, label);
    }
    return OG_OK;
}
