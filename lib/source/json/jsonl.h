#ifndef OG_SOURCE_JSON_JSONL_H
#define OG_SOURCE_JSON_JSONL_H

/*   in:  one line of JSONL
 *   out: a document                                    (lib/source/block.c) */

#include "lib/source/source.h"

#include <origo/reading.h>

/* Why a line is not a document. */
struct og_jsonl_problem {
    const char *message; /* NULL: nothing */
    size_t off;          /* in the line */
    char fields[120];    /* the members that it has, if the text is missing:
                            "id, body"; "": not the cause */
};

/* Adds a name to problem->fields; names that do not fit are replaced by
 * dots. */
void og_jsonl_list_field(struct og_jsonl_problem *problem, og_bytes name);

/* Fills out->doc and out->bad_time; the id is empty if the line has none. Views
 * into `line` or into `unescaped`, which needs room for line.len +
 * OG_SCAN_SLACK bytes. The name of a field may be a path, "doc.body". Of
 * repeated keys the last one counts. Members that are not fields go to `extra`,
 * which needs room for line.len bytes and becomes out->doc.extra; NULL: they
 * are dropped. Returns the end of what was written to `unescaped`, or NULL if
 * the line is not a document: the problem then says why. */
char *og_jsonl_read(og_bytes line, const og_fields *fields, char *unescaped,
                    char *extra, struct og_record *out,
                    struct og_jsonl_problem *problem);

#endif
