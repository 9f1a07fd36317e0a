#ifndef OG_SOURCE_JSON_STRING_H
#define OG_SOURCE_JSON_STRING_H

#include "lib/base/packing.h"

/* The string in quotes, escaped as JSON wants it. Bytes that are not UTF-8
 * pass as they are. */
void og_pack_json_string(struct og_pack *out, og_bytes s);

#endif
