#ifndef OG_ANSWER_H
#define OG_ANSWER_H

/*   in:  the labels of a document                           (lib/estimate)
 *   out: its answer: spans, novel ranges, dominant origin   (lib/report)   */

#include "lib/estimate/estimate.h"
#include "lib/naming.h"
#include "lib/scratch.h"

/* An answer and the memory it stands in. */
struct og_answering {
    const og_allocator *allocator;
    struct og_copies copies;
    og_span *spans;
    size_t spans_cap;
    og_range *novel;
    size_t novel_cap;
    og_answer answer; /* views of the above and of the names */
};

void og_answering_init(struct og_answering *a, const og_allocator *allocator);
void og_answering_release(struct og_answering *a);

/* Replaces a->answer; it is empty after a failure (OG_ERR_MEMORY, or what the
 * names fail with). Ids are valid until the names are cleared. */
og_status og_answering_build(struct og_answering *a,
                             const struct og_prepared *prepared,
                             struct og_labels *labels, struct og_naming *naming,
                             og_error *err);

/* A copy with all that it refers to in `arena`. False: no memory. */
bool og_answer_keep(const og_answer *answer, struct og_arena *arena,
                    og_answer *out);

#endif
