#ifndef OG_SOURCE_WEB_PAGE_BLOCKS_H
#define OG_SOURCE_WEB_PAGE_BLOCKS_H

/*   in:  the nodes of a page, and where its text seems to be
 *   out: its blocks and what is known of each (lib/source/web/page_features.h)
 *
 * A block is the text that an element contains outside of the blocks below it:
 * a paragraph, a heading, a cell, an item of a list. */

#include "lib/source/web/page_main.h"

/* Blocks of at least so many bytes that are not links are prose. */
#define OG_PAGE_PROSE 80

/* Lines that are longer have no cues. */
#define OG_PAGE_CUE_LEN 300

/* How many different lines are remembered, to know what comes twice. */
#define OG_PAGE_SEEN 4096

/* What is known of the page as a whole. */
struct og_page_survey {
    uint32_t prose_len;               /* of all blocks */
    uint32_t root_prose;              /* of those that the vote chose */
    uint32_t first_prose, last_prose; /* numbers of blocks chosen; UINT32_MAX */
    uint32_t first_h1;                /* number of a block; UINT32_MAX */
    uint32_t root;                    /* the first node that was chosen */
    uint32_t seen[OG_PAGE_SEEN];      /* hashes of texts */
    bool is_twice[OG_PAGE_SEEN];
};

/* Fills m->blocks and the fields of m->stats that are about blocks. False: no
 * memory. */
bool og_page_find_blocks(struct og_page_main *m, const struct og_page *page);

void og_page_survey(struct og_page_main *m, const struct og_page *page,
                    struct og_page_survey *out);

/* Bits for the kinds of cues in a text. */
#define OG_PAGE_N_CUES 5
uint32_t og_page_cues(og_bytes text);

#endif
