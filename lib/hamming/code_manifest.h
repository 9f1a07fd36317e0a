#ifndef OG_HAMMING_CODE_MANIFEST_H
#define OG_HAMMING_CODE_MANIFEST_H

/* The list of runs of an index on disk: a small text file in its folder,
 * replaced as a whole. What it does not name does not count, so a run that
 * was not finished, or was merged away, is nothing but a file to delete.
 *
 *     origo hamming 1
 *     bits 64
 *     distance 3
 *     memory 4294967296
 *     tables -1
 *     next 8
 *     run 5 0123456789abcdef
 *     run 7 76543210fedcba98
 *     sum 0011223344556677
 *
 * An index of another form than directories says "origo hamming 2" and has a
 * line "design sorted" after that of the tables.
 *
 * Each run is the file "run-N" beside it, with the sum of its head, the
 * oldest first; the last line is the sum of the lines before it. */

#include "lib/hamming/code_merge.h"

struct og_code_manifest {
    unsigned n_bits, max_distance;
    struct og_code_choice choice;
    uint64_t next;
    size_t n_runs;
    struct {
        uint64_t number, sum;
    } run[OG_CODE_RUNS_MOST];
};

/* OG_ERR_NO_STORE when there is none, OG_ERR_IO when it cannot be read,
 * OG_ERR_STORE with the line when it is damaged. */
og_status og_code_manifest_read(struct og_code_manifest *manifest,
                                const char *folder, og_error *err);
og_status og_code_manifest_parse(struct og_code_manifest *manifest,
                                 og_bytes text, const char *name,
                                 og_error *err);
/* Durable when it returns. */
og_status og_code_manifest_write(const struct og_code_manifest *manifest,
                                 const char *folder, og_error *err);

/* "folder/name"; false when it does not fit. */
bool og_code_path(char *out, size_t out_cap, const char *folder,
                  const char *name);
bool og_code_run_path(char *out, size_t out_cap, const char *folder,
                      uint64_t number);

#endif
