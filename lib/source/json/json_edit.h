#ifndef OG_SOURCE_JSON_JSON_EDIT_H
#define OG_SOURCE_JSON_JSON_EDIT_H

/* JSON records as bytes: locates a value in a line, and rewrites a line with
 * one value changed and every other byte unchanged. */

#include "lib/base/packing.h"

#include <origo/document.h>

/* The value of the last member `name` of an object: its bytes as they are,
 * quotes included. `scratch` needs line.len + 64 bytes. False if there is none
 * or the line is not an object. */
bool og_json_member(og_bytes line, const char *name, char *scratch,
                    og_bytes *out_raw);

/* A number or a time as a 64-bit word: larger value, larger word. False for any
 * other value. */
bool og_json_rank(og_bytes raw, char *scratch, uint64_t *out);

/* Appends a string in quotes. Invalid UTF-8 is kept unchanged. */
void og_pack_json_string(struct og_pack *out, og_bytes s);
void og_pack_text(struct og_pack *out, const char *s);
/* Appends `value` rounded to four digits after the point: 0.8333, 1. */
void og_pack_share(struct og_pack *out, double value);
/* A field of a line of tab-separated values. */
void og_pack_field(struct og_pack *out, og_bytes s);
void og_pack_decimal(struct og_pack *out, uint64_t n);

/* The document as a line of JSONL with a newline. */
void og_pack_document(struct og_pack *out, const og_document *doc);

/* The line with `raw` (a view into it) replaced by `value`; no newline. */
void og_pack_replaced(struct og_pack *out, og_bytes line, og_bytes raw,
                      og_bytes value);
/* The object with one more member at its end: ,"name":VALUE; no newline. */
void og_pack_extended(struct og_pack *out, og_bytes line, const char *name,
                      og_bytes value);

#endif
