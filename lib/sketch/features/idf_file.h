#ifndef OG_SKETCH_FEATURES_IDF_FILE_H
#define OG_SKETCH_FEATURES_IDF_FILE_H

/* What the writer and the reader of an idf file share.
 *
 *     head      64 bytes: magic "origodf\n", version, length of the words,
 *               documents, features, largest error, 0, 0, checksum of the head
 *     words     the identity of the features, padded with zeros to 8 bytes
 *     entries   16 bytes each, ascending by hash: hash, count, error
 *     checksum  8 bytes, of everything before it
 *
 * All numbers are little-endian. The true document frequency of an entry is
 * count to count + error; of a feature that has none, 0 to the largest
 * error. */

#include "lib/sketch/features/idf.h"

#include <origo/sketch.h>

#define OG_IDF_VERSION   2 /* version 1, with Rabin checksums, is still read */
#define OG_IDF_HEAD_LEN  64
#define OG_IDF_WORDS_MAX 256

struct og_idf_entry {
    uint64_t hash;
    uint32_t count; /* 0 in a table: free */
    uint32_t error;
};
_Static_assert(sizeof(struct og_idf_entry) == 16, "as it stands in the file");

struct og_idf_head {
    uint64_t n_documents, n_features, max_error;
    char words[OG_IDF_WORDS_MAX];
};

extern const char og_idf_magic[8];

/* `entries` are ascending by hash. */
og_status og_idf_save(const char *path, const struct og_idf_head *head,
                      const struct og_idf_entry *entries, og_error *err);

/* The same without a file; its checksum is 0. Copies the entries. */
og_status og_idf_from_entries(const struct og_idf_head *head,
                              const struct og_idf_entry *entries, og_idf **out,
                              og_error *err);

#endif
