#ifndef OG_DISK_MANIFEST_H
#define OG_DISK_MANIFEST_H

/*   in:  which segments are live, and what they were made with
 *   out: the file "manifest" of a folder, replaced as a whole
 *
 *     origo hamming 3
 *     generation 12
 *     bits 64
 *     distance 3
 *     next 8
 *     segment 5 0123456789abcdef
 *     segment 7 76543210fedcba98
 *     sum 0011223344556677
 *
 * The first line has the kind and its version. `generation` rises with every
 * write. Lines that are not explained here are fields of the kind. `next` is
 * the number of the next file. Segments are listed oldest first, each with the
 * checksum of its foot (lib/disk/segment_file.h); a file that is not listed
 * does not count. The last line is the checksum of the lines before it.
 *
 * Older versions had no generation, called a segment "run" or "image", and some
 * had another checksum: they are read, and the next write converts them. */

#include "lib/base/status.h"
#include "lib/disk/segment_file.h"

enum {
    OG_SEGMENTS_MOST = 64,
    OG_MANIFEST_FIELDS_MOST = 12,
    OG_MANIFEST_PATH_MOST = 4096,
    OG_MANIFEST_UUID_LEN = 16
};

struct og_manifest {
    uint32_t version;
    uint64_t generation; /* of the one that was read or written; 0: none */
    uint64_t next;
    size_t n_fields;
    struct {
        char key[16], value[48];
        size_t line;
    } field[OG_MANIFEST_FIELDS_MOST];
    size_t n_segments;
    struct {
        uint64_t number, sum;
    } segment[OG_SEGMENTS_MOST];
};

struct og_manifest_kind {
    const char *name;
    uint32_t version;
    uint32_t
        old_sum_until; /* the last version with the sum of lib/disk/old_sum.h */
};

/* OG_ERR_STORE names `name` and the damaged line. */
og_status og_manifest_parse(struct og_manifest *m,
                            const struct og_manifest_kind *kind, og_bytes text,
                            const char *name, og_error *err);
/* OG_ERR_NO_STORE: there is none in `folder`. */
og_status og_manifest_read(struct og_manifest *m,
                           const struct og_manifest_kind *kind,
                           const char *folder, og_error *err);
/* Durable when it returns; the names of the files in `folder` become durable
 * first. */
og_status og_manifest_write(struct og_manifest *m,
                            const struct og_manifest_kind *kind,
                            const char *folder, og_error *err);

/* ---- fields ---- */

/* A value has 1 to 47 characters, no line feed. */
void og_manifest_set(struct og_manifest *m, const char *key, const char *value);
void og_manifest_set_number(struct og_manifest *m, const char *key,
                            uint64_t value);
void og_manifest_set_uuid(struct og_manifest *m, const char *key,
                          const uint8_t uuid[OG_MANIFEST_UUID_LEN]);
/* NULL: there is no such field. */
const char *og_manifest_get(const struct og_manifest *m, const char *key);
/* False: there is none, or its value is not a number up to `most`. */
bool og_manifest_get_number(const struct og_manifest *m, const char *key,
                            uint64_t most, uint64_t *out);
/* False: there is none, or it is not a uuid in lower-case digits. */
bool og_manifest_get_uuid(const struct og_manifest *m, const char *key,
                          uint8_t out[OG_MANIFEST_UUID_LEN]);
/* Sets "'FOLDER/manifest' is damaged: line N", the line of field `key`; returns
 * OG_ERR_STORE. */
og_status og_manifest_bad_field(const struct og_manifest *m, const char *folder,
                                const char *key, og_error *err);

/* ---- the files it names ---- */

/* "FOLDER/name" and "FOLDER/prefix-number". OG_ERR_USAGE: too long. */
og_status og_manifest_path(const char *folder, const char *name,
                           char out[OG_MANIFEST_PATH_MOST], og_error *err);
og_status og_segment_number_path(const char *folder, const char *prefix,
                                 uint64_t number,
                                 char out[OG_MANIFEST_PATH_MOST],
                                 og_error *err);

/* OG_ERR_STORE: the file at `path` is not segment `i`: its sum differs. */
og_status og_manifest_check_segment(const struct og_manifest *m, size_t i,
                                    const char *path, uint64_t sum,
                                    og_error *err);
/* Maps segment `i`, checks it and returns its path. */
og_status og_manifest_open_segment(const struct og_manifest *m, size_t i,
                                   const char *folder, const char *prefix,
                                   const struct og_segment_kind *kind,
                                   struct og_segment_file *out,
                                   char out_path[OG_MANIFEST_PATH_MOST],
                                   og_error *err);

/* Deletes the files "prefix-N" of the folder that are not among the `n`
 * numbers, and unfinished files of a writer that was killed. */
void og_segments_delete_unnamed(const char *folder, const char *prefix,
                                const uint64_t *numbers, size_t n);

#endif
