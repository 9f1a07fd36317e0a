/* Labels: their memory, their weights for the eviction, their majority. */

#include "lib/estimate/anchors.h"

#include <math.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"

void og_labels_init(struct og_labels *labels, const og_allocator *allocator)
{
    *labels = (struct og_labels){.allocator = allocator};
}

void og_labels_release(struct og_labels *labels)
{
    const og_allocator *a = labels->allocator;
    OG_UNGROW(a, labels->data, labels->cap);
    OG_UNGROW(a, labels->hits, labels->hits_cap);
    OG_UNGROW(a, labels->every, labels->every_cap);
    OG_UNGROW(a, labels->weights, labels->weights_cap);
    OG_UNGROW(a, labels->origins, labels->origins_cap);
    OG_UNGROW(a, labels->offsets, labels->offsets_cap);
    OG_UNGROW(a, labels->anchors, labels->anchors_cap);
    OG_UNGROW(a, labels->next, labels->next_cap);
    labels->n = 0;
    labels->n_every = 0;
}

og_status og_labels_reserve(struct og_labels *labels, size_t n, og_error *err)
{
    const og_allocator *a = labels->allocator;
    labels->n = 0;
    labels->n_every = 0;
    if (!OG_GROW(a, labels->data, labels->cap, n) ||
        !OG_GROW(a, labels->hits, labels->hits_cap, n) ||
        !OG_GROW(a, labels->weights, labels->weights_cap, n) ||
        !OG_GROW(a, labels->origins, labels->origins_cap, n) ||
        !OG_GROW(a, labels->offsets, labels->offsets_cap, n) ||
        !OG_GROW(a, labels->next, labels->next_cap, n + 1))
        return og_error_memory(err, n * sizeof(*labels->data), "labels");
    labels->n = n;
    return OG_OK;
}

/* ---- anchors ---- */

/* The array only grows; only the required part is cleared. */
og_status og_anchors_reset(struct og_labels *labels, size_t n, og_error *err)
{
    const size_t size = og_hash_slots_for(n, 16);
    if (!OG_GROW(labels->allocator, labels->anchors, labels->anchors_cap, size))
        return og_error_memory(err, size * sizeof(*labels->anchors), "anchors");
    labels->anchors_mask = size - 1;
    memset(labels->anchors, 0, size * sizeof(*labels->anchors));
    return OG_OK;
}

struct og_anchor *og_anchors_at(struct og_labels *labels, uint64_t key)
{
    struct og_anchor *all = labels->anchors;
    size_t at;
    OG_PROBE(at, og_mix64(key), labels->anchors_mask + 1,
             (all[at].last == 0 && all[at].count == 0) || all[at].key == key)
    all[at].key = key;
    return &all[at];
}

/* ---- weights ---- */

/* The end of the copied block that begins at `first`: a maximal run of
 * selected shingles with one origin. */
static size_t block_end(const struct og_labels *labels, size_t first)
{
    size_t end = first + 1;
    while (end < labels->n && labels->data[end].doc == labels->data[first].doc)
        end++;
    return end;
}

static void raise(uint8_t *weight, unsigned by)
{
    const unsigned sum = *weight + by;
    *weight = (uint8_t)(sum < 255 ? sum : 255);
}

/* Rules (a) to (d) of the lucky score; (e) is the table's (evict.c). */
static void weigh_lucky(struct og_labels *labels)
{
    enum { EVERY = 7, AT_THE_ENDS = 3 };
    const size_t n = labels->n;
    uint8_t *weight = labels->weights;
    for (size_t i = 0; i < n; i++)
        weight[i] = i % EVERY == 0 ? 2 : 1; /* (a), (d) */
    size_t end;
    for (size_t first = 0; first < n; first = end) {
        end = block_end(labels, first);
        if (labels->data[first].doc == OG_NO_DOC || end - first < 2) continue;
        const unsigned bonus =
            (unsigned)floor(sqrt((double)(end - first - 2))); /* (b) */
        raise(&weight[first], bonus);
        raise(&weight[end - 1], bonus);
    }
    if (n > 0) raise(&weight[0], AT_THE_ENDS); /* (c); once, if there is one */
    if (n > 1) raise(&weight[n - 1], AT_THE_ENDS);
}

/* Only the first hit of a copied block counts: a passage that was copied once
 * certainly keeps one fingerprint, and the others may be evicted. */
static void weigh_first_hits(struct og_labels *labels)
{
    memset(labels->weights, 0, labels->n);
    size_t end;
    for (size_t first = 0; first < labels->n; first = end) {
        end = block_end(labels, first);
        for (size_t i = first; i < end; i++) {
            if (labels->hits[i].doc == OG_NO_DOC) continue;
            labels->weights[i] = 1;
            break;
        }
    }
}

