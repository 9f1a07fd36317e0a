#ifndef OG_SOURCE_WEB_PAGE_BLOCKS_H
#define OG_SOURCE_WEB_PAGE_BLOCKS_H

/*   in:  the nodes of a page, and where its text seems to be
 *   out: its blocks and what is known about each
 * (lib/source/web/page_features.h)
 *
 * A block is the text of an element outside the blocks below it: a paragraph, a
 * heading, a cell, an item of a list. */

#include "lib/source/web/page_main.h"

/* Blocks with at least this many bytes outside links are prose. */
#define OG_PAGE_PROSE 80

/* Longer lines are not searched for cues. */
#define OG_PAGE_CUE_LEN 300

/* The number of distinct lines that are remembered to detect repetitions. */
#define OG_PAGE_SEEN 4096

/* What is known about the page as a whole. */
struct og_page_survey {
    uint32_t prose_len;               /* of all blocks */
    uint32_t root_prose;              /* of those inside the chosen elements */
    uint32_t first_prose, last_prose; /* of the chosen blocks; UINT32_MAX:
                                         none */
    uint32_t first_h1;                /* number of a block; UINT32_MAX: none */
    uint32_t root;                    /* the first node that was chosen */
    uint32_t seen[OG_PAGE_SEEN];      /* hashes of texts */
    bool is_twice[OG_PAGE_SEEN];
};

/* Fills m->blocks and the fields of m->stats that describe blocks. False: out
 * of memory. */
bool og_page_find_blocks(struct og_page_main *m, const struct og_page *page);

void og_page_survey(struct og_page_main *m, const struct og_page *page,
                    struct og_page_survey *out);

/* The kinds of cues in a text, as bits. */
#define OG_PAGE_N_CUES 5
uint32_t og_page_cues(og_bytes text);

#endif
