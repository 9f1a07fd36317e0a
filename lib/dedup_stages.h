#ifndef OG_DEDUP_STAGES_H
#define OG_DEDUP_STAGES_H

/* The files of the stages, all below one folder. Each appears when it is
 * whole, so that its being there is the mark that it is done.
 *
 *     sketch/FFFFFF             of input file F, from 0
 *     bands/BBBBB_00.dups       of band B: datatrove's form, four 32-bit words
 *                               for each pair: file, document, file, document
 *     components/SSSSSS-of-NNNNNN   what shard S of N decided
 *
 *     sketch:     [magic 8][digest 8][n 8] records [hash 8]
 *       record:   [offset 8][line 8][length 8][sketch]
 *     components: [magic 8][digest 8][n 8] struct og_stage_removal... [hash 8]
 *
 * The digest is of the options that decide what a sketch is; files of other
 * options are refused. */

#include "lib/base/packing.h"
#include "lib/dedup_texts.h"

struct og_stage_removal {
    uint32_t file, doc, of_file, of_doc; /* documents from 0 in their file */
    double similarity;
    uint64_t of_offset, of_line;
    uint32_t of_len, unused;
};
_Static_assert(sizeof(struct og_stage_removal) == 48, "format");

/* A file of one of the two kinds, checked; `body` points into it. */
struct og_stage_file {
    uint8_t *data;
    size_t len;
    const uint8_t *body;
    uint64_t n;
};

/* OG_ERR_INPUT: it is missing (named), damaged or of other options. */
og_status og_stage_file_read(const char *path, const char *magic,
                             uint64_t digest, size_t record_len,
                             struct og_stage_file *out, og_error *err);
void og_stage_file_release(struct og_stage_file *file);
/* `records` are the packed records. */
og_status og_stage_file_write(const char *path, const char *magic,
                              uint64_t digest, uint64_t n,
                              const struct og_pack *records, og_error *err);

#define OG_STAGE_SKETCH     "origoSK1"
#define OG_STAGE_COMPONENTS "origoCM1"

#endif