void og_labels_weigh(struct og_labels *labels, og_evict_kind evict)
{
    if (labels->n == 0) return; /* there is no array */
    switch (evict) {
    case OG_EVICT_LUCKY: weigh_lucky(labels); break;
    case OG_EVICT_THIN: weigh_first_hits(labels); break;
    case OG_EVICT_RANDOM:
    case OG_EVICT_LRU:
    case OG_EVICT_COPY_COUNT:
    case OG_EVICT_S3FIFO:
    case OG_EVICT_LEARN: memset(labels->weights, 1, labels->n); break;
    }
}

/* ---- additions to the table ---- */

bool og_labels_shape_table(og_estimate_kind estimate, og_evict_kind evict)
{
    return estimate == OG_ESTIMATE_CONTEXT || evict == OG_EVICT_LUCKY ||
           evict == OG_EVICT_THIN;
}

static bool may_have_lost(const struct og_labels *labels,
                          const struct og_selection *sel,
                          const struct og_table *table, size_t i)
{
    return labels->lost != NULL ? labels->lost[i] != 0
                                : og_table_may_have_lost(table, sel->fp[i]);
}

/* A shingle that the table has lost and that is within reach of a hit was there
 * once: it is restored with its old origin and position rather than added as
 * new. One that the table cannot have lost is new, whatever is around it: so
 * with room for everything a table depends on
 * the times of the documents alone, and not on their order of arrival. */
static void restore_origins(struct og_labels *labels,
                            const struct og_selection *sel,
                            const struct og_table *table)
{
    for (size_t i = 0; i < labels->n; i++) {
        const struct og_label *label = &labels->data[i];
        const bool lost = labels->hits[i].doc == OG_NO_DOC &&
                          label->doc != OG_NO_DOC &&
                          may_have_lost(labels, sel, table, i);
        labels->origins[i] = lost ? label->doc : OG_NO_DOC;
        labels->offsets[i] = sel->offset[i];
        if (!lost) continue;
        const uint16_t diagonal = (uint16_t)(sel->offset[label->hit] -
                                             labels->hits[label->hit].offset);
        labels->offsets[i] = (uint16_t)(sel->offset[i] - diagonal);
    }
}

struct og_additions og_labels_additions(struct og_labels *labels,
                                        const struct og_selection *sel,
                                        const struct og_table *table,
                                        uint32_t doc)
{
    const bool restores = labels->n_every > 0;
    og_labels_weigh(labels, table->options.evict);
    if (restores) restore_origins(labels, sel, table);
    return (struct og_additions){
        .doc = doc,
        .fp = sel->fp,
        .offset = restores ? labels->offsets : sel->offset,
        .near = sel->near,
        .weight = labels->weights,
        .origin = restores ? labels->origins : NULL,
        .spare = sel->spare,
        .n = sel->n,
    };
}

/* ---- the majority ---- */

static bool comes_before(const struct og_labels *labels, uint32_t a, uint32_t b)
{
    if (a == OG_NO_DOC || b == OG_NO_DOC || labels->earlier == NULL)
        return a < b;
    return labels->earlier(labels->ctx, a, b);
}

/* n more shingles have this origin. */
static void count_origin(struct og_labels *labels, uint32_t doc, size_t n,
                         struct og_dominant *best)
{
    struct og_anchor *anchor = og_anchors_at(labels, doc);
    anchor->count += (uint32_t)n;
    if (anchor->count < best->n ||
        (anchor->count == best->n && comes_before(labels, best->doc, doc)))
        return;
    best->doc = doc;
    best->n = anchor->count;
}

og_status og_labels_dominant(struct og_labels *labels, struct og_dominant *out,
                             og_error *err)
{
    const bool all = labels->n_every > 0;
    const struct og_label *label = all ? labels->every : labels->data;
    const size_t n = all ? labels->n_every : labels->n;
    /* Labels name documents that were hit, so there are at most this many. */
    TRY(og_anchors_reset(labels, labels->n, err));
    size_t n_own = 0;
    *out = (struct og_dominant){.doc = OG_NO_DOC, .total = n};
    size_t end;
    for (size_t i = 0; i < n; i = end) {
        end = all ? og_labels_run_end(labels, i) : i + 1;
        if (label[i].doc == OG_NO_DOC)
            n_own += end - i;
        else
            count_origin(labels, label[i].doc, end - i, out);
    }
    if (n_own < out->n) return OG_OK;
    out->doc = OG_NO_DOC;
    out->n = n_own;
    return OG_OK;
}
