#ifndef OG_NEAR_NEAR_FILES_H
#define OG_NEAR_NEAR_FILES_H

/* The inside of an og_near, and its files.
 *
 *     STORE/near/index     all entries at one moment; replaced as a whole
 *     STORE/near/journal   entries that came since, one frame each
 *     STORE/near/lock      held by the writer
 *
 *     index:   [magic 8][options 40][hash of the head 8] frame...
 *     frame:   [length 4][hash 4][time 8][has_time 1][sketch][id]
 *
 * All numbers little-endian. The journal's head is the same; a frame at its end
 * that is cut or wrong was never acknowledged and is dropped. In the index
 * every frame must be sound, and a last one of length 0 ends it. */

#include "lib/base/packing.h"
#include "lib/dedup/document_stream.h"
#include "lib/near/near_index.h"
#include "lib/sketch/shingle_set.h"
#include "lib/store/text/stored_texts.h"

struct og_dedup_texts;

struct og_near {
    og_near_options options;
    bool has_old_simhash; /* of the fingerprints as they are, not mixed */
    struct og_near_index *index;
    size_t minhash_len, sketch_len;
    struct og_shingle_factors key;
    struct og_band_sketcher sketcher;
    /* On disk: */
    char *folder; /* NULL: in memory */
    bool is_writable;
    int lock_fd, journal_fd;
    uint64_t n_journal;     /* entries in it */
    struct og_pack waiting; /* frames that are not written yet */
    /* In the folder of a store (near_verify.h): */
    bool is_store;
    struct og_stored_texts *stored; /* NULL: it keeps no texts */
    struct og_dedup_texts *texts;
    struct og_shingle_set set; /* of the document asked about */
    uint64_t n_stored;         /* documents of the store */
    uint64_t n_exact, n_estimated;
};

og_status og_near_index_make(og_near *near, og_error *err);

/* Reads what there is, or makes it. */
og_status og_near_files_open(og_near *near, const char *store, og_error *err);
void og_near_files_close(og_near *near);
og_status og_near_files_add(og_near *near, const struct og_near_entry *entry,
                            og_error *err);
og_status og_near_files_commit(og_near *near, og_error *err);

#endif
