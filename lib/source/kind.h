#ifndef OG_SOURCE_KIND_H
#define OG_SOURCE_KIND_H

/*   in:  the first bytes of a file, and its name
 *   out: what kind of file it is                       (lib/source/source.c) */

#include "lib/source/source.h"

#include <origo/reading.h>

/* The number of bytes examined. */
#define OG_KIND_HEAD_LEN ((size_t)8 << 10)

/* OG_BLOCK_TEXT if it is nothing else. JSONL is recognised elsewhere, since one
 * line of it may be longer than this. The name is used only if the bytes do not
 * decide. */
enum og_block_kind og_kind_of(og_bytes head, const char *name);

/* What the user specified; OG_BLOCK_EMPTY for OG_FILE_AUTO. */
enum og_block_kind og_kind_of_file_kind(og_file_kind kind);

/* "x.jsonl", "x.ndjson.gz" */
bool og_kind_is_jsonl_name(const char *name);

/* Whether a name ends in this; ".gz", ".zst", ".bz2" and ".xz" are ignored. */
bool og_kind_has_ending(const char *name, const char *ending);

#endif
