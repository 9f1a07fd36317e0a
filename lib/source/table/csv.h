#ifndef OG_SOURCE_CSV_H
#define OG_SOURCE_CSV_H

/*   in:  a row of CSV or TSV, and the names of its columns
 *   out: a document                                    (lib/source/block.c)
 *
 * RFC 4180: fields in quotes may contain the delimiter, newlines and quotes,
 * which are doubled. A row that has not as many fields as the header is no
 * document: something in it was not quoted, and part of a text would be taken
 * for the whole. */

#include "lib/base/packing.h"
#include "lib/source/json/jsonl.h"

#include <origo/reading.h>

/* The longest header that is believed. */
#define OG_CSV_HEADER_MAX ((size_t)64 << 10)

/* Takes the names out of a header: one after another, each ended by a zero.
 * False: there are none, or out->failed. */
bool og_csv_read_header(og_bytes row, char delimiter, struct og_pack *out);

/* Whether `names` has a column of this name. */
bool og_csv_has_column(og_bytes names, const char *name);

/* ',' ';' tab or '|': the one with which the header has a column `text`, else
 * the one that it has most of. */
char og_csv_delimiter(og_bytes header, const char *text, bool *out_has_text,
                      const og_allocator *allocator);

/* As og_jsonl_read(); `unescaped` needs room for row.len bytes. The other
 * columns go to `extra` as JSON members; NULL: they are not wanted. */
char *og_csv_read(og_bytes row, char delimiter, og_bytes names,
                  const og_fields *fields, char *unescaped,
                  struct og_pack *extra, struct og_record *out,
                  struct og_jsonl_problem *problem);

#endif
