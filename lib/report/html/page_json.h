#ifndef OG_REPORT_PAGE_JSON_H
#define OG_REPORT_PAGE_JSON_H

/* Members of the JSON inside a page. `name` includes everything before the
 * value: ",\"time\":". */

#include "lib/report/escape.h"

#include <string.h>

static inline void og_page_number(struct og_writer *w, const char *name,
                                  uint64_t n)
{
    og_writer_string(w, name);
    og_writer_number(w, n);
}

/* Omitted if it is empty. */
static inline void og_page_text(struct og_writer *w, const char *name,
                                og_bytes s)
{
    if (s.len == 0) return;
    og_writer_string(w, name);
    og_escape_script(w, s);
}

static inline void og_page_time(struct og_writer *w, bool has_time,
                                int64_t time)
{
    char text[40];
    if (!has_time) return;
    og_time_format(time, text);
    og_page_text(w, ",\"time\":", (og_bytes){text, strlen(text)});
}

#endif
