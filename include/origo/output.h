#ifndef ORIGO_OUTPUT_H
#define ORIGO_OUTPUT_H

/* What a program writes: files that appear whole, packed or in shards. */

#include <stdio.h>

#include <origo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an output is packed. */
typedef enum og_packing {
    OG_PACKING_AUTO =
        0, /* the ending of its name decides: .gz, .zst, else none */
    OG_PACKING_NONE,
    OG_PACKING_GZIP,
    OG_PACKING_ZSTD,
} og_packing;
OG_API og_packing og_packing_of(const char *path); /* never OG_PACKING_AUTO */

/* All zero is one file, packed as its name says. */
typedef struct og_output_options {
    og_packing packing;
    uint32_t n_shards;  /* of a folder: so many files, and record i goes to file
                           i modulo n. 0: a new file begins after... */
    uint64_t shard_len; /* ... so many bytes, before packing; 0: 256 MiB */
} og_output_options;

/* `path` is a file that appears when og_output_commit() is done, and is as it
 * was when anything fails before; what is no regular file (a device, a named
 * pipe) is written where it is; NULL and "-" are stdout. A path that ends with
 * a slash is a folder, made when there is none: its files are
 * part-00000.jsonl, part-00001.jsonl and so on, with .gz or .zst after it.
 * OG_ERR_USAGE: shards without a folder. OG_ERR_IO: the folder holds such parts
 * already. */
typedef struct og_output og_output;
OG_API og_status og_output_new(const char *path,
                               const og_output_options *options,
                               og_output **out, og_error *err);
/* Where to write; the same until og_output_free(). */
OG_API FILE *og_output_file(og_output *output);
/* A record begins: it may go to another shard than the one before. */
OG_API og_status og_output_next(og_output *output, og_error *err);
/* All of it is on disk under its name. On failure nothing has changed, but for
 * shards that got their names before. og_output_free() is still due. */
OG_API og_status og_output_commit(og_output *output, og_error *err);
/* Without a commit, what was written is gone. NULL is fine. */
OG_API void og_output_free(og_output *output);

#ifdef __cplusplus
}
#endif

#endif
