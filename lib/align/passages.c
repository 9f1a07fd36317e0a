/* Passages that do not overlap.
 *
 * Two passages may claim the same words of the document: the same words stand
 * twice in the origin, or the edges of two copies meet in a common phrase. The
 * one with more evidence keeps them. What is left of the other is a passage
 * still when it is the larger part of it. */

#include <stdlib.h>

#include "lib/align/aligner.h"

void og_passages_init(struct og_passages *passages,
                      const og_allocator *allocator)
{
    *passages = (struct og_passages){.allocator = allocator};
}

void og_passages_release(struct og_passages *passages)
{
    OG_UNGROW(passages->allocator, passages->data, passages->cap);
    passages->n = 0;
}

og_status og_passages_add(struct og_passages *passages,
                          struct og_passage passage, og_error *err)
{
    const size_t n = passages->n;
    if (!OG_GROW(passages->allocator, passages->data, passages->cap, n + 1))
        return og_error_memory(err, (n + 1) * sizeof(passage), "passages");
    passages->data[passages->n++] = passage;
    return OG_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct og_passage *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1;
    if (x->origin_begin != y->origin_begin)
        return x->origin_begin < y->origin_begin ? -1 : 1;
    return (x->origin_end > y->origin_end) - (x->origin_end < y->origin_end);
}

/* Whether cutting `n_cut` tokens off leaves the larger part. */
static bool survives(const struct og_passage *p, uint32_t n_cut)
{
    return n_cut <= (p->end - p->begin) / 2;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The words of the origin that answer to those cut off go with them. */
static void cut_front(struct og_passage *p, uint32_t begin)
{
    const uint32_t n_cut = begin - p->begin;
    p->origin_begin += smaller(n_cut, (p->origin_end - p->origin_begin) / 2);
    p->begin = begin;
}

static void cut_back(struct og_passage *p, uint32_t end)
{
    const uint32_t n_cut = p->end - end;
    p->origin_end -= smaller(n_cut, (p->origin_end - p->origin_begin) / 2);
    p->end = end;
}

void og_passages_settle(struct og_passages *passages)
{
    struct og_passage *kept = passages->data;
    size_t n = 0;
    if (passages->n == 0) return;
    qsort(kept, passages->n, sizeof(*kept), by_place);
    for (size_t i = 0; i < passages->n; i++) {
        struct og_passage p = passages->data[i];
        bool keep = true;
        while (n > 0 && kept[n - 1].end > p.begin) {
            struct og_passage *last = &kept[n - 1];
            if (last->weight < p.weight) {
                if (survives(last, last->end - p.begin)) {
                    cut_back(last, p.begin);
                    break;
                }
                n--;
                continue;
            }
            keep = last->end < p.end && survives(&p, last->end - p.begin);
            if (keep) cut_front(&p, last->end);
            break;
        }
        if (keep) kept[n++] = p;
    }
    passages->n = n;
}
