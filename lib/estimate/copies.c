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

/* The shingle of a hit covers the tokens from `begin` to `end`. */
static void count_hit(struct og_copy *copy, uint32_t begin, uint32_t end)
{
    if (begin < copy->hit_end) begin = copy->hit_end;
    if (begin < copy->begin) begin = copy->begin;
    if (begin >= end) return;
    copy->n_hit += end - begin;
    copy->hit_end = end;
}

/* What most of its tokens rest on: hits, or else what joined them. */
static og_how evidence(const struct og_copy *copy)
{
    const uint32_t n_tokens = copy->end - copy->begin;
    return copy->n_hit >= n_tokens - copy->n_hit ? OG_HOW_HIT : copy->how;
}

/* The tokens from `begin` to `end` have this label; those that belong to a
 * copy already stay there. */
static void append(struct og_copies *copies, uint32_t begin, uint32_t end,
                   const struct og_label *label)
{
    struct og_copy *last = copies->n > 0 ? &copies->data[copies->n - 1] : NULL;
    const uint32_t covered = last != NULL ? last->end : 0;
    const uint32_t from = begin > covered ? begin : covered;
    const bool goes_on =
        last != NULL && last->doc == label->doc && from == covered;
    if (from < end) {
        copies->n_old += end - from;
        if (goes_on)
            last->end = end;
        else
            copies->data[copies->n++] = (struct og_copy){.begin = from,
                                                         .end = end,
                                                         .doc = label->doc,
                                                         .how = label->how};
    } else if (!goes_on) {
        return; /* others have all of its tokens */
    }
    struct og_copy *copy = &copies->data[copies->n - 1];
    if (label->how == OG_HOW_HIT)
        count_hit(copy, begin, end);
    else if (copy->how == OG_HOW_HIT || label->how == OG_HOW_BRIDGED)
        copy->how = label->how;
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
    for (size_t i = 0; i < copies->n; i++)
        copies->data[i].how = evidence(&copies->data[i]);
    return OG_OK;
}
