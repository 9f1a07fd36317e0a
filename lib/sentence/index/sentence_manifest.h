#ifndef OG_SENTENCE_INDEX_SENTENCE_MANIFEST_H
#define OG_SENTENCE_INDEX_SENTENCE_MANIFEST_H

/* What belongs to an index on disk: the file "manifest", replaced as a whole.
 *
 *     origo sentences 2
 *     uuid 0123456789abcdef0123456789abcdef
 *     documents 4711
 *     stop en
 *     stem -
 *     signature 64 4
 *     next 12
 *     image 3 9f0c52e0a1b4d377
 *     image 10 0b6a...
 *     sum 51d2...
 *
 * Images stand oldest first, each with the sum in its foot. The uuid is that of
 * the store; of its documents the first `documents` are in the images. Version
 * 1 was an index of its own: instead of the two lines it had `journal 11`, the
 * number of a file with documents that are in no image, after `next`. It is
 * read in order to be upgraded. */

#include "lib/sentence/index/segment_merge.h"

#define OG_SENTENCES_UUID_LEN 16

struct og_sentence_manifest {
    char stop[8], stem[8]; /* "" for none */
    uint32_t signature_bits, word_bits;
    uint8_t uuid[OG_SENTENCES_UUID_LEN]; /* of the store */
    uint32_t n_documents;                /* of the store that are in images */
    uint64_t next;                       /* number of the next file */
    bool is_old;      /* version 1: it has a journal, and no store */
    uint64_t journal; /* number of the journal; 0: there is none yet */
    struct {
        uint64_t number, sum;
    } image[OG_IMAGES_MOST];
    size_t n_images;
};

/* OG_ERR_STORE with `name` and the line that is damaged. */
og_status og_sentence_manifest_parse(struct og_sentence_manifest *manifest,
                                     og_bytes text, const char *name,
                                     og_error *err);
og_status og_sentence_manifest_read(struct og_sentence_manifest *manifest,
                                    const char *path, og_error *err);
og_status
og_sentence_manifest_write(const struct og_sentence_manifest *manifest,
                           const char *path, og_error *err);

/* A sum of bytes of any length. */
uint64_t og_sum_bytes(const void *data, size_t len);

#endif
