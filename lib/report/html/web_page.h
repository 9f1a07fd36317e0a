#ifndef OG_REPORT_WEB_PAGE_H
#define OG_REPORT_WEB_PAGE_H

/*   in:  documents with their answers                 (report_html, quote_html)
 *   out: one page that needs no network and no server (writer)
 *
 *     head, with the style and the policy
 *     <noscript>  the first documents as plain HTML, as far as they are short
 *     packed:     docs     documents as lines of JSON, some hundred kilobytes
 *                          in each element
 *                 rows     the row of each in the overview
 *                 holders  other documents with a passage, by source
 *     meta, the script
 *
 * The page is written as the documents arrive; memory is bounded by the size of
 * a page (og_web_page_is_full). The script (lib/report/page) opens with the
 * overview and unpacks a document when it is viewed.
 *
 * Nothing from a document ever becomes markup: text of the plain part is
 * escaped, data is base64, and the page's own policy names the hash of its one
 * script and its one style, so that a browser runs no other. */

#include "lib/report/html/packed.h"
#include "lib/report/names.h"
#include "lib/report/report.h"

#include <origo/report.h>

struct og_web_page;

/* `unit` is what shares are counted in: "word" or "sentence". */
og_status og_web_page_new(const char *unit, struct og_web_page **out,
                          og_error *err);
void og_web_page_free(struct og_web_page *page); /* NULL is fine */

/* Parts of an og_report_form whose state is a page. */
void og_web_page_begin(struct og_writer *w, const og_report_options *options,
                       const og_document *first, bool many);
void og_web_page_end(struct og_writer *w, const struct og_progress *progress);
bool og_web_page_is_full(const struct og_progress *progress);
/* The page that links to all parts. */
void og_web_page_cover(struct og_writer *w, const og_report_options *options,
                       const struct og_progress *progress);
void og_web_page_release(struct og_progress *progress);

/* Whether a document of this length is also written as plain HTML; if so, that
 * must be written next, between these two calls. */
bool og_web_page_plain_begin(struct og_web_page *page, struct og_writer *w,
                             size_t text_len);
void og_web_page_plain_end(struct og_writer *w);

/* The line of JSON of the next document. */
struct og_writer *og_web_page_document_begin(struct og_web_page *page,
                                             struct og_writer *w);
og_status og_web_page_document_end(struct og_web_page *page,
                                   const og_document *doc, og_error *err);

/* Its row in the overview; also updates the totals of the page. */
struct og_web_page_row {
    const og_document *doc;
    uint64_t n_units;   /* words or sentences */
    uint64_t n_copied;  /* that are in the sources */
    uint64_t n_covered; /* in copied passages */
    uint64_t n_passages, n_sources;
};
struct og_writer *og_web_page_row_begin(struct og_web_page *page,
                                        const struct og_web_page_row *row);
struct og_web_page_row_source {
    og_bytes id, title;
    int64_t time;
    bool has_time;
    uint64_t n_copied, n_covered, n_passages;
    bool is_boilerplate;
};
enum {
    OG_WEB_PAGE_ROW_SOURCES = 40
}; /* listed in a row; the rest is counted */
void og_web_page_row_source(struct og_web_page *page,
                            const struct og_web_page_row_source *source);
/* OG_ERR_MEMORY, also for the preceding calls. */
og_status og_web_page_row_end(struct og_web_page *page, struct og_writer *w,
                              og_error *err);

/* The number, from 1, of the document on this page with this id and this text;
 * 0: none. The script can then take the text from there. */
uint64_t og_web_page_find(const struct og_web_page *page, og_bytes id,
                          og_bytes text);
/* The same for an id that only one document has, with the length of its
 * text. */
uint64_t og_web_page_find_id(const struct og_web_page *page, og_bytes id,
                             uint64_t *out_len);

/* A passage of the current document is at [begin, end) of a source. */
og_status og_web_page_hold(struct og_web_page *page, uint64_t source,
                           uint64_t begin, uint64_t end, og_error *err);

#endif
