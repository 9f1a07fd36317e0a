#ifndef OG_HAMMING_CODE_LINES_H
#define OG_HAMMING_CODE_LINES_H

/* Codes of documents out of a file: text, one line "id<TAB>hex digits" each, or
 * a binary file of simhashes (lib/sketch/sketch_file.h), recognised by its
 * first bytes. Codes have 64 bits (1 to 16 digits) or 128 (32 digits), the same
 * number throughout a file. A file can be read in shards: each record belongs
 * to exactly one of them, and together they are the file. */

#include "lib/base/memory.h"

#include <origo/neighbour.h>

struct og_code_part {
    uint32_t shard, n_shards; /* 0 of 1: all */
};

typedef bool (*og_on_wide_code)(void *ctx, og_bytes id, og_wide_code code,
                                unsigned n_bits);

/* Calls on_code for each record of the part, in order; false stops with
 * OG_ERR_STOPPED. `path` "-" is stdin, which has one part. *out_identity, if
 * not NULL, distinguishes the file from others of another length. n_bits 0: all
 * codes must be as wide as the first one. */
og_status og_code_lines_read(const char *path, struct og_code_part part,
                             unsigned n_bits, void *ctx,
                             og_on_wide_code on_code, uint64_t *out_identity,
                             const og_allocator *allocator, og_error *err);

#endif
