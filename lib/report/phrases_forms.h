#ifndef OG_REPORT_PHRASES_FORMS_H
#define OG_REPORT_PHRASES_FORMS_H

/*   in:  passages that many documents repeat          (lib/phrases)
 *   out: text, JSON, TSV, one page                     (writer) */

#include "lib/report/writer.h"

#include <origo/phrases.h>

void og_phrases_as_json(struct og_writer *w, const og_phrases *p);
void og_phrases_as_tsv(struct og_writer *w, const og_phrases *p);
void og_phrases_as_text(struct og_writer *w, const og_phrases *p,
                        og_text_style style);
void og_phrases_as_page(struct og_writer *w, const og_phrases *p);

/* "parts", "day", "month", "year" */
const char *og_period_name(og_period period);

#endif
