#ifndef OG_ESTIMATE_BRIDGE_H
#define OG_ESTIMATE_BRIDGE_H

#include "lib/estimate/estimate.h"

/* Labels what has none between two shingles. Call _begin once the hits are
 * labelled; all bridges of a document together take linear time. */
void og_bridges_begin(struct og_labels *labels);
void og_bridge_between(struct og_labels *labels, uint32_t from, uint32_t to,
                       uint32_t doc);

/* context.c */
og_status og_estimate_context(const struct og_selection *sel,
                              const struct og_estimate_options *options,
                              struct og_labels *labels, og_error *err);

#endif
