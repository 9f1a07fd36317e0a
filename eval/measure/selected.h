#ifndef OG_EVAL_MEASURE_SELECTED_H
#define OG_EVAL_MEASURE_SELECTED_H

/* The selections of all documents by one rule, concatenated: computed once,
 * read by all runs that use the rule. */

#include "eval/evaluation.h"
#include "eval/measure/eval_state.h"

/* OG_CONTEXT_ORDER and OG_CONTEXT_BITS: both are kept, a run uses either. */
#define OG_SELECTED_NOTES 2

struct og_selected {
    uint64_t *fp;
    uint32_t *pos, *len;
    uint8_t *spare;
    uint16_t *offset[OG_SELECTED_NOTES], *near[OG_SELECTED_NOTES];
    size_t n, cap;
    uint32_t shingle_len; /* as in og_selection */
    size_t *first;        /* of each document; n_docs + 1 entries */
    size_t n_docs;
};

/* Must be released also if this fails. */
og_status og_selected_init(struct og_selected *selected,
                           const struct og_eval *eval,
                           const og_select_options *rule, og_error *err);
void og_selected_release(struct og_selected *selected);

/* The selection of one document, with the notes for an estimation. A view. */
struct og_selection og_selected_view(const struct og_selected *selected,
                                     const struct og_eval *eval, size_t doc,
                                     og_estimate_kind estimate);

#endif
