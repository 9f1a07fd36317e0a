#ifndef OG_OS_PACKER_H
#define OG_OS_PACKER_H

/*   in:  the bytes of an output                         (lib/os/new_file.c)
 *   out: the same, packed by gzip or zstd
 *
 * The output can be ended anywhere: both formats may be concatenated, so an
 * interrupted output continues after it. */

#include <stdbool.h>
#include <stddef.h>

#include <origo/output.h>

/* Receives packed bytes; 0, or -1 with errno. */
typedef int og_packer_sink(void *ctx, const void *data, size_t len);

struct og_packer;

/* NULL: no memory. `packing` is OG_PACKING_GZIP or OG_PACKING_ZSTD. */
struct og_packer *og_packer_new(og_packing packing, og_packer_sink *sink);
void og_packer_free(struct og_packer *packer); /* NULL is fine */

/* 0, or -1 with errno. `ctx` goes to the sink. */
int og_packer_write(struct og_packer *packer, void *ctx, const void *data,
                    size_t len);
/* Ends a frame, if one has begun; `always`: writes an empty one otherwise. */
int og_packer_end(struct og_packer *packer, void *ctx, bool always);

#endif
