#ifndef OG_SOURCE_CSV_H
#define OG_SOURCE_CSV_H

/*   in:  a row of CSV or TSV, and the names of its columns
 *   out: a document                                    (lib/source/block.c)
 *
 * RFC 4180: fields in quotes may contain the delimiter, newlines and quotes,
 * which are doubled. A row whose number of fields differs from the header's is
 * not a document: something in it was not quoted, and part of a text would be
 * taken for the whole. */

#include "lib/base/packing.h"
#include "lib/source/json/jsonl.h"

#include <origo/reading.h>

/* The longest header that is accepted. */
#define OG_CSV_HEADER_MAX ((size_t)64 << 10)

/* Reads the names from a header: one after another, each ended by a zero.
 * False: there are none, or out->failed. */
bool og_csv_read_header(og_bytes row, char delimiter, struct og_pack *out);

/* Whether `names` has a column of this name. */
bool og_csv_has_column(og_bytes names, const char *name);

/* ',' ';' tab or '|': the one that gives the header a column `text`, otherwise
 * the one that occurs most often in it. */
char og_csv_delimiter(og_bytes header, const char *text, bool *out_has_text,
                      const og_allocator *allocator);

/* Like og_jsonl_read(); `unescaped` needs room for row.len bytes. The other
 * columns go to `extra` as JSON members; NULL: they are dropped. */
char *og_csv_read(og_bytes row, char delimiter, og_bytes names,
                  const og_fields *fields, char *unescaped,
                  struct og_pack *extra, struct og_record *out,
                  struct og_jsonl_problem *problem);

#endif
