#ifndef OG_REPORT_SHARES_H
#define OG_REPORT_SHARES_H

/*   in:  the spans of an answer, in the order of the text   (estimate)
 *   out: its sources, the largest first, each with a number (report_text) */

#include "lib/base/memory.h"

struct og_source_share {
    uint64_t origin;
    uint64_t n_tokens;
    size_t first_span; /* where the text meets it first */
    size_t n_spans;
    unsigned how_mask; /* 1 << og_how, all that its spans have */
};

struct og_sources {
    struct og_source_share *list; /* number n stands at list[n - 1] */
    size_t n;
    uint32_t *number_of_span; /* 1.. for each span of the answer */
    size_t n_spans;
};

/* OG_ERR_MEMORY, or a value that og_sources_release() must end. */
og_status og_sources_gather(const og_answer *answer, struct og_sources *out,
                            og_error *err);
void og_sources_release(struct og_sources *sources);

#endif
