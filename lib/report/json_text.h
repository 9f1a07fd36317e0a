#ifndef OG_REPORT_JSON_TEXT_H
#define OG_REPORT_JSON_TEXT_H

#include "lib/report/glyph.h"
#include "lib/report/writer.h"

/* A JSON string with its quotes. What is not UTF-8 becomes U+FFFD. */
void og_write_json_text(struct og_writer *w, og_bytes s);

#endif
