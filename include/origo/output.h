#ifndef ORIGO_OUTPUT_H
#define ORIGO_OUTPUT_H

/* Output files that appear only when complete, compressed or in shards. */

#include <stdio.h>

#include <origo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an output is compressed. */
typedef enum og_packing {
    OG_PACKING_AUTO =
        0, /* by the extension of the file: .gz, .zst, otherwise none */
    OG_PACKING_NONE,
    OG_PACKING_GZIP,
    OG_PACKING_ZSTD,
} og_packing;
OG_API og_packing og_packing_of(const char *path); /* never OG_PACKING_AUTO */

/* All zeros: one file, compressed according to its extension. */
typedef struct og_output_options {
    og_packing packing;
    uint32_t n_shards;  /* files in a folder, at most 512; record i goes to
                           file i modulo n_shards. 0: start a new file after
                           shard_len bytes */
    uint64_t shard_len; /* before compression; 0: 256 MiB */
    bool is_private;    /* only the owner may read the files */
} og_output_options;

/* `path` is a file that is created or replaced by og_output_commit() and
 * unchanged if anything fails before; anything but a regular file (a device, a
 * named pipe) is written directly; NULL and "-" are stdout. A path that ends
 * with a slash is a folder, created if it does not exist: its files are
 * part-00000.jsonl, part-00001.jsonl and so on, followed by .gz or .zst if
 * `packing` says so. `options` may be NULL. OG_ERR_USAGE: shards without a
 * folder. OG_ERR_IO: the folder already contains parts. */
typedef struct og_output og_output;
OG_API og_status og_output_new(const char *path,
                               const og_output_options *options,
                               og_output **out, og_error *err);
/* The stream to write to; the same one until og_output_free(). */
OG_API FILE *og_output_file(og_output *output);
/* To be called before each record, which may go to another shard. */
OG_API og_status og_output_next(og_output *output, og_error *err);
/* When it returns OG_OK, everything is on disk under its final name. On failure
 * nothing has changed, except for shards that were already renamed. Call
 * og_output_free() in either case. */
OG_API og_status og_output_commit(og_output *output, og_error *err);
/* Discards the output if it was not committed. NULL is fine. */
OG_API void og_output_free(og_output *output);

#ifdef __cplusplus
}
#endif

#endif
