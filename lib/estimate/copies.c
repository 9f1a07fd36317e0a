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

/* Shingles cover the tokens from `begin` to `end`; those from *last on have not
 * been counted yet. */
static void count_tokens(const struct og_copy *copy, uint32_t begin,
                         uint32_t end, uint32_t *n, uint32_t *last)
{
    if (begin < *last) begin = *last;
    if (begin < copy->begin) begin = copy->begin;
    if (begin >= end) return;
    *n += end - begin;
    *last = end;
}

/* The evidence for most of its tokens: hits, or the way they were joined. */
static og_how evidence(const struct og_copy *copy)
{
    const uint32_t n_tokens = copy->end - copy->begin;
    return copy->n_hit >= n_tokens - copy->n_hit ? OG_HOW_HIT : copy->how;
}

/* The copy that the tokens from `begin` to `end` belong to, extended by those
 * that no copy has yet; NULL if others have them all. */
static struct og_copy *reach_to(struct og_copies *copies, uint32_t begin,
                                uint32_t end, uint32_t doc)
{
    struct og_copy *last = copies->n > 0 ? &copies->data[copies->n - 1] : NULL;
    const uint32_t covered = last != NULL ? last->end : 0;
    const uint32_t from = begin > covered ? begin : covered;
    const bool continues = last != NULL && last->doc == doc && from == covered;
    if (from >= end) return continues ? last : NULL;
    copies->n_old += end - from;
    if (continues) {
        last->end = end;
        return last;
    }
    copies->data[copies->n] = (struct og_copy){
        .begin = from, .end = end, .doc = doc, .how = OG_HOW_HIT};
    return &copies->data[copies->n++];
}

static void note_evidence(struct og_copy *copy, uint32_t begin, uint32_t end,
                          og_how how)
{
    if (how != OG_HOW_BRIDGED)
        count_tokens(copy, begin, end, &copy->n_matching, &copy->matching_end);
    if (how == OG_HOW_HIT)
        count_tokens(copy, begin, end, &copy->n_hit, &copy->hit_end);
    else if (copy->how == OG_HOW_HIT || how == OG_HOW_BRIDGED)
        copy->how = how;
}

static void join_selected(const struct og_selection *sel,
                          const struct og_labels *labels,
                          struct og_copies *copies)
{
    for (size_t i = 0; i < labels->n; i++) {
        const struct og_label *label = &labels->data[i];
        if (label->doc == OG_NO_DOC) continue;
        const uint32_t begin = sel->pos[i];
        const uint32_t end = begin + sel->len[i];
        struct og_copy *copy = reach_to(copies, begin, end, label->doc);
        if (copy != NULL) note_evidence(copy, begin, end, label->how);
    }
}

/* All shingles have a label: processes whole runs of one origin at a time. */
static void join_every(uint32_t shingle_len, const struct og_labels *labels,
                       struct og_copies *copies)
{
    const struct og_label *label = labels->every;
    size_t end;
    for (size_t begin = 0; begin < labels->n_every; begin = end) {
        end = og_labels_run_end(labels, begin);
        if (label[begin].doc == OG_NO_DOC) continue;
        struct og_copy *copy =
            reach_to(copies, (uint32_t)begin, (uint32_t)end - 1 + shingle_len,
                     label[begin].doc);
        for (size_t i = begin; i < end && copy != NULL; i++)
            note_evidence(copy, (uint32_t)i, (uint32_t)i + shingle_len,
                          label[i].how);
    }
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
    if (all)
        join_every(sel->shingle_len, labels, copies);
    else
        join_selected(sel, labels, copies);
    for (size_t i = 0; i < copies->n; i++)
        copies->data[i].how = evidence(&copies->data[i]);
    return OG_OK;
}
