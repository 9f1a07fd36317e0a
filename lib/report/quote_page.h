#ifndef OG_REPORT_QUOTE_PAGE_H
#define OG_REPORT_QUOTE_PAGE_H

/*   in:  documents with the sentences that they reuse   (quote_report)
 *   out: one page that needs no network and no script    (writer)
 *
 * Names in the page: d1 is the first document, d1p3 its third reused
 * sentence, d1s3 what that takes up. */

#include "lib/report/writer.h"

/* `first` gives the title; NULL: there is no document. */
void og_quote_page_begin(struct og_writer *w, const og_document *first);

/* `number` of the document, from 1. */
og_status og_quote_page_add(struct og_writer *w, uint64_t number,
                            const og_document *doc, const og_quotes *quotes,
                            og_error *err);

void og_quote_page_end(struct og_writer *w, uint64_t n_documents);

#endif
