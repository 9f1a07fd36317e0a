#ifndef OG_ANSWER_H
#define OG_ANSWER_H

/*   in:  the labels of a document                           (lib/estimate)
 *   out: its answer: spans, novel ranges, dominant origin   (lib/report)   */

#include "lib/catalogue.h"
#include "lib/estimate/estimate.h"
#include "lib/scratch.h"

/* An answer and the memory it stands in. */
struct og_answering {
    const og_allocator *allocator;
    struct og_copies copies;
    og_span *spans;
    size_t spans_cap;
    og_range *novel;
    size_t novel_cap;
    og_answer answer; /* views of the above and of the catalogue */
};

void og_answering_init(struct og_answering *a, const og_allocator *allocator);
void og_answering_release(struct og_answering *a);

/* Replaces a->answer; it is empty after a failure (OG_ERR_MEMORY). */
og_status og_answering_build(struct og_answering *a,
                             const struct og_prepared *prepared,
                             struct og_labels *labels,
                             const struct og_catalogue *catalogue,
                             og_error *err);

#endif
