#ifndef OG_TESTS_ESTIMATE_SUPPORT_H
#define OG_TESTS_ESTIMATE_SUPPORT_H

/* A document of n selected shingles with whatever hits a test wants. */

#include "tests/unit/stage_support.h"

#include "lib/estimate/estimate.h"

struct hits {
    struct og_selection sel; /* arrays of n, owned */
    struct og_labels labels;
    uint32_t n_docs; /* before this one */
};

/* All of them new; shingles of `len` tokens that begin `step` apart. */
static inline void hits_init(struct hits *h, size_t n, uint32_t step,
                             uint32_t len)
{
    *h = (struct hits){.sel = {.n = n, .shingle_len = len}};
    h->sel.n_shingles = n > 0 ? (n - 1) * step + 1 : 0;
    h->sel.fp = calloc(n + 1, sizeof(*h->sel.fp));
    h->sel.pos = calloc(n + 1, sizeof(*h->sel.pos));
    h->sel.len = calloc(n + 1, sizeof(*h->sel.len));
    h->sel.offset = calloc(n + 1, sizeof(*h->sel.offset));
    h->sel.near = calloc(n + 1, sizeof(*h->sel.near));
    h->sel.spare = calloc(n + 1, sizeof(*h->sel.spare));
    og_labels_init(&h->labels, NULL);
    assert_int_equal(og_labels_reserve(&h->labels, n, NULL), OG_OK);
    for (size_t i = 0; i < n; i++) {
        h->sel.pos[i] = (uint32_t)i * step;
        h->sel.len[i] = len;
        h->sel.offset[i] = (uint8_t)i;
        h->labels.hits[i] = (struct og_hit){.doc = OG_NO_DOC};
        h->labels.data[i] = (struct og_label){.doc = OG_NO_DOC};
    }
}

static inline void hits_release(struct hits *h)
{
    free(h->sel.fp);
    free(h->sel.pos);
    free(h->sel.len);
    free(h->sel.offset);
    free(h->sel.near);
    free(h->sel.spare);
    og_labels_release(&h->labels);
}

/* A label for each of the n_shingles, all new. */
static inline void hits_label_every(struct hits *h)
{
    struct og_labels *l = &h->labels;
    assert_true(
        OG_GROW(l->allocator, l->every, l->every_cap, h->sel.n_shingles));
    l->n_every = h->sel.n_shingles;
    for (size_t i = 0; i < l->n_every; i++)
        l->every[i] = (struct og_label){.doc = OG_NO_DOC};
}

static inline void hits_estimate(struct hits *h, og_estimate_kind kind,
                                 uint32_t limit)
{
    const struct og_estimate_options options = {
        .kind = kind, .bridge_limit = limit, .n_docs = h->n_docs};
    assert_int_equal(og_estimate(&h->sel, &options, &h->labels, NULL), OG_OK);
}

/* How each shingle is labelled, a letter each: '.' new, 'h' hit, 'b' bridged,
 * 'x' expanded. */
static inline const char *hits_picture(const struct hits *h)
{
    static char picture[256];
    assert_true(h->labels.n < sizeof(picture));
    for (size_t i = 0; i < h->labels.n; i++)
        picture[i] = h->labels.data[i].doc == OG_NO_DOC
                         ? '.'
                         : "hbxv"[h->labels.data[i].how];
    picture[h->labels.n] = 0;
    return picture;
}

#endif
