#ifndef OG_DISK_OUTPUT_H
#define OG_DISK_OUTPUT_H

/*   in:  the records of an output                   (dedup, export, read)
 *   out: one file, or a folder of shards; packed or not
 *
 * Which shard a record goes to depends on its number or on the bytes before
 * it, so the same records give the same files. All of them are temporary until
 * the commit. */

#include "lib/os/new_file.h"

#include <origo/output.h>

struct og_shards {
    char *folder; /* NULL: one file */
    bool made_folder, is_private;
    og_packing packing;
    uint32_t n_shards;
    uint64_t shard_len;
    uint64_t n_records;
    struct og_new_file *files;
    size_t n_files, files_cap, current;
};

/* Whether the name denotes a folder of shards. */
bool og_is_shards(const char *path);
/* The name of the file or folder without a trailing slash; to be freed with
 * free(). NULL: no memory. */
char *og_shards_name(const char *path);

/* After a failure there is nothing to close. */
og_status og_shards_open(struct og_shards *shards, const char *path,
                         const og_output_options *options, og_error *err);
/* One file that an interrupted run can continue: og_output_open_part(). */
og_status og_shards_open_part(struct og_shards *shards, const char *path,
                              og_packing packing, enum og_part_state state,
                              uint64_t len, og_error *err);

/* Begins a record; *out is the file it goes to. */
og_status og_shards_next(struct og_shards *shards, struct og_new_file **out,
                         og_error *err);

og_status og_shards_sync(struct og_shards *shards, og_error *err);
/* The bytes of the first file, after a sync; to continue from there. */
uint64_t og_shards_len(const struct og_shards *shards);
og_status og_shards_commit(struct og_shards *shards, og_error *err);
/* Like og_new_file_discard() and og_new_file_leave(). May be called after a
 * commit, and with a struct that is all zero. */
void og_shards_discard(struct og_shards *shards);
void og_shards_leave(struct og_shards *shards);

#endif
