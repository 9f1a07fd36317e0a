/* Walks over the lists of all segments at once. */

#include "lib/sentence/index/merge_walk.h"

/* So much of mapped files may count as memory. */
#define MOST_MAPPED ((uint64_t)24 << 20)

void og_merge_release_pages(const struct merge *m)
{
    if (!m->is_mapped || og_mapped_resident() <= MOST_MAPPED) return;
    for (size_t i = 0; i < m->n; i++)
        og_sentence_segment_forget(m->segments[i]);
}

bool og_merge_walk_next(struct merge_walk *w)
{
    uint64_t value = UINT64_MAX;
    size_t n_here = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->at[i] == w->end[i]) continue;
        const uint64_t v = w->list[i][w->at[i]];
        if (v > value) continue;
        if (v < value) n_here = 0;
        value = v;
        w->segment[n_here] = i;
        w->place[n_here++] = w->at[i];
    }
    for (size_t k = 0; k < n_here; k++)
        w->at[w->segment[k]]++;
    w->value = value;
    w->n_here = n_here;
    merge_count_looks(&w->looks, n_here * sizeof(uint64_t));
    return n_here != 0;
}

const uint32_t *og_merge_cut_of(const struct merge_cut *c, size_t segment)
{
    return c->at + segment * (c->n + 1);
}

struct merge_walk og_merge_walk_share(const struct merge *m,
                                      const struct merge_cut *c, size_t share)
{
    struct merge_walk w;
    w.looks = (struct merge_looks){m, 0};
    w.n = m->n;
    w.n_here = 0;
    for (size_t i = 0; i < m->n; i++) {
        w.list[i] = c == &m->wordsets ? m->segments[i]->wordset_hashes
                                      : m->segments[i]->words;
        w.at[i] = og_merge_cut_of(c, i)[share];
        w.end[i] = og_merge_cut_of(c, i)[share + 1];
    }
    return w;
}

struct merge_share og_merge_share_at(const struct merge *m,
                                     const struct merge_cut *c, size_t i)
{
    const struct og_sentence_totals *t = &m->totals;
    if (i < c->n) return c->share[i];
    return (struct merge_share){c == &m->wordsets ? t->n_wordsets : t->n_words,
                                t->n_keys, t->n_sentences};
}
