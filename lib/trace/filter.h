#ifndef OG_TRACE_FILTER_H
#define OG_TRACE_FILTER_H

/*   in:  what a query excludes                             (og_trace_options)
 *   out: the tokens and origins that do not count       (lib/trace/answer.c) */

#include "lib/store/store.h"

#include <origo/store.h>

void og_filter_rules_init(struct og_filter_rules *filter,
                          const og_allocator *allocator);
void og_filter_rules_release(struct og_filter_rules *filter);

/* The filter for one document and its hits; a view of `filter`. */
og_status og_filter_apply(struct og_filter_rules *filter, const og_store *store,
                          const struct og_subject *subject,
                          const struct og_labels *labels, struct og_filter *out,
                          og_error *err);

/* Tokens of the shortest span that is reported: the caller's minimum if given,
 * else a whole shingle, and at least 8 words, or all of a document that has
 * fewer. */
uint32_t og_filter_min_span(const struct og_filter_rules *filter,
                            const og_params *params, size_t n_tokens);

/* The value in a document of what og_params.same names, a view of it; len 0: it
 * has none. A field is as in the record, a string with its quotes. */
og_bytes og_same_value(const char *field, const og_document *doc);
/* The hash of that; 0: it has none. */
uint32_t og_same_of(const char *field, const og_document *doc);

#endif
