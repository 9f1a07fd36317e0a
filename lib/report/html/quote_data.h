#ifndef OG_REPORT_QUOTE_DATA_H
#define OG_REPORT_QUOTE_DATA_H

/*   in:  the reused sentences of a document       (quote_html)
 *   out: the document as data for the script, and its row (page) */

#include "lib/report/html/web_page.h"

#include <origo/sentence.h>

/* Writes the line of JSON, without its end, and the row except for its end. */
og_status og_quote_data(struct og_web_page *page, struct og_writer *w,
                        const og_document *doc, const og_quotes *quotes,
                        og_error *err);

#endif
