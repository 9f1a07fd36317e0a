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

static uint32_t less_at_least_0(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

static struct og_copy copy_of(const struct og_selection *sel,
                              const struct og_label *label, size_t i,
                              size_t n_tokens)
{
    uint64_t end = (uint64_t)sel->pos[i] + sel->len[i] + label->behind;
    if (end > n_tokens) end = n_tokens;
    return (struct og_copy){
        .begin = less_at_least_0(sel->pos[i], label->before),
        .end = (uint32_t)end,
        .doc = label->doc,
        .how = label->how,
    };
}

/* The evidence of a run is that of its weakest part: a hit is firmer than a
 * bridge, a bridge firmer than an expansion. */
static og_how weaker(og_how a, og_how b)
{
    return a > b ? a : b;
}

og_status og_labels_join(const struct og_selection *sel,
                         const struct og_labels *labels, size_t n_tokens,
                         struct og_copies *copies, og_error *err)
{
    copies->n = 0;
    copies->n_old = 0;
    if (!OG_GROW(copies->allocator, copies->data, copies->cap, labels->n))
        return og_error_memory(err, labels->n * sizeof(*copies->data),
                               "copies");
    for (size_t i = 0; i < labels->n; i++) {
        if (labels->data[i].doc == OG_NO_DOC) continue;
        struct og_copy copy = copy_of(sel, &labels->data[i], i, n_tokens);
        struct og_copy *last =
            copies->n > 0 ? &copies->data[copies->n - 1] : NULL;
        if (last != NULL && copy.begin < last->end) copy.begin = last->end;
        if (copy.begin >= copy.end) continue;
        copies->n_old += copy.end - copy.begin;
        if (last != NULL && last->doc == copy.doc && last->end == copy.begin) {
            last->end = copy.end;
            last->how = weaker(last->how, copy.how);
        } else {
            copies->data[copies->n++] = copy;
        }
    }
    return OG_OK;
}
