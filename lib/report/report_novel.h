#ifndef OG_REPORT_REPORT_NOVEL_H
#define OG_REPORT_REPORT_NOVEL_H

/*   in:  a document and its answer
 *   out: its new parts, or the best sentences of them        (the reports) */

#include "lib/report/report.h"

#include <origo/report.h>

struct og_novel {
    og_range *list; /* in the order of the text */
    size_t n, cap;
};
void og_novel_release(struct og_novel *novel);

/* All parts that no span covers, or the options' n_snippets best new sentences;
 * `novel` must be all zero or hold another document's result. */
og_status og_novel_find(struct og_novel *novel, const og_document *doc,
                        const og_answer *answer,
                        const og_report_options *options, og_error *err);

#endif
