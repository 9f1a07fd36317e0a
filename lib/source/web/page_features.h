#ifndef OG_SOURCE_WEB_PAGE_FEATURES_H
#define OG_SOURCE_WEB_PAGE_FEATURES_H

/*   in:  a block of a page and the page around it
 *   out: the features that it has       (lib/source/web/page_judge.h)
 *
 * Every fact is a bit: a length is in one of ten ranges, an element around the
 * block exists or not. The order of the bits is that of the trees in
 * page_trees.c: whoever changes it must retrain them (make train-html). */

#include "lib/source/web/page_blocks.h"

#define OG_PAGE_MAX_BITS 96

struct og_page_facts {
    const struct og_page_main *m; /* counted as if nothing were removed */
    const struct og_page *page;
    const struct og_page_survey *survey;
};

struct og_page_features {
    uint16_t bits[OG_PAGE_MAX_BITS];
    int n;
    int base; /* of the current group; at the end the number of all bits */
};

/* The features of block `i`, with `prose_before` bytes of prose before it. */
void og_page_features_of(const struct og_page_facts *x, size_t i,
                         uint32_t prose_before, struct og_page_features *out);

#endif
