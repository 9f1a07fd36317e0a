/* Passages that do not overlap.
 *
 * Two passages may claim the same words of the document: the same words occur
 * twice in the origin, or the edges of two copies overlap in a common phrase.
 * The one with more evidence keeps them. The rest of the other remains a
 * passage if it is the larger part of it.
 *
 * A summary may appear as several passages: a sentence from one place, the next
 * from far after it. Those that are close together here and far apart there are
 * merged. */

#include <stdlib.h>

#include "lib/align/aligner.h"
#include "lib/align/nearly_sorted.h"

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

OG_SORT_NEARLY(sort_passages, struct og_passage, by_place)

/* Whether removing `n_cut` tokens leaves the larger part. */
static bool survives(const struct og_passage *p, uint32_t n_cut)
{
    return n_cut <= (p->end - p->begin) / 2;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The corresponding words of the origin are removed as well. */
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
    sort_passages(kept, passages->n);
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

/* ---- pieces of a summary ---- */

static bool is_piece(const struct og_passage *p,
                     const struct og_align_thresholds *thresholds)
{
    return p->kind != OG_PASSAGE_COPY || p->weight < thresholds->join_copy;
}

static void include_piece(struct og_passage *whole,
                          const struct og_passage *piece)
{
    if (piece->end > whole->end) whole->end = piece->end;
    if (piece->origin_begin < whole->origin_begin)
        whole->origin_begin = piece->origin_begin;
    if (piece->origin_end > whole->origin_end)
        whole->origin_end = piece->origin_end;
    whole->weight += piece->weight;
}

/* The end of the pieces that follow `first`, each near the previous one; and
 * their total range. */
static size_t gather_pieces(const struct og_passages *passages, size_t first,
                            const struct og_align_thresholds *thresholds,
                            struct og_passage *whole)
{
    size_t i = first + 1;
    *whole = passages->data[first];
    whole->kind = OG_PASSAGE_REWORDED;
    whole->n_runs = 0;
    if (!is_piece(&passages->data[first], thresholds)) return i;
    for (; i < passages->n; i++) {
        if ((float)passages->data[i].begin >
                (float)whole->end + thresholds->join_gap ||
            !is_piece(&passages->data[i], thresholds))
            break;
        include_piece(whole, &passages->data[i]);
    }
    return i;
}

/* Copying or rewording a text passage by passage preserves its length: a
 * summary is much shorter than its source. */
void og_passages_join_drawn(struct og_passages *passages,
                            const struct og_align_thresholds *thresholds)
{
    size_t n = 0;
    size_t end;
    for (size_t first = 0; first < passages->n; first = end) {
        struct og_passage whole;
        end = gather_pieces(passages, first, thresholds, &whole);
        const uint32_t len = whole.end - whole.begin;
        const uint32_t origin_len = whole.origin_end - whole.origin_begin;
        if (end > first + 1 &&
            (float)origin_len >= thresholds->join_ratio * (float)len) {
            passages->data[n++] = whole;
            continue;
        }
        for (size_t i = first; i < end; i++)
            passages->data[n++] = passages->data[i];
    }
    passages->n = n;
}
