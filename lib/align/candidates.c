/* The most frequent documents among the hits, in fixed memory ("space saving"):
 * a list of fixed length is counted; a document that is not in it replaces the
 * smallest one and takes over its count, by which it may be too high. So a
 * document with more than 1/256 of the hits is always found. Hits of one
 * document are often consecutive, so the last entry is checked first. */

#include "lib/align/candidates.h"

#include <string.h>

enum { MOST = 256 };

struct counting {
    struct og_candidate list[MOST];
    uint32_t missed[MOST]; /* of n_hits, the part taken over */
    uint32_t n, last;
};

static void count_hit(struct counting *c, uint32_t doc)
{
    uint32_t least = 0;
    if (c->last < c->n && c->list[c->last].doc == doc) {
        c->list[c->last].n_hits++;
        return;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->list[i].doc == doc) {
            c->list[i].n_hits++;
            c->last = i;
            return;
        }
        if (c->list[i].n_hits < c->list[least].n_hits) least = i;
    }
    if (c->n < MOST) {
        c->list[c->n++] = (struct og_candidate){doc, 1};
    } else {
        c->missed[least] = c->list[least].n_hits;
        c->list[least] = (struct og_candidate){doc, c->missed[least] + 1};
    }
}

static bool comes_first(const struct og_candidate *a,
                        const struct og_candidate *b,
                        struct og_time_order order)
{
    if (a->n_hits != b->n_hits) return a->n_hits > b->n_hits;
    return order.earlier(order.order, a->doc, b->doc);
}

uint32_t og_candidates_choose(const struct og_labels *labels,
                              struct og_time_order order,
                              struct og_candidate *out, uint32_t max)
{
    struct counting c = {.n = 0};
    for (size_t i = 0; i < labels->n; i++)
        if (labels->hits[i].doc != OG_NO_DOC)
            count_hit(&c, labels->hits[i].doc);
    for (uint32_t i = 0; i < c.n; i++)
        c.list[i].n_hits -= c.missed[i];
    for (uint32_t i = 1; i < c.n; i++) {
        const struct og_candidate moved = c.list[i];
        uint32_t j = i;
        for (; j > 0 && comes_first(&moved, &c.list[j - 1], order); j--)
            c.list[j] = c.list[j - 1];
        c.list[j] = moved;
    }
    const uint32_t n = c.n < max ? c.n : max;
    memcpy(out, c.list, n * sizeof(*out));
    return n;
}
