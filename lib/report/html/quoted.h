#ifndef OG_REPORT_QUOTED_H
#define OG_REPORT_QUOTED_H

/*   in:  the text of a document                              (the document)
 *   out: the parts in quotation marks, or after '>' marks (the HTML report)
 *
 * A copied passage that is marked as a quotation differs from one that is not;
 * a reader may want to see only the others. */

#include "lib/base/memory.h"

struct og_quoted {
    og_range *list; /* in order, not overlapping, marks included */
    size_t n, cap;
};

/* All zero is empty; og_quoted_release() frees it. */
og_status og_quoted_find(struct og_quoted *quotes, og_bytes text,
                         og_error *err);
void og_quoted_release(struct og_quoted *quotes);

/* Whether at least four fifths of the range are inside quotations: marks and a
 * few words around them do not count. Ranges must be ascending from call to
 * call; *at is 0 at first. */
bool og_quoted_hold(const struct og_quoted *quotes, og_range range, size_t *at);

#endif
