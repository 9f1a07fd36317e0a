#ifndef OG_REPORT_PAGE_TALLY_H
#define OG_REPORT_PAGE_TALLY_H

/*   in:  the rows of a report of several parts   (page)
 *   out: its cover: the parts, the distribution of shares, the documents that
 *        copied most                             (writer)
 *
 * Its size does not depend on the number of documents. */

#include "lib/report/html/web_page.h"

enum { OG_TALLY_TOP = 100, OG_TALLY_BINS = 11 };

struct og_tally_part {
    uint64_t n_documents, n_copying;
    uint64_t n_units, n_copied;
    int64_t first, last; /* times; first > last: none known */
};

struct og_tally_top {
    uint64_t n_units, n_copied;
    uint64_t part, number;
    char *title;
    size_t title_len;
};

struct og_tally {
    struct og_tally_part part; /* the current one */
    struct og_tally_part *parts;
    size_t n_parts, parts_cap;
    uint64_t
        bins[OG_TALLY_BINS]; /* documents by their share: 0, (0,10 %], ... */
    struct og_tally_top top[OG_TALLY_TOP];
    size_t n_top;
    bool failed; /* out of memory: a part is missing from the cover */
};

void og_tally_add(struct og_tally *tally, const struct og_web_page_row *row,
                  uint64_t number);
void og_tally_end_part(struct og_tally *tally);
/* `name` is that of the report's file; its parts are in the folder
 * NAME.parts. */
void og_tally_write(const struct og_tally *tally, struct og_writer *w,
                    const char *unit, const char *name);
void og_tally_release(struct og_tally *tally);

#endif
