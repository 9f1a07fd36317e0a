#ifndef OG_REPORT_HTML_PIECES_H
#define OG_REPORT_HTML_PIECES_H

/*   in:  titles, counts, times, addresses       (report_html, quote_html)
 *   out: their markup, and the head of a page   (writer)
 *
 * Whatever comes from a document is escaped here. */

#include "lib/report/report.h"

enum { OG_HTML_TITLE_LEN = 300 }; /* bytes of a title that a heading shows */

/* At most `most` bytes and the rest of a word; an ellipsis if it is cut. */
void og_html_short(struct og_writer *w, og_bytes s, size_t most);

og_bytes og_html_shorten(og_bytes s, size_t most);

/* "31.0 %" */
void og_html_percent(struct og_writer *w, uint64_t part, uint64_t whole);

/* 0 only for nothing, 100 only for everything. */
unsigned og_html_whole_percent(uint64_t part, uint64_t whole);

void og_html_count(struct og_writer *w, uint64_t n, const char *one,
                   const char *many);
void og_html_time(struct og_writer *w, int64_t time);

/* A link if it is http:// or https://, otherwise its text; nothing if empty. */
void og_html_url(struct og_writer *w, og_bytes url);

/* Everything up to <main>. Without has_script the policy forbids every
 * script. */
void og_html_head(struct og_writer *w, og_bytes title, bool has_script);

#endif
