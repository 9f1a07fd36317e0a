#ifndef OG_NEAR_NEAR_FILES_H
#define OG_NEAR_NEAR_FILES_H

/*   in:  the ring of an index, as it is now       (near_index.h)
 *   out: the folder "near" of a store, and the ring again
 *
 *     manifest    lib/disk/manifest.h, with the fields
 *                     uuid 0123456789abcdef0123456789abcdef
 *                     documents 4711
 *                     method minhash
 *                     tokens words
 *                     shingle 5
 *                     bands 14
 *                     rows 8
 *                     memory 67108864
 *                     hand 4711
 *     segment-N   lib/disk/segment_file.h, of one section: entries, each its
 *                 place in the ring 4, number of the document 4, sketch; the
 *                 places ascend
 *
 * The uuid is that of the store, whose first `documents` documents were added.
 * An entry of a later segment replaces one of an older segment at the same
 * place; `hand` is the place of the next entry. A flush writes the entries
 * since the last one together with those of the segments that the merge rule
 * (lib/disk/merge_policy.h) selects.
 *
 * Numbers are little-endian. Before there were segments, the folder had one
 * file (old_near_file.c); it is read, and the next flush replaces it. */

#include "lib/disk/manifest.h"

struct og_near;

struct og_near_files {
    struct og_manifest list;
    uint64_t sizes[OG_SEGMENTS_MOST]; /* entries of each segment */
    uint32_t n_documents;             /* of the store, that are in the files */
};

/* Reads the folder; a reader starts again if a writer replaces it meanwhile.
 * OG_ERR_STORE names the file that is damaged or missing. */
og_status og_near_files_open(struct og_near *near, og_error *err);
/* Writes everything that is not in the files yet; the documents must be durable
 * in the store. */
og_status og_near_flush(struct og_near *near, og_error *err);
/* How many documents of the store are in the files. */
og_status og_near_files_documents(const char *folder, const uint8_t *uuid,
                                  uint32_t *out, og_error *err);
/* Whether a file of the folder belongs to an index, of any version. */
bool og_near_files_has(const char *name);

/* ---- old_near_file.c: the one file of before ---- */

bool og_old_near_file_is_there(const char *folder);
og_status og_old_near_file_open(struct og_near *near, og_error *err);
og_status og_old_near_file_documents(const char *folder, const uint8_t *uuid,
                                     uint32_t *out, og_error *err);
void og_old_near_file_delete(const char *folder);

#endif
