#ifndef OG_ESTIMATE_ANCHORS_H
#define OG_ESTIMATE_ANCHORS_H

/* A small hash table from (origin, diagonal) to the last hit on it. A diagonal
 * is the distance between a shingle's place here and in its origin: all hits
 * of a passage that was copied unchanged lie on one. */

#include "lib/estimate/estimate.h"

struct og_anchor {
    uint64_t key;   /* origin and diagonal */
    uint32_t last;  /* index of the hit, plus 1; 0: an empty place */
    uint32_t count; /* for og_labels_dominant() */
};

/* Empties the table and makes room for n keys. */
og_status og_anchors_reset(struct og_labels *labels, size_t n, og_error *err);

/* The place of a key; a new one is empty (last and count are 0). */
struct og_anchor *og_anchors_at(struct og_labels *labels, uint64_t key);

#endif
