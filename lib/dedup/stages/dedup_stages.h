#ifndef OG_DEDUP_STAGES_DEDUP_STAGES_H
#define OG_DEDUP_STAGES_DEDUP_STAGES_H

/*   in:  one shard of the input, or the files of the stage before
 *   out: the files of a stage                            (lib/dedup/stages)
 *
 * What the stages of deduplication share, and their files, all below one
 * folder. Each appears when it is complete, so its existence means that it is
 * done.
 *
 *     sketch/FFFFFF             of input file F, from 0
 *     sketch/FFFFFF.texts       ids and texts as JSONL, of a file whose lines
 *                               cannot be read again from itself
 *     bands/BBBBB_00.dups       of band B, as in lib/dedup/dedup_lists.h
 *     components/SSSSSS-of-NNNNNN   the decisions of shard S of N
 *
 *     sketch:     [magic 8][digest 8][n 8] records [hash 8]
 *       record:   [offset 8][line 8][length 8][rank 8][sketch]
 *     components: [magic 8][digest 8][n 8] struct og_stage_removal... [hash 8]
 *
 * Offset and length are of a line in the file or in its .texts; the rank is
 * that of --keep. The digest covers the options that determine a sketch; files
 * with other options are refused. */

#include "lib/base/packing.h"
#include "lib/dedup/dedup_texts.h"
#include "lib/dedup/document_stream.h"

#include <origo/dedup.h>

#define OG_STAGE_PLACE_LEN 32 /* of a record, before the sketch */
#define OG_STAGE_PATH_ROOM 4096

struct og_stage {
    const og_stage_options *options;
    const og_dedup_options *dedup;
    const og_input *input;
    const char *const *paths; /* of the input */
    size_t n_paths;
    og_stage_counts *counts;
    uint64_t digest;
    struct og_shingle_factors key;
    struct og_band_sketcher sketcher;
    size_t record_len;            /* of a sketch file */
    uint64_t *bases;              /* the number of each file's first document */
    struct og_dedup_texts *texts; /* once they have been opened */
};

/* Checks the options and the files; call _finish() in any case. */
og_status og_stage_start(struct og_stage *stage, const og_input *input,
                         const og_stage_options *options,
                         og_stage_counts *counts, og_error *err);
void og_stage_finish(struct og_stage *stage);

/* Whether piece `i` of the work belongs to this shard. */
bool og_stage_is_mine(const struct og_stage *stage, uint64_t i);
/* A path below the folder of the stages; `format` is filled with a, then b. */
void og_stage_path(const struct og_stage *stage, char out[OG_STAGE_PATH_ROOM],
                   const char *format, unsigned a, unsigned b);
bool og_stage_is_there(const char *path);
og_status og_stage_make_folder(const char *path, og_error *err);
/* Creates the folder of all stages, and `name` in it. */
og_status og_stage_make_folders(const struct og_stage *stage, const char *name,
                                og_error *err);
/* The stream of one file. */
void og_stage_source(const struct og_stage *stage, const char *const *path,
                     struct og_dedup_source *out);

struct og_stage_file;
og_status og_stage_read_sketches(const struct og_stage *stage, size_t i,
                                 struct og_stage_file *out, og_error *err);
/* Fills stage->bases. */
og_status og_stage_count(struct og_stage *stage, og_error *err);
/* Fills stage->texts: file i of places is input i. */
og_status og_stage_open_texts(struct og_stage *stage, og_error *err);

/* ---- files ---- */

struct og_stage_removal {
    uint32_t file, doc, of_file, of_doc; /* documents from 0 in their file */
    double similarity;
    uint64_t of_offset, of_line;
    uint32_t of_len, unused;
};
_Static_assert(sizeof(struct og_stage_removal) == 48, "format");

/* A verified file of one of the two kinds; `body` points into it. */
struct og_stage_file {
    uint8_t *data;
    size_t len;
    const uint8_t *body;
    uint64_t n;
};

/* OG_ERR_INPUT: it is missing (and named), damaged or of other options. */
og_status og_stage_file_read(const char *path, const char *magic,
                             uint64_t digest, size_t record_len,
                             struct og_stage_file *out, og_error *err);
/* The same for bytes in memory; `name` is for messages. */
og_status og_stage_file_check(const char *name, const char *magic,
                              uint64_t digest, size_t record_len,
                              struct og_stage_file *file, og_error *err);
void og_stage_file_release(struct og_stage_file *file);
/* `records` are the packed records. */
og_status og_stage_file_write(const char *path, const char *magic,
                              uint64_t digest, uint64_t n,
                              const struct og_pack *records, og_error *err);

#define OG_STAGE_SKETCH     "origoSK2"
#define OG_STAGE_COMPONENTS "origoCM1"

#endif
