#ifndef OG_SENTENCE_INDEX_SENTENCE_MANIFEST_H
#define OG_SENTENCE_INDEX_SENTENCE_MANIFEST_H

/* What belongs to an index on disk: the file "manifest", replaced as a whole.
 *
 *     origo sentences 1
 *     stop en
 *     stem -
 *     signature 64 4
 *     next 12
 *     journal 11
 *     image 3 9f0c52e0a1b4d377
 *     image 10 0b6a...
 *     sum 51d2...
 *
 * Images stand oldest first, each with the sum in its foot. */

#include "lib/sentence/index/segment_merge.h"

struct og_sentence_manifest {
    char stop[8], stem[8]; /* "" for none */
    uint32_t signature_bits, word_bits;
    uint64_t next;    /* number of the next file */
    uint64_t journal; /* number of the journal; 0: there is none yet */
    struct {
        uint64_t number, sum;
    } image[OG_IMAGES_MOST];
    size_t n_images;
};

/* OG_ERR_STORE with `name` and the line that is not sound. */
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
