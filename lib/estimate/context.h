#ifndef OG_ESTIMATE_CONTEXT_H
#define OG_ESTIMATE_CONTEXT_H

#include "lib/estimate/estimate.h"

/* CX: labels->every and labels->data from labels->hits. */
og_status og_estimate_context(const struct og_selection *sel, uint32_t n_docs,
                              struct og_labels *labels, og_error *err);

#endif
