#ifndef OG_REPORT_HTML_PARTS_H
#define OG_REPORT_HTML_PARTS_H

/*   in:  a document, its answer and its sources   (report_html)
 *   out: the parts of its page                    (writer)
 *
 * Element ids: d1 is the first document, d1p3 its third passage, d1s2 its
 * second source. The script finds everything by them. */

#include "lib/report/html/quoted.h"
#include "lib/report/html/web_page.h"
#include "lib/report/report_novel.h"
#include "lib/report/shares.h"

#include <origo/trace.h>

struct og_html_report {
    struct og_writer *w;
    struct og_web_page *page;
    const og_document *doc;
    const og_answer *answer;
    struct og_sources sources; /* positions in UTF-16 units */
    struct og_quoted quotes;
    struct og_novel novel; /* the new parts, if requested */
    uint64_t number;       /* of the document */
};

/* The text, with its passages marked. */
void og_html_text(struct og_html_report *h);

/* The whole document for the script: one line of JSON without its end. */
og_status og_html_data(struct og_html_report *h, og_error *err);

/* "d1p3"; kind 0 is the document alone. */
void og_html_name(struct og_html_report *h, char kind, size_t n);

/* By the index of a source in `sources`. */
bool og_html_is_boilerplate(const struct og_html_report *h, size_t source);

/* An origin with this many other copiers does not show who copied from whom:
 * the footer of every letter, a licence, a slogan. */
#define OG_BOILERPLATE_COPIERS 8

#endif
