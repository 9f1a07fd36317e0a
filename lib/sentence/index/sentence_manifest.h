#ifndef OG_SENTENCE_INDEX_SENTENCE_MANIFEST_H
#define OG_SENTENCE_INDEX_SENTENCE_MANIFEST_H

/* The manifest (lib/disk/manifest.h) of the folder "sentences" of a store, with
 * these fields:
 *
 *     uuid 0123456789abcdef0123456789abcdef
 *     documents 4711
 *     stop en
 *     stem -
 *     signature 64 4
 *
 * The uuid is that of the store, whose first `documents` documents are in the
 * segments. Version 1 was an index of its own, without a store: it is
 * recognised in order to be upgraded. */

#include "lib/disk/manifest.h"
#include "lib/sentence/index/segment_merge.h"

enum { OG_SENTENCES_UUID_LEN = 16 };

struct og_sentence_manifest {
    char stop[8], stem[8]; /* "" for none */
    uint32_t signature_bits, word_bits;
    uint8_t uuid[OG_SENTENCES_UUID_LEN]; /* of the store */
    uint32_t n_documents;                /* of the store, that are in
                                            segments */
    bool is_old;                         /* version 1: without a store */
    struct og_manifest list;             /* the segments */
};

/* OG_ERR_STORE names the file and the line that is damaged; OG_ERR_IO. */
og_status og_sentence_manifest_read(struct og_sentence_manifest *manifest,
                                    const char *folder, og_error *err);
og_status og_sentence_manifest_write(struct og_sentence_manifest *manifest,
                                     const char *folder, og_error *err);

/* The fields of a manifest that was read. False: *out_key is the bad one. */
bool og_sentence_manifest_take(struct og_sentence_manifest *manifest,
                               const char **out_key);

extern const struct og_manifest_kind og_sentence_manifest_kind;

#endif
