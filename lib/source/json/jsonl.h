#ifndef OG_SOURCE_JSON_JSONL_H
#define OG_SOURCE_JSON_JSONL_H

/*   in:  one line of JSONL
 *   out: a document                                    (lib/source/block.c) */

#include "lib/source/source.h"

#include <origo/reading.h>

/* What a line lacks to be a document. */
struct og_jsonl_problem {
    const char *message; /* NULL: nothing */
    size_t off;          /* in the line */
    char fields[120];    /* those it has, when the text is missing: "id, body";
                            "": they are not the matter */
};

/* Adds a name to problem->fields; what does not fit is shown by dots. */
void og_jsonl_list_field(struct og_jsonl_problem *problem, og_bytes name);

/* Fills out->doc and out->bad_time; the id is empty when the line has none.
 * Views into `line` or into `unescaped`, which needs room for line.len +
 * OG_SCAN_SLACK bytes. The name of a field may be a path, "doc.body". Of a key
 * that comes twice the last one counts. The members that are no fields go to
 * `extra`, which needs room for line.len bytes and becomes out->doc.extra;
 * NULL: they are not wanted. Returns what is after the last byte written to
 * `unescaped`, or NULL when the line is no document: the problem then says why.
 */
char *og_jsonl_read(og_bytes line, const og_fields *fields, char *unescaped,
                    char *extra, struct og_record *out,
                    struct og_jsonl_problem *problem);

#endif
